/*
 * svc-email/email-header-analyzer/authentication.h - what the receiving side found out about a
 * message's sender: Authentication-Results (RFC 8601), Received-SPF (RFC 7208, section 9.1), and
 * ARC (RFC 8617), and which of it may be believed.
 *
 * A field that the sender wrote itself looks like one of the receiver. The border is the topmost
 * Received whose server belongs to somebody else than the receiver: what stands below it is shown
 * and never believed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "message/fields.h"
#include "senders/senders.h"

enum {
    AUTH_RESULTS_MAX = 100,   /* of all fields; later ones are dropped */
    AUTH_PROPERTIES_MAX = 20, /* of one result */
    AUTH_SIGNATURES_MAX = 30,
    AUTH_LIST_MAX = 60, /* signed fields that are told */
    AUTH_ARC_MAX = 50,  /* RFC 8617, section 4.2.1 */
};

struct auth_property {
    const char *name; /* "smtp.mailfrom", in small letters */
    const char *value;
};

struct auth_result {
    size_t field;            /* which of the message's fields, from 0 */
    const char *authserv_id; /* NULL: it gives none */
    const char *method;      /* in small letters, without version */
    const char *result;      /* in small letters, hardfail and its like as RFC 8601 has them */
    const char *reason;      /* NULL: none */
    const char *comment;     /* the first one; NULL: none */
    struct auth_property property[AUTH_PROPERTIES_MAX];
    size_t property_count;
    bool trusted;
    int arc_instance; /* 0: not of ARC */
};

/* A DKIM-Signature as it stands; nothing is verified. */
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
    struct auth_result *result; /* all, in the order of the fields */
    size_t result_count;
    struct dkim_signature *signature;
    size_t signature_count;

    /* what is believed; results are never NULL, "unknown" when nobody says it */
    enum auth_source source;
    const char *authserv_id;
    bool trusted;       /* source is the trusted set, or a field that the receiver wrote */
    bool has_untrusted; /* there are results, and none of them is trusted */
    const char *spf, *dkim, *dmarc;
    const char *arc, *compauth, *bimi, *iprev;    /* NULL: nobody says it */
    const char *spf_domain;                       /* NULL: unknown */
    const char *dkim_domain[AUTH_SIGNATURES_MAX]; /* that were found to pass */
    size_t dkim_domain_count;
    const char *dmarc_policy; /* NULL: unknown */
    enum auth_alignment spf_alignment, dkim_alignment;

    bool has_arc;            /* any field of ARC */
    int arc_instances;       /* the highest number */
    bool arc_is_valid;       /* each instance has its three fields, once */
    const char *arc_last_cv; /* NULL: none */
};

/* hosts are the by hosts of the Received fields from the top, by_field their places among the
 * fields; NULL for one that names none. from_domain may be NULL. Strings belong to the arena. */
struct auth_hops {
    const char *const *host;
    const size_t *field;
    size_t count;
};
void authentication_read(const struct fields *fields, const struct auth_hops *hops,
                         const char *from_domain, const struct senders *senders,
                         struct arena *arena, struct authentication *out);

/* The value of a property; NULL when it has none. */
const char *auth_property(const struct auth_result *result, const char *name);
