/*
 * portal/entry/arrive.h - the moment somebody is in: session, known device, audit, and a mail when
 * the device is new.
 */
#pragma once

#include "portal/page/visit.h"

struct arrival {
    const char *member_id;
    const char *account_id;
    const char *email;
    const char *password; /* the hash that the password was compared with */
    bool is_kept;
};

/*
 * End the session that this browser had, open another, and set its cookies. *is_half: the code is
 * still to come. Errors: the database's, and ERR_NOT_FOUND when the password has changed since it
 * was looked at; then no session was opened.
 */
bool arrive(struct visit *visit, const struct arrival *arrival, bool *is_half,
            struct err *err) must_check;

/* The code was right: the half session of this visit becomes a whole one. */
bool arrive_whole(struct visit *visit, struct err *err) must_check;
