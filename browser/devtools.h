/*
 * browser/devtools.h - the DevTools protocol over Chromium's pipes: JSON messages, each followed by
 * a NUL (--remote-debugging-pipe).
 *
 * What arrives is as hostile as the page: each message is strict JSON of at most
 * DEVTOOLS_MESSAGE_BYTES, or the connection fails.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { DEVTOOLS_MESSAGE_BYTES = 8 << 20 };

struct devtools;

/* An event of the page: its method and parameters, borrowed. May send commands. */
typedef void devtools_event(void *context, const char *method, const cJSON *params);

/* The descriptors are non-blocking, and stay the caller's. */
struct devtools *devtools_new(int to, int from, devtools_event *on_event, void *context);
void devtools_free(struct devtools **devtools);

/* Address later commands to this session; NULL: to the browser. Copied. */
void devtools_set_session(struct devtools *devtools, const char *session);

/*
 * Send a command; params are taken over, NULL: none. Then handle events until its reply; *result
 * (may be NULL) is the caller's. Errors: ERR_DEADLINE_EXCEEDED; ERR_TARGET_BAD_RESPONSE for a reply
 * with an error, with its message; ERR_UPSTREAM_UNAVAILABLE if Chromium is gone or sends what is
 * not the protocol.
 */
bool devtools_call(struct devtools *devtools, const char *method, cJSON *params,
                   int64_t deadline_ms, cJSON **result, struct err *err) must_check;

/* Send a command without waiting for its reply: for on_event. */
void devtools_send(struct devtools *devtools, const char *method, cJSON *params);

/* Handle events until *until is true or the time is over. Errors: ERR_UPSTREAM_UNAVAILABLE. */
bool devtools_wait(struct devtools *devtools, const bool *until, int64_t deadline_ms,
                   struct err *err) must_check;
