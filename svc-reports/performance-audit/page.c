/* svc-reports/performance-audit/page.c - the result as an HTML report. */
#include "performance-audit/page.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "browser/page.h"
#include "html-report/quantities.h"
#include "text/json.h"

enum { LINE_BYTES = 120 };

static void write_head(const cJSON *result, struct html_report *page)
{
    const char *grade = json_text(result, "/grade");
    const cJSON *warning;
    char score[LINE_BYTES];
    snprintf(score, sizeof(score), "%d of 100 points", (int)number_at(result, "/score"));
    html_report_grade(page, tone_of_grade(grade), grade, score);
    html_report_text(page, json_text(result, "/summary"));
    cJSON_ArrayForEach(warning, json_get(result, "warnings"))
        html_report_note(page, TONE_FAIR, json_text_of(warning).bytes);
}

static void write_figures(const cJSON *result, struct html_report *page)
{
    char version[LINE_BYTES];
    snprintf(version, sizeof(version), "HTTP/%s", json_text(result, "/http/version"));
    html_report_figures_begin(page);
    html_report_figure(page, "Server wait",
                       ms_text(number_at(result, "/timings/server_wait_ms")).text);
    html_report_figure(page, "Total page time",
                       ms_text(number_at(result, "/timings/total_ms")).text);
    html_report_figure(page, "Transferred",
                       size_text(number_at(result, "/page/transfer_bytes")).text);
    html_report_figure(page, "Requests", count_text(number_at(result, "/page/requests")).text);
    html_report_figure(page, "Protocol", version);
    html_report_figures_end(page);
}

/* ---- times ---- */

static void write_times(const cJSON *result, struct html_report *page)
{
    static const struct {
        const char *label;
        const char *pointer;
    } steps[] = {
        { "Redirects", "/timings/redirect_ms" },
        { "DNS", "/timings/dns_ms" },
        { "TCP", "/timings/tcp_ms" },
        { "TLS", "/timings/tls_ms" },
        { "Server wait", "/timings/server_wait_ms" },
        { "Download", "/timings/download_ms" },
    };
    double most = 0;
    char how[LINE_BYTES];
    html_report_section(page, "Timings");
    for (size_t i = 0; i < countof(steps); i++)
        most = MAX(most, number_at(result, steps[i].pointer));
    for (size_t i = 0; i < countof(steps); i++) {
        double ms = number_at(result, steps[i].pointer);
        html_report_bar(page, steps[i].label, ms_text(ms).text, percent_of(ms, most), TONE_PLAIN);
    }
    snprintf(how, sizeof(how), "Median of %zu sample%s, each over a new connection.",
             json_size(json_at(result, "/timings/samples")),
             json_size(json_at(result, "/timings/samples")) == 1 ? "" : "s");
    html_report_small(page, how);
}

/* ---- opportunities ---- */

static void write_opportunities(const cJSON *result, struct html_report *page)
{
    static const char *const heads[] = { "What to do", "Saves", "At 10 Mbit/s" };
    const cJSON *item;
    const cJSON *list = json_get(result, "opportunities");
    if (json_size(list) == 0)
        return;
    html_report_section(page, "Largest savings");
    html_report_table_begin(page, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        html_report_cell(page, json_text(item, "/title"));
        html_report_cell(page, size_text(number_at(item, "/savings_bytes")).text);
        html_report_cell(page, ms_text(number_at(item, "/savings_ms")).text);
    }
    html_report_table_end(page);
    cJSON_ArrayForEach(item, list) {
        char how[400];
        snprintf(how, sizeof(how), "%s: %s.", json_text(item, "/title"), json_text(item, "/how"));
        html_report_small(page, how);
    }
}

/* ---- checks ---- */

static enum tone tone_of_status(const char *status)
{
    return strcmp(status, "pass") == 0   ? TONE_GOOD
           : strcmp(status, "warn") == 0 ? TONE_FAIR
           : strcmp(status, "fail") == 0 ? TONE_BAD
                                         : TONE_PLAIN;
}

static void write_bad(const cJSON *check, const char *mark, struct html_report *page)
{
    const cJSON *items = json_get(check, "items");
    const cJSON *item;
    char detail[3 * LINE_BYTES];
    snprintf(detail, sizeof(detail), "%s. %d of 100, with a weight of %d.",
             json_text(check, "/detail"), (int)number_at(check, "/score"),
             (int)number_at(check, "/weight"));
    html_report_finding_begin(page, tone_of_status(json_text(check, "/status")), mark,
                              json_text(check, "/name"), detail, json_text(check, "/fix"));
    cJSON_ArrayForEach(item, items)
        html_report_item(page, json_text(item, "/url"), json_text(item, "/value"),
                         json_text(item, "/note"));
    html_report_finding_end(page);
}

static void write_good(const cJSON *checks, struct html_report *page)
{
    const cJSON *check;
    html_report_finding_begin(page, TONE_GOOD, "Good", "Passed, or not applicable", NULL, NULL);
    cJSON_ArrayForEach(check, checks) {
        char score[LINE_BYTES];
        if (strcmp(json_text(check, "/severity"), "info") != 0)
            continue;
        snprintf(score, sizeof(score), "%d of 100", (int)number_at(check, "/score"));
        html_report_item(page, json_text(check, "/name"), score, json_text(check, "/detail"));
    }
    html_report_finding_end(page);
}

/* Most severe first. */
static void write_checks(const cJSON *result, struct html_report *page)
{
    static const struct {
        const char *severity;
        const char *mark;
    } marks[] = { { "high", "High" }, { "medium", "Medium" }, { "low", "Low" } };
    const cJSON *checks = json_get(result, "checks");
    const cJSON *check;
    html_report_section(page, "The twelve checks");
    for (size_t i = 0; i < countof(marks); i++)
        cJSON_ArrayForEach(check, checks)
            if (strcmp(json_text(check, "/severity"), marks[i].severity) == 0)
                write_bad(check, marks[i].mark, page);
    write_good(checks, page);
}

/* ---- resources ---- */

static void write_types(const cJSON *result, struct html_report *page)
{
    const cJSON *types = json_at(result, "/page/by_type");
    const cJSON *type;
    double most = 0;
    html_report_section(page, "Resources by type");
    cJSON_ArrayForEach(type, types)
        most = MAX(most, number_at(type, "/transfer_bytes"));
    cJSON_ArrayForEach(type, types) {
        double bytes = number_at(type, "/transfer_bytes");
        char label[LINE_BYTES];
        if (number_at(type, "/requests") <= 0)
            continue;
        snprintf(label, sizeof(label), "%s (%d)", type->string, (int)number_at(type, "/requests"));
        html_report_bar(page, label, size_text(bytes).text, percent_of(bytes, most), TONE_PLAIN);
    }
}

static void write_resources(const cJSON *result, struct html_report *page)
{
    static const char *const heads[] = { "Resource",    "Type",    "Status",
                                         "Transferred", "Decoded", "Time" };
    const cJSON *list = json_get(result, "resources");
    const cJSON *item;
    if (json_size(list) == 0)
        return;
    html_report_section(page, "All resources");
    html_report_table_begin(page, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        bool is_answered = number_at(item, "/status") > 0;
        bool is_lazy = json_is(json_get(item, "lazy"), cJSON_True);
        char status[LINE_BYTES];
        snprintf(status, sizeof(status), "%d", (int)number_at(item, "/status"));
        html_report_cell(page, json_text(item, "/url"));
        html_report_cell(page, json_text(item, "/type"));
        html_report_cell(page, is_answered ? status : is_lazy ? "lazy" : "failed");
        html_report_cell(page,
                         is_answered ? size_text(number_at(item, "/transfer_bytes")).text : "");
        html_report_cell(page,
                         is_answered ? size_text(number_at(item, "/decoded_bytes")).text : "");
        html_report_cell(page, is_answered ? ms_text(number_at(item, "/ms")).text : "");
    }
    html_report_table_end(page);
}

static void write_redirects(const cJSON *result, struct html_report *page)
{
    static const char *const heads[] = { "Redirect", "Status", "Time" };
    const cJSON *list = json_get(result, "redirects");
    const cJSON *item;
    if (json_size(list) == 0)
        return;
    html_report_section(page, "Redirects");
    html_report_table_begin(page, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        html_report_cell(page, json_text(item, "/url"));
        html_report_cell(page, count_text(number_at(item, "/status")).text);
        html_report_cell(page, ms_text(number_at(item, "/ms")).text);
    }
    html_report_table_end(page);
}

void audit_page(const cJSON *result, struct html_report *page)
{
    write_head(result, page);
    write_figures(result, page);
    write_opportunities(result, page);
    write_checks(result, page);
    write_times(result, page);
    write_types(result, page);
    write_redirects(result, page);
    write_resources(result, page);
    browser_page(result, page);
    html_report_section(page, "Method");
    html_report_text(page,
                     "The score is measured from a server without a browser: the page, and the "
                     "resources in its markup and style sheets. Resources that scripts load at run "
                     "time, paint and layout do not count in it.");
}
