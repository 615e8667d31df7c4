/*
 * svc-email/message/mailbox.h - the mailboxes of From, To and similar fields, with obsolete forms
 * and common mistakes (RFC 5322 sections 3.4 and 4.4): comments, groups, routes, names without
 * quotes, addresses without brackets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "message/encoded-word.h"

/* Strings belong to the arena. */
struct mailbox {
    const char *name;    /* decoded for display; NULL: none */
    const char *address; /* without brackets and route; NULL: none */
    const char *domain;  /* domain of the address in lower case, as A-labels if possible; NULL:
                          * none */
    bool is_valid;       /* something@host, without blanks */
};

/* Read the first mailbox of a list. Returns the number of mailboxes, including those in groups.
 * Without one, *first is empty. */
size_t mailboxes_read(struct text value, struct arena *arena, struct mailbox *first,
                      struct word_faults *faults);

/* The host of something@host in canonical form, owned by the arena; NULL: none. Ignores angle
 * brackets. */
const char *address_domain(struct text address, struct arena *arena);
