/*
 * portal/base/background.h - a thread that does due work in pieces, and polls for more after a
 * pause. It has an ordinary stack, so it may use TLS.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct background;

/* Do one piece. False: nothing is left for now. */
typedef bool background_work(void *argument);

/* Call work() on a new thread: at once, then every poll_ms, each time until it returns false.
 * Errors: ERR_INTERNAL if the thread cannot start. */
bool background_start(background_work *work, void *argument, int64_t poll_ms,
                      struct background **background, struct err *err) must_check;

/* For work(): wait for the pause. False: the process is stopping. */
bool background_wait(struct background *background);

/* Log when the database fails (cut_off) and when it is back (again). *is_cut_off keeps the state
 * that was logged last. */
void background_log(bool *is_cut_off, bool is_up, const char *again, const char *cut_off,
                    const struct err *err);

/* Wait until the current piece is finished. */
void background_stop(struct background **background);
