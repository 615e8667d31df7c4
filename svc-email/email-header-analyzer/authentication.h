/*
 * svc-email/email-header-analyzer/authentication.h - the receiver's results about a message's
 * sender: Authentication-Results (RFC 8601), Received-SPF (RFC 7208 section 9.1) and ARC (RFC
 * 8617), and which of them can be trusted.
 *
 * A sender can forge these fields. The trust border is the Received field by which the message came
 * in from outside the receiver. Results above it are trusted, and without any of these, the
 * receiver's own directly below it. All others are reported but never trusted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "email-header-analyzer/received.h"
#include "message/fields.h"
#include "senders/senders.h"

enum {
    AUTH_RESULTS_MAX = 100,   /* in all fields; further ones are dropped */
    AUTH_PROPERTIES_MAX = 20, /* of one result */
    AUTH_SIGNATURES_MAX = 30,
    AUTH_LIST_MAX = 60, /* signed fields in the result */
    AUTH_ARC_MAX = 50,  /* RFC 8617 section 4.2.1 */
};

struct auth_property {
    const char *name; /* "smtp.mailfrom", in lower case */
    const char *value;
};

struct auth_result {
    size_t field;            /* index of the field in the message, from 0 */
    const char *authserv_id; /* NULL: absent */
    const char *method;      /* in lower case, without version */
    const char *result;      /* in lower case, by RFC 8601: hardfail becomes fail */
    const char *reason;      /* NULL: none */
    const char *comment;     /* the first comment; NULL: none */
    struct auth_property property[AUTH_PROPERTIES_MAX];
    size_t property_count;
    bool trusted;
    int arc_instance; /* 0: not ARC */
};

/* A DKIM-Signature as written; it is not verified. */
struct dkim_signature {
    const char *domain, *selector, *algorithm, *canonicalization, *identity;
    const char *signed_header[AUTH_LIST_MAX];
    size_t signed_count;
    int64_t timestamp, expires, body_length; /* -1: absent */
    bool valid_syntax;
};

enum auth_source {
    AUTH_SOURCE_NONE,
    AUTH_SOURCE_RESULTS,
    AUTH_SOURCE_RECEIVED_SPF,
    AUTH_SOURCE_ARC
};
enum auth_alignment { AUTH_ALIGN_UNKNOWN, AUTH_ALIGN_NONE, AUTH_ALIGN_RELAXED, AUTH_ALIGN_STRICT };

struct authentication {
    struct auth_result *result; /* in the order of the fields */
    size_t result_count;
    struct dkim_signature *signature;
    size_t signature_count;

    /* the trusted results; never NULL, "unknown" without one */
    enum auth_source source;
    const char *authserv_id;
    bool trusted;       /* source belongs to the trusted fields, or the receiver wrote it */
    bool has_untrusted; /* there are results, but no trusted ones */
    const char *spf, *dkim, *dmarc;
    const char *arc, *compauth, *bimi, *iprev;    /* NULL: no result */
    const char *spf_domain;                       /* NULL: unknown */
    const char *dkim_domain[AUTH_SIGNATURES_MAX]; /* with a passing signature */
    size_t dkim_domain_count;
    const char *dmarc_policy; /* NULL: unknown */
    enum auth_alignment spf_alignment, dkim_alignment;

    int arc_instances;       /* the highest instance number */
    bool arc_is_valid;       /* there is a chain without a fault */
    const char *arc_fault;   /* what is wrong with it, after "The ARC chain"; NULL: nothing */
    const char *arc_last_cv; /* NULL: none */
};

/* The hops in chronological order, and their indexes among the fields. */
struct auth_hops {
    const struct hop *hop;
    const size_t *field;
    size_t count;
};

/* from_domain may be NULL. Strings belong to the arena. */
void authentication_read(const struct fields *fields, const struct auth_hops *hops,
                         const char *from_domain, const struct senders *senders,
                         struct arena *arena, struct authentication *out);

/* The receiver in receivers.def that a host, in lower case, belongs to; NULL: none. */
const char *auth_receiver_of(const char *host);

/* Whether two hosts, in lower case, belong to one receiver: to one owner, or to one in
 * receivers.def. NULL belongs to none. */
bool auth_same_receiver(const struct senders *senders, const char *a, const char *b);

/* The value of a property; NULL: none. */
const char *auth_property(const struct auth_result *result, const char *name);
