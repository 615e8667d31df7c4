/*
 * portal/member/audit.h - what happened to an account, as its member reads it: an act in words,
 * where it came from, and by which browser.
 */
#pragma once

#include "db/sql.h"
#include "portal/page/visit.h"

enum { AUDIT_BEFORE_BYTES = 64 };

struct audit_page {
    const char *before; /* where it begins: `older` of the page before; NULL: the newest */
    int lines;          /* of a page */
    char older[AUDIT_BEFORE_BYTES]; /* out: where the next page begins; "": nowhere */
};

/* Append lines of the visit's account, newest first: { time, act, token, network, agent }. */
bool audit_lines(struct sql *sql, struct visit *visit, struct audit_page *page, cJSON *list,
                 struct err *err) must_check;
