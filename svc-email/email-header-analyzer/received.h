/*
 * svc-email/email-header-analyzer/received.h - read a Received field in the formats of many mail
 * servers (RFC 5321 section 4.4, and deviations).
 *
 * Accepts any text. A comment never opens a clause. The date is read even if nothing else is
 * understood. Runs in linear time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "message/mail-date.h"

enum hop_tls { HOP_TLS_UNKNOWN, HOP_TLS_NO, HOP_TLS_YES };

/* A server's record of receiving the message. Strings belong to the arena; NULL if the field does
 * not state it. */
struct hop {
    const char *raw;
    bool parse_ok;    /* a clause, or a known format */
    const char *form; /* name of the format, "postfix"; "generic", or "unparsed" */
    const char *from; /* first word after from */
    const char *by;
    const char *protocol; /* in upper case */
    const char *id;
    const char *recipient; /* after for */
    const char *via;
    const char *helo;
    const char *from_ip;      /* dotted, or by RFC 5952 */
    const char *from_rdns;    /* the reverse name; NULL: none */
    bool is_reverse_doubtful; /* that name does not resolve to the address */
    bool has_no_reverse;      /* the server found no reverse name */
    bool is_from_public;      /* from_ip is public */
    const char *by_ip;
    const char *software;
    enum hop_tls tls;
    const char *tls_version; /* "TLSv1.3", "SSLv3" */
    const char *tls_cipher;
    bool authenticated;
    const char *auth_user;
    const char *envelope_from;
    bool internal; /* the client is private, the same host, or not stated */
    const char *date_raw;
    enum mail_date_fit date_fit;
    int64_t date_s; /* valid unless MAIL_DATE_NONE */
};

void received_read(struct text value, struct arena *arena, struct hop *hop);
