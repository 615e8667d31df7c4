/* svc-security/tls-check/scan/prober.c - send probes. */
#include "prober.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dial.h"

/* A probe in flight; series is NULL if the slot is idle. */
struct slot {
    struct probe_series *series;
    int fd;
    bool is_connected;
    bool is_talking; /* STARTTLS is not complete */
    struct starttls_talk talk;
    struct buf said; /* our STARTTLS commands */
    size_t said_sent;
    int64_t deadline_ms;
    struct buf hello;
    size_t sent;
    struct flight flight;
    struct buf ssl2_bytes;
    enum ssl2_answer ssl2_answer;
    struct ssl2_hello ssl2;
};

struct run {
    struct prober *prober;
    struct probe_series **series; /* started up to `next` */
    size_t count;
    size_t next;
    struct slot slot[PROBES_AT_ONCE];
};

/* ---- start and end of a probe ---- */

static void hang_up(struct slot *slot)
{
    dial_close(&slot->fd);
    buf_clear(&slot->hello);
    buf_clear(&slot->said);
    buf_clear(&slot->ssl2_bytes);
    flight_free(&slot->flight);
    slot->sent = 0;
    slot->said_sent = 0;
    slot->is_connected = false;
    slot->is_talking = false;
    slot->ssl2_answer = SSL2_MORE;
}

static bool has_time_left(const struct prober *prober)
{
    return prober->connections_left > 0 && clock_ms() < prober->deadline_ms;
}

static void deliver_result(struct slot *slot, struct prober *prober, enum outcome outcome)
{
    struct probe_answer answer = { outcome, &slot->flight, &slot->ssl2 };
    prober->is_partial |= outcome == OUTCOME_LOST;
    slot->series->on_result(slot->series, &answer);
    hang_up(slot);
}

/* Start the next probe of the series. Returns false at its end, or without time or connections. */
static bool start_probe(struct slot *slot, struct prober *prober)
{
    struct err err;
    while (slot->series->next_probe(slot->series, &slot->hello)) {
        if (!has_time_left(prober)) {
            prober->is_partial = true;
            hang_up(slot);
            return false;
        }
        prober->connections_left--;
        slot->deadline_ms = deadline_within(prober->deadline_ms, PROBE_CONNECT_MS);
        if (dial_begin(prober->session, &prober->address, prober->port, &slot->fd, &err))
            return true;
        deliver_result(slot, prober, OUTCOME_LOST);
    }
    return false;
}

/* Keep the slot busy with its series, or with the next one that has probes. */
static void start_probes(struct slot *slot, struct run *run)
{
    if (slot->series && start_probe(slot, run->prober))
        return;
    while (run->next < run->count) {
        slot->series = run->series[run->next++];
        if (start_probe(slot, run->prober))
            return;
    }
    slot->series = NULL;
}

static void end_probe(struct slot *slot, struct run *run, enum outcome outcome)
{
    deliver_result(slot, run->prober, outcome);
    start_probes(slot, run);
}

/* ---- socket events ---- */

/* Outcome of the bytes received when no more will be read. */
static enum outcome outcome_of(const struct slot *slot, enum outcome otherwise)
{
    if (slot->flight.has_hello || slot->ssl2_answer == SSL2_HELLO)
        return OUTCOME_ANSWERED;
    if (slot->flight.state == FLIGHT_ALERT)
        return OUTCOME_REFUSED;
    if (slot->flight.state != FLIGHT_OPEN)
        return OUTCOME_GARBAGE;
    return otherwise;
}

static bool is_enough(const struct slot *slot)
{
    const struct flight *flight = &slot->flight;
    switch (slot->series->want) {
    case WANT_SSL2:
        return slot->ssl2_answer != SSL2_MORE;
    case WANT_HELLO:
        return flight->state != FLIGHT_OPEN || flight->has_hello;
    case WANT_PARAMETERS:
        return flight->state != FLIGHT_OPEN || flight_has_parameters(flight);
    case WANT_ALL:
        break;
    }
    return flight->state != FLIGHT_OPEN || flight->is_done;
}

static void on_bytes(struct slot *slot, struct text bytes)
{
    if (slot->series->want != WANT_SSL2)
        return flight_read(&slot->flight, bytes);
    slot->ssl2_answer = SSL2_NO; /* on overflow */
    if (buf_add(&slot->ssl2_bytes, bytes.bytes, bytes.size))
        slot->ssl2_answer = ssl2_read(buf_text(&slot->ssl2_bytes), &slot->ssl2);
}

static void on_words(struct slot *slot, struct run *run, struct text bytes)
{
    enum starttls_state state =
        bytes.size > 0 ? starttls_feed(&slot->talk, bytes, &slot->said) : STARTTLS_REFUSED;
    if (state == STARTTLS_REFUSED)
        return end_probe(slot, run, OUTCOME_LOST);
    if (state == STARTTLS_TALKS)
        return;
    slot->is_talking = false;
    slot->deadline_ms = deadline_within(run->prober->deadline_ms, PROBE_ANSWER_MS);
}

static void on_readable(struct slot *slot, struct run *run)
{
    char bytes[4096];
    ssize_t size = recv(slot->fd, bytes, sizeof(bytes), 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (slot->is_talking)
        return on_words(slot, run, (struct text){ bytes, (size_t)MAX(size, 0) });
    if (size > 0)
        on_bytes(slot, (struct text){ bytes, (size_t)size });
    if (size <= 0 || is_enough(slot))
        end_probe(slot, run, outcome_of(slot, OUTCOME_REFUSED));
}

static void on_connected(struct slot *slot, const struct prober *prober)
{
    slot->is_connected = true;
    slot->is_talking = prober->starttls != STARTTLS_NONE;
    slot->talk = (struct starttls_talk){ .kind = prober->starttls };
    slot->deadline_ms =
        deadline_within(prober->deadline_ms, slot->is_talking ? PROBE_TALK_MS : PROBE_ANSWER_MS);
}

/* The next bytes to send: STARTTLS commands first, then the hello. */
static struct text unsent_bytes(const struct slot *slot)
{
    const struct buf *whole = slot->is_talking ? &slot->said : &slot->hello;
    size_t sent = slot->is_talking ? slot->said_sent : slot->sent;
    return (struct text){ sent < whole->size ? whole->bytes + sent : "", whole->size - sent };
}

static void note_sent(struct slot *slot, size_t size)
{
    if (slot->is_talking)
        slot->said_sent += size;
    else
        slot->sent += size;
}

static void on_writable(struct slot *slot, struct run *run)
{
    if (!slot->is_connected) {
        int error = 0;
        socklen_t error_bytes = sizeof(error);
        getsockopt(slot->fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes);
        if (error)
            return end_probe(slot, run, OUTCOME_LOST);
        on_connected(slot, run->prober);
    }
    struct text bytes = unsent_bytes(slot);
    if (bytes.size == 0)
        return;
    ssize_t size = send(slot->fd, bytes.bytes, bytes.size, MSG_NOSIGNAL);
    if (size >= 0)
        note_sent(slot, (size_t)size);
    else if (errno != EAGAIN && errno != EINTR)
        end_probe(slot, run, slot->is_talking ? OUTCOME_LOST : OUTCOME_REFUSED);
}

static void on_time(struct slot *slot, struct run *run)
{
    if (!slot->is_connected || slot->is_talking)
        return end_probe(slot, run, OUTCOME_LOST);
    /* silence before the end of the whole scan proves nothing */
    if (clock_ms() >= run->prober->deadline_ms && !slot->flight.has_hello)
        return end_probe(slot, run, OUTCOME_LOST);
    end_probe(slot, run, outcome_of(slot, OUTCOME_SILENT));
}

/* ---- the loop ---- */

static bool wants_to_write(const struct slot *slot)
{
    return !slot->is_connected || unsent_bytes(slot).size > 0;
}

/* Wait for the next event of any slot. Returns false if all are idle. */
static bool wait_for_event(struct run *run, struct pollfd pollers[static PROBES_AT_ONCE])
{
    int64_t next_ms = INT64_MAX;
    for (size_t i = 0; i < PROBES_AT_ONCE; i++) {
        const struct slot *slot = &run->slot[i];
        pollers[i] = (struct pollfd){ .fd = -1 };
        if (!slot->series)
            continue;
        pollers[i].fd = slot->fd;
        pollers[i].events = wants_to_write(slot) ? POLLOUT : POLLIN;
        next_ms = MIN(next_ms, slot->deadline_ms);
    }
    if (next_ms == INT64_MAX)
        return false;
    poll(pollers, PROBES_AT_ONCE, deadline_poll_ms(next_ms));
    return true;
}

static void handle_event(struct slot *slot, struct run *run, short events)
{
    if (!slot->series)
        return;
    if (clock_ms() >= slot->deadline_ms) /* first, so that slowly sent bytes cannot extend it */
        on_time(slot, run);
    else if (events && wants_to_write(slot))
        on_writable(slot, run);
    else if (events)
        on_readable(slot, run);
}

void prober_run(struct prober *prober, struct probe_series **series, size_t count)
{
    struct run run = { .prober = prober, .series = series, .count = count };
    struct pollfd pollers[PROBES_AT_ONCE];
    size_t slots = prober->starttls ? PROBES_AT_ONCE_BY_MAIL : PROBES_AT_ONCE;

    for (size_t i = 0; i < PROBES_AT_ONCE; i++) {
        run.slot[i] = (struct slot){
            .fd = -1,
            .said = BUF(STARTTLS_SAID_BYTES),
            .hello = BUF(HELLO_BYTES),
            .flight = FLIGHT_INIT,
            .ssl2_bytes = BUF(FLIGHT_BYTES),
        };
        if (i < slots)
            start_probes(&run.slot[i], &run);
    }
    while (wait_for_event(&run, pollers))
        for (size_t i = 0; i < PROBES_AT_ONCE; i++)
            handle_event(&run.slot[i], &run, pollers[i].revents);
    for (size_t i = 0; i < PROBES_AT_ONCE; i++) {
        hang_up(&run.slot[i]);
        buf_free(&run.slot[i].said);
        buf_free(&run.slot[i].hello);
        buf_free(&run.slot[i].ssl2_bytes);
    }
}
