/*
 * svc-security/security-headers/csp/findings.h - weaknesses of Content Security Policies, each
 * policy as a CSP Level 3 browser reads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bypasses.h"
#include "csp.h"

/* clang-format off */
enum csp_rule {
#define FINDING(id, name, severity, message) CSP_##id##_FOUND,
#include "findings.def"
#undef FINDING
};
/* clang-format on */

struct csp_finding {
    enum csp_rule rule;
    const char *directive; /* borrowed from the csp, like value */
    const char *value;     /* "" for the whole directive */
};

enum { CSP_FINDINGS_MAX = 200 };

struct csp_findings {
    size_t count;
    struct csp_finding item[CSP_FINDINGS_MAX]; /* no duplicates */
    bool is_cut;
};

/* Add all findings except static nonces. Missing directives are searched in all policies
 * together. */
void csp_find_all(const struct csp *csp, const struct bypasses *bypasses,
                  struct csp_findings *findings);

/* Add static nonces: those that another response of the same page has too. */
void csp_find_static_nonces(const struct csp *csp, const struct csp *other,
                            struct csp_findings *findings);

bool csp_findings_have_high(const struct csp_findings *findings);

extern const struct csp_rule_row {
    const char *name;
    const char *severity;
    const char *message;
} csp_rules[];
