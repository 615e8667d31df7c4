/*
 * svc-reports/performance-audit/rules.h - from facts to twelve verdicts and a score. Pure
 * arithmetic, no egress.
 */
#pragma once

#include "performance-audit/facts.h"

enum check {
#define CHECK(id, text, name, category, weight, rule, fix) CHECK_##id,
#include "performance-audit/checks.def"
    CHECKS,
};

enum {
    ITEMS_MAX = 10,
    DETAIL_BYTES = 200,
    VALUE_BYTES = 60,
    PASS_SCORE = 90,
    WARN_SCORE = 50,
    BAD_PAGE_SCORE_MAX = 49,    /* of a page with an error status or an invalid certificate */
    BROKEN_PAGE_SCORE_MAX = 69, /* of a page more than half of whose requests fail */
    FAILED_POINTS = 2,          /* deducted for each failed resource */
    FAILED_POINTS_MAX = 10,
    THIRD_PARTIES_FREE = 2,
};

/* A resource that a verdict concerns. */
struct item {
    const char *url; /* borrowed from the facts */
    char value[VALUE_BYTES];
    const char *note; /* static, or NULL */
};

struct verdict {
    bool applies; /* if false, the score is 100 */
    int score;    /* 0 to 100 */
    char detail[DETAIL_BYTES];
    size_t item_count; /* at most ITEMS_MAX */
    struct item item[ITEMS_MAX];
};

struct assessment {
    struct verdict verdict[CHECKS];
    int failed_points; /* deducted from the score */
    int score;
    const char *grade;
};

void assess(const struct facts *facts, struct assessment *assessment);

/* Columns of checks.def. */
const char *check_id(enum check check);
const char *check_name(enum check check);
const char *check_category(enum check check);
const char *check_fix(enum check check);
int check_weight(enum check check);

/* "pass", "warn", "fail", or "info" if the check does not apply. */
const char *verdict_status(const struct verdict *verdict);

/* Severity by cost in points: "high" from 6 on, "medium" from 2.5 on, "low" below, "info" if the
 * check passes or does not apply. */
const char *verdict_severity(enum check check, const struct verdict *verdict);

/* Points that a check costs: weight * (100 - score) / 100. */
double verdict_cost(enum check check, const struct verdict *verdict);

/* The published log-normal curve of Lighthouse, for values where less is better: 90 at p10, 50 at
 * the median. */
int log_normal_score(double value, double p10, double median);

/* Whether more than half of the requests failed. */
bool mostly_failed(const struct totals *totals);
