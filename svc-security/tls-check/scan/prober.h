/*
 * svc-security/tls-check/scan/prober.h - ask a server many small questions, several at a time:
 * connect, send a hello, read as much of the answer as is wanted, hang up. One thread, by poll().
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "flight.h"
#include "hello.h"
#include "net/egress-session.h"
#include "starttls.h"

enum {
    PROBES_AT_ONCE = 6,
    PROBES_AT_ONCE_BY_MAIL = 3, /* mail servers hang up on who comes too often */
    PROBES_MAX = 128,
    PROBE_CONNECT_MS = 4000,
    PROBE_ANSWER_MS =
        5000,             /* from the connection, or from STARTTLS, to the end of what is wanted */
    PROBE_TALK_MS = 8000, /* for what comes before: some greet after 6 s, against spammers */
};

enum outcome {
    OUTCOME_ANSWERED, /* there is a ServerHello, or one of SSL 2.0 */
    OUTCOME_REFUSED,  /* a fatal alert, or the end of the connection */
    OUTCOME_SILENT,   /* nothing of use in time */
    OUTCOME_GARBAGE,  /* something else than TLS */
    OUTCOME_LOST,     /* no connection, or no STARTTLS: this says nothing of the question */
};

struct probe_answer {
    enum outcome outcome;
    const struct flight *flight; /* borrowed for the call, as the next */
    const struct ssl2_hello *ssl2;
};

enum want {
    WANT_HELLO,      /* the suite that was chosen */
    WANT_PARAMETERS, /* and those of its key exchange, if it sends any */
    WANT_ALL,        /* all that is plaintext */
    WANT_SSL2,       /* an SSL 2.0 SERVER-HELLO */
};

/* Questions that follow from each other, asked one after another. First member of what knows more.
 */
struct line {
    enum want want;

    /* Append the next hello; false: there is no more to ask. */
    bool (*ask)(struct line *line, struct buf *hello);

    void (*hear)(struct line *line, const struct probe_answer *answer);
};

struct prober {
    struct egress_session *session; /* borrowed */
    struct in6_addr address;
    uint16_t port;
    enum starttls starttls; /* what goes before the hello */
    int64_t deadline_ms;
    unsigned connections_left;
    bool is_partial; /* something was not asked, or a question was lost */
};

/* Follow all lines to their ends, or to that of the time or of the connections. */
void prober_run(struct prober *prober, struct line **lines, size_t count);
