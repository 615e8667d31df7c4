/*
 * portal/outbox/letter.h - renders an email from a template and values.
 *
 * mails/text/<name>.txt is the text; its first line is the subject. mails/html/<name>.html is the
 * same as HTML. A template's values are texts (control characters become spaces), whole numbers
 * with thousands separators, money: {"minor","currency"} becomes "15.00 USD", and lists of objects
 * with such values. In addition, each template has:
 *
 *     at          when it happened: 2026-11-22 14:02 UTC
 *     public_url  https://api.example.com
 *     host        api.example.com
 *     contact     the operator's contact; missing if not configured
 *     is_sold     true if credits are for sale
 *     link_url    the email's link, if it has one
 */
#pragma once

#include "net/mail/mail.h"
#include "portal/base/secret.h"
#include "text/json.h"

struct letters; /* all templates and common values; immutable, for any thread */

struct letters_options {
    const char *files;      /* the folder that contains mails/ */
    const char *public_url; /* without a trailing slash; borrowed, as is contact */
    const char *contact;    /* "": not configured */
    bool sells;             /* credits are for sale */
    struct secrets *secrets;
};

/* Errors: ERR_INVALID_VALUE. */
bool letters_load(const struct letters_options *options, struct letters **letters,
                  struct err *err) must_check;
void letters_free(struct letters **letters);

/* Release with letter_free(). May be reused. */
struct letter {
    struct buf text; /* the subject, a NUL instead of its line end, and the body */
    struct buf html;
    struct mail mail; /* points into the buffers and into the row of outbox_claim() */
};

#define LETTER                                                 \
    {                                                          \
        .text = BUF(MAIL_BODY_MAX), .html = BUF(MAIL_BODY_MAX) \
    }

/* Render a row of outbox_claim(), which must outlive the letter. Errors: ERR_INTERNAL if the
 * template does not exist or a value does not fit, which is a bug. */
bool letter_write(const struct letters *letters, const cJSON *mail, struct letter *letter,
                  struct err *err) must_check;
void letter_free(struct letter *letter);
