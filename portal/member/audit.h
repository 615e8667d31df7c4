/*
 * portal/member/audit.h - an account's audit log for its member: what happened, from which network
 * and browser.
 */
#pragma once

#include "db/sql.h"
#include "portal/page/visit.h"

enum { AUDIT_BEFORE_BYTES = 64 };

struct audit_page {
    const char *before; /* where the page begins: `older` of the page before; NULL: the newest */
    int lines;          /* per page */
    char older[AUDIT_BEFORE_BYTES]; /* out: where the next page begins; "": this is the last */
};

/* Append entries of the visit's account, newest first: {time, event, token, network, agent}. */
bool audit_lines(struct sql *sql, struct visit *visit, struct audit_page *page, cJSON *list,
                 struct err *err) must_check;
