/*
 * svc-security/security-headers/csp/csp.h - Content Security Policies (CSP Level 3), read and
 * merged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* What is beyond is not read. */
enum {
    CSP_BYTES_MAX = 64 << 10,
    CSP_POLICIES_MAX = 64,
    CSP_DIRECTIVES_MAX = 256,
    CSP_SOURCES_MAX = 2048,
};

/* One directive of one policy; all texts in lower case, but nonces and hashes as they came. */
struct csp_directive {
    const char *name;
    size_t count;
    const char **source;
    bool has_secret; /* a nonce or a hash that browsers heed */
    bool is_strict;  /* 'strict-dynamic' */
};

struct csp_policy {
    char *text; /* as it came, in UTF-8 */
    bool is_meta;
    size_t count;
    struct csp_directive *directive; /* no name twice: the first of two counts, as in browsers */
    char *words;                     /* what names and sources point into */
    const char **sources;            /* what they are a part of */
};

/* All policies of one answer. By value; zero is none; release with csp_free(). */
struct csp {
    size_t count;
    struct csp_policy policy[CSP_POLICIES_MAX];
    struct csp_policy merged; /* what all of them together allow; of csp_merge() */
    bool is_present;          /* there was a directive, or something that is no policy at all */
    bool is_too_short;        /* one of them is no policy at all */
    bool repeats_directive;   /* within one policy */
    bool repeats_report;      /* likewise, report-uri or report-to, which does no harm */
    size_t bytes;             /* of all, and so on: against the limits */
    size_t directives;
    size_t sources;
};

/* Add the policies of one header line, or of one meta tag, where frame-ancestors, report-uri and
 * sandbox do not count. A policy without any directive that counts is none. */
void csp_add(struct csp *csp, struct text value, bool is_meta);

/*
 * Merge what was added: a source of a directive stays when every policy that governs the same
 * thing, by that directive or by the one it falls back to, allows it; when none is left, it is
 * 'none'. Directives that are no list of sources keep all values.
 */
void csp_merge(struct csp *csp);

void csp_free(struct csp *csp);

/* The directive of that name; NULL: the policy has none. */
const struct csp_directive *csp_find(const struct csp_policy *policy, const char *name);

/* The directive that governs what that one is for: itself, or what it falls back to; NULL: none. */
const struct csp_directive *csp_effective(const struct csp_policy *policy, const char *name);

/* ---- kinds of directives ---- */

enum {
    CSP_SOURCE_LIST = 1 << 0, /* its values are sources */
    CSP_DEPRECATED = 1 << 1,
    CSP_NOT_IN_META = 1 << 2,
};

/* Of a directive's name; false: it is unknown. */
bool csp_kind(const char *name, unsigned *kind);

/* ---- kinds of sources ---- */

bool csp_has(const struct csp_directive *directive, const char *source);
bool csp_is_nonce(const char *source);  /* by its beginning */
bool csp_is_secret(const char *source); /* a nonce or hash written by the grammar (CSP3, section
                                         * 2.3.1): browsers drop another one unread */
bool csp_is_scheme(const char *source); /* "https:" */
bool csp_is_quoted(const char *source); /* keywords, nonces and hashes */

/* Do browsers ignore this source of the list, because of others in it (CSP3, sections 6.7.3.2 and
 * 8.2)? is_script: the list governs scripts, where 'strict-dynamic' counts. */
bool csp_is_ignored(const struct csp_directive *directive, const char *source, bool is_script);
