/* svc-security/seo-analyze/judge/report.h - what was found of each factor, and the score. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

enum factor {
#define FACTOR(id, name, weight, category, needs, recommendation) FACTOR_##id,
#include "factor.def"
    FACTORS
};

enum status { STATUS_INFO, STATUS_PASS, STATUS_WARN, STATUS_FAIL };

enum { CONTENT_BYTES = 1300 /* 300 characters of UTF-8, an ellipsis and the NUL */ };

/* Zero is a report in which everything is STATUS_INFO without content. */
struct report {
    struct {
        enum status status;
        char content[CONTENT_BYTES];
    } finding[FACTORS];
};

/* Say what was seen, in valid UTF-8 but for what is cut: at 300 characters with an ellipsis. */
void report_set(struct report *report, enum factor factor, enum status status, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

/* Is the factor one that only HTML can show? */
bool factor_needs_page(enum factor factor);

/* 0..100: the weighted mean of what is scored (pass 1, warn a half, fail 0), capped when the page
 * cannot be indexed or its status is an error. */
int report_score(const struct report *report);

/* Append every finding, in the order of factor.def. */
void report_write(const struct report *report, cJSON *findings);
