/*
 * svc-email/email-deliverability/finding.h - each check's findings, and their points.
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
    CHECK_SENDER, /* this and the next are made only if the request asks for them */
    CHECK_SMTP,
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
    const char *action; /* NULL: no action */
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
    int cost; /* points, at least 0 */
};

enum { FOUND_MAX = 32 };

struct verdict {
    enum status status;
    bool is_made;    /* false: not requested */
    bool has_points; /* false: not scored, or not tested */
    int points, max;
    const char *detail;
    size_t count;
    struct found found[FOUND_MAX]; /* by severity, then in the order of findings.def */
};

/* Texts are in the arena, or belong to the facts. */
struct judgement {
    struct arena arena;
    struct verdict verdict[CHECKS];
    int score;
    const char *grade;
    size_t errors; /* scored checks that could not be tested */
};

extern const struct finding_row finding_rows[FINDINGS];
extern const char *const check_names[CHECKS];
extern const char *const status_names[STATUSES];
extern const char *const severity_names[];

/* Note a finding with this message; NULL: that of its row. */
void note_finding(struct judgement *judgement, enum finding finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Note it, and subtract points, down to 0. */
void deduct_points(struct judgement *judgement, enum finding finding, int points,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Note it, and limit the check's points. */
void limit_points(struct judgement *judgement, enum finding finding, int points, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* With the message of its row: with another severity, or if the rule is true. */
void limit_points_as(struct judgement *judgement, enum finding finding, enum severity severity,
                     int points);
void note_finding_if(struct judgement *judgement, bool holds, enum finding finding);
void deduct_points_if(struct judgement *judgement, bool holds, enum finding finding, int points);
void limit_points_if(struct judgement *judgement, bool holds, enum finding finding, int points);

/* Set a check's status and its sentence: the record, or why it is missing. A scored check gets the
 * status of its points and of its worst finding. */
void conclude_check(struct judgement *judgement, enum check check, enum status status,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
void conclude_scored_check(struct judgement *judgement, enum check check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
