/* svc-security/tech-detect/tech-detect.c - detect a website's technologies in one response.
 * Requests only what a browser would; with `dns`, also the domain's mail servers. */
#include <stdio.h>

#include "base/mem.h"
#include "base/os/deadline.h"
#include "base/text.h"
#include "detect.h"
#include "net/dns.h"
#include "net/egress.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/time/datetime.h"
#include "tools.h"

enum {
    CALL_MS = 15000,
    DNS_MS = 3000,
    DATE_BYTES = 40, /* more than a date has, for the compiler */
};

const struct data_kind tech_signatures_data = { "tech signatures", signatures_load,
                                                signatures_free };

static void write_finding(const struct finding *finding, const char *today, cJSON *item)
{
    const struct technology *technology = finding->technology;
    json_str(item, "name", technology->name);
    json_str(item, "category", technology->category[0]);
    json_str(item, "version", finding->version);
    json_int(item, "confidence", finding->confidence);
    cJSON *categories = json_list(item, "categories");
    for (size_t i = 0; i < technology->category_count; i++)
        json_item_str(categories, technology->category[i]);
    json_bool(item, "implied", finding->is_implied);
    cJSON *evidence = json_list(item, "evidence");
    for (size_t i = 0; i < finding->evidence_count; i++)
        json_item_str(evidence, finding->evidence[i]);
    json_str(item, "party", finding->is_own ? "first" : "third");
    if (*finding->version)
        releases_write(&technology->releases, finding->version, today, item);
}

static void write_result(const struct job *job, const struct target *target,
                         const struct fetch *fetch, const struct detected *findings, cJSON *result)
{
    const struct signatures *signatures = job->data;
    const struct fetch_hop *last = fetch_last(fetch);
    struct date date = date_of_days(job->now_ms / 1000 / DAY_SECONDS);
    char today[DATE_BYTES];

    snprintf(today, sizeof(today), "%04d-%02d-%02d", date.year, date.month, date.day);
    json_str(result, "url", target->url);
    cJSON *technologies = json_list(result, "technologies");
    for (size_t i = 0; i < findings->count; i++)
        write_finding(&findings->item[i], today, json_item(technologies));
    json_int(result, "count", (int64_t)findings->count);
    json_time(result, "scanned_at", job->now_ms);
    json_str(result, "final_url", last->target.url);
    json_int(result, "status_code", last->status);
    json_bool(result, "tls_verified", last->tls_verified);
    json_bool(result, "truncated", fetch->end == FETCH_CUT || findings->is_cut);
    json_bool(result, "partial", fetch->end == FETCH_LATE || fetch->end == FETCH_BROKEN);
    json_str(result, "signatures", signatures->version);
    json_str(result, "release_data", signatures->releases_date);
}

/* Browsers also render a response without a type. */
static bool is_page(const struct fetch *fetch)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(fetch, type);
    return *type == '\0' || text_has_any_case(text_of(type), "html");
}

/* Ask for the mail servers of the site's registered domain. Without an answer there is no
 * evidence. */
static void query_mx(const struct job *job, const struct host *host, int64_t deadline_ms,
                     struct dns_answer *answer)
{
    const char *owner =
        host->is_address ? NULL : public_suffix_owner(egress_suffixes(job->egress), host->name);
    const struct dns_question question = { owner, DNS_MX };
    struct err err;
    if (owner && !dns_query(job->egress, &question, 1, deadline_ms, answer, &err))
        answer->message.answer_count = 0;
}

bool tech_detect(const struct job *job, cJSON *result, struct err *err)
{
    static const struct fetch_options options = { .max_redirects = FETCH_REDIRECTS_MAX };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(job->egress, deadline_within(job->deadline_ms, CALL_MS));
    scoped(target_free) struct target target = { 0 };
    scoped(fetch_free) struct fetch fetch = { 0 };
    scoped(detected_free) struct detected findings = { 0 };
    scoped(dns_answer_free) struct dns_answer mx = { 0 };

    if (!target_parse_url(arg_text(job, "url"), &target, err) ||
        !fetch_guarded(session, &target, &options, &fetch, err))
        return false;
    const struct fetch_hop *last = fetch_last(&fetch);
    if (arg_bool(job, "dns"))
        query_mx(job, &last->target.host, egress_session_until_ms(session, DNS_MS), &mx);
    const struct response response = {
        .target = &last->target,
        .header = last->header,
        .header_count = last->header_count,
        .body = is_page(&fetch) ? buf_text(&fetch.body) : TEXT(""),
        .mx = &mx.message,
        .suffixes = egress_suffixes(job->egress),
    };
    detect(job->data, &response, &findings);
    write_result(job, &target, &fetch, &findings, result);
    return true;
}
