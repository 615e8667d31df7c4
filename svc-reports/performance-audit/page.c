/* svc-reports/performance-audit/page.c - what the result says, for people. */
#include "performance-audit/page.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "paper/words.h"
#include "text/json.h"

enum { LINE_BYTES = 120 };

static void write_head(const cJSON *result, struct paper *paper)
{
    const char *grade = json_text(result, "/grade");
    const cJSON *warning;
    char score[LINE_BYTES];
    snprintf(score, sizeof(score), "%d of 100 points", (int)number_at(result, "/score"));
    paper_grade(paper, tone_of_grade(grade), grade, score);
    paper_text(paper, json_text(result, "/summary"));
    cJSON_ArrayForEach(warning, json_get(result, "warnings"))
        paper_note(paper, TONE_FAIR, json_text_of(warning).bytes);
}

static void write_figures(const cJSON *result, struct paper *paper)
{
    char version[LINE_BYTES];
    snprintf(version, sizeof(version), "HTTP/%s", json_text(result, "/http/version"));
    paper_figures_begin(paper);
    paper_figure(paper, "Server wait", ms_words(number_at(result, "/timings/server_wait_ms")).text);
    paper_figure(paper, "Total page time", ms_words(number_at(result, "/timings/total_ms")).text);
    paper_figure(paper, "Transferred", size_words(number_at(result, "/page/transfer_bytes")).text);
    paper_figure(paper, "Requests", count_words(number_at(result, "/page/requests")).text);
    paper_figure(paper, "Protocol", version);
    paper_figures_end(paper);
}

/* ---- times ---- */

static void write_times(const cJSON *result, struct paper *paper)
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
    paper_section(paper, "Timings");
    for (size_t i = 0; i < countof(steps); i++)
        most = MAX(most, number_at(result, steps[i].pointer));
    for (size_t i = 0; i < countof(steps); i++) {
        double ms = number_at(result, steps[i].pointer);
        paper_bar(paper, steps[i].label, ms_words(ms).text, percent_of(ms, most), TONE_PLAIN);
    }
    snprintf(how, sizeof(how), "Median of %zu sample%s, each over a new connection.",
             json_size(json_at(result, "/timings/samples")),
             json_size(json_at(result, "/timings/samples")) == 1 ? "" : "s");
    paper_small(paper, how);
}

/* ---- opportunities ---- */

static void write_opportunities(const cJSON *result, struct paper *paper)
{
    static const char *const heads[] = { "What to do", "Saves", "At 10 Mbit/s" };
    const cJSON *item;
    const cJSON *list = json_get(result, "opportunities");
    if (json_size(list) == 0)
        return;
    paper_section(paper, "Largest savings");
    paper_table_begin(paper, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        paper_cell(paper, json_text(item, "/title"));
        paper_cell(paper, size_words(number_at(item, "/savings_bytes")).text);
        paper_cell(paper, ms_words(number_at(item, "/savings_ms")).text);
    }
    paper_table_end(paper);
    cJSON_ArrayForEach(item, list) {
        char how[400];
        snprintf(how, sizeof(how), "%s: %s.", json_text(item, "/title"), json_text(item, "/how"));
        paper_small(paper, how);
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

static void write_bad(const cJSON *check, const char *mark, struct paper *paper)
{
    const cJSON *items = json_get(check, "items");
    const cJSON *item;
    char detail[3 * LINE_BYTES];
    snprintf(detail, sizeof(detail), "%s. %d of 100, with a weight of %d.",
             json_text(check, "/detail"), (int)number_at(check, "/score"),
             (int)number_at(check, "/weight"));
    paper_finding_begin(paper, tone_of_status(json_text(check, "/status")), mark,
                        json_text(check, "/name"), detail, json_text(check, "/fix"));
    cJSON_ArrayForEach(item, items)
        paper_item(paper, json_text(item, "/url"), json_text(item, "/value"),
                   json_text(item, "/note"));
    paper_finding_end(paper);
}

static void write_good(const cJSON *checks, struct paper *paper)
{
    const cJSON *check;
    paper_finding_begin(paper, TONE_GOOD, "Good", "Passed, or not applicable", NULL, NULL);
    cJSON_ArrayForEach(check, checks) {
        char score[LINE_BYTES];
        if (strcmp(json_text(check, "/severity"), "info") != 0)
            continue;
        snprintf(score, sizeof(score), "%d of 100", (int)number_at(check, "/score"));
        paper_item(paper, json_text(check, "/name"), score, json_text(check, "/detail"));
    }
    paper_finding_end(paper);
}

/* Those that matter most first. */
static void write_checks(const cJSON *result, struct paper *paper)
{
    static const struct {
        const char *severity;
        const char *mark;
    } marks[] = { { "high", "High" }, { "medium", "Medium" }, { "low", "Low" } };
    const cJSON *checks = json_get(result, "checks");
    const cJSON *check;
    paper_section(paper, "The twelve checks");
    for (size_t i = 0; i < countof(marks); i++)
        cJSON_ArrayForEach(check, checks)
            if (strcmp(json_text(check, "/severity"), marks[i].severity) == 0)
                write_bad(check, marks[i].mark, paper);
    write_good(checks, paper);
}

/* ---- what is loaded ---- */

static void write_types(const cJSON *result, struct paper *paper)
{
    const cJSON *types = json_at(result, "/page/by_type");
    const cJSON *type;
    double most = 0;
    paper_section(paper, "Resources by type");
    cJSON_ArrayForEach(type, types)
        most = MAX(most, number_at(type, "/transfer_bytes"));
    cJSON_ArrayForEach(type, types) {
        double bytes = number_at(type, "/transfer_bytes");
        char label[LINE_BYTES];
        if (number_at(type, "/requests") <= 0)
            continue;
        snprintf(label, sizeof(label), "%s (%d)", type->string, (int)number_at(type, "/requests"));
        paper_bar(paper, label, size_words(bytes).text, percent_of(bytes, most), TONE_PLAIN);
    }
}

static void write_resources(const cJSON *result, struct paper *paper)
{
    static const char *const heads[] = { "Resource",    "Type",    "Status",
                                         "Transferred", "Decoded", "Time" };
    const cJSON *list = json_get(result, "resources");
    const cJSON *item;
    if (json_size(list) == 0)
        return;
    paper_section(paper, "All resources");
    paper_table_begin(paper, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        bool is_answered = number_at(item, "/status") > 0;
        bool is_lazy = json_is(json_get(item, "lazy"), cJSON_True);
        char status[LINE_BYTES];
        snprintf(status, sizeof(status), "%d", (int)number_at(item, "/status"));
        paper_cell(paper, json_text(item, "/url"));
        paper_cell(paper, json_text(item, "/type"));
        paper_cell(paper, is_answered ? status : is_lazy ? "lazy" : "failed");
        paper_cell(paper, is_answered ? size_words(number_at(item, "/transfer_bytes")).text : "");
        paper_cell(paper, is_answered ? size_words(number_at(item, "/decoded_bytes")).text : "");
        paper_cell(paper, is_answered ? ms_words(number_at(item, "/ms")).text : "");
    }
    paper_table_end(paper);
}

static void write_redirects(const cJSON *result, struct paper *paper)
{
    static const char *const heads[] = { "Redirect", "Status", "Time" };
    const cJSON *list = json_get(result, "redirects");
    const cJSON *item;
    if (json_size(list) == 0)
        return;
    paper_section(paper, "Redirects");
    paper_table_begin(paper, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        paper_cell(paper, json_text(item, "/url"));
        paper_cell(paper, count_words(number_at(item, "/status")).text);
        paper_cell(paper, ms_words(number_at(item, "/ms")).text);
    }
    paper_table_end(paper);
}

void audit_page(const cJSON *result, struct paper *paper)
{
    write_head(result, paper);
    write_figures(result, paper);
    write_opportunities(result, paper);
    write_checks(result, paper);
    write_times(result, paper);
    write_types(result, paper);
    write_redirects(result, paper);
    write_resources(result, paper);
    paper_section(paper, "Method");
    paper_text(paper,
               "Measured from a server without a browser: the page, and the resources in its "
               "markup and style sheets. Resources that scripts load at run time, paint and "
               "layout are not measured.");
}
