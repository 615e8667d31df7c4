/*
 * portal/outbox/letter.h - from a template and values to what is sent.
 *
 * mails/text/<name>.txt is the text, whose first line is the subject; mails/html/<name>.html is the
 * same for those who read HTML. A template sees its own values: texts, whose control characters
 * become blanks; whole numbers, thousands apart; money, which is an object {"minor","currency"}, as
 * "15.00 USD". And beside them:
 *
 *     at          when what it tells happened: 2026-11-22 14:02 UTC
 *     public_url  https://api.example.com
 *     host        api.example.com
 *     contact     who is asked for help; missing when nobody is named
 *     is_sold     true where credits can be bought
 *     link_url    the address that the mail is about, when it has a link
 */
#pragma once

#include "net/mail/mail.h"
#include "portal/base/secret.h"
#include "text/json.h"

struct letters; /* all templates, and what all mails say; never changes: for any number of threads
                 */

struct letters_options {
    const char *files;      /* folder that holds mails/ */
    const char *public_url; /* without a slash at its end; borrowed, as is contact */
    const char *contact;    /* "": nobody */
    bool sells;             /* credits can be bought here */
    struct secrets *secrets;
};

/* Errors: ERR_INVALID_VALUE for the operator. */
bool letters_load(const struct letters_options *options, struct letters **letters,
                  struct err *err) must_check;
void letters_free(struct letters **letters);

/* Release with letter_free(), or use again. */
struct letter {
    struct buf text; /* subject, a NUL in the place of its end, and the rest */
    struct buf html;
    struct mail mail; /* points into these and into what outbox_claim() gave */
};

#define LETTER                                                 \
    {                                                          \
        .text = BUF(MAIL_BODY_MAX), .html = BUF(MAIL_BODY_MAX) \
    }

/* What to send for a mail of outbox_claim(), which has to outlive the letter. Errors: ERR_INTERNAL
 * when there is no such template or its values do not fit, which is a bug. */
bool letter_write(const struct letters *letters, const cJSON *mail, struct letter *letter,
                  struct err *err) must_check;
void letter_free(struct letter *letter);
