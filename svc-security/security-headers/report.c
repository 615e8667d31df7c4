/* svc-security/security-headers/report.c - an assessment as the result of the tool. */
#include "report.h"

#include <string.h>

#include "headers.h"
#include "security-headers/csp/untrusted-text.h"
#include "text/json.h"

/* ---- redirects ---- */

static bool has_url(const cJSON *list, const char *url)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (strcmp(json_text(item, "/url"), url) == 0)
            return true;
    return false;
}

/* Redirects of both URLs, http first, without duplicates. */
static void print_redirects(const struct responses *responses, cJSON *list)
{
    const struct fetch *const fetches[] = { responses->http, responses->https };
    for (size_t f = 0; f < countof(fetches); f++)
        for (size_t i = 0; fetches[f] && i + 1 < fetches[f]->hop_count; i++) {
            const struct fetch_hop *hop = &fetches[f]->hop[i];
            if (has_url(list, hop->target.url))
                continue;
            cJSON *item = json_item(list);
            json_str(item, "url", hop->target.url);
            json_int(item, "status", hop->status);
        }
}

/* ---- checks ---- */

static void print_checks(const struct assessment *assessment, cJSON *list)
{
    for (size_t i = 0; i < CHECKS; i++) {
        enum result result = assessment->result[i];
        cJSON *item = json_item(list);
        json_str(item, "name", check_name((enum check)i));
        json_str(item, "result", result_rows[result].name);
        json_bool(item, "pass", result_passes(result));
        json_int(item, "score_modifier", result_rows[result].modifier);
        json_str(item, "description", result_rows[result].description);
    }
}

static size_t count_passed(const struct assessment *assessment)
{
    size_t count = 0;
    for (size_t i = 0; i < CHECKS; i++)
        count += result_passes(assessment->result[i]);
    return count;
}

/* ---- policies ---- */

static void print_finding(const struct csp_finding *finding, cJSON *item)
{
    json_str(item, "id", csp_rules[finding->rule].name);
    json_str(item, "severity", csp_rules[finding->rule].severity);
    untrusted_str(item, "directive", text_of(finding->directive), UNTRUSTED_WORD_BYTES);
    untrusted_str(item, "value", text_of(finding->value), UNTRUSTED_WORD_BYTES);
    json_str(item, "message", csp_rules[finding->rule].message);
}

static void print_directive(const struct csp_directive *directive, cJSON *directives)
{
    scoped(buf_free) struct buf name = BUF(2 * UNTRUSTED_WORD_BYTES);
    untrusted_add(&name, text_of(directive->name), UNTRUSTED_WORD_BYTES);
    if (json_get(directives, buf_str(&name)))
        return; /* two truncated names are equal */
    cJSON *list = json_list(directives, buf_str(&name));
    for (size_t i = 0; i < directive->count; i++)
        untrusted_item(list, text_of(directive->source[i]), UNTRUSTED_WORD_BYTES);
}

static void print_csp(const struct csp *csp, const struct csp_findings *findings, cJSON *map)
{
    cJSON *policies = json_list(map, "policies");
    for (size_t i = 0; i < csp->count; i++)
        untrusted_item(policies, text_of(csp->policy[i].text), UNTRUSTED_HEADER_BYTES);
    cJSON *directives = json_map(map, "directives");
    for (size_t i = 0; i < csp->merged.count; i++)
        print_directive(&csp->merged.directive[i], directives);
    cJSON *list = json_list(map, "findings");
    for (size_t i = 0; i < findings->count; i++)
        print_finding(&findings->item[i], json_item(list));
}

/* ---- cookies ---- */

static void print_cookies(const struct cookies *cookies, cJSON *list)
{
    for (size_t i = 0; i < cookies->count; i++) {
        const struct cookie *cookie = &cookies->item[i];
        cJSON *item = json_item(list);
        untrusted_str(item, "name", text_of(cookie->name), UNTRUSTED_WORD_BYTES);
        json_bool(item, "secure", cookie->is_secure);
        json_bool(item, "http_only", cookie->is_http_only);
        json_str(item, "same_site", same_site_name(cookie->same_site));
        untrusted_str(item, "domain", text_of(cookie->domain), UNTRUSTED_WORD_BYTES);
        untrusted_str(item, "path", text_of(cookie->path), UNTRUSTED_WORD_BYTES);
        cJSON *findings = json_list(item, "findings");
        if (cookie->rejection)
            json_item_str(findings, cookie->rejection);
    }
}

/* ---- entry point ---- */

void assessment_print(const struct assessment *assessment, const char *url, int64_t now_ms,
                      cJSON *result)
{
    const struct fetch *main = assessment->main;
    size_t passed = count_passed(assessment);
    json_str(result, "url", url);
    json_str(result, "grade", assessment_grade(assessment));
    json_int(result, "score", assessment_score(assessment));
    headers_print(assessment, json_list(result, "headers"));
    json_time(result, "scanned_at", now_ms);
    json_str(result, "final_url", assessment->page->target.url);
    json_int(result, "status_code", assessment->page->status);
    json_bool(result, "tls_verified", assessment->page->tls_verified);
    print_redirects(assessment->responses, json_list(result, "redirects"));
    print_checks(assessment, json_list(result, "checks"));
    json_int(result, "tests_passed", (int64_t)passed);
    json_int(result, "tests_failed", (int64_t)(CHECKS - passed));
    json_int(result, "score_uncapped", assessment->score_uncapped);
    print_csp(&assessment->csp, &assessment->findings, json_map(result, "csp"));
    print_csp(&assessment->csp_report_only, &assessment->report_only_findings,
              json_map(result, "csp_report_only"));
    print_cookies(&assessment->cookies, json_list(result, "cookies"));
    json_bool(result, "truncated",
              main->end == FETCH_CUT || assessment->findings.is_cut ||
                  assessment->report_only_findings.is_cut || assessment->cookies.is_cut);
    json_bool(result, "partial", main->end == FETCH_LATE || main->end == FETCH_BROKEN);
}
