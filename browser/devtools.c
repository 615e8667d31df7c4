/* browser/devtools.c - commands, their replies, and events. */
#include "devtools.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "text/json.h"

enum {
    PIECE_BYTES = 64 << 10,
    COMMAND_BYTES = 4 << 20,
    SEND_MS = 2000, /* of a command that nobody waits for */
};

struct devtools {
    int to, from;
    devtools_event *on_event;
    void *context;
    char *session;
    int64_t last_id;
    struct buf in;   /* a message that is not complete */
    size_t searched; /* bytes of it without a NUL */
};

struct devtools *devtools_new(int to, int from, devtools_event *on_event, void *context)
{
    struct devtools *devtools = mem_new(sizeof(*devtools));
    *devtools = (struct devtools){ .to = to,
                                   .from = from,
                                   .on_event = on_event,
                                   .context = context,
                                   .in = BUF(DEVTOOLS_MESSAGE_BYTES + PIECE_BYTES) };
    return devtools;
}

void devtools_free(struct devtools **address)
{
    if (!*address)
        return;
    mem_free(&(*address)->session);
    buf_free(&(*address)->in);
    mem_free(address);
}

void devtools_set_session(struct devtools *devtools, const char *session)
{
    mem_free(&devtools->session);
    devtools->session = str_dup(session);
}

/* ---- writing ---- */

static bool wait_for(int fd, short events, int64_t deadline_ms)
{
    struct pollfd wanted = { fd, events, 0 };
    int ready;
    do
        ready = poll(&wanted, 1, deadline_poll_ms(deadline_ms));
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

static bool write_all(int fd, struct text bytes, int64_t deadline_ms, struct err *err)
{
    while (bytes.size > 0) {
        ssize_t size = write(fd, bytes.bytes, bytes.size);
        if (size > 0)
            bytes = text_skip(bytes, (size_t)size);
        else if (errno != EAGAIN && errno != EINTR)
            return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the browser has ended");
        else if (!wait_for(fd, POLLOUT, deadline_ms))
            return err_set(err, ERR_DEADLINE_EXCEEDED, "the browser did not respond in time");
    }
    return true;
}

/* Takes params over. Returns the id, 0 if it failed. */
static int64_t write_command(struct devtools *devtools, const char *method, cJSON *params,
                             int64_t deadline_ms, struct err *err)
{
    scoped(json_free) cJSON *command = json_object();
    scoped(buf_free) struct buf line = BUF(COMMAND_BYTES);
    json_int(command, "id", ++devtools->last_id);
    json_str(command, "method", method);
    json_add(command, "params", params ? params : json_object());
    if (devtools->session)
        json_str(command, "sessionId", devtools->session);
    if (!json_print(command, &line) || !buf_add_byte(&line, '\0'))
        return err_set(err, ERR_INTERNAL, "%s is too large", method);
    return write_all(devtools->to, buf_text(&line), deadline_ms, err) ? devtools->last_id : 0;
}

void devtools_send(struct devtools *devtools, const char *method, cJSON *params)
{
    (void)write_command(devtools, method, params, clock_ms() + SEND_MS, NULL);
}

/* ---- reading ---- */

static bool fail_protocol(struct err *err)
{
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the browser sent what is not its protocol");
}

/* Take the first complete message from the buffer. *message stays NULL until one is complete. */
static bool take_message(struct devtools *devtools, cJSON **message, struct err *err)
{
    struct buf *in = &devtools->in;
    const char *end = in->size > devtools->searched ? memchr(in->bytes + devtools->searched, '\0',
                                                             in->size - devtools->searched)
                                                    : NULL;
    if (!end) {
        devtools->searched = in->size;
        return in->size <= DEVTOOLS_MESSAGE_BYTES || fail_protocol(err);
    }
    size_t size = (size_t)(end - in->bytes);
    bool ok = json_parse((struct text){ in->bytes, size }, JSON_DEPTH, message, NULL) &&
              json_is(*message, cJSON_Object);
    memmove(in->bytes, end + 1, in->size - size - 1);
    in->size -= size + 1;
    devtools->searched = 0;
    return ok || fail_protocol(err);
}

/* Wait for the next message. False without an error in *err: the time is over. */
static bool read_message(struct devtools *devtools, int64_t deadline_ms, cJSON **message,
                         struct err *err)
{
    for (;;) {
        if (!take_message(devtools, message, err))
            return false;
        if (*message)
            return true;
        if (!wait_for(devtools->from, POLLIN, deadline_ms))
            return false;
        char *place = buf_reserve(&devtools->in, PIECE_BYTES);
        if (!place)
            return fail_protocol(err);
        ssize_t size = read(devtools->from, place, PIECE_BYTES);
        if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
            return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the browser has ended");
        devtools->in.size += size > 0 ? (size_t)size : 0;
    }
}

static void pass_event(const struct devtools *devtools, const cJSON *message)
{
    const char *method = json_text(message, "/method");
    if (method)
        devtools->on_event(devtools->context, method, json_get(message, "params"));
}

bool devtools_call(struct devtools *devtools, const char *method, cJSON *params,
                   int64_t deadline_ms, cJSON **result, struct err *err)
{
    struct err why = { 0 };
    int64_t id = write_command(devtools, method, params, deadline_ms, &why);
    while (id > 0 && deadline_left_ms(deadline_ms) > 0) {
        scoped(json_free) cJSON *message = NULL;
        if (!read_message(devtools, deadline_ms, &message, &why))
            break;
        if (!json_is(json_get(message, "id"), cJSON_Number)) {
            pass_event(devtools, message);
        } else if (json_integer(message, "id") == id) {
            const char *problem = json_text(message, "/error/message");
            if (problem)
                return err_set(err, ERR_TARGET_BAD_RESPONSE, "%s: %.200s", method, problem);
            if (result)
                *result = json_take(message, "result");
            return true;
        }
    }
    if (why.kind == ERR_NONE)
        return err_set(err, ERR_DEADLINE_EXCEEDED, "the browser did not respond in time");
    return err_set(err, why.kind, "%s", why.message);
}

bool devtools_wait(struct devtools *devtools, const bool *until, int64_t deadline_ms,
                   struct err *err)
{
    struct err why = { 0 };
    while (!*until && deadline_left_ms(deadline_ms) > 0) {
        scoped(json_free) cJSON *message = NULL;
        if (!read_message(devtools, deadline_ms, &message, &why))
            break;
        if (!json_is(json_get(message, "id"), cJSON_Number))
            pass_event(devtools, message);
    }
    return why.kind == ERR_NONE || err_set(err, why.kind, "%s", why.message);
}
