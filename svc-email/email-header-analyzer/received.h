/*
 * svc-email/email-header-analyzer/received.h - one Received field, in the dialects of the world's
 * mail servers (RFC 5321, section 4.4, and what is written in its place).
 *
 * Any text is read. What stands in a comment never opens a clause; the date counts even where
 * nothing else is understood. Time is linear in the text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "message/mail-date.h"

enum hop_tls { HOP_TLS_UNKNOWN, HOP_TLS_NO, HOP_TLS_YES };

/* What one server says of its taking the message over. Strings belong to the arena; NULL where the
 * field does not say it. */
struct hop {
    const char *raw;
    bool parse_ok;    /* a clause was found, or a form that is known */
    const char *form; /* the name of the form, "postfix"; "generic" for others; "unparsed" */
    const char *from; /* the first word behind from */
    const char *by;
    const char *protocol; /* in capitals */
    const char *id;
    const char *recipient; /* behind for */
    const char *via;
    const char *helo;
    const char *from_ip;   /* dotted, or as RFC 5952 */
    const char *from_rdns; /* the reverse name; NULL too when there is none */
    bool has_no_reverse;   /* the server looked for one in vain */
    bool is_from_public;   /* from_ip is an address of the public internet */
    const char *by_ip;
    const char *software;
    enum hop_tls tls;
    const char *tls_version; /* "TLSv1.3", "SSLv3" */
    const char *tls_cipher;
    bool authenticated;
    const char *auth_user;
    const char *envelope_from;
    bool internal; /* from a private address, from this host itself or from nowhere */
    const char *date_raw;
    enum mail_date_fit date_fit;
    int64_t date_s; /* unless MAIL_DATE_NONE */
};

void received_read(struct text value, struct arena *arena, struct hop *hop);
