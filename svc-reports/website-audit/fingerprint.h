/*
 * svc-reports/website-audit/fingerprint.h - a report in at most 8 KB, so that a later one can be
 * compared with it: "wa1 1764240000000 64 example.com 110111110 h:tls/cert-expired …". The digits
 * say which sections succeeded.
 */
#pragma once

#include <cjson/cJSON.h>

#include "website-audit/issues.h"
#include "website-audit/site-audit.h"

enum { FINGERPRINT_MAX_BYTES = 8192 };

/* A parsed fingerprint. Texts are borrowed. */
struct fingerprint {
    struct text host;
    int64_t at_ms;
    int score; /* or SCORE_NONE */
    bool was_ok[SECTIONS];
    size_t count;
    struct {
        enum severity severity;
        struct text id; /* "tls/cert-expired" */
    } issue[ISSUES_MAX];
};

/* Parse one for this host. Errors: ERR_INVALID_PREVIOUS. */
bool fingerprint_read(struct text text, const char *host, struct fingerprint *fingerprint,
                      struct err *err) must_check;

/* Append the fingerprint of an audit after site_audit_assess(). Issues that do not fit are left
 * out, the least severe ones first. */
void fingerprint_write(const struct site_audit *audit, const char *host, struct buf *out);

/* Write the member changes: what is new, what is fixed, and the scores. */
void fingerprint_compare(const struct fingerprint *before, const struct site_audit *audit,
                         cJSON *result);
