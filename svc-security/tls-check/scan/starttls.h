/*
 * svc-security/tls-check/scan/starttls.h - STARTTLS for mail servers: SMTP (RFC 3207), IMAP (RFC
 * 9051 section 6.2.1), POP3 (RFC 2595 section 4). Sends no other commands, and does not trust
 * plaintext replies.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

enum starttls { STARTTLS_NONE, STARTTLS_SMTP, STARTTLS_IMAP, STARTTLS_POP3 };

enum {
    STARTTLS_LINE_BYTES = 1024, /* twice the reply limit of RFC 5321 section 4.5.3.1.5 */
    STARTTLS_LINES_MAX = 100,   /* greeting and extension list */
    STARTTLS_SAID_BYTES = 64,   /* longer than any of our commands */
};

/* State of a conversation: zero except for its kind. The server speaks first. */
struct starttls_talk {
    enum starttls kind;
    unsigned step;
    unsigned lines;
    size_t size;
    char line[STARTTLS_LINE_BYTES]; /* incomplete next line */
};

enum starttls_state {
    STARTTLS_TALKS,   /* incomplete */
    STARTTLS_READY,   /* the next bytes are the client's hello */
    STARTTLS_REFUSED, /* STARTTLS rejected, or another protocol */
};

/* Process bytes of the server and append our reply to out. Bytes after the final reply are dropped,
 * because they are not protected. */
enum starttls_state starttls_feed(struct starttls_talk *talk, struct text bytes, struct buf *out);

/* Run the conversation on a connected socket until the deadline (clock_ms()). */
bool starttls_run(int fd, enum starttls kind, int64_t deadline_ms);

/* The protocol of a registered or commonly used port. */
enum starttls starttls_of_port(uint16_t port);

/* "smtp", "imap", "pop3" or NULL; and the reverse, with none for any other name. */
const char *starttls_name(enum starttls kind);
enum starttls starttls_of_name(const char *name);
