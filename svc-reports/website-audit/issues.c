/* svc-reports/website-audit/issues.c - convert each tool's findings to issues. */
#include "website-audit/issues.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "text/json.h"
#include "website-audit/remedies.h"

/* ---- merged issues ---- */

static const struct {
    enum section_id section;
    const char *id;
    const char *topic;
} topics[] = {
    { SECTION_SECURITY_HEADERS, "Strict-Transport-Security", "hsts" },
    { SECTION_TLS, "hsts-missing", "hsts" },
    { SECTION_TLS, "hsts-short", "hsts" },
    { SECTION_TLS, "hsts-invalid", "hsts" },
    { SECTION_SEO, "compression", "compression" },
    { SECTION_PERFORMANCE, "text-compression", "compression" },
    { SECTION_SEO, "response_time", "response time" },
    { SECTION_PERFORMANCE, "server-response-time", "response time" },
    { SECTION_SEO, "html_size", "page size" },
    { SECTION_PERFORMANCE, "html-size", "page size" },
    { SECTION_SEO, "redirect_chain", "redirects" },
    { SECTION_PERFORMANCE, "redirects", "redirects" },
    { SECTION_SEO, "image_dimensions", "images" },
    { SECTION_PERFORMANCE, "image-delivery", "images" },
};

static const char *topic_of(enum section_id section, const char *id)
{
    for (size_t i = 0; i < countof(topics); i++)
        if (topics[i].section == section && strcmp(topics[i].id, id) == 0)
            return topics[i].topic;
    return NULL;
}

static struct issue *find_topic(struct issues *issues, const char *topic)
{
    for (size_t i = 0; topic && i < issues->count; i++)
        if (issues->item[i].topic && strcmp(issues->item[i].topic, topic) == 0)
            return &issues->item[i];
    return NULL;
}

static void free_texts(struct issue *issue)
{
    mem_free(&issue->id);
    mem_free(&issue->title);
    mem_free(&issue->detail);
    mem_free(&issue->fix);
}

/* Keep the texts of the section that rates the issue most severe. Takes ownership of the texts. */
static void merge_issue(struct issue *known, struct issue *also)
{
    known->is_seen[also->section] = true;
    if (also->severity >= known->severity) {
        free_texts(also);
        return;
    }
    free_texts(known);
    for (size_t i = 0; i < SECTIONS; i++)
        also->is_seen[i] |= known->is_seen[i];
    *known = *also;
}

static void add_issue(struct issues *issues, struct issue issue)
{
    struct issue *known = find_topic(issues, issue.topic);
    issue.is_seen[issue.section] = true;
    if (known)
        merge_issue(known, &issue);
    else if (issues->count < ISSUES_MAX)
        issues->item[issues->count++] = issue;
    else
        free_texts(&issue);
}

/* ---- reading ---- */

static const char *text_in(const cJSON *object, const char *name)
{
    const cJSON *text = json_get(object, name);
    return json_is(text, cJSON_String) ? text->valuestring : "";
}

static bool is_text(const cJSON *object, const char *name, const char *want)
{
    return strcmp(text_in(object, name), want) == 0;
}

static int weight_in(const cJSON *object)
{
    const cJSON *weight = json_get(object, "weight");
    return json_is(weight, cJSON_Number) ? (int)weight->valuedouble : 0;
}

static const char *const severities[SEVERITIES] = { "critical", "high", "medium", "low" };

const char *severity_name(enum severity severity)
{
    return severities[severity];
}

/* SEVERITIES means informational. */
static enum severity severity_in(const cJSON *object)
{
    enum severity severity = 0;
    while (severity < SEVERITIES && !is_text(object, "severity", severities[severity]))
        severity++;
    return severity;
}

/* ---- issues of each section ---- */

/* Checks of security-headers about a header with another name. */
static const char *check_of(const char *header)
{
    static const struct {
        const char *header, *check;
    } others[] = { { "Set-Cookie", "cookies" },
                   { "Access-Control-Allow-Origin", "cross-origin-resource-sharing" } };
    for (size_t i = 0; i < countof(others); i++)
        if (strcmp(others[i].header, header) == 0)
            return others[i].check;
    return header;
}

static enum severity severity_of_points(int lost)
{
    enum { HIGH_POINTS = 40, MEDIUM_POINTS = 20 };
    return lost >= HIGH_POINTS     ? SEVERITY_HIGH
           : lost >= MEDIUM_POINTS ? SEVERITY_MEDIUM
                                   : SEVERITY_LOW;
}

static int points_lost(const cJSON *check)
{
    const cJSON *points = json_get(check, "score_modifier");
    return json_is(points, cJSON_Number) ? (int)-points->valuedouble : 0;
}

/* As severe as the points that the header costs in the tool: a missing policy costs more than a
 * header that names the software, which costs none. */
static enum severity header_severity(const cJSON *result, const char *header)
{
    const cJSON *check;
    cJSON_ArrayForEach(check, json_get(result, "checks"))
        if (strcasecmp(text_in(check, "name"), check_of(header)) == 0)
            return severity_of_points(points_lost(check));
    return SEVERITY_LOW;
}

/* Checks that no entry of headers covers. */
static void add_other_checks(struct issues *issues, const cJSON *result)
{
    static const struct {
        const char *name, *title, *fix;
    } others[] = { { "redirection", "HTTP does not lead to HTTPS directly",
                     "Redirect http:// to https:// of the same name first." },
                   { "subresource-integrity", "Scripts of other sites are not pinned",
                     "Add integrity and crossorigin to each script of another site." } };
    const cJSON *check;
    cJSON_ArrayForEach(check, json_get(result, "checks"))
        for (size_t i = 0; i < countof(others); i++)
            if (is_text(check, "name", others[i].name) && points_lost(check) > 0)
                add_issue(issues,
                          (struct issue){ .severity = severity_of_points(points_lost(check)),
                                          .section = SECTION_SECURITY_HEADERS,
                                          .id = str_dup(others[i].name),
                                          .title = str_dup(others[i].title),
                                          .detail = str_dup(text_in(check, "description")),
                                          .fix = str_dup(others[i].fix) });
}

static void add_headers(struct issues *issues, const cJSON *result)
{
    const cJSON *header;
    cJSON_ArrayForEach(header, json_get(result, "headers")) {
        const char *name = text_in(header, "header");
        const char *rating = text_in(header, "rating");
        bool is_missing = strcmp(rating, "missing") == 0;
        issues->passed += strcmp(rating, "good") == 0;
        if (!is_missing && strcmp(rating, "weak") != 0 && strcmp(rating, "bad") != 0)
            continue;
        add_issue(issues,
                  (struct issue){ .severity = header_severity(result, name),
                                  .section = SECTION_SECURITY_HEADERS,
                                  .id = str_dup(name),
                                  .topic = topic_of(SECTION_SECURITY_HEADERS, name),
                                  .title = str_format("%s is %s", name, rating),
                                  .detail = str_dup(is_missing ? "The response does not have it"
                                                               : text_in(header, "value")),
                                  .fix = str_dup(text_in(header, "recommendation")) });
    }
    add_other_checks(issues, result);
}

/* The details of tls-check include what to do, so fix stays empty. */
static void add_tls(struct issues *issues, const cJSON *result)
{
    const cJSON *found;
    cJSON_ArrayForEach(found, json_get(result, "issues")) {
        enum severity severity = severity_in(found);
        if (severity == SEVERITIES)
            continue;
        add_issue(issues, (struct issue){ .severity = severity,
                                          .section = SECTION_TLS,
                                          .topic = topic_of(SECTION_TLS, text_in(found, "id")),
                                          .id = str_dup(text_in(found, "id")),
                                          .title = str_dup(text_in(found, "title")),
                                          .detail = str_dup(text_in(found, "detail")),
                                          .fix = str_dup("") });
    }
    issues->passed += json_size(json_get(result, "issues")) == 0;
}

static enum severity factor_severity(const cJSON *factor)
{
    if (!is_text(factor, "status", "fail"))
        return SEVERITY_LOW;
    int weight = weight_in(factor);
    return weight >= 10 ? SEVERITY_HIGH : weight >= 4 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

static void add_seo(struct issues *issues, const cJSON *result)
{
    const cJSON *factor;
    cJSON_ArrayForEach(factor, json_get(result, "findings")) {
        const char *name = text_in(factor, "name");
        issues->passed += is_text(factor, "status", "pass");
        if (!is_text(factor, "status", "fail") && !is_text(factor, "status", "warn"))
            continue;
        add_issue(issues, (struct issue){ .severity = factor_severity(factor),
                                          .section = SECTION_SEO,
                                          .topic = topic_of(SECTION_SEO, name),
                                          .id = str_dup(name),
                                          .title = str_dup(remedy_seo_title(name)),
                                          .detail = str_dup(text_in(factor, "content")),
                                          .fix = str_dup(text_in(factor, "recommendation")) });
    }
}

static void add_performance(struct issues *issues, const cJSON *result)
{
    const cJSON *check;
    cJSON_ArrayForEach(check, json_get(result, "checks")) {
        issues->passed += is_text(check, "status", "pass");
        if (!is_text(check, "status", "fail") && !is_text(check, "status", "warn"))
            continue;
        /* the tool's severity, by the points that the check costs */
        enum severity severity = severity_in(check);
        add_issue(issues,
                  (struct issue){ .severity = severity < SEVERITIES ? severity : SEVERITY_LOW,
                                  .section = SECTION_PERFORMANCE,
                                  .topic = topic_of(SECTION_PERFORMANCE, text_in(check, "id")),
                                  .id = str_dup(text_in(check, "id")),
                                  .title = str_dup(text_in(check, "name")),
                                  .detail = str_dup(text_in(check, "detail")),
                                  .fix = str_dup(text_in(check, "fix")) });
    }
}

static const char *advice_for(const cJSON *result, const char *code)
{
    const cJSON *advice;
    cJSON_ArrayForEach(advice, json_get(result, "recommendations"))
        if (is_text(advice, "code", code))
            return text_in(advice, "action");
    return "";
}

static void add_email(struct issues *issues, const cJSON *result)
{
    const cJSON *check;
    cJSON_ArrayForEach(check, json_get(result, "checks")) {
        const cJSON *finding;
        bool is_bad = is_text(check, "status", "fail") || is_text(check, "status", "warn");
        issues->passed += is_text(check, "status", "pass");
        cJSON_ArrayForEach(finding, json_get(check, "findings")) {
            enum severity severity = severity_in(finding);
            if (!is_bad || severity == SEVERITIES)
                continue;
            add_issue(issues, (struct issue){
                                  .severity = severity,
                                  .section = SECTION_EMAIL,
                                  .id = str_dup(text_in(finding, "code")),
                                  .title = str_dup(text_in(finding, "message")),
                                  .detail = str_format("%s: %s", text_in(check, "name"),
                                                       text_in(check, "detail")),
                                  .fix = str_dup(advice_for(result, text_in(finding, "code"))) });
        }
    }
}

/* ---- the zone ---- */

static bool has_one_server(const cJSON *result, const struct name_servers *servers)
{
    (void)result;
    return servers->count == 1;
}

static bool is_one_network(const cJSON *result, const struct name_servers *servers)
{
    (void)result;
    return servers->is_one_network;
}

static bool lacks_caa(const cJSON *result, const struct name_servers *servers)
{
    (void)servers;
    return json_size(json_at(result, "/records/CAA")) == 0;
}

static bool lacks_aaaa(const cJSON *result, const struct name_servers *servers)
{
    (void)servers;
    return json_size(json_at(result, "/records/AAAA")) == 0;
}

static bool lacks_soa(const cJSON *result, const struct name_servers *servers)
{
    (void)servers;
    return json_size(json_at(result, "/records/SOA")) == 0;
}

static const struct zone_rule {
    const char *id;
    enum severity severity;
    bool (*is_broken)(const cJSON *result, const struct name_servers *servers);
    const char *title, *detail, *fix;
} zone_rules[] = {
#define DNS_ISSUE(id, severity, rule, title, detail, fix) \
    { id, SEVERITY_##severity, rule, title, detail, fix },
#include "website-audit/dns-issues.def"
#undef DNS_ISSUE
};

static void add_zone(struct issues *issues, const cJSON *result, const struct name_servers *servers)
{
    for (size_t i = 0; i < countof(zone_rules); i++) {
        const struct zone_rule *rule = &zone_rules[i];
        bool is_broken = rule->is_broken(result, servers);
        issues->passed += !is_broken;
        if (is_broken)
            add_issue(issues, (struct issue){ .severity = rule->severity,
                                              .section = SECTION_DNS,
                                              .id = str_dup(rule->id),
                                              .title = str_dup(rule->title),
                                              .detail = str_dup(rule->detail),
                                              .fix = str_dup(rule->fix) });
    }
}

/* ---- exposed files ---- */

static void add_exposed(struct issues *issues, const cJSON *result)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, json_get(result, "exposed")) {
        enum severity severity = severity_in(file);
        if (severity == SEVERITIES)
            continue;
        const char *fix =
            severity <= SEVERITY_HIGH
                ? "Remove it from the server now, and rotate every secret that it contains."
                : "Remove it from the server, or deny access to it.";
        add_issue(issues,
                  (struct issue){ .severity = severity,
                                  .section = SECTION_EXPOSED_FILES,
                                  .id = str_dup(text_in(file, "path")),
                                  .title = str_format("Anyone can read %s", text_in(file, "path")),
                                  .detail = str_dup(text_in(file, "evidence")),
                                  .fix = str_dup(fix) });
    }
    issues->passed += json_size(json_get(result, "exposed")) == 0;
}

/* ---- outdated software ---- */

/* The most severe of the vulnerabilities, and its fixed version. */
static const cJSON *worst_of(const cJSON *list)
{
    const cJSON *worst = NULL;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (!worst || severity_in(item) < severity_in(worst))
            worst = item;
    return worst;
}

static void add_software(struct issues *issues, const cJSON *software, enum severity severity,
                         const char *kind, const char *detail)
{
    const char *newest = json_text(software, "/release/newest_in_series");
    if (!newest)
        newest = json_text(software, "/release/newest");
    add_issue(issues, (struct issue){ .severity = severity,
                                      .section = SECTION_TECHNOLOGIES,
                                      .id = str_format("%s-%s", text_in(software, "name"), kind),
                                      .title = str_format("%s %s is %s", text_in(software, "name"),
                                                          text_in(software, "version"), kind),
                                      .detail = str_dup(detail),
                                      .fix = newest ? str_format("Update to %s or newer.", newest)
                                                    : str_dup("Update to a maintained version.") });
}

static void add_technologies(struct issues *issues, const cJSON *result)
{
    const cJSON *software;
    cJSON_ArrayForEach(software, json_get(result, "technologies")) {
        const cJSON *release = json_get(software, "release");
        const cJSON *list = json_get(release, "vulnerabilities");
        const cJSON *worst = worst_of(list);
        if (worst && severity_in(worst) < SEVERITIES) {
            scoped(mem_free) char *detail =
                str_format("Known vulnerabilities: %zu, the most severe %s", json_size(list),
                           text_in(worst, "id"));
            add_software(issues, software, severity_in(worst), "vulnerable", detail);
        }
        if (json_is(json_get(release, "ended"), cJSON_True))
            add_software(issues, software, SEVERITY_MEDIUM, "unmaintained",
                         "Its maintenance has ended");
    }
}

void issues_add(struct issues *issues, enum section_id id, const cJSON *result,
                const struct name_servers *servers)
{
    static void (*const adders[SECTIONS])(struct issues *, const cJSON *) = {
        [SECTION_SECURITY_HEADERS] = add_headers,
        [SECTION_TLS] = add_tls,
        [SECTION_SEO] = add_seo,
        [SECTION_PERFORMANCE] = add_performance,
        [SECTION_EMAIL] = add_email,
        [SECTION_TECHNOLOGIES] = add_technologies,
        [SECTION_EXPOSED_FILES] = add_exposed,
    };
    if (id == SECTION_DNS)
        add_zone(issues, result, servers);
    else if (adders[id])
        adders[id](issues, result);
}

/* ---- total ---- */

static bool is_before(const struct issue *a, const struct issue *b)
{
    if (a->severity != b->severity)
        return a->severity < b->severity;
    return section_weight(a->section) > section_weight(b->section);
}

/* Insertion sort: it is stable, and there are only dozens of issues. */
void issues_sort(struct issues *issues)
{
    for (size_t i = 1; i < issues->count; i++) {
        struct issue issue = issues->item[i];
        size_t at = i;
        for (; at > 0 && is_before(&issue, &issues->item[at - 1]); at--)
            issues->item[at] = issues->item[at - 1];
        issues->item[at] = issue;
    }
}

int issues_count(const struct issues *issues, enum severity severity)
{
    int count = 0;
    for (size_t i = 0; i < issues->count; i++)
        count += issues->item[i].severity == severity;
    return count;
}

void issues_free(struct issues *issues)
{
    for (size_t i = 0; i < issues->count; i++)
        free_texts(&issues->item[i]);
    issues->count = 0;
}
