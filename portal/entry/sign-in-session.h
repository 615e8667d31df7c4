/*
 * portal/entry/sign-in-session.h - completes a sign-in: session, known device, audit entry, and an
 * email if the device is new.
 */
#pragma once

#include "portal/page/visit.h"

struct sign_in_start {
    const char *member_id;
    const char *account_id;
    const char *email;
    const char *password; /* the hash that was compared */
    bool is_kept;
};

/*
 * Sign out the browser's old session, open a new one, and set its cookies. *is_half: a code is
 * needed. Errors: the database's, and ERR_NOT_FOUND if the password changed after it was read; then
 * no session is open.
 */
bool start_sign_in_session(struct visit *visit, const struct sign_in_start *start, bool *is_half,
                           struct err *err) must_check;

/* The code was correct: make the visit's half session complete. */
bool finish_second_step(struct visit *visit, struct err *err) must_check;
