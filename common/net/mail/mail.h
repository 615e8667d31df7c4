/*
 * common/net/mail/mail.h - one message to one recipient by SMTP (RFC 5321), by libcurl, over the
 * operator's relay.
 *
 * Between us and a relay that is not on this machine everything is encrypted and its certificate
 * verified, or nothing is sent; "this machine" is localhost, 127.0.0.0/8 and ::1 as they stand in
 * the URL, where there is no one in between. What egress.only forbids is not connected to.
 *
 * A message is multipart/alternative (RFC 2046 section 5.1.4): the text, then the same as HTML.
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
    MAIL_ANSWER_BYTES = 160, /* of what is told of a failure, with its NUL */
};

struct mailer; /* a relay and who we are; never changes: for any number of threads */

struct mailer_options {
    struct egress *egress;
    const char *url;      /* smtp://host[:port] (STARTTLS) or smtps://host[:port] (RFC 8314) */
    const char *user;     /* "": no login */
    const char *password; /* NULL: none */
    const char *from;     /* address, or Name <address>; its domain is what we call ourselves */
    const char *reply_to; /* address; "": none */
};

/* All texts are copied. Errors: ERR_INVALID_VALUE with the key of the configuration. */
bool mailer_new(const struct mailer_options *options, struct mailer **mailer,
                struct err *err) must_check;
void mailer_free(struct mailer **mailer); /* overwrites the password */

/* Nothing here may hold CR, LF or NUL but text and html, whose lines end in LF. */
struct mail {
    const char *id;        /* left of the @ in Message-ID: letters, digits, - and . */
    const char *recipient; /* an address */
    const char *subject;   /* printable ASCII */
    struct text text;      /* UTF-8 */
    struct text html;
};

enum mail_end {
    MAIL_ACCEPTED, /* the relay has taken it over */
    MAIL_LATER,    /* no answer, or a trouble of the relay's or of ours with it */
    MAIL_DEFERRED, /* the relay puts this message off (4xx): a full mailbox, greylisting */
    MAIL_REFUSED,  /* the relay will not take this message (5xx), or it is none */
};

/*
 * Send one, in at most so much time. answer becomes a few words on a failure, for the operator,
 * which hold nothing of the message: the relay's code, or libcurl's reason. When the connection
 * breaks after the relay took the message over and before it said so, that is MAIL_LATER: better
 * twice than lost, and the Message-ID is the same.
 */
enum mail_end mail_send(const struct mailer *mailer, const struct mail *mail, int64_t timeout_ms,
                        char answer[static MAIL_ANSWER_BYTES]);
