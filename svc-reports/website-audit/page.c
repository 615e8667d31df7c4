/* svc-reports/website-audit/page.c - what the result says, for people. */
#include "website-audit/page.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "paper/words.h"
#include "text/json.h"
#include "website-audit/issues.h"

enum { LINE_BYTES = 400 };

/* How a part is called on paper. */
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

static void write_head(const cJSON *result, struct paper *paper)
{
    const char *grade = json_text(result, "/grade");
    char score[LINE_BYTES];
    snprintf(score, sizeof(score), "%d of 100 points", (int)number_at(result, "/score"));
    if (grade)
        paper_grade(paper, tone_of_grade(grade), grade, score);
    paper_text(paper, json_text(result, "/summary/text"));
    if (json_is(json_get(result, "partial"), cJSON_True))
        paper_note(paper, TONE_FAIR, "Some sections failed; they do not count in the score.");
}

static void write_figures(const cJSON *result, struct paper *paper)
{
    static const struct {
        const char *label;
        const char *pointer;
    } figures[] = {
        { "Critical", "/summary/critical" }, { "High", "/summary/high" },
        { "Medium", "/summary/medium" },     { "Low", "/summary/low" },
        { "Passed", "/summary/passed" },
    };
    paper_figures_begin(paper);
    for (size_t i = 0; i < countof(figures); i++)
        paper_figure(paper, figures[i].label,
                     count_words(number_at(result, figures[i].pointer)).text);
    paper_figures_end(paper);
}

/* ---- the parts ---- */

static void write_scores(const cJSON *sections, struct paper *paper)
{
    const cJSON *part;
    paper_section(paper, "Sections");
    cJSON_ArrayForEach(part, sections) {
        const char *grade = json_text(part, "/grade");
        char value[LINE_BYTES];
        int score = (int)number_at(part, "/score");
        if (!json_is(json_get(part, "score"), cJSON_Number))
            continue;
        snprintf(value, sizeof(value), "%s, %d", grade ? grade : "", score);
        paper_bar(paper, title_of(part->string), value, score, tone_of_grade(grade));
    }
}

static void write_failures(const cJSON *sections, struct paper *paper)
{
    const cJSON *part;
    cJSON_ArrayForEach(part, sections) {
        scoped(mem_free) char *line = NULL;
        if (!json_is(json_get(part, "error"), cJSON_Object))
            continue;
        line = str_format("%s: %s", title_of(part->string), json_text(part, "/error/message"));
        paper_note(paper, TONE_BAD, line);
    }
}

static void write_technologies(const cJSON *sections, struct paper *paper)
{
    static const char *const heads[] = { "Technology", "Kind", "Version" };
    const cJSON *list = json_at(sections, "/technologies/result/technologies");
    const cJSON *item;
    if (json_size(list) == 0)
        return;
    paper_section(paper, "Technologies");
    paper_table_begin(paper, heads, countof(heads));
    cJSON_ArrayForEach(item, list) {
        paper_cell(paper, json_text(item, "/name"));
        paper_cell(paper, json_text(item, "/category"));
        paper_cell(paper, json_text(item, "/version"));
    }
    paper_table_end(paper);
}

/* ---- what to mend ---- */

static void write_parts(const cJSON *seen_by, struct paper *paper)
{
    scoped(buf_free) struct buf line = BUF(LINE_BYTES);
    const cJSON *seen;
    cJSON_ArrayForEach(seen, seen_by)
        buf_format(&line, "%s%s", line.size > 0 ? ", " : "Reported by ",
                   title_of(seen->valuestring));
    paper_item(paper, buf_str(&line), "", NULL);
}

static void write_issue(const cJSON *issue, struct paper *paper)
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
    paper_finding_begin(paper, marks[i].tone, marks[i].mark, json_text(issue, "/title"),
                        json_text(issue, "/detail"), json_text(issue, "/fix"));
    write_parts(json_get(issue, "seen_by"), paper);
    paper_finding_end(paper);
}

static void write_issues(const cJSON *result, struct paper *paper)
{
    const cJSON *list = json_get(result, "top_issues");
    const cJSON *issue;
    if (json_size(list) == 0)
        return;
    paper_section(paper, "Issues, most severe first");
    cJSON_ArrayForEach(issue, list)
        write_issue(issue, paper);
}

void website_page(const cJSON *result, struct paper *paper)
{
    const cJSON *sections = json_get(result, "sections");
    write_head(result, paper);
    write_figures(result, paper);
    write_scores(sections, paper);
    write_failures(sections, paper);
    write_issues(result, paper);
    write_technologies(sections, paper);
    paper_section(paper, "Method");
    paper_text(paper,
               "Each section is the result of its tool. All tools run in parallel, and an issue "
               "that several tools report appears once. The score is the weighted mean of the "
               "sections; the JSON report has all details.");
}
