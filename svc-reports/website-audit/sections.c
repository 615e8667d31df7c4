/* svc-reports/website-audit/sections.c - the table of sections and their scores. */
#include "website-audit/sections.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "probe/grade.h"
#include "text/json.h"

enum { LIST_MAX = 50 /* entries of any list in a section's result */ };

/* ---- requests ---- */

static void request_url(const struct site *site, cJSON *request)
{
    json_str(request, "url", site->url);
}

static void request_tls(const struct site *site, cJSON *request)
{
    json_str(request, "host", site->host);
    json_int(request, "port", site->tls_port);
}

static void request_domain(const struct site *site, cJSON *request)
{
    json_str(request, "domain", site->domain);
}

static void request_zone(const struct site *site, cJSON *request)
{
    static const char *const types[] = { "A", "AAAA", "MX", "NS", "TXT", "SOA", "CAA" };
    request_domain(site, request);
    cJSON *list = json_list(request, "types");
    for (size_t i = 0; i < countof(types); i++)
        json_item_str(list, types[i]);
}

/* ---- scores ---- */

static int64_t number_at(const cJSON *result, const char *pointer, int64_t otherwise)
{
    const cJSON *number = json_at(result, pointer);
    return json_is(number, cJSON_Number) ? (int64_t)number->valuedouble : otherwise;
}

static bool is_false(const cJSON *result, const char *name)
{
    return json_is(json_get(result, name), cJSON_False);
}

static int tool_score(const cJSON *result, const struct name_servers *servers)
{
    (void)servers;
    return (int)MIN(number_at(result, "/score", SCORE_NONE), (int64_t)100);
}

/* An untrusted certificate limits the score, whatever the encryption. */
static int tls_score(const cJSON *result, const struct name_servers *servers)
{
    const char *grade = json_text(result, "/grade");
    int score = tool_score(result, servers);
    if (grade && strcmp(grade, "F") == 0)
        return 0;
    if (is_false(result, "trusted") || is_false(result, "hostname_match"))
        return MIN(score, 40);
    return score;
}

static int carbon_score(const cJSON *result, const struct name_servers *servers)
{
    static const struct {
        const char *rating;
        int score;
    } rows[] = { { "A+", 100 }, { "A", 92 }, { "B", 82 }, { "C", 72 }, { "D", 60 }, { "E", 50 } };
    const char *rating = json_text(result, "/rating");
    const cJSON *grams = json_get(result, "co2_grams_per_view");
    (void)servers;
    for (size_t i = 0; rating && i < countof(rows); i++)
        if (strcmp(rows[i].rating, rating) == 0)
            return rows[i].score;
    if (!json_is(grams, cJSON_Number) || grams->valuedouble <= 0)
        return SCORE_NONE;
    return MAX((int)(50 * 0.359 / grams->valuedouble + 0.5), 5); /* 0.359 g is the limit of E */
}

static int zone_score(const cJSON *result, const struct name_servers *servers)
{
    int score = 100;
    if (json_size(json_at(result, "/records/CAA")) == 0)
        score -= 25;
    if (servers->count == 1)
        score -= 15;
    if (json_size(json_at(result, "/records/AAAA")) == 0)
        score -= 20;
    if (servers->is_one_network)
        score -= 20;
    if (json_size(json_at(result, "/records/SOA")) == 0)
        score -= 20;
    return score;
}

static int exposure_score(const cJSON *result, const struct name_servers *servers)
{
    (void)servers;
    int64_t lost = 60 * number_at(result, "/severity_counts/critical", 0) +
                   30 * number_at(result, "/severity_counts/high", 0) +
                   10 * number_at(result, "/severity_counts/medium", 0);
    return (int)MAX(100 - lost, (int64_t)0);
}

/* ---- the table ---- */

/* clang-format off */
static const struct row {
    const char *name;
    const char *tool;  /* NULL: local section */
    void (*write_request)(const struct site *site, cJSON *request);
    int (*score)(const cJSON *result, const struct name_servers *servers); /* NULL: not scored */
    const char *grade; /* pointer into the result; NULL: from the score */
    int weight;
} rows[SECTIONS] = {
    [SECTION_SECURITY_HEADERS] = { "security_headers", "security-headers",     request_url,    tool_score,      "/grade",  20 },
    [SECTION_TLS]              = { "tls",              "tls-check",            request_tls,    tls_score,      "/grade",  20 },
    [SECTION_SEO]              = { "seo",              "seo-analyze",          request_url,    tool_score,      "/grade",  15 },
    [SECTION_PERFORMANCE]      = { "performance",      NULL,                   NULL,       tool_score,      "/grade",  20 },
    [SECTION_EMAIL]            = { "email",            "email-deliverability", request_domain, tool_score,      "/grade",  10 },
    [SECTION_CARBON]           = { "carbon",           NULL,                   NULL,       carbon_score,   "/rating",  5 },
    [SECTION_DNS]              = { "dns",              "dns-lookup",           request_zone,   zone_score,     NULL,       5 },
    [SECTION_TECHNOLOGIES]     = { "technologies",     "tech-detect",          request_url,    NULL,           NULL,       0 },
    [SECTION_EXPOSED_FILES]    = { "exposed_files",    "exposed-files",        request_url,    exposure_score, NULL,      15 },
};
/* clang-format on */

const char *section_name(enum section_id id)
{
    return rows[id].name;
}

int section_weight(enum section_id id)
{
    return rows[id].weight;
}

enum section_id section_named(const char *name)
{
    enum section_id id = 0;
    while (id < SECTIONS && strcmp(rows[id].name, name) != 0)
        id++;
    return id;
}

bool section_is_default(enum section_id id)
{
    return id != SECTION_EXPOSED_FILES;
}

/* Does the section apply to this site? An IP address has no email and no DNS zone. */
static bool section_applies(enum section_id id, const struct site *site)
{
    return site->domain ||
           (rows[id].write_request != request_domain && rows[id].write_request != request_zone);
}

const char *section_tool(enum section_id id, const struct site *site, struct buf *body)
{
    const struct row *row = &rows[id];
    if (!row->tool || !section_applies(id, site))
        return NULL;
    scoped(json_free) cJSON *request = json_object();
    row->write_request(site, request);
    json_print(request, body);
    return row->tool;
}

/* Truncate every list at any depth. The tree comes from our own tools, so it is not deeper than
 * JSON_DEPTH. Returns whether a list was truncated. */
static bool cut_lists(cJSON *node)
{
    bool is_cut = json_is(node, cJSON_Array) && json_cut(node, LIST_MAX);
    for (cJSON *child = node->child; child; child = child->next)
        is_cut |= cut_lists(child);
    return is_cut;
}

void section_assess(enum section_id id, const struct name_servers *servers, struct section *section)
{
    const struct row *row = &rows[id];
    section->score = row->score ? row->score(section->result, servers) : SCORE_NONE;
    if (row->grade)
        section->grade = json_text(section->result, row->grade);
    else if (row->score)
        section->grade = grade_of(section->score, true);
    section->is_cut = cut_lists(section->result);
}
