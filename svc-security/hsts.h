/* svc-security/hsts.h - parse Strict-Transport-Security (RFC 6797 section 6.1). Each tool decides
 * by its contract what is an error. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct hsts {
    bool has_age;      /* exactly one max-age, of digits, optionally quoted */
    bool has_repeats;  /* one of the three directives occurs twice */
    bool has_comma;    /* probably two headers joined into one */
    bool is_malformed; /* invalid syntax: browsers ignore the whole header */
    int64_t max_age_s; /* the last numeric value, at most 2^53; otherwise 0 */
    bool has_subdomains;
    bool has_preload;
};

void hsts_read(struct text value, struct hsts *hsts);
