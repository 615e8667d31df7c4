/*
 * svc-security/security-headers/csp/csp.h - parse and merge Content Security Policies (CSP Level
 * 3).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Limits; anything beyond is ignored. */
enum {
    CSP_BYTES_MAX = 64 << 10,
    CSP_POLICIES_MAX = 64,
    CSP_DIRECTIVES_MAX = 256,
    CSP_SOURCES_MAX = 2048,
};

/* One directive of one policy. Texts are in lower case, except nonces and hashes. */
struct csp_directive {
    const char *name;
    size_t count;
    const char **source;
    bool has_secret; /* a valid nonce or hash */
    bool is_strict;  /* 'strict-dynamic' */
};

struct csp_policy {
    char *text; /* as received, in UTF-8 */
    bool is_meta;
    size_t count;
    struct csp_directive *directive; /* unique names: the first one applies, as in browsers */
    char *words;                     /* memory of names and sources */
    const char **sources;            /* sources of all directives */
};

/* All policies of one response; zero is empty. Free it with csp_free(). */
struct csp {
    size_t count;
    struct csp_policy policy[CSP_POLICIES_MAX];
    struct csp_policy merged; /* what all of them together allow; set by csp_merge() */
    bool is_present;          /* there is a directive, or invalid text */
    bool is_too_short;        /* one of them is too short for a policy */
    bool repeats_directive;   /* a policy has a directive twice */
    bool repeats_report;      /* a policy has report-uri or report-to twice, which is harmless */
    size_t bytes;             /* total size, for the limit */
    size_t directives;
    size_t sources;
};

/* Add the policies of one header line or meta tag. In a meta tag, frame-ancestors, report-uri and
 * sandbox do not apply. A policy without applicable directives is ignored. */
void csp_add(struct csp *csp, struct text value, bool is_meta);

/*
 * Merge all policies. A source of a directive stays if every policy that governs the same thing, by
 * the directive or its fallback, allows it; if none stays, the list is 'none'. Directives without
 * source lists keep all values.
 */
void csp_merge(struct csp *csp);

void csp_free(struct csp *csp);

/* The directive of that name, or NULL. */
const struct csp_directive *csp_find(const struct csp_policy *policy, const char *name);

/* The directive that applies: itself or its fallback, or NULL. */
const struct csp_directive *csp_effective(const struct csp_policy *policy, const char *name);

/* ---- kinds of directives ---- */

enum {
    CSP_SOURCE_LIST = 1 << 0, /* values are sources */
    CSP_DEPRECATED = 1 << 1,
    CSP_NOT_IN_META = 1 << 2,
};

/* Flags of a directive. Returns false for an unknown name. */
bool csp_kind(const char *name, unsigned *kind);

/* ---- kinds of sources ---- */

bool csp_has(const struct csp_directive *directive, const char *source);
bool csp_is_nonce(const char *source);  /* by its prefix */
bool csp_is_secret(const char *source); /* a nonce or hash with valid syntax (CSP3, section 2.3.1);
                                         * browsers ignore others */
bool csp_is_scheme(const char *source); /* such as "https:" */
bool csp_is_quoted(const char *source); /* keyword, nonce or hash */

/* Do browsers ignore this source because of others in the list (CSP3, sections 6.7.3.2 and 8.2)?
 * is_script: the list governs scripts, where 'strict-dynamic' applies. */
bool csp_is_ignored(const struct csp_directive *directive, const char *source, bool is_script);
