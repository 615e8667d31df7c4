/*
 * svc-security/exposed-files/scan.h - request each path of a site and classify the response.
 */
#pragma once

#include "exposures.h"
#include "net/http/fetch.h"

enum outcome {
    OUTCOME_NONE, /* not requested */
    OUTCOME_EXPOSED,
    OUTCOME_ABSENT,
    OUTCOME_BLOCKED,
    OUTCOME_SOFT_404,
    OUTCOME_NO_MATCH,
    OUTCOME_ERROR,
    OUTCOME_REDIRECT,
};

const char *outcome_name(enum outcome outcome);

/* Outcome of one path. */
struct check {
    const struct exposure *exposure;
    enum outcome outcome;
    int status; /* 0: no response */
    /* if exposed: */
    struct finding finding;
    char media_type[MEDIA_TYPE_BYTES];
    int64_t size; /* -1: unknown */
};

/* Free it with scan_free(). */
struct scan {
    struct target base; /* the scanned site */
    int tls_verified;   /* 0 or 1; -1 without TLS */
    bool has_soft_404;
    bool is_waf_suspected;
    bool is_partial; /* some paths were not requested */
    size_t count;
    struct check *check; /* in path order */
};

/*
 * Run the scan within the egress session. Errors: those of net/http/fetch-all.h if the site does
 * not respond at all.
 */
bool scan_site(struct egress_session *session, const struct target *url,
               const struct exposures *exposures, struct scan *scan, struct err *err) must_check;
void scan_free(struct scan *scan);
