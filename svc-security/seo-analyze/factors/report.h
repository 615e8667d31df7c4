/* svc-security/seo-analyze/factors/report.h - the findings of all factors, and the score. */
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

/* In a zero struct, every factor is STATUS_INFO without content. */
struct report {
    struct {
        enum status status;
        char content[CONTENT_BYTES];
    } finding[FACTORS];
};

/* Set status and content of a factor, in UTF-8, truncated to 300 characters with an ellipsis. */
void report_set(struct report *report, enum factor factor, enum status status, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

/* Does the factor apply to HTML pages only? */
bool factor_needs_page(enum factor factor);

/* 0 to 100: the weighted mean of scored factors (pass 1, warn 0.5, fail 0), limited if the page
 * must not be indexed or its status is an error. */
int report_score(const struct report *report);

/* Append all findings in the order of factor.def. */
void report_write(const struct report *report, cJSON *findings);
