/*
 * portal/outbox/write.h - stores an email in the outbox, in the transaction that it reports: both
 * are committed, or neither. It is sent later.
 */
#pragma once

#include "db/sql.h"

struct outbox_mail {
    const char *member_id; /* NULL: not a member yet */
    const char *recipient;
    const char *template; /* its name; "none": for no recipient, dropped when due */
    const cJSON *data;    /* its values, without secrets and links; or NULL. Borrowed */
    const char *link_id;  /* its link, or NULL */
};

/* Errors: the database's. */
bool outbox_add(struct sql *sql, const struct outbox_mail *mail, struct err *err) must_check;
