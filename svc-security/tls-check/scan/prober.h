/*
 * svc-security/tls-check/scan/prober.h - send probes to a server, several in parallel: connect,
 * send a hello, read the part of the response that is needed, close. Single-threaded, with poll().
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
    PROBES_AT_ONCE_BY_MAIL = 3, /* mail servers limit connections */
    PROBES_MAX = 128,
    PROBE_CONNECT_MS = 4000,
    PROBE_ANSWER_MS = 5000, /* from connect or STARTTLS to the end of the needed response */
    PROBE_TALK_MS = 8000,   /* for STARTTLS: some servers delay the greeting by 6 s */
};

enum outcome {
    OUTCOME_ANSWERED, /* ServerHello, or SERVER-HELLO of SSL 2.0 */
    OUTCOME_REFUSED,  /* fatal alert, or the server closed the connection */
    OUTCOME_SILENT,   /* no useful bytes in time */
    OUTCOME_GARBAGE,  /* not TLS */
    OUTCOME_LOST,     /* no connection or no STARTTLS: the probe has no result */
};

struct probe_answer {
    enum outcome outcome;
    const struct flight *flight; /* borrowed during the call, like ssl2 */
    const struct ssl2_hello *ssl2;
};

enum want {
    WANT_HELLO,      /* the chosen suite */
    WANT_PARAMETERS, /* also the parameters of its key exchange */
    WANT_ALL,        /* everything in plaintext */
    WANT_SSL2,       /* SERVER-HELLO of SSL 2.0 */
};

/* A series of dependent probes, sent one after another. The first member of larger structs. */
struct probe_series {
    enum want want;

    /* Append the next hello. Returns false at the end of the series. */
    bool (*next_probe)(struct probe_series *series, struct buf *hello);

    void (*on_result)(struct probe_series *series, const struct probe_answer *answer);
};

struct prober {
    struct egress_session *session; /* borrowed */
    struct in6_addr address;
    uint16_t port;
    enum starttls starttls; /* protocol before the hello */
    int64_t deadline_ms;
    unsigned connections_left;
    bool is_partial; /* a probe was not sent or lost */
};

/* Run all series to their end, or until time or connections run out. */
void prober_run(struct prober *prober, struct probe_series **series, size_t count);
