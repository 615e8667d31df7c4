/*
 * svc-security/tls-check/scan/starttls.h - the words by which a mail server is asked to go on in
 * TLS: SMTP (RFC 3207), IMAP (RFC 9051 section 6.2.1), POP3 (RFC 2595 section 4). Nothing else is
 * said, and nothing is believed of what comes in the clear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

enum starttls { STARTTLS_NONE, STARTTLS_SMTP, STARTTLS_IMAP, STARTTLS_POP3 };

enum {
    STARTTLS_LINE_BYTES = 1024, /* twice what RFC 5321 section 4.5.3.1.5 allows a reply */
    STARTTLS_LINES_MAX = 100,   /* a greeting and a list of extensions */
    STARTTLS_SAID_BYTES = 64,   /* more than any of our lines has */
};

/* One conversation. Zero, with its kind, is its beginning: the server speaks first. */
struct starttls_talk {
    enum starttls kind;
    unsigned step;
    unsigned lines;
    size_t size;
    char line[STARTTLS_LINE_BYTES]; /* what came of the next one */
};

enum starttls_state {
    STARTTLS_TALKS,   /* more is to come */
    STARTTLS_READY,   /* the next bytes are the client's hello */
    STARTTLS_REFUSED, /* no TLS here, or another protocol */
};

/* Take in what the server said, and append to out what is to be answered. Bytes behind the last
 * word are dropped: they are not protected, so they count for nothing. */
enum starttls_state starttls_hear(struct starttls_talk *talk, struct text bytes, struct buf *out);

/* The same over a connected socket, until the deadline (by clock_ms()). */
bool starttls_run(int fd, enum starttls kind, int64_t deadline_ms);

/* What a port that is registered, or widely used, for a protocol begins with. */
enum starttls starttls_of_port(uint16_t port);

/* "smtp", "imap", "pop3"; NULL: none. And back: any other word is none. */
const char *starttls_name(enum starttls kind);
enum starttls starttls_of_name(const char *name);
