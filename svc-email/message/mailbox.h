/*
 * svc-email/message/mailbox.h - the mailboxes of From, To and their like, with the obsolete forms
 * and the common mistakes (RFC 5322, sections 3.4 and 4.4): comments, groups, routes, names without
 * quotes, addresses without brackets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "message/encoded-word.h"

/* Strings belong to the arena. */
struct mailbox {
    const char *name;    /* for display, decoded; NULL: none */
    const char *address; /* without brackets and route; NULL: none */
    const char *domain;  /* of the address, in small letters, as A-labels where it has them; NULL */
    bool is_valid;       /* something@host, without blanks */
};

/* The first mailbox of a list; returns how many there are, of which a group's are counted one by
 * one. With none, *first is empty. */
size_t mailboxes_read(struct text value, struct arena *arena, struct mailbox *first,
                      struct word_faults *faults);

/* The host of something@host in canonical form, the arena's; NULL when there is none. Angle
 * brackets around it do not matter. */
const char *address_domain(struct text address, struct arena *arena);
