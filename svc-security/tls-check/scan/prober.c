/* svc-security/tls-check/scan/prober.c - many small questions. */
#include "prober.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dial.h"

/* A question on its way; line NULL: none. */
struct slot {
    struct line *line;
    int fd;
    bool is_connected;
    bool is_talking; /* the hello waits for the end of talk */
    struct starttls_talk talk;
    struct buf said; /* our part of it */
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
    struct line **lines; /* not begun yet: from next on */
    size_t count;
    size_t next;
    struct slot slot[PROBES_AT_ONCE];
};

/* ---- a question begins and ends ---- */

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

static void hear(struct slot *slot, struct prober *prober, enum outcome outcome)
{
    struct probe_answer answer = { outcome, &slot->flight, &slot->ssl2 };
    prober->is_partial |= outcome == OUTCOME_LOST;
    slot->line->hear(slot->line, &answer);
    hang_up(slot);
}

/* The line's next question; false when there is none, or no means to ask it. */
static bool ask(struct slot *slot, struct prober *prober)
{
    struct err err;
    while (slot->line->ask(slot->line, &slot->hello)) {
        if (!has_time_left(prober)) {
            prober->is_partial = true;
            hang_up(slot);
            return false;
        }
        prober->connections_left--;
        slot->deadline_ms = deadline_within(prober->deadline_ms, PROBE_CONNECT_MS);
        if (dial_begin(prober->session, &prober->address, prober->port, &slot->fd, &err))
            return true;
        hear(slot, prober, OUTCOME_LOST);
    }
    return false;
}

/* Keep the slot busy: with its line, or with the next one that has something to ask. */
static void refill(struct slot *slot, struct run *run)
{
    if (slot->line && ask(slot, run->prober))
        return;
    while (run->next < run->count) {
        slot->line = run->lines[run->next++];
        if (ask(slot, run->prober))
            return;
    }
    slot->line = NULL;
}

static void end(struct slot *slot, struct run *run, enum outcome outcome)
{
    hear(slot, run->prober, outcome);
    refill(slot, run);
}

/* ---- what the socket says ---- */

/* What became of the answer when nothing more will be read. */
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
    switch (slot->line->want) {
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
    if (slot->line->want != WANT_SSL2)
        return flight_read(&slot->flight, bytes);
    slot->ssl2_answer = SSL2_NO; /* when it is too much */
    if (buf_add(&slot->ssl2_bytes, bytes.bytes, bytes.size))
        slot->ssl2_answer = ssl2_read(buf_text(&slot->ssl2_bytes), &slot->ssl2);
}

static void on_words(struct slot *slot, struct run *run, struct text bytes)
{
    enum starttls_state state =
        bytes.size > 0 ? starttls_hear(&slot->talk, bytes, &slot->said) : STARTTLS_REFUSED;
    if (state == STARTTLS_REFUSED)
        return end(slot, run, OUTCOME_LOST);
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
        end(slot, run, outcome_of(slot, OUTCOME_REFUSED));
}

static void on_connected(struct slot *slot, const struct prober *prober)
{
    slot->is_connected = true;
    slot->is_talking = prober->starttls != STARTTLS_NONE;
    slot->talk = (struct starttls_talk){ .kind = prober->starttls };
    slot->deadline_ms =
        deadline_within(prober->deadline_ms, slot->is_talking ? PROBE_TALK_MS : PROBE_ANSWER_MS);
}

/* What is to be sent next: the words before the hello have their time first. */
static struct text unsent(const struct slot *slot)
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
            return end(slot, run, OUTCOME_LOST);
        on_connected(slot, run->prober);
    }
    struct text bytes = unsent(slot);
    if (bytes.size == 0)
        return;
    ssize_t size = send(slot->fd, bytes.bytes, bytes.size, MSG_NOSIGNAL);
    if (size >= 0)
        note_sent(slot, (size_t)size);
    else if (errno != EAGAIN && errno != EINTR)
        end(slot, run, slot->is_talking ? OUTCOME_LOST : OUTCOME_REFUSED);
}

static void on_time(struct slot *slot, struct run *run)
{
    if (!slot->is_connected || slot->is_talking)
        return end(slot, run, OUTCOME_LOST);
    /* cut short by the end of the whole, silence would prove nothing */
    if (clock_ms() >= run->prober->deadline_ms && !slot->flight.has_hello)
        return end(slot, run, OUTCOME_LOST);
    end(slot, run, outcome_of(slot, OUTCOME_SILENT));
}

/* ---- the loop ---- */

static bool wants_to_write(const struct slot *slot)
{
    return !slot->is_connected || unsent(slot).size > 0;
}

/* Wait for the next event of any slot; false when no slot is busy. */
static bool wait_for_event(struct run *run, struct pollfd pollers[static PROBES_AT_ONCE])
{
    int64_t next_ms = INT64_MAX;
    for (size_t i = 0; i < PROBES_AT_ONCE; i++) {
        const struct slot *slot = &run->slot[i];
        pollers[i] = (struct pollfd){ .fd = -1 };
        if (!slot->line)
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

static void handle(struct slot *slot, struct run *run, short events)
{
    if (!slot->line)
        return;
    if (clock_ms() >= slot->deadline_ms) /* first: bytes that drip in are no excuse */
        on_time(slot, run);
    else if (events && wants_to_write(slot))
        on_writable(slot, run);
    else if (events)
        on_readable(slot, run);
}

void prober_run(struct prober *prober, struct line **lines, size_t count)
{
    struct run run = { .prober = prober, .lines = lines, .count = count };
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
            refill(&run.slot[i], &run);
    }
    while (wait_for_event(&run, pollers))
        for (size_t i = 0; i < PROBES_AT_ONCE; i++)
            handle(&run.slot[i], &run, pollers[i].revents);
    for (size_t i = 0; i < PROBES_AT_ONCE; i++) {
        hang_up(&run.slot[i]);
        buf_free(&run.slot[i].said);
        buf_free(&run.slot[i].hello);
        buf_free(&run.slot[i].ssl2_bytes);
    }
}
