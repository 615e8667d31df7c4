/*
 * svc-security/exposed-files/scan.h - ask a site for each path, and judge what comes.
 */
#pragma once

#include "exposures.h"
#include "net/http/fetch.h"

enum outcome {
    OUTCOME_NONE, /* it was not asked for */
    OUTCOME_EXPOSED,
    OUTCOME_ABSENT,
    OUTCOME_BLOCKED,
    OUTCOME_SOFT_404,
    OUTCOME_NO_MATCH,
    OUTCOME_ERROR,
    OUTCOME_REDIRECT,
};

const char *outcome_name(enum outcome outcome);

/* What became of one path. */
struct check {
    const struct exposure *exposure;
    enum outcome outcome;
    int status; /* 0: no answer */
    /* when it is exposed: */
    struct finding finding;
    char media_type[MEDIA_TYPE_BYTES];
    int64_t size; /* -1: nobody says */
};

/* By value; release with scan_free(). */
struct scan {
    struct target base; /* whose paths were asked for */
    int tls_verified;   /* 0, 1; -1: not by TLS */
    bool has_soft_404;
    bool is_waf_suspected;
    bool is_partial; /* some paths were not asked for */
    size_t count;
    struct check *check; /* in the order of the paths */
};

/*
 * The whole of it, within the trip. Errors: those of net/http/fetch-all.h when the site does not
 * answer at all.
 */
bool scan_site(struct egress_session *session, const struct target *url,
               const struct exposures *exposures, struct scan *scan, struct err *err) must_check;
void scan_free(struct scan *scan);
