/* svc-security/seo-analyze/factors/report.c - findings, score and grade. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "text/json.h"

enum {
    CONTENT_CHARS = 300,
    NOT_INDEXABLE_MAX = 39, /* grade F: search engines do not show the page */
    BAD_STATUS_MAX = 19,    /* and browsers show an error */
};

enum needs { ANY, PAGE };

static const struct {
    const char *name;
    const char *category;
    const char *recommendation;
    int weight;
    enum needs needs;
} factors[FACTORS] = {
#define FACTOR(id, name, weight, category, needs, recommendation) \
    [FACTOR_##id] = { name, category, recommendation, weight, needs },
#include "factor.def"
};

static const char *const status_names[] = {
    [STATUS_INFO] = "info",
    [STATUS_PASS] = "pass",
    [STATUS_WARN] = "warn",
    [STATUS_FAIL] = "fail",
};

/* Truncate to CONTENT_CHARS characters. */
static void truncate_content(char *content)
{
    size_t chars = 0;
    for (char *at = content; *at; at++) {
        if ((*at & 0xC0) == 0x80)
            continue;
        if (++chars > CONTENT_CHARS) {
            snprintf(at, CONTENT_BYTES - (size_t)(at - content), "…");
            return;
        }
    }
}

void report_set(struct report *report, enum factor factor, enum status status, const char *format,
                ...)
{
    char *content = report->finding[factor].content;
    va_list args;
    va_start(args, format);
    vsnprintf(content, CONTENT_BYTES, format, args);
    va_end(args);
    text_repair(content);
    truncate_content(content);
    if (*content == '\0') /* for example, an attribute without a value */
        snprintf(content, CONTENT_BYTES, "empty");
    report->finding[factor].status = status;
}

bool factor_needs_page(enum factor factor)
{
    return factors[factor].needs == PAGE;
}

int report_score(const struct report *report)
{
    static const int halves[] = { [STATUS_PASS] = 2, [STATUS_WARN] = 1, [STATUS_FAIL] = 0 };
    int sum = 0;
    int most = 0;
    for (size_t i = 0; i < FACTORS; i++) {
        enum status status = report->finding[i].status;
        if (status == STATUS_INFO)
            continue;
        sum += factors[i].weight * halves[status];
        most += factors[i].weight * 2;
    }
    int score = most > 0 ? (200 * sum + most) / (2 * most) : 0;
    if (report->finding[FACTOR_INDEXABLE].status == STATUS_FAIL)
        score = MIN(score, NOT_INDEXABLE_MAX);
    if (report->finding[FACTOR_HTTP_STATUS].status == STATUS_FAIL)
        score = MIN(score, BAD_STATUS_MAX);
    return score;
}

void report_write(const struct report *report, cJSON *findings)
{
    for (size_t i = 0; i < FACTORS; i++) {
        enum status status = report->finding[i].status;
        bool is_good = status == STATUS_PASS || status == STATUS_INFO;
        cJSON *item = json_item(findings);
        json_str(item, "name", factors[i].name);
        json_str(item, "content", report->finding[i].content);
        json_str(item, "status", status_names[status]);
        json_str(item, "recommendation", is_good ? "" : factors[i].recommendation);
        json_int(item, "weight", factors[i].weight);
        json_str(item, "category", factors[i].category);
    }
}
