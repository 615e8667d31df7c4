/*
 * svc-reports/performance-audit/rules.h - from facts to twelve verdicts and a score. Arithmetic
 * alone; nothing here goes out.
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
    BAD_PAGE_SCORE_MAX = 49, /* of a page with an error's status or a bad certificate */
    FAILED_POINTS = 2,       /* off for each thing that cannot be loaded */
    FAILED_POINTS_MAX = 10,
    THIRD_PARTIES_FREE = 2,
};

/* What a verdict is about. */
struct item {
    const char *url; /* borrowed from the facts */
    char value[VALUE_BYTES];
    const char *note; /* lives for ever; NULL: none */
};

struct verdict {
    bool applies; /* else the score is 100 */
    int score;    /* 0 to 100 */
    char detail[DETAIL_BYTES];
    size_t item_count; /* at most ITEMS_MAX, the worst or the first */
    struct item item[ITEMS_MAX];
};

struct judgement {
    struct verdict verdict[CHECKS];
    int failed_points; /* off the score */
    int score;
    const char *grade;
};

void judge(const struct facts *facts, struct judgement *judgement);

/* What stands in checks.def. */
const char *check_id(enum check check);
const char *check_name(enum check check);
const char *check_category(enum check check);
const char *check_fix(enum check check);
int check_weight(enum check check);

/* "pass", "warn", "fail" or "info", which does not apply. */
const char *verdict_status(const struct verdict *verdict);

/* How much it matters, by the points of the score that it costs: "high" from 6 on, "medium" from
 * 2.5, "low" below, "info" when it passes or does not apply. */
const char *verdict_severity(enum check check, const struct verdict *verdict);

/* What a check costs: weight * (100 - score) / 100. */
double verdict_cost(enum check check, const struct verdict *verdict);

/* The published curve of Lighthouse: 90 at p10, 50 at the median, of a value where less is better.
 */
int log_normal_score(double value, double p10, double median);
