/*
 * portal/entry/ask.h - what the pages of the entry share: how an address is read, how often may be
 * asked, and a link's row.
 */
#ifndef PORTAL_ENTRY_ASK_H
#define PORTAL_ENTRY_ASK_H

#include "net/email.h"
#include "portal/links.h"
#include "portal/page/visit.h"
#include "portal/throttle.h"

/* The field `email`; refused in the visit when it is none. */
bool ask_email(struct visit *visit, struct email *email);

/*
 * May this visitor's network ask for one more mail? Else that is refused in the visit. *sends says
 * whether the recipient has not had too many of them: who asks hears the same in both cases.
 * Errors: the database's.
 */
bool ask_pass(struct visit *visit, const struct email *email, bool *sends,
              struct err *err) must_check;

/*
 * Wait until the same time has passed since the request came, whoever was asked for: a row that
 * belongs to a member takes a little longer to write than one that is nobody's.
 */
void ask_settle(const struct visit *visit);

/* A link in a path, and its row. */
struct asked_link {
    char link_id[UUID_TEXT_BYTES];
    char member_id[UUID_TEXT_BYTES]; /* "" when it is nobody's */
    char email[EMAIL_BYTES];
    bool is_open;
};

/* Read the link in the path and its row; *link has is_open false when it is none of ours, was used
 * or is too old. Errors: the database's. */
bool ask_link(struct visit *visit, enum link_kind kind, struct asked_link *link,
              struct err *err) must_check;

/* The host of the portal's own address: nobody's password. Of the visit's memory. */
const char *ask_host(struct visit *visit);

#endif
