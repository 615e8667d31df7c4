/*
 * svc-email/probes/smtp.h - facts about a mail server: its greeting, STARTTLS and
 * certificate. One connection to port 25, which never sends a message.
 */
#pragma once

#include "net/addresses.h"
#include "net/egress-session.h"
#include "net/tls/handshake.h"

enum { SMTP_HOSTS_MAX = 3, SMTP_TEXT_BYTES = 301 };

/* How far a session came. */
enum smtp_end {
    SMTP_NOT_ALLOWED, /* its address must not be connected to, or its name is invalid */
    SMTP_NO_ADDRESS,
    SMTP_NO_ANSWER, /* no connection in time: it may be ours that is blocked */
    SMTP_CLOSED,    /* the port refuses connections */
    SMTP_SILENT,    /* no greeting in time, or not SMTP */
    SMTP_REJECTS,   /* it rejects the client: see greeting */
    SMTP_PLAIN,     /* it does not offer STARTTLS */
    SMTP_NO_TLS,    /* it offers STARTTLS, but the handshake fails */
    SMTP_TLS,
};

/* By value; start with SMTP_HOST_INIT and a host, release with smtp_host_free(). */
struct smtp_host {
    const char *host;
    bool has_address; /* it was connected to */
    struct in6_addr address;
    enum smtp_end end;
    char greeting[SMTP_TEXT_BYTES]; /* first line of the last reply that was not expected, or of
                                     * the greeting; UTF-8 without control characters */
    bool offers_starttls;
    struct handshake handshake;
    bool is_for_host;
    enum trust trust;
};

#define SMTP_HOST_INIT              \
    {                               \
        .handshake = HANDSHAKE_INIT \
    }

/* At most until the session's deadline. */
void smtp_probe(struct smtp_host *host, struct egress_session *session, int64_t now_s);
void smtp_host_free(struct smtp_host *host);

/* ---- for tests ---- */

enum { SMTP_REPLY_BYTES = 8 << 10 };

/* Read a reply (RFC 5321 section 4.2) from the received bytes, which may be followed by more.
 * Returns its code; 0: not whole yet, -1: not a reply. */
int smtp_reply_read(struct text bytes);

/* Whether the reply to EHLO has this keyword. */
bool smtp_reply_has(struct text bytes, const char *keyword);
