/*
 * tests/fuzz/browser/devtools.c - arbitrary bytes as what Chromium sends: three commands, then
 * events until the end.
 *
 * A byte 0xff, which is not in UTF-8, ends a read: a message may arrive in any pieces. Chromium
 * has ended when all is read, so nothing waits.
 */
#include "devtools.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../target.h"
#include "base/os/clock.h"
#include "base/text.h"
#include "text/json.h"

enum {
    PIECE_END = 0xff,
    COMMANDS = 3,
    DEADLINE_MS = 60000,
};

struct seen {
    struct devtools *devtools;
    size_t events;
};

/* Answer each fourth event, as a dialog is answered. */
static void on_event(void *context, const char *method, const cJSON *params)
{
    struct seen *seen = context;
    assert(method && (!params || params->string));
    if (seen->events++ % 4 == 0)
        devtools_send(seen->devtools, "Page.handleJavaScriptDialog", NULL);
}

/* Each piece is a packet. What the socket does not take is cut off. */
static void send_pieces(int to, struct text all)
{
    while (all.size > 0) {
        const char *end = memchr(all.bytes, PIECE_END, all.size);
        size_t size = end ? (size_t)(end - all.bytes) : all.size;
        if (size > 0 && send(to, all.bytes, size, 0) < 0)
            return;
        all = text_skip(all, end ? size + 1 : size);
    }
}

static void run_commands(struct devtools *devtools, int64_t deadline_ms)
{
    for (int i = 0; i < COMMANDS; i++) {
        struct err err = { 0 };
        scoped(json_free) cJSON *result = NULL;
        if (devtools_call(devtools, "Target.attachToTarget", NULL, deadline_ms, &result, &err)) {
            devtools_set_session(devtools, json_text(result, "/sessionId"));
            continue;
        }
        assert(!result && err.message[0]);
        assert(err.kind == ERR_TARGET_BAD_RESPONSE || err.kind == ERR_UPSTREAM_UNAVAILABLE);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int64_t deadline_ms = clock_ms() + DEADLINE_MS;
    const bool never = false;
    struct err err = { 0 };
    struct seen seen = { 0 };
    int ends[2];
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int made = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
    assert(made == 0 && nowhere >= 0);
    send_pieces(ends[0], (struct text){ (const char *)bytes, size });
    close(ends[0]);
    seen.devtools = devtools_new(nowhere, ends[1], on_event, &seen);
    run_commands(seen.devtools, deadline_ms);
    assert(!devtools_wait(seen.devtools, &never, deadline_ms, &err));
    assert(err.kind == ERR_UPSTREAM_UNAVAILABLE && seen.events <= size);
    devtools_free(&seen.devtools);
    close(ends[1]);
    close(nowhere);
    return 0;
}
