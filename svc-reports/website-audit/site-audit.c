/* svc-reports/website-audit/site-audit.c - from the sections to a score and the result. */
#include "website-audit/site-audit.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "probe/grade.h"
#include "text/json.h"
#include "website-audit/remedies.h"

enum { FINE = 70 /* grade B; A+ requires it in every section */ };

/* ---- total ---- */

static int weighted_score(const struct site_audit *audit)
{
    int weights = 0;
    int sum = 0;
    for (enum section_id id = 0; id < SECTIONS; id++) {
        const struct section *section = &audit->section[id];
        if (section->status != SECTION_OK || section->score == SCORE_NONE)
            continue;
        weights += section_weight(id);
        sum += section_weight(id) * section->score;
    }
    return weights == 0 ? SCORE_NONE : (2 * sum + weights) / (2 * weights);
}

static bool is_flawless(const struct site_audit *audit)
{
    for (enum section_id id = 0; id < SECTIONS; id++) {
        const struct section *section = &audit->section[id];
        bool is_fine = section->score == SCORE_NONE || section->score >= FINE;
        if (audit->is_requested[id] && (section->status != SECTION_OK || !is_fine))
            return false;
    }
    return true;
}

static bool report_failure(const struct site_audit *audit, struct err *err)
{
    for (enum section_id id = 0; id < SECTIONS; id++)
        if (audit->section[id].err.kind != ERR_NONE) {
            *err = audit->section[id].err;
            return false;
        }
    return err_set(err, ERR_INVALID_VALUE,
                   "sections must name at least one that applies to this url; an IP "
                   "address has neither dns nor email");
}

bool site_audit_assess(struct site_audit *audit, struct err *err)
{
    for (enum section_id id = 0; id < SECTIONS; id++) {
        struct section *section = &audit->section[id];
        section->score = SCORE_NONE;
        audit->ok += section->status == SECTION_OK;
        audit->failed += section->status == SECTION_FAILED || section->status == SECTION_TIMEOUT;
        if (section->status != SECTION_OK)
            continue;
        issues_add(&audit->issues, id, section->result, &audit->servers);
        section_assess(id, &audit->servers, section);
    }
    issues_sort(&audit->issues);
    audit->score = weighted_score(audit);
    if (audit->score != SCORE_NONE)
        audit->grade = grade_of(audit->score, is_flawless(audit));
    return audit->ok >= MAX(MIN(audit->ok + audit->failed, OK_MIN), 1) ||
           report_failure(audit, err);
}

/* ---- summary ---- */

static void summarize_issues(const struct site_audit *audit, struct buf *out)
{
    int pressing = issues_count(&audit->issues, SEVERITY_CRITICAL) +
                   issues_count(&audit->issues, SEVERITY_HIGH);
    if (audit->issues.count == 0) {
        buf_add_str(out, " No issues were found.");
        return;
    }
    buf_format(out, " Issues: %zu, of which critical or high: %d. Fix this first: %s.",
               audit->issues.count, pressing, audit->issues.item[0].title);
}

static void summarize_failures(const struct site_audit *audit, struct buf *out)
{
    const char *before = " Failed sections: ";
    for (enum section_id id = 0; id < SECTIONS; id++) {
        enum section_status status = audit->section[id].status;
        if (status != SECTION_FAILED && status != SECTION_TIMEOUT)
            continue;
        buf_format(out, "%s%s", before, section_name(id));
        before = ", ";
    }
    if (audit->failed > 0)
        buf_add_str(out, ".");
}

void site_audit_summarize(const struct site_audit *audit, struct buf *out)
{
    buf_format(out, "%s", audit->final_url ? audit->final_url : audit->url);
    if (audit->grade)
        buf_format(out, " has %d of 100 points, grade %s.", audit->score, audit->grade);
    else
        buf_add_str(out, " has no score: no scored section succeeded.");
    summarize_issues(audit, out);
    summarize_failures(audit, out);
}

/* ---- as JSON ---- */

static void write_score(cJSON *object, const char *name, int score)
{
    if (score == SCORE_NONE)
        json_null(object, name);
    else
        json_int(object, name, score);
}

static void write_text(cJSON *object, const char *name, const char *text)
{
    if (text)
        json_str(object, name, text);
    else
        json_null(object, name);
}

static void write_summary(const struct site_audit *audit, cJSON *result)
{
    scoped(buf_free) struct buf text = BUF(8192);
    cJSON *summary = json_map(result, "summary");
    for (enum severity severity = 0; severity < SEVERITIES; severity++)
        json_int(summary, severity_name(severity), issues_count(&audit->issues, severity));
    json_int(summary, "passed", audit->issues.passed);
    json_int(summary, "sections_ok", audit->ok);
    json_int(summary, "sections_failed", audit->failed);
    json_int(summary, "duration_ms", audit->duration_ms);
    site_audit_summarize(audit, &text);
    json_str(summary, "text", buf_str(&text));
}

static void write_section(enum section_id id, struct section *section, cJSON *sections)
{
    static const char *const statuses[] = { "skipped", "ok", "failed", "timeout" };
    cJSON *entry = json_map(sections, section_name(id));
    json_str(entry, "status", statuses[section->status]);
    write_score(entry, "score", section->score);
    write_text(entry, "grade", section->grade);
    json_int(entry, "weight", section_weight(id));
    json_int(entry, "duration_ms", section->duration_ms);
    if (section->err.kind == ERR_NONE) {
        json_null(entry, "error");
    } else {
        cJSON *error = json_map(entry, "error");
        json_str(error, "code", err_code(section->err.kind));
        json_str(error, "message", section->err.message);
    }
    json_bool(entry, "truncated", section->is_cut);
    if (section->result)
        json_add(entry, "result", take(section->result));
    else
        json_null(entry, "result");
}

static void write_issue(const struct issue *issue, cJSON *item)
{
    json_str(item, "section", section_name(issue->section));
    json_str(item, "severity", severity_name(issue->severity));
    json_str(item, "title", issue->title);
    json_str(item, "detail", issue->detail);
    json_str(item, "fix", issue->fix);
    cJSON *seen = json_list(item, "seen_by");
    for (enum section_id id = 0; id < SECTIONS; id++)
        if (issue->is_seen[id])
            json_item_str(seen, section_name(id));
}

/* The texts to copy. */
static void write_config(const struct remedy *remedy, const struct site *site, cJSON *item)
{
    cJSON *config = json_map(item, "config");
    for (enum remedy_kind kind = 0; remedy && site && kind < REMEDY_KINDS; kind++) {
        scoped(mem_free) char *text = remedy_text(remedy, kind, site);
        if (text)
            json_str(config, remedy_kind_name(kind), text);
    }
}

/* The key in remedies.def: a hidden file is one of a class. */
static const char *remedy_id(const struct issue *issue)
{
    bool is_hidden = issue->section == SECTION_EXPOSED_FILES && strstr(issue->id, "/.");
    return is_hidden ? "hidden" : issue->id;
}

static void write_issues(const struct site_audit *audit, cJSON *result)
{
    cJSON *all = json_list(result, "issues");
    for (size_t i = 0; i < audit->issues.count; i++) {
        const struct issue *issue = &audit->issues.item[i];
        const struct remedy *remedy = remedy_of(issue->section, remedy_id(issue));
        cJSON *item = json_item(all);
        json_str(item, "id", issue->id);
        write_issue(issue, item);
        json_str(item, "why", remedy ? remedy->why : "");
        write_config(remedy, audit->site, item);
    }
}

void site_audit_write(struct site_audit *audit, cJSON *result)
{
    json_str(result, "url", audit->url);
    write_text(result, "final_url", audit->final_url);
    write_score(result, "score", audit->score);
    write_text(result, "grade", audit->grade);
    write_summary(audit, result);
    cJSON *sections = json_map(result, "sections");
    for (enum section_id id = 0; id < SECTIONS; id++)
        write_section(id, &audit->section[id], sections);
    cJSON *top = json_list(result, "top_issues");
    for (size_t i = 0; i < audit->issues.count && i < TOP_ISSUES; i++)
        write_issue(&audit->issues.item[i], json_item(top));
    write_issues(audit, result);
    json_bool(result, "partial", audit->failed > 0);
    json_time(result, "scanned_at", audit->now_ms);
}

void site_audit_free(struct site_audit *audit)
{
    for (enum section_id id = 0; id < SECTIONS; id++)
        json_free(&audit->section[id].result);
    issues_free(&audit->issues);
}
