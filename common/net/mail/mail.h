/*
 * common/net/mail/mail.h - sends one message to one recipient by SMTP (RFC 5321), with libcurl,
 * over the operator's relay.
 *
 * - The connection to a relay on another machine must be encrypted with a valid certificate, or
 *   nothing is sent. Localhost, 127.0.0.0/8 and ::1 in the URL count as this machine.
 * - egress.only applies.
 * - A message is multipart/alternative (RFC 2046 section 5.1.4): text, then the same as HTML.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/egress.h"

enum {
    MAIL_ADDRESS_MAX = 254,  /* RFC 5321 section 4.5.3.1.3, without its angle brackets */
    MAIL_SUBJECT_MAX = 200,  /* bytes */
    MAIL_BODY_MAX = 1 << 18, /* bytes of text, and of HTML */
    MAIL_ANSWER_BYTES = 160, /* of a failure's description, with its NUL */
};

struct mailer; /* a relay and our identity; never changes, so all threads may use it */

struct mailer_options {
    struct egress *egress;
    const char *url;      /* smtp://host[:port] (STARTTLS) or smtps://host[:port] (RFC 8314) */
    const char *user;     /* "": no login */
    const char *password; /* NULL: none */
    const char *from;     /* address, or Name <address>; EHLO uses its domain */
    const char *reply_to; /* address; "": none */
};

/* All texts are copied. Errors: ERR_INVALID_VALUE with the key of the configuration. */
bool mailer_new(const struct mailer_options *options, struct mailer **mailer,
                struct err *err) must_check;
void mailer_free(struct mailer **mailer); /* wipes the password */

/* Only text and html may contain line feeds; no member may contain CR or NUL. */
struct mail {
    const char *id;        /* before the @ in Message-ID: letters, digits, - and . */
    const char *recipient; /* an address */
    const char *subject;   /* printable ASCII */
    struct text text;      /* UTF-8 */
    struct text html;
};

enum mail_end {
    MAIL_ACCEPTED, /* the relay has accepted the message */
    MAIL_LATER,    /* no reply, or a problem with the relay or our connection to it */
    MAIL_DEFERRED, /* the relay defers this message (4xx): a full mailbox, greylisting */
    MAIL_REFUSED,  /* the relay rejects this message (5xx), or it is invalid */
};

/*
 * Send one message within timeout_ms. On a failure, answer becomes a short description for the
 * operator, without content of the message: the relay's code, or libcurl's reason.
 *
 * If the connection breaks after the relay accepted the message but before its reply arrives, the
 * result is MAIL_LATER: a duplicate is better than a loss, and both have the same Message-ID.
 */
enum mail_end mail_send(const struct mailer *mailer, const struct mail *mail, int64_t timeout_ms,
                        char answer[static MAIL_ANSWER_BYTES]);
