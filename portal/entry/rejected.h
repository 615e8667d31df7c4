/*
 * portal/entry/rejected.h - records rejected sign-ins: at most one audit entry a minute, and after
 * 20 in an hour one email a day to the member. For an unknown address the same work is done, with
 * an email that is dropped.
 */
#pragma once

#include "portal/page/visit.h"

struct rejected_sign_in {
    const char *member_id; /* NULL, as the next two: the address has no account */
    const char *account_id;
    const char *email;
    const char *key; /* the key of the address */
};

/* A wrong password. Errors: the database's. */
bool record_wrong_password(struct visit *visit, const struct rejected_sign_in *rejected,
                           struct err *err) must_check;

/* The fifth wrong code after a correct password: someone knows the password, so the member gets an
 * email at once. */
bool record_wrong_codes(struct visit *visit, const struct rejected_sign_in *rejected,
                        struct err *err) must_check;
