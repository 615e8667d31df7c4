/*
 * svc-email/records/sts-policy.h - the policy that a domain serves as mta-sts.txt (RFC 8461 section
 * 3.2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum sts_mode { STS_NONE, STS_TESTING, STS_ENFORCE };

enum { STS_PATTERNS_MAX = 100 };

/* Texts are borrowed from the policy's text. */
struct sts_policy {
    const char *error; /* "it …", static; NULL: valid */
    enum sts_mode mode;
    int64_t max_age_s;
    size_t pattern_count;
    struct text pattern[STS_PATTERNS_MAX]; /* mx: a name, or *. and a name */
    bool has_repeats;                      /* a key other than mx occurs again; the first applies */
};

void sts_policy_read(struct text text, struct sts_policy *policy);

/* Whether a pattern matches this host (section 4.1: a wildcard is one label), in any case. */
bool sts_policy_allows(const struct sts_policy *policy, const char *host);

const char *sts_mode_name(enum sts_mode mode);
