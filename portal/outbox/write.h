/*
 * portal/outbox/write.h - put a mail into the outbox, in the transaction of what it tells: both are
 * there, or neither. It is sent later.
 */
#pragma once

#include "db/sql.h"

struct outbox_mail {
    const char *member_id; /* NULL: nobody's yet */
    const char *recipient;
    const char *template; /* its name; "none": for nobody, dropped when it is due */
    const cJSON *data;    /* its model: no secret, and no link; NULL: none. Borrowed */
    const char *link_id;  /* whose link it holds; NULL: none */
};

/* Errors: the database's. */
bool outbox_add(struct sql *sql, const struct outbox_mail *mail, struct err *err) must_check;
