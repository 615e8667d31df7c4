/*
 * portal/base/background.h - a thread that does what is due, piece by piece, and looks again after
 * a pause. Its stack is an ordinary one, so it may use TLS.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct background;

/* Do one piece; false: nothing is left to do for now. */
typedef bool background_work(void *argument);

/* Call work() in a thread of its own, at once and then every poll_ms, each time until it says that
 * nothing is left. Errors: ERR_INTERNAL, no thread. */
bool background_start(background_work *work, void *argument, int64_t poll_ms,
                      struct background **background, struct err *err) must_check;

/* For work() itself: wait for a while; false when it is time to stop. */
bool background_rest(struct background *background);

/* Tell the log when the database goes and when it is back: what then is looked for again, and what
 * cannot be read. *is_cut_off is what was told last. */
void background_tell(bool *is_cut_off, bool is_up, const char *again, const char *cut_off,
                     const struct err *err);

/* Let the piece under way come to its end. */
void background_stop(struct background **background);
