/* svc-reports/browser/page.c - the same as in JSON, with the picture. */
#include "browser/page.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "browser/answer.h"
#include "html-report/quantities.h"
#include "text/json.h"

enum { LINE_BYTES = 400 };

static void write_metric(const cJSON *metric, struct html_report *page)
{
    const cJSON *value = json_get(metric, "value");
    const char *unit = json_text(metric, "/unit");
    const char *rating = json_text(metric, "/rating");
    char text[LINE_BYTES] = "not seen";
    if (json_is(value, cJSON_Number))
        snprintf(text, sizeof(text), strcmp(unit, "ms") == 0 ? "%.0f ms" : "%.3f",
                 value->valuedouble);
    html_report_cell(page, json_text(metric, "/name"));
    html_report_cell(page, text);
    html_report_cell(page, !rating                                    ? ""
                           : strcmp(rating, "needs-improvement") == 0 ? "needs improvement"
                                                                      : rating);
}

static void write_metrics(const cJSON *browser, struct html_report *page)
{
    static const char *const heads[] = { "Metric", "Value", "Rating" };
    const char *element = json_text(browser, "/largest_element");
    const cJSON *metric;
    html_report_table_begin(page, heads, countof(heads));
    cJSON_ArrayForEach(metric, json_get(browser, "metrics"))
        write_metric(metric, page);
    html_report_table_end(page);
    if (element) {
        scoped(mem_free) char *line = str_format("The largest contentful paint is of an element "
                                                 "%s.",
                                                 element);
        html_report_small(page, line);
    }
}

/* ---- accessibility ---- */

static enum tone tone_of_impact(const char *impact)
{
    bool is_grave = impact && (strcmp(impact, "critical") == 0 || strcmp(impact, "serious") == 0);
    return is_grave ? TONE_BAD : TONE_FAIR;
}

static void write_violation(const cJSON *violation, struct html_report *page)
{
    const char *impact = json_text(violation, "/impact");
    const char *url = json_text(violation, "/help_url");
    const cJSON *example;
    char detail[LINE_BYTES];
    snprintf(detail, sizeof(detail), "Rule %s: %d element%s.", json_text(violation, "/id"),
             (int)number_at(violation, "/nodes"), number_at(violation, "/nodes") > 1 ? "s" : "");
    html_report_finding_begin(page, tone_of_impact(impact), impact ? impact : "unrated",
                              json_text(violation, "/help"), detail, NULL);
    cJSON_ArrayForEach(example, json_get(violation, "examples"))
        html_report_code(page, "Element", json_text_of(example).bytes);
    if (url)
        html_report_item(page, url, "", NULL);
    html_report_finding_end(page);
}

static void write_accessibility(const cJSON *browser, struct html_report *page)
{
    const cJSON *found = json_get(browser, "accessibility");
    const cJSON *violation;
    char line[LINE_BYTES];
    if (!json_is(found, cJSON_Object))
        return;
    html_report_section(page, "Accessibility");
    snprintf(
        line, sizeof(line),
        "axe-core checks the rules of WCAG 2.2 up to level AA: %d violated, %d passed, %d only "
        "a person can check.",
        (int)number_at(found, "/violation_count"), (int)number_at(found, "/passed"),
        (int)number_at(found, "/unclear"));
    html_report_text(page, line);
    cJSON_ArrayForEach(violation, json_get(found, "violations"))
        write_violation(violation, page);
}

/* ---- the screenshot ---- */

static void write_screenshot(const cJSON *screenshot, struct html_report *page)
{
    scoped(buf_free) struct buf webp = BUF(SCREENSHOT_BYTES);
    struct text base64 = json_text_of(json_get(screenshot, "b64_json"));
    if (base64.size > 0 && base64_decode(&webp, base64))
        html_report_picture(page, buf_text(&webp), (int)json_integer(screenshot, "width"),
                            (int)json_integer(screenshot, "height"),
                            "The page in the browser's window");
}

/* ---- all ---- */

static void write_visit(const cJSON *result, const cJSON *browser, struct html_report *page)
{
    const cJSON *warning;
    html_report_text(page, "One visit with Chromium, in a window of 1366 by 768 pixels, without "
                           "throttling. It does not count in the score.");
    cJSON_ArrayForEach(warning, json_get(browser, "warnings"))
        html_report_note(page, TONE_FAIR, json_text_of(warning).bytes);
    write_metrics(browser, page);
    write_screenshot(json_at(result, "/screenshot/0"), page);
    write_accessibility(browser, page);
}

void browser_page(const cJSON *result, struct html_report *page)
{
    const cJSON *browser = json_get(result, "browser");
    const char *status = json_text(browser, "/status");
    html_report_section(page, "In a browser");
    if (!status)
        html_report_text(page, "Measurements in a browser were not requested.");
    else if (strcmp(status, "ok") == 0)
        write_visit(result, browser, page);
    else
        html_report_note(page, TONE_FAIR, json_text(browser, "/reason"));
}
