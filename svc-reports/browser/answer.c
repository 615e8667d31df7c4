/* svc-reports/browser/answer.c - read what the browser service says. */
#include "browser/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"

enum {
    TEXT_BYTES = 300,
    NAME_BYTES = 60,
    URL_BYTES = 2048,
    PROBLEMS_MAX = 5,
    STATUS_MAX = 599,
};

static const double number_max = 1e7; /* of milliseconds, and of any count */

/* ---- parts of an answer ---- */

/* The number at a pointer; false for any other value, and for one that no measurement has. */
static bool read_number(const cJSON *tree, const char *pointer, double *value)
{
    const cJSON *node = json_at(tree, pointer);
    if (!json_is(node, cJSON_Number) || !(node->valuedouble >= 0) ||
        !(node->valuedouble <= number_max))
        return false;
    *value = node->valuedouble;
    return true;
}

static void write_count(const cJSON *tree, const char *pointer, const char *name, cJSON *out)
{
    double value = 0;
    bool is_known = read_number(tree, pointer, &value);
    json_int(out, name, is_known ? (int64_t)value : 0);
}

/* A text of the page, cut; null if it is not a text. */
static void write_text(const cJSON *tree, const char *pointer, size_t max_bytes, const char *name,
                       cJSON *out)
{
    const cJSON *node = json_at(tree, pointer);
    if (json_is(node, cJSON_String))
        json_text_add(out, name, utf8_cut(json_text_of(node), max_bytes));
    else
        json_null(out, name);
}

static bool is_true(const cJSON *tree, const char *name)
{
    return json_is(json_get(tree, name), cJSON_True);
}

/* ---- metrics ---- */

/*
 * Limits of good and poor: web.dev/articles/vitals, /fcp and /ttfb, and for blocking time
 * developer.chrome.com/docs/lighthouse/performance/lighthouse-total-blocking-time (desktop); read
 * in 2026-11.
 */
/* clang-format off */
static const struct metric {
    const char *id;
    const char *name;
    const char *pointer; /* in the answer */
    const char *unit;
    int digits;
    double good, poor; /* up to, and from; 0: without a rating */
} metrics[] = {
    { "largest-contentful-paint", "Largest contentful paint", "/metrics/largest_contentful_paint_ms", "ms",    0, 2500, 4000 },
    { "cumulative-layout-shift",  "Cumulative layout shift",  "/metrics/layout_shift",                "score", 3, 0.1,  0.25 },
    { "total-blocking-time",      "Total blocking time",      "/metrics/blocking_ms",                 "ms",    0, 150,  350 },
    { "first-contentful-paint",   "First contentful paint",   "/metrics/first_contentful_paint_ms",   "ms",    0, 1800, 3000 },
    { "time-to-first-byte",       "Time to first byte",       "/metrics/first_byte_ms",               "ms",    0, 800,  1800 },
    { "load",                     "Load event",               "/metrics/load_ms",                     "ms",    0, 0,    0 },
};
/* clang-format on */

static const char *rate(const struct metric *metric, double value)
{
    if (metric->poor <= 0)
        return NULL;
    return value <= metric->good ? "good" : value <= metric->poor ? "needs-improvement" : "poor";
}

static double rounded(double value, int digits)
{
    double factor = pow(10, digits);
    return round(value * factor) / factor;
}

static void write_metrics(const cJSON *answer, cJSON *list)
{
    for (size_t i = 0; i < countof(metrics); i++) {
        const struct metric *metric = &metrics[i];
        cJSON *item = json_item(list);
        double value = 0;
        bool is_known = read_number(answer, metric->pointer, &value);
        value = rounded(value, metric->digits);
        json_str(item, "id", metric->id);
        json_str(item, "name", metric->name);
        if (is_known)
            json_num(item, "value", value);
        else
            json_null(item, "value");
        json_str(item, "unit", metric->unit);
        json_str(item, "rating", is_known ? rate(metric, value) : NULL);
    }
}

/* ---- accessibility ---- */

static const char *known_impact(const cJSON *violation)
{
    static const char *const impacts[] = { "minor", "moderate", "serious", "critical" };
    const char *impact = json_text(violation, "/impact");
    for (size_t i = 0; impact && i < countof(impacts); i++)
        if (strcmp(impact, impacts[i]) == 0)
            return impacts[i];
    return NULL;
}

/* Only a page of axe-core's own documentation. */
static void write_help_url(const cJSON *violation, cJSON *out)
{
    const char *url = json_text(violation, "/help_url");
    bool is_known = url && strncmp(url, "https://dequeuniversity.com/", 28) == 0 &&
                    strlen(url) <= TEXT_BYTES && !strpbrk(url, " \"'<>\\");
    json_str(out, "help_url", is_known ? url : NULL);
}

static void write_examples(const cJSON *violation, cJSON *list)
{
    const cJSON *example;
    size_t count = 0;
    cJSON_ArrayForEach(example, json_get(violation, "examples"))
        if (json_is(example, cJSON_String) && count++ < EXAMPLES_MAX)
            json_item_add(list, json_new_text(utf8_cut(json_text_of(example), TEXT_BYTES)));
}

static void write_violation(const cJSON *violation, cJSON *out)
{
    write_text(violation, "/id", NAME_BYTES, "id", out);
    json_str(out, "impact", known_impact(violation));
    write_text(violation, "/help", TEXT_BYTES, "help", out);
    write_help_url(violation, out);
    write_count(violation, "/nodes", "nodes", out);
    write_examples(violation, json_list(out, "examples"));
}

static void write_accessibility(const cJSON *answer, cJSON *browser)
{
    const cJSON *found = json_get(answer, "accessibility");
    const cJSON *violations = json_get(found, "violations");
    const cJSON *violation;
    size_t count = 0;
    if (!json_is(violations, cJSON_Array)) {
        json_null(browser, "accessibility");
        return;
    }
    cJSON *out = json_map(browser, "accessibility");
    write_text(found, "/version", NAME_BYTES, "axe_version", out);
    write_count(found, "/passed", "passed", out);
    write_count(found, "/unclear", "unclear", out);
    json_int(out, "violation_count", (int64_t)json_size(violations));
    cJSON *list = json_list(out, "violations");
    cJSON_ArrayForEach(violation, violations)
        if (count++ < VIOLATIONS_MAX && json_text(violation, "/id"))
            write_violation(violation, json_item(list));
}

/* ---- the screenshot ---- */

/* RFC 9649 section 2.4: RIFF, the size, WEBP. */
static bool is_webp(struct text base64)
{
    enum { HEAD_BYTES = 12 };
    scoped(buf_free) struct buf bytes = BUF(SCREENSHOT_BYTES);
    return base64_decode(&bytes, base64) && bytes.size > HEAD_BYTES &&
           memcmp(bytes.bytes, "RIFF", 4) == 0 && memcmp(bytes.bytes + 8, "WEBP", 4) == 0;
}

static void write_screenshot(const cJSON *answer, cJSON *result)
{
    cJSON *list = json_list(result, "screenshot");
    struct text base64 = json_text_of(json_get(answer, "screenshot"));
    if (base64.size == 0 || !is_webp(base64))
        return;
    cJSON *item = json_item(list);
    json_text_add(item, "b64_json", base64);
    json_str(item, "mime_type", "image/webp");
    json_int(item, "width", SCREENSHOT_WIDTH);
    json_int(item, "height", SCREENSHOT_HEIGHT);
}

/* ---- warnings ---- */

static void write_warnings(const cJSON *answer, cJSON *list)
{
    const cJSON *problem;
    double count = 0;
    size_t written = 0;
    if (!is_true(answer, "is_loaded"))
        json_item_str(list, "The page had not finished loading when it was measured.");
    if (is_true(answer, "is_full"))
        json_item_str(list, "The page loads more than the browser may transfer, 32 MiB or 400 "
                            "connections; the rest was cut off.");
    if (read_number(answer, "/dialogs", &count) && count > 0)
        json_item_str(list, "The page opened dialogs, which the browser closed.");
    if (read_number(answer, "/refused_connections", &count) && count > 0)
        json_item_str(list, "The page tried to connect to hosts or ports that are not allowed.");
    cJSON_ArrayForEach(problem, json_get(answer, "problems"))
        if (json_is(problem, cJSON_String) && written++ < PROBLEMS_MAX)
            json_item_add(list, json_new_text(utf8_cut(json_text_of(problem), TEXT_BYTES)));
}

/* ---- entry points ---- */

/* The members up to the details, in the order of the contract. */
static cJSON *begin(cJSON *result, const char *status, struct text reason)
{
    cJSON *browser = json_map(result, "browser");
    json_str(browser, "status", status);
    if (reason.size > 0)
        json_text_add(browser, "reason", utf8_cut(reason, TEXT_BYTES));
    else
        json_null(browser, "reason");
    return browser;
}

static void write_empty(cJSON *browser)
{
    json_null(browser, "final_url");
    json_null(browser, "http_status");
    json_int(browser, "duration_ms", 0);
    json_list(browser, "metrics");
    json_null(browser, "largest_element");
    json_null(browser, "accessibility");
    json_list(browser, "warnings");
}

void answer_fail(cJSON *result, const char *status, const char *reason)
{
    write_empty(begin(result, status, text_of(reason)));
    json_list(result, "screenshot");
}

static void write_status(const cJSON *answer, cJSON *browser)
{
    double status = 0;
    bool is_known = read_number(answer, "/metrics/http_status", &status) && status >= 100 &&
                    status <= STATUS_MAX;
    json_int_if(browser, "http_status", is_known, (int64_t)status);
}

void answer_read(struct text text, cJSON *result)
{
    scoped(json_free) cJSON *answer = NULL;
    if (!json_parse(text, JSON_DEPTH, &answer, NULL) ||
        !json_is(json_get(answer, "problems"), cJSON_Array)) {
        answer_fail(result, "failed", "The browser service's answer is not valid.");
        return;
    }
    bool is_failed = json_is(json_get(answer, "error"), cJSON_String);
    struct text reason = json_text_of(json_get(answer, "error"));
    cJSON *browser = begin(result, is_failed ? "failed" : "ok", reason);
    if (is_failed) {
        write_empty(browser);
        json_list(result, "screenshot");
        return;
    }
    write_text(answer, "/metrics/url", URL_BYTES, "final_url", browser);
    write_status(answer, browser);
    write_count(answer, "/duration_ms", "duration_ms", browser);
    write_metrics(answer, json_list(browser, "metrics"));
    write_text(answer, "/metrics/largest_element", NAME_BYTES, "largest_element", browser);
    write_accessibility(answer, browser);
    write_warnings(answer, json_list(browser, "warnings"));
    write_screenshot(answer, result);
}
