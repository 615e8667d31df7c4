/*
 * portal/entry/link-pages.h - shared by the pages that send or open emailed links.
 */
#pragma once

#include "net/email.h"
#include "portal/base/links.h"
#include "portal/base/throttle.h"
#include "portal/page/field.h"
#include "portal/page/visit.h"

/* Read the field `email`. If it is invalid, the error is in the visit. */
bool entry_read_email(struct visit *visit, struct email *email);

/* Reject disposable domains. False: the error is in the visit. */
bool entry_check_domain(struct visit *visit, const struct email *email);

/* A form that sends a link by email. */
struct mailed_link {
    const char *statement; /* inserts link and email; $1 and $2 are their ids, $3 and $4 the address
                              and its key */
    void (*show_form)(struct visit *visit, int status);
    const char *sent; /* the template of the page after sending */
};

/*
 * Send a link to an address, and respond: 429 with the form if the visitor's network is over its
 * limit, otherwise the page `sent`.
 *
 * The response and its time are the same for every address, so that nobody learns who has an
 * account. Nothing is sent if the recipient is over the limit, or if is_trap says that a program
 * filled the form.
 */
void entry_mail_link(struct visit *visit, const struct email *email, bool is_trap,
                     const struct mailed_link *mailed);

/*
 * Wait until a fixed time after the request's arrival. A row of a member takes longer to write than
 * a row without one; this hides the difference.
 */
void entry_equalize_time(const struct visit *visit);

/* The link in a path, and its row. */
struct entry_link {
    char link_id[UUID_TEXT_BYTES];
    char member_id[UUID_TEXT_BYTES]; /* "": of no member */
    char email[EMAIL_BYTES];
    bool is_open;
};

/* Read the link in the path and its row. is_open is false if it is invalid, used or expired.
 * Errors: the database's. */
bool entry_read_link(struct visit *visit, enum link_kind kind, struct entry_link *link,
                     struct err *err) must_check;

/* The page of a link: a form with these fields, or, if it is not open, the reason. */
void entry_link_page(struct visit *visit, int status, const struct entry_link *link,
                     const char *template, const char *title, const struct field *fields,
                     size_t count);

/* Is the field `password` acceptable for this member? False: the error is in the visit. */
bool entry_check_password(struct visit *visit, const char *email, const char *name);

/* The host of public_url, which is not allowed as a password. Lives as long as the visit. */
const char *entry_host(struct visit *visit);
