/*
 * portal/entry/refused.h - sign-ins that were refused: a line of the audit a minute at most, and
 * after 20 in an hour a mail a day to whom it concerns. For an address that nobody has the same
 * work is done, and the mail is for nobody.
 */
#pragma once

#include "portal/page/visit.h"

struct refused {
    const char *member_id; /* NULL, as the next two: nobody's */
    const char *account_id;
    const char *email;
    const char *key; /* of the address that was tried */
};

/* A wrong password. Errors: the database's. */
bool refused_sign_in(struct visit *visit, const struct refused *refused,
                     struct err *err) must_check;

/* The fifth wrong code behind a right password: somebody knows it, and the member is told at once.
 */
bool refused_codes(struct visit *visit, const struct refused *refused, struct err *err) must_check;
