/*
 * portal/entry/ask.h - what the pages of the entry share: how an address is read, how often may be
 * asked, and a link's row.
 */
#pragma once

#include "net/email.h"
#include "portal/base/links.h"
#include "portal/base/throttle.h"
#include "portal/page/field.h"
#include "portal/page/visit.h"

/* The field `email`; refused in the visit when it is none. */
bool ask_email(struct visit *visit, struct email *email);

/* Is its domain one of those that give mailboxes to throw away? Then it is refused in the visit. */
bool ask_domain(struct visit *visit, const struct email *email);

/* A form that has a link mailed, whatever it opens. */
struct mailed_link {
    const char *statement; /* writes link and mail: $1, $2 are their ids, $3, $4 address and key */
    void (*show_form)(struct visit *visit, int status);
    const char *sent; /* the template of the page that says so */
};

/*
 * Answer one, whose address was read: 429 and the form when this visitor's network has asked too
 * often, else what was sent. Who asks hears the same, in the same time, whoever has the address and
 * whether or not anything was written: it is not when the recipient has had too many mails, nor
 * when is_trap says that a program asked.
 */
void ask_mail(struct visit *visit, const struct email *email, bool is_trap,
              const struct mailed_link *mailed);

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

/* The page that a link opens: a form of these fields, or why there is none any more. */
void ask_page(struct visit *visit, int status, const struct asked_link *link, const char *template,
              const char *title, const struct field *fields, size_t count);

/* May it be this member's password? Else it is refused in the visit. */
bool ask_password(struct visit *visit, const char *email, const char *name);

/* The host of the portal's own address: nobody's password. Of the visit's memory. */
const char *ask_host(struct visit *visit);
