/* svc-security/hsts.h - the header Strict-Transport-Security (RFC 6797 section 6.1): what stands in
 * it. What of that is an error, each tool judges by its own contract. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct hsts {
    bool has_age;      /* one max-age, of digits, perhaps in quotes */
    bool has_repeats;  /* one of the three directives stands there twice */
    bool has_comma;    /* as where two headers were made into one */
    bool is_malformed; /* not of the grammar: browsers drop the header as a whole */
    int64_t max_age_s; /* the last that is a number; what is beyond 2^53 counts as that; or 0 */
    bool has_subdomains;
    bool has_preload;
};

void hsts_read(struct text value, struct hsts *hsts);
