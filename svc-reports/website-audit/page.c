/* svc-reports/website-audit/page.c - the result as an HTML report. */
#include "website-audit/page.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "browser/page.h"
#include "html-report/quantities.h"
#include "text/json.h"
#include "website-audit/issues.h"

enum { LINE_BYTES = 400 };

/* Section titles. */
static const char *const titles[SECTIONS] = {
    [SECTION_SECURITY_HEADERS] = "Security headers",
    [SECTION_TLS] = "TLS",
    [SECTION_SEO] = "Search engines",
    [SECTION_PERFORMANCE] = "Performance",
    [SECTION_EMAIL] = "E-mail",
    [SECTION_CARBON] = "Carbon",
    [SECTION_DNS] = "DNS",
    [SECTION_TECHNOLOGIES] = "Technologies",
    [SECTION_EXPOSED_FILES] = "Exposed files",
};

static const char *title_of(const char *name)
{
    enum section_id id = name ? section_named(name) : SECTIONS;
    return id < SECTIONS ? titles[id] : "";
}

static void write_head(const cJSON *result, struct html_report *page)
{
    const char *grade = json_text(result, "/grade");
    char score[LINE_BYTES];
    snprintf(score, sizeof(score), "%d of 100 points", (int)number_at(result, "/score"));
    if (grade)
        html_report_grade(page, tone_of_grade(grade), grade, score);
    html_report_text(page, json_text(result, "/summary/text"));
    if (json_is(json_get(result, "partial"), cJSON_True))
        html_report_note(page, TONE_FAIR, "Some sections failed; they do not count in the score.");
}

static void write_figures(const cJSON *result, struct html_report *page)
{
    static const struct {
        const char *label;
        const char *pointer;
    } figures[] = {
        { "Critical", "/summary/critical" }, { "High", "/summary/high" },
        { "Medium", "/summary/medium" },     { "Low", "/summary/low" },
        { "Passed", "/summary/passed" },
    };
    html_report_figures_begin(page);
    for (size_t i = 0; i < countof(figures); i++)
        html_report_figure(page, figures[i].label,
                           count_text(number_at(result, figures[i].pointer)).text);
    html_report_figures_end(page);
}

/* ---- sections ---- */

static void write_scores(const cJSON *sections, struct html_report *page)
{
    const cJSON *section;
    html_report_section(page, "Sections");
    cJSON_ArrayForEach(section, sections) {
        const char *grade = json_text(section, "/grade");
        char value[LINE_BYTES];
        int score = (int)number_at(section, "/score");
        if (!json_is(json_get(section, "score"), cJSON_Number))
            continue;
        snprintf(value, sizeof(value), "%s, %d", grade ? grade : "", score);
        html_report_bar(page, title_of(section->string), value, score, tone_of_grade(grade));
    }
}

static void write_failures(const cJSON *sections, struct html_report *page)
{
    const cJSON *section;
    cJSON_ArrayForEach(section, sections) {
        scoped(mem_free) char *line = NULL;
        if (!json_is(json_get(section, "error"), cJSON_Object))
            continue;
        line =
            str_format("%s: %s", title_of(section->string), json_text(section, "/error/message"));
        html_report_note(page, TONE_BAD, line);
    }
}

/* ---- facts ---- */

static void write_fact(struct html_report *page, const char *label, const char *value)
{
    if (value && *value)
        html_report_figure(page, label, value);
}

static void write_certificate(const cJSON *sections, struct html_report *page)
{
    const cJSON *certificate = json_at(sections, "/tls/result/certificate");
    const char *until = json_text(certificate, "/not_after");
    char day[LINE_BYTES];
    if (!until)
        return;
    snprintf(day, sizeof(day), "%.10s", until);
    write_fact(page, "Certificate expires", day);
    snprintf(day, sizeof(day), "%d", (int)number_at(certificate, "/days_remaining"));
    write_fact(page, "Days left", day);
    write_fact(page, "TLS version", json_text(sections, "/tls/result/tls_version"));
}

static void write_issuer(const cJSON *sections, struct html_report *page)
{
    const char *issuer = json_text(sections, "/tls/result/certificate/issuer");
    scoped(mem_free) char *line = issuer ? str_format("Certificate issued by: %s", issuer) : NULL;
    if (line)
        html_report_small(page, line);
}

static void write_load(const cJSON *sections, struct html_report *page)
{
    static const struct {
        const char *label, *pointer;
        struct quantity (*format)(double);
    } figures[] = {
        { "Page weight", "/page/transfer_bytes", size_text },
        { "Requests", "/page/requests", count_text },
        { "DNS", "/timings/dns_ms", ms_text },
        { "Connection", "/timings/tcp_ms", ms_text },
        { "TLS handshake", "/timings/tls_ms", ms_text },
        { "Server", "/timings/server_wait_ms", ms_text },
        { "Download", "/timings/download_ms", ms_text },
        { "In all", "/timings/total_ms", ms_text },
    };
    const cJSON *result = json_at(sections, "/performance/result");
    for (size_t i = 0; i < countof(figures); i++)
        if (json_is(json_at(result, figures[i].pointer), cJSON_Number))
            write_fact(page, figures[i].label,
                       figures[i].format(number_at(result, figures[i].pointer)).text);
}

static void write_facts(const cJSON *sections, struct html_report *page)
{
    if (!json_at(sections, "/tls/result/certificate/not_after") &&
        !json_at(sections, "/performance/result/page"))
        return;
    html_report_section(page, "Certificate, weight and timings");
    html_report_figures_begin(page);
    write_certificate(sections, page);
    write_load(sections, page);
    html_report_figures_end(page);
    write_issuer(sections, page);
}

static void write_zone(const cJSON *sections, struct html_report *page)
{
    static const char *const heads[] = { "Type", "Record" };
    const cJSON *records = json_at(sections, "/dns/result/records");
    const cJSON *type;
    const cJSON *record;
    if (json_size(records) == 0)
        return;
    html_report_section(page, "DNS");
    html_report_table_begin(page, heads, countof(heads));
    cJSON_ArrayForEach(type, records)
        cJSON_ArrayForEach(record, type) {
            html_report_cell(page, type->string);
            html_report_cell(page, json_text(record, "/data"));
        }
    html_report_table_end(page);
}

static void write_technologies(const cJSON *sections, struct html_report *page)
{
    static const char *const heads[] = { "Technology", "Kind", "Version", "Newest", "Maintenance" };
    const cJSON *list = json_at(sections, "/technologies/result/technologies");
    const cJSON *item;
    if (json_size(list) == 0)
        return;
    html_report_section(page, "Technologies");
    html_report_table_begin(page, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        const cJSON *ended = json_at(item, "/release/ended");
        html_report_cell(page, json_text(item, "/name"));
        html_report_cell(page, json_text(item, "/category"));
        html_report_cell(page, json_text(item, "/version"));
        html_report_cell(page, json_text(item, "/release/newest"));
        html_report_cell(page, json_is(ended, cJSON_True)    ? "ended"
                               : json_is(ended, cJSON_False) ? "maintained"
                                                             : "");
    }
    html_report_table_end(page);
}

/* ---- changes ---- */

static void write_changed(const cJSON *list, const char *mark, enum tone tone,
                          struct html_report *page)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        const char *title = json_text(item, "/title");
        html_report_finding_begin(page, tone, mark, title ? title : json_text(item, "/id"),
                                  json_text(item, "/severity"), NULL);
        html_report_finding_end(page);
    }
}

static void write_changes(const cJSON *result, struct html_report *page)
{
    const cJSON *changes = json_get(result, "changes");
    char line[LINE_BYTES];
    if (!json_is(changes, cJSON_Object))
        return;
    html_report_section(page, "Changes");
    snprintf(line, sizeof(line), "Since %.10s: %d new issues, %d fixed. Score before: %d.",
             json_text(changes, "/since"), (int)json_size(json_get(changes, "new")),
             (int)json_size(json_get(changes, "fixed")), (int)number_at(changes, "/score_before"));
    html_report_text(page, line);
    write_changed(json_get(changes, "new"), "New", TONE_BAD, page);
    write_changed(json_get(changes, "fixed"), "Fixed", TONE_GOOD, page);
}

/* ---- issues ---- */

static void write_reporting_sections(const cJSON *seen_by, struct html_report *page)
{
    scoped(buf_free) struct buf line = BUF(LINE_BYTES);
    const cJSON *seen;
    cJSON_ArrayForEach(seen, seen_by)
        buf_format(&line, "%s%s", line.size > 0 ? ", " : "Reported by ",
                   title_of(seen->valuestring));
    html_report_item(page, buf_str(&line), "", NULL);
}

static void write_config(const cJSON *config, struct html_report *page)
{
    static const struct {
        const char *name, *label;
    } kinds[] = { { "nginx", "nginx" },
                  { "apache", "Apache" },
                  { "caddy", "Caddy" },
                  { "dns", "DNS" },
                  { "html", "HTML" } };
    for (size_t i = 0; i < countof(kinds); i++)
        if (json_get(config, kinds[i].name))
            html_report_code(page, kinds[i].label, json_get(config, kinds[i].name)->valuestring);
}

static void write_issue(const cJSON *issue, struct html_report *page)
{
    static const struct {
        const char *severity;
        const char *mark;
        enum tone tone;
    } marks[SEVERITIES] = {
        { "critical", "Critical", TONE_BAD },
        { "high", "High", TONE_BAD },
        { "medium", "Medium", TONE_FAIR },
        { "low", "Low", TONE_PLAIN },
    };
    const char *severity = json_text(issue, "/severity");
    size_t i = 0;
    while (i < SEVERITIES - 1 && strcmp(marks[i].severity, severity) != 0)
        i++;
    html_report_finding_begin(page, marks[i].tone, marks[i].mark, json_text(issue, "/title"),
                              json_text(issue, "/detail"), json_text(issue, "/fix"));
    html_report_reason(page, json_text(issue, "/why"));
    write_config(json_get(issue, "config"), page);
    write_reporting_sections(json_get(issue, "seen_by"), page);
    html_report_finding_end(page);
}

static void write_issues(const cJSON *result, struct html_report *page)
{
    const cJSON *list = json_get(result, "issues");
    const cJSON *issue;
    if (json_size(list) == 0)
        return;
    html_report_section(page, "Issues, most severe first");
    cJSON_ArrayForEach(issue, list)
        write_issue(issue, page);
}

void website_page(const cJSON *result, struct html_report *page)
{
    const cJSON *sections = json_get(result, "sections");
    write_head(result, page);
    write_figures(result, page);
    write_scores(sections, page);
    write_failures(sections, page);
    write_facts(sections, page);
    write_changes(result, page);
    write_issues(result, page);
    write_technologies(sections, page);
    write_zone(sections, page);
    browser_page(result, page);
    html_report_section(page, "Method");
    html_report_text(
        page, "Each section is the result of its tool. All tools run in parallel, and an issue "
              "that several tools report appears once. The score is the weighted mean of the "
              "sections; the JSON report has all details.");
    html_report_small(page, "Fingerprint, to compare a later report with this one:");
    html_report_small(page, json_text(result, "/fingerprint"));
}
