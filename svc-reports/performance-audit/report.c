/* svc-reports/performance-audit/report.c - write the result. */
#include "performance-audit/report.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "crawl/savings.h"
#include "text/json.h"

enum { RESOURCES_SHOWN = 60, OWNERS_SHOWN = 50, MBIT_S = 10, SUMMARY_BYTES = 1500 };

static double tenths(double value)
{
    return round(value * 10) / 10;
}

static bool is_same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Truncated, because some URLs contain a whole file. */
static void write_url(cJSON *object, const char *url)
{
    enum { SHOWN_BYTES = 1000 };
    scoped(buf_free) struct buf shown = BUF(SHOWN_BYTES + 8);
    buf_add(&shown, url, strnlen(url, SHOWN_BYTES));
    if (strlen(url) > SHOWN_BYTES)
        buf_add_str(&shown, "\u2026");
    json_str(object, "url", buf_str(&shown));
}

/* ---- times ---- */

static void write_timings(const struct timings *timings, bool is_https, cJSON *out)
{
    json_num(out, "dns_ms", tenths(timings->dns_ms));
    json_num(out, "tcp_ms", tenths(timings->tcp_ms));
    if (is_https)
        json_num(out, "tls_ms", tenths(timings->tls_ms));
    else
        json_null(out, "tls_ms");
    json_num(out, "server_wait_ms", tenths(timings->wait_ms));
    json_num(out, "download_ms", tenths(timings->download_ms));
    json_num(out, "total_ms", tenths(timings->total_ms));
    json_num(out, "redirect_ms", tenths(timings->redirect_ms));
    json_num(out, "ttfb_ms", tenths(timings->ttfb_ms));
}

static void write_samples(const struct crawl *crawl, bool is_https, cJSON *list)
{
    for (size_t i = 0; i < crawl->sample_count; i++) {
        struct timings timings;
        timings_of(&crawl->sample[i], &timings);
        write_timings(&timings, is_https, json_item(list));
    }
}

/* ---- HTTP ---- */

/* RFC 9112 section 9.3 */
static bool keeps_alive(const struct fetch_hop *hop)
{
    const char *connection = fetch_header(hop, "Connection");
    if (is_same(hop->http_version, "2"))
        return true;
    if (is_same(hop->http_version, "1.0"))
        return connection && strcasestr(connection, "keep-alive");
    return !connection || !strcasestr(connection, "close");
}

static void write_http(const struct crawl *crawl, cJSON *http)
{
    const struct fetch_hop *hop = fetch_last(&crawl->page);
    const char *others = fetch_header(hop, "Alt-Svc");
    scoped(mem_free) char *server = crawl_field(hop, "Server");
    json_str(http, "version", hop->http_version);
    json_str(http, "tls_version", hop->tls_version);
    json_str(http, "alpn", hop->alpn);
    json_bool(http, "h3_advertised", others && strstr(others, "h3"));
    json_str(http, "content_encoding", crawl->encoding);
    json_str(http, "server", server);
    json_bool(http, "keep_alive", keeps_alive(hop));
    json_int(http, "status", hop->status);
    json_bool(http, "early_hints", hop->has_early_hints);
    json_bool(http, "tls_verified", hop->tls_verified);
}

/* ---- resources ---- */

static void write_total(const struct total *total, cJSON *out)
{
    json_int(out, "requests", (int64_t)total->requests);
    json_int(out, "transfer_bytes", (int64_t)total->transfer_bytes);
    json_int(out, "decoded_bytes", (int64_t)total->decoded_bytes);
}

static void write_third_party(const struct audit *audit, cJSON *out)
{
    const char *owners[OWNERS_SHOWN];
    size_t count = third_party_owners(audit->crawl, audit->suffixes, owners, OWNERS_SHOWN);
    json_int(out, "requests", (int64_t)audit->facts.totals.third_party.requests);
    json_int(out, "transfer_bytes", (int64_t)audit->facts.totals.third_party.transfer_bytes);
    cJSON *domains = json_list(out, "domains");
    for (size_t i = 0; i < count; i++)
        json_item_str(domains, owners[i]);
}

static void write_html(const struct audit *audit, cJSON *out)
{
    const struct references *references = &audit->crawl->references;
    json_int(out, "transfer_bytes", (int64_t)audit->facts.page.transfer_bytes);
    json_int(out, "decoded_bytes", (int64_t)audit->facts.page.decoded_bytes);
    json_int(out, "elements", (int64_t)references->elements);
    json_int(out, "max_depth", (int64_t)references->max_depth);
    json_int(out, "inline_script_bytes", (int64_t)references->inline_script_bytes);
    json_int(out, "inline_style_bytes", (int64_t)references->inline_style_bytes);
}

static void write_page(const struct audit *audit, cJSON *page)
{
    const struct totals *totals = &audit->facts.totals;
    json_int(page, "transfer_bytes", (int64_t)totals->all.transfer_bytes);
    json_int(page, "decoded_bytes", (int64_t)totals->all.decoded_bytes);
    json_int(page, "requests", (int64_t)totals->all.requests);
    json_int(page, "failed_requests", (int64_t)totals->failed);
    json_int(page, "measured_requests", (int64_t)totals->measured);
    json_int(page, "lazy_images", (int64_t)totals->lazy);
    cJSON *by_type = json_map(page, "by_type");
    for (enum kind kind = 0; kind < KINDS; kind++)
        write_total(&totals->by_kind[kind], json_map(by_type, kind_name(kind)));
    write_third_party(audit, json_map(page, "third_party"));
    write_html(audit, json_map(page, "html"));
    json_bool(page, "truncated", crawl_is_truncated(audit->crawl));
}

/* ---- checks ---- */

static void write_check(enum check check, const struct verdict *verdict, cJSON *out)
{
    json_str(out, "id", check_id(check));
    json_str(out, "name", check_name(check));
    json_str(out, "category", check_category(check));
    json_str(out, "status", verdict_status(verdict));
    json_str(out, "severity", verdict_severity(check, verdict));
    json_int(out, "score", verdict->score);
    json_int(out, "weight", check_weight(check));
    json_str(out, "detail", verdict->detail);
    json_str(out, "fix", check_fix(check));
    cJSON *items = json_list(out, "items");
    for (size_t i = 0; i < verdict->item_count; i++) {
        cJSON *item = json_item(items);
        write_url(item, verdict->item[i].url);
        json_str(item, "value", verdict->item[i].value);
        json_str(item, "note", verdict->item[i].note);
    }
}

static int64_t ms_of_bytes(size_t bytes)
{
    return llround((double)bytes * 8 / (MBIT_S * 1000));
}

static void write_opportunities(const struct saving *savings, size_t count, cJSON *list)
{
    for (size_t i = 0; i < count; i++) {
        cJSON *item = json_item(list);
        json_str(item, "id", savings[i].id);
        json_str(item, "title", savings[i].title);
        json_int(item, "savings_bytes", (int64_t)savings[i].bytes);
        json_int(item, "savings_ms", ms_of_bytes(savings[i].bytes));
        json_str(item, "how", savings[i].how);
    }
}

/* ---- lists ---- */

static void write_redirects(const struct fetch *page, cJSON *list)
{
    for (size_t i = 0; i + 1 < page->hop_count; i++) {
        const struct fetch_hop *hop = &page->hop[i];
        cJSON *item = json_item(list);
        json_str(item, "url", hop->target.url);
        json_int(item, "status", hop->status);
        json_str(item, "location", page->hop[i + 1].target.url);
        json_num(item, "ms", tenths((double)fetch_time_us(&hop->times) / 1000));
    }
}

static void write_resource(const struct resource *resource, cJSON *out)
{
    bool is_answered = resource->status > 0;
    write_url(out, resource->url);
    json_str(out, "type", kind_name(resource->kind));
    if (is_answered)
        json_int(out, "status", resource->status);
    else
        json_null(out, "status");
    json_int(out, "transfer_bytes", (int64_t)resource->transfer_bytes);
    json_int(out, "decoded_bytes", (int64_t)resource->decoded_bytes);
    json_str(out, "content_encoding", resource->encoding);
    json_str(out, "mime_type", *resource->type ? resource->type : NULL);
    json_str(out, "cache_control", resource->cache_control);
    if (is_answered && resource->freshness.is_stated)
        json_int(out, "cache_ttl_seconds", resource->freshness.ttl_s);
    else
        json_null(out, "cache_ttl_seconds");
    json_bool(out, "render_blocking", resource->blocks);
    json_bool(out, "third_party", resource->is_third_party);
    json_bool(out, "lazy", resource->is_lazy);
    json_str(out, "http_version", resource->http_version);
    if (is_answered)
        json_num(out, "ms", tenths((double)resource->us / 1000));
    else
        json_null(out, "ms");
    json_str(out, "error", resource->is_requested && !is_answered ? resource->err.message : NULL);
}

static void write_resources(const struct crawl *crawl, cJSON *list)
{
    size_t shown = 0;
    for (size_t i = 0; i < crawl->count && shown < RESOURCES_SHOWN; i++) {
        const struct resource *resource = crawl->resource[i];
        if (!resource->is_requested && !resource->is_lazy)
            continue;
        write_resource(resource, json_item(list));
        shown++;
    }
}

/* ---- texts ---- */

static void write_warnings(const struct audit *audit, cJSON *warnings)
{
    const struct crawl *crawl = audit->crawl;
    scoped(buf_free) struct buf failed = BUF(200);
    if (!crawl->is_verified)
        json_item_str(warnings, "The site's certificate is not valid; the score is at most 49.");
    if (audit->facts.page.status >= 400)
        json_item_str(warnings, "The page returned an error; the score is at most 49.");
    if (!crawl->is_html)
        json_item_str(warnings, "The response is not HTML, so its resources are unknown.");
    if (audit->assessment.failed_points > 0) {
        buf_format(&failed, "%zu of the requests failed, which costs %d points.",
                   audit->facts.totals.failed, audit->assessment.failed_points);
        json_item_str(warnings, buf_str(&failed));
    }
    if (mostly_failed(&audit->facts.totals))
        json_item_str(warnings, "More than half of the requests failed; the score is at most 69.");
    if (crawl->left_out > 0 || crawl->references.is_cut)
        json_item_str(warnings,
                      "The page loads more than was fetched; the bytes are a lower bound.");
    if (crawl->is_late)
        json_item_str(warnings, "Time ran out before the measurement was complete.");
    if (crawl->sample_count < audit->samples)
        json_item_str(warnings, "Fewer samples than requested: the others failed or time ran out.");
}

/* Find the checks with the highest cost, highest first. Returns how many do not pass. */
static size_t find_worst(const struct assessment *assessment, enum check worst[static CHECKS])
{
    size_t count = 0;
    for (enum check check = 0; check < CHECKS; check++) {
        size_t place = count;
        double cost = verdict_cost(check, &assessment->verdict[check]);
        if (assessment->verdict[check].score >= PASS_SCORE)
            continue;
        while (place > 0 &&
               cost > verdict_cost(worst[place - 1], &assessment->verdict[worst[place - 1]]))
            place--;
        memmove(&worst[place + 1], &worst[place], (count - place) * sizeof(*worst));
        worst[place] = check;
        count++;
    }
    return count;
}

static void summarize(const struct audit *audit, const struct saving *savings, size_t count,
                      struct buf *out)
{
    enum { NAMED = 3 };
    const struct totals *totals = &audit->facts.totals;
    enum check worst[CHECKS];
    size_t bad = find_worst(&audit->assessment, worst);
    buf_format(
        out,
        "The page scores %d of 100 (%s). Its first byte arrives %.1f ms after the request; a "
        "view makes %zu request%s and transfers %.1f kB.",
        audit->assessment.score, audit->assessment.grade, audit->facts.timings.wait_ms,
        totals->all.requests, totals->all.requests == 1 ? "" : "s",
        (double)totals->all.transfer_bytes / 1000);
    if (bad == 0)
        buf_add_str(out, " All checks pass.");
    for (size_t i = 0; i < MIN(bad, NAMED); i++)
        buf_format(out, "%s%s (%.1f points)", i == 0 ? " Most points are lost in: " : ", ",
                   check_name(worst[i]),
                   verdict_cost(worst[i], &audit->assessment.verdict[worst[i]]));
    if (bad > 0)
        buf_add_str(out, ".");
    if (count > 0)
        buf_format(out, " Largest saving: %s, about %.1f kB%s.", savings[0].title,
                   (double)savings[0].bytes / 1000,
                   savings[0].is_on_return ? " per return visit" : "");
}

/* ---- entry points ---- */

void audit_write(const struct audit *audit, cJSON *result)
{
    const struct crawl *crawl = audit->crawl;
    const struct fetch_hop *last = fetch_last(&crawl->page);
    struct saving savings[SAVINGS_MAX];
    size_t saving_count = savings_find(crawl, savings);
    scoped(buf_free) struct buf summary = BUF(SUMMARY_BYTES);

    json_str(result, "url", crawl->requested.url);
    json_str(result, "final_url", last->target.url);
    json_int(result, "score", audit->assessment.score);
    json_str(result, "grade", audit->assessment.grade);
    summarize(audit, savings, saving_count, &summary);
    json_str(result, "summary", buf_str(&summary));
    cJSON *timings = json_map(result, "timings");
    write_timings(&audit->facts.timings, last->target.is_https, timings);
    write_samples(crawl, last->target.is_https, json_list(timings, "samples"));
    write_http(crawl, json_map(result, "http"));
    write_page(audit, json_map(result, "page"));
    cJSON *checks = json_list(result, "checks");
    for (enum check check = 0; check < CHECKS; check++)
        write_check(check, &audit->assessment.verdict[check], json_item(checks));
    write_opportunities(savings, saving_count, json_list(result, "opportunities"));
    write_redirects(&crawl->page, json_list(result, "redirects"));
    write_resources(crawl, json_list(result, "resources"));
    json_str(result, "method", "static-crawl");
    json_bool(result, "partial",
              crawl->is_late || crawl->page.end == FETCH_LATE || crawl->page.end == FETCH_BROKEN);
    write_warnings(audit, json_list(result, "warnings"));
    json_time(result, "scanned_at", audit->now_ms);
}
