/*
 * svc-security/tls-check/presented.h - the certificates that a server presents: one to each kind of
 * client, and at each of its addresses.
 */
#pragma once

#include "net/egress-session.h"
#include "net/tls/handshake.h"
#include "tls-check/scan/facts.h"
#include "tls-check/scan/starttls.h"

enum { PRESENTED_MAX = 4 };

/* The checked server; all borrowed. */
struct server {
    struct egress_session *session;
    const struct host *host;
    uint16_t port;
    enum starttls starttls;
};

/* A certificate with its chain. Free it with presented_free(). */
struct presented {
    struct in6_addr address; /* where it was seen */
    struct handshake handshake;
    struct chain *chain; /* NULL: none */
    struct facts facts;  /* of the server, with this certificate */
};

#define PRESENTED_INIT               \
    {                                \
        .handshake = HANDSHAKE_INIT, \
    }

/*
 * Complete a handshake at presented->address, as a client that accepts this kind of certificate.
 * Returns false without a connection; a failed handshake is not an error. Errors: those of
 * dial_address(), and ERR_TARGET_TLS_FAILURE if the server rejects STARTTLS.
 */
bool presented_connect(const struct server *server, enum handshake_kind kind, int64_t answer_ms,
                       struct presented *presented, struct err *err) must_check;

/* The same with a connection, which stays the caller's. */
bool presented_talk(const struct server *server, int fd, enum handshake_kind kind,
                    int64_t answer_ms, struct presented *presented, struct err *err) must_check;

/* Take over the handshake's chain, otherwise make one of this list of a Certificate message. */
void presented_take(struct presented *presented, struct text list);

/* Evaluate the chain: fills the facts about it. A stapled OCSP response is read. */
void presented_evaluate(const struct server *server, struct presented *presented);

/* Query the certificate's OCSP responder, unless a staple says enough. */
void presented_query_ocsp(const struct server *server, struct presented *presented);

/* Is the server's certificate the same? */
bool presented_is_same(const struct presented *a, const struct presented *b);

void presented_free(struct presented *presented);
