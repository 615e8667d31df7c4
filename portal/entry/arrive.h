/*
 * portal/entry/arrive.h - the moment somebody is in: session, known device, audit, and a mail when
 * the device is new.
 */
#ifndef PORTAL_ENTRY_ARRIVE_H
#define PORTAL_ENTRY_ARRIVE_H

#include "portal/page/visit.h"

struct arrival {
    const char *member_id;
    const char *account_id;
    const char *email;
    bool is_half; /* the code is still to come */
    bool is_kept;
};

/* Open a session, end the one that this browser had, and set its cookies. Errors: the database's;
 * then nothing was done. */
bool arrive(struct visit *visit, const struct arrival *arrival, struct err *err) must_check;

/* The code was right: the half session of this visit becomes a whole one. */
bool arrive_whole(struct visit *visit, struct err *err) must_check;

#endif
