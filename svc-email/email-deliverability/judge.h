/*
 * svc-email/email-deliverability/judge.h - from facts to what is wrong, points and grade. No
 * network, no clock: equal facts give equal judgements.
 */
#ifndef DELIVERABILITY_JUDGE_H
#define DELIVERABILITY_JUDGE_H

#include "facts.h"

/* In the order of the result. */
enum check {
    CHECK_MX,
    CHECK_SPF,
    CHECK_DKIM,
    CHECK_DMARC,
    CHECK_MTA_STS,
    CHECK_TLS_RPT,
    CHECK_BIMI,
    CHECK_DNSSEC,
    CHECK_DANE,
    CHECKS,
};

/* The first four are scored. */
enum { CHECKS_SCORED = CHECK_DMARC + 1 };

enum status { STATUS_PASS, STATUS_WARN, STATUS_FAIL, STATUS_INFO, STATUS_ERROR, STATUSES };

enum severity { SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITY_INFO };

enum finding {
#define FINDING(name, check, severity, message, action) FINDING_##name,
#include "findings.def"
#undef FINDING
    FINDINGS,
};

/* One finding of a check. */
struct found {
    enum finding which;
    enum severity severity;
    const char *message;
    int cost; /* points, 0 or more */
};

enum { FOUND_MAX = 32 };

struct verdict {
    enum status status;
    bool has_points; /* false: unscored, could not be tested, or not asked for */
    int points, max;
    const char *detail;
    size_t count;
    struct found found[FOUND_MAX]; /* by severity, then as in findings.def */
};

/* Texts live in the arena, or are the facts'. */
struct judgement {
    struct arena arena;
    struct verdict verdict[CHECKS];
    int score;
    const char *grade;
    size_t errors; /* core checks that could not be tested */
};

void judge(const struct facts *facts, struct judgement *judgement);
void judgement_free(struct judgement *judgement);

const char *check_name(enum check check);
const char *status_name(enum status status);
const char *severity_name(enum severity severity);
const char *finding_code(enum finding finding);
const char *finding_action(enum finding finding); /* NULL: there is nothing to do */
enum check finding_check(enum finding finding);

/* ---- its parts ---- */

struct arena;

void judge_mx(const struct facts *facts, struct judgement *judgement);
void judge_spf(const struct facts *facts, struct judgement *judgement);
void judge_dkim(const struct facts *facts, struct judgement *judgement);
void judge_dmarc(const struct facts *facts, struct judgement *judgement);
void judge_others(const struct facts *facts, struct judgement *judgement);

/* A finding in the words of its row, or in these; NULL: the row's. */
void note(struct judgement *judgement, enum finding finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, and so many points less, but never below 0. */
void deduct(struct judgement *judgement, enum finding finding, int points, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, and never more than so many points. */
void limit(struct judgement *judgement, enum finding finding, int points, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, with another severity than the row's. */
void limit_as(struct judgement *judgement, enum finding finding, enum severity severity, int points,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Give a check its status and one sentence: of a record, or why there is none. A scored check has
 * the status of its points and of its worst finding. */
void conclude(struct judgement *judgement, enum check check, enum status status, const char *format,
              ...) __attribute__((format(printf, 4, 5)));
void conclude_scored(struct judgement *judgement, enum check check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
