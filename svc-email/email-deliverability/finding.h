/*
 * svc-email/email-deliverability/finding.h - what is found of each check, and the points that it
 * costs.
 */
#pragma once

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

/* A row of findings.def. */
struct finding_row {
    const char *code;
    enum check check;
    enum severity severity;
    const char *message;
    const char *action; /* NULL: there is nothing to do */
};

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

extern const struct finding_row finding_rows[FINDINGS];
extern const char *const check_names[CHECKS];
extern const char *const status_names[STATUSES];
extern const char *const severity_names[];

/* A finding in the words of its row, or in these; NULL: the row's. */
void note(struct judgement *judgement, enum finding finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, and so many points less, but never below 0. */
void deduct(struct judgement *judgement, enum finding finding, int points, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, and never more than so many points. */
void limit(struct judgement *judgement, enum finding finding, int points, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* In the words of its row: with another severity, or when the rule holds. */
void limit_as(struct judgement *judgement, enum finding finding, enum severity severity,
              int points);
void note_if(struct judgement *judgement, bool holds, enum finding finding);
void deduct_if(struct judgement *judgement, bool holds, enum finding finding, int points);
void limit_if(struct judgement *judgement, bool holds, enum finding finding, int points);

/* Give a check its status and one sentence: of a record, or why there is none. A scored check has
 * the status of its points and of its worst finding. */
void conclude(struct judgement *judgement, enum check check, enum status status, const char *format,
              ...) __attribute__((format(printf, 4, 5)));
void conclude_scored(struct judgement *judgement, enum check check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
