/* svc-reports/performance-audit/rules.c - each check as a function of the facts. */
#include "performance-audit/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "crawl/savings.h"
#include "probe/grade.h"

static double kb_of(size_t bytes)
{
    return (double)bytes / 1000;
}

static int clamped(double score)
{
    return (int)lround(score < 0 ? 0 : score > 100 ? 100 : score);
}

static struct item *add_item(struct verdict *verdict, const char *url, const char *note)
{
    static const struct item none;
    if (verdict->item_count == ITEMS_MAX)
        return NULL;
    struct item *item = &verdict->item[verdict->item_count++];
    *item = none;
    item->url = url;
    item->note = note;
    return item;
}

static void add_sized(struct verdict *verdict, const char *url, size_t bytes, const char *note)
{
    struct item *item = add_item(verdict, url, note);
    if (item)
        snprintf(item->value, sizeof(item->value), "%.1f kB", kb_of(bytes));
}

int log_normal_score(double value, double p10, double median)
{
    if (value <= 0)
        return 100;
    double share = 0.5 * erfc(log(value / median) * 0.9061938 / -log(p10 / median));
    if (value <= p10)
        share = share < 0.9 ? 0.9 : share;
    else if (value <= median)
        share = share < 0.5 ? 0.5 : share > 0.8999 ? 0.8999 : share;
    else
        share = share > 0.4999 ? 0.4999 : share;
    return clamped(share * 100);
}

/* ---- server ---- */

static void score_response(const struct facts *facts, struct verdict *verdict)
{
    double wait_ms = facts->timings.wait_ms;
    verdict->score = log_normal_score(wait_ms, 200, 600);
    snprintf(verdict->detail, DETAIL_BYTES, "%.1f ms from request to first byte", wait_ms);
}

static void score_setup(const struct facts *facts, struct verdict *verdict)
{
    enum { GOOD_MS = 150, BAD_MS = 900 };
    const struct timings *timings = &facts->timings;
    double setup_ms = timings->dns_ms + timings->tcp_ms + timings->tls_ms;
    verdict->score = clamped(100 * (BAD_MS - setup_ms) / (BAD_MS - GOOD_MS));
    snprintf(verdict->detail, DETAIL_BYTES, "%.1f ms: DNS %.1f, TCP %.1f, TLS %.1f", setup_ms,
             timings->dns_ms, timings->tcp_ms, timings->tls_ms);
}

static void score_version(const struct facts *facts, struct verdict *verdict)
{
    enum { FEW_REQUESTS = 6 };
    const char *version = facts->page.http_version ? facts->page.http_version : "";
    bool is_old = strcmp(version, "1.1") == 0;
    bool is_few = facts->totals.all.requests <= FEW_REQUESTS;
    verdict->score = strcmp(version, "1.0") == 0 ? 0 : !is_old ? 100 : is_few ? 80 : 40;
    snprintf(verdict->detail, DETAIL_BYTES, "HTTP/%s", version);
}

static void score_redirects(const struct facts *facts, struct verdict *verdict)
{
    enum { POINTS = 35 };
    bool is_fine = facts->redirects == 0 || facts->is_upgrade;
    verdict->score = is_fine ? 100 : clamped(100 - (double)(POINTS * facts->redirects));
    if (facts->redirects == 0)
        snprintf(verdict->detail, DETAIL_BYTES, "None");
    else
        snprintf(verdict->detail, DETAIL_BYTES, "%zu before the page, %.1f ms", facts->redirects,
                 facts->timings.redirect_ms);
}

/* ---- weight ---- */

/* List the largest resources, largest first. */
static void add_heaviest(const struct facts *facts, struct verdict *verdict)
{
    enum { SHOWN = 5, HEAVY_BYTES = 100000 };
    const struct resource *most[SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < facts->resource_count; i++) {
        const struct resource *resource = facts->resource[i];
        size_t place = count;
        while (place > 0 && most[place - 1]->transfer_bytes < resource->transfer_bytes)
            place--;
        if (resource->transfer_bytes < HEAVY_BYTES || place == SHOWN)
            continue;
        count = MIN(count + 1, SHOWN);
        memmove(&most[place + 1], &most[place], (count - place - 1) * sizeof(most[0]));
        most[place] = resource;
    }
    for (size_t i = 0; i < count; i++)
        add_sized(verdict, most[i]->url, most[i]->transfer_bytes, NULL);
}

static void score_weight(const struct facts *facts, struct verdict *verdict)
{
    size_t bytes = facts->totals.all.transfer_bytes;
    verdict->score = log_normal_score((double)bytes, 800000, 2400000);
    snprintf(verdict->detail, DETAIL_BYTES, "%.1f kB transferred, %.1f kB decoded", kb_of(bytes),
             kb_of(facts->totals.all.decoded_bytes));
    add_heaviest(facts, verdict);
}

static void score_requests(const struct facts *facts, struct verdict *verdict)
{
    size_t requests = facts->totals.all.requests;
    verdict->score = log_normal_score((double)requests, 25, 70);
    snprintf(verdict->detail, DETAIL_BYTES, "Requests: %zu; lazy images: %zu", requests,
             facts->totals.lazy);
}

static size_t begun_units(size_t value, size_t free, size_t unit)
{
    return value > free ? (value - free + unit - 1) / unit : 0;
}

static void score_html(const struct facts *facts, struct verdict *verdict)
{
    enum { FREE_BYTES = 100000, FREE_ELEMENTS = 1500, MORE_ELEMENTS = 1000, POINTS = 20 };
    size_t bytes = facts->page.decoded_bytes;
    size_t units = begun_units(bytes, FREE_BYTES, FREE_BYTES) +
                   begun_units(facts->elements, FREE_ELEMENTS, MORE_ELEMENTS);
    verdict->applies = facts->is_html;
    verdict->score = clamped(100 - (double)(POINTS * MIN(units, 5)));
    snprintf(verdict->detail, DETAIL_BYTES, "%.1f kB, %zu elements", kb_of(bytes), facts->elements);
}

static void score_third_parties(const struct facts *facts, struct verdict *verdict)
{
    enum { POINTS = 6 };
    size_t domains = facts->third_party_domains;
    size_t beyond = begun_units(domains, THIRD_PARTIES_FREE, 1);
    verdict->score = clamped(100 - (double)(POINTS * beyond));
    snprintf(verdict->detail, DETAIL_BYTES, "Third-party domains: %zu; %.1f kB", domains,
             kb_of(facts->totals.third_party.transfer_bytes));
}

/* ---- transfer ---- */

struct packing {
    size_t text_bytes;
    size_t packed_bytes;
    bool has_gzip;
};

static void note_packing(const struct resource *resource, struct packing *packing,
                         struct verdict *verdict)
{
    if (resource->status >= 400 || !is_worth_compressing(resource->type, resource->decoded_bytes))
        return;
    packing->text_bytes += resource->decoded_bytes;
    if (is_compressed(resource->encoding))
        packing->packed_bytes += resource->decoded_bytes;
    else
        add_sized(verdict, resource->url, resource->decoded_bytes, "not compressed");
    packing->has_gzip |= text_has_any_case(text_of(resource->encoding), "gzip");
}

static void score_compression(const struct facts *facts, struct verdict *verdict)
{
    struct packing packing = { 0 };
    note_packing(&facts->page, &packing, verdict);
    for (size_t i = 0; i < facts->resource_count; i++)
        note_packing(facts->resource[i], &packing, verdict);
    verdict->applies = packing.text_bytes > 0;
    if (!verdict->applies)
        return;
    verdict->score = clamped(100 * (double)packing.packed_bytes / (double)packing.text_bytes);
    snprintf(verdict->detail, DETAIL_BYTES, "%.1f of %.1f kB of text were compressed%s",
             kb_of(packing.packed_bytes), kb_of(packing.text_bytes),
             packing.has_gzip ? "; br would be smaller than gzip" : "");
}

static int caching_score(const struct freshness *freshness)
{
    enum { HOUR = 3600, DAY = 24 * HOUR };
    static const struct {
        int64_t ttl_s;
        int score;
    } steps[] = { { 30 * DAY, 100 }, { 7 * DAY, 80 }, { DAY, 50 }, { HOUR, 25 }, { 1, 10 } };
    if (freshness->is_immutable && freshness->ttl_s > 0)
        return 100;
    if (!freshness->is_stated)
        return freshness->has_validator ? 20 : 0;
    for (size_t i = 0; i < countof(steps); i++)
        if (freshness->ttl_s >= steps[i].ttl_s)
            return steps[i].score;
    return 0;
}

static void add_uncached(struct verdict *verdict, const struct resource *resource)
{
    struct item *item = add_item(verdict, resource->url,
                                 resource->freshness.is_stated ? NULL : "no caching headers");
    if (!item)
        return;
    if (resource->freshness.is_stated)
        snprintf(item->value, sizeof(item->value), "%lld s", (long long)resource->freshness.ttl_s);
    else
        snprintf(item->value, sizeof(item->value), "browser default");
}

static void score_caching(const struct facts *facts, struct verdict *verdict)
{
    enum { GOOD = 80 };
    double sum = 0;
    double bytes = 0;
    size_t short_count = 0;
    for (size_t i = 0; i < facts->resource_count; i++) {
        const struct resource *resource = facts->resource[i];
        if (!is_static(resource))
            continue;
        int score = caching_score(&resource->freshness);
        double weight = (double)MAX(resource->transfer_bytes, 1);
        sum += weight * score;
        bytes += weight;
        if (score < GOOD) {
            short_count++;
            add_uncached(verdict, resource);
        }
    }
    verdict->applies = bytes > 0;
    if (!verdict->applies)
        return;
    verdict->score = clamped(sum / bytes);
    snprintf(verdict->detail, DETAIL_BYTES, "Files cached for less than 7 days: %zu", short_count);
}

/* ---- rendering ---- */

static void score_blocking(const struct facts *facts, struct verdict *verdict)
{
    enum { SCRIPT = 12, SHEET = 8, IMPORT = 4, HEAVY = 15, HEAVY_BYTES = 100000 };
    size_t scripts = 0, sheets = 0, imports = 0, bytes = 0;
    for (size_t i = 0; i < facts->resource_count; i++) {
        const struct resource *resource = facts->resource[i];
        if (!resource->blocks)
            continue;
        bytes += resource->decoded_bytes;
        scripts += resource->use == USE_SCRIPT;
        imports += resource->use == USE_STYLE && resource->is_import;
        sheets += resource->use == USE_STYLE && !resource->is_import;
        add_sized(verdict, resource->url, resource->decoded_bytes,
                  resource->use == USE_SCRIPT ? "script in the head"
                  : resource->is_import       ? "style sheet by @import"
                                              : "style sheet");
    }
    verdict->applies = facts->is_html;
    verdict->score = clamped(100 - (double)(SCRIPT * scripts + SHEET * begun_units(sheets, 1, 1) +
                                            IMPORT * imports + (bytes > HEAVY_BYTES ? HEAVY : 0)));
    snprintf(verdict->detail, DETAIL_BYTES,
             "Scripts in the head: %zu; style sheets: %zu; by @import: %zu; %.1f kB in all",
             scripts, sheets, imports, kb_of(bytes));
}

/* ---- images ---- */

static void score_images(const struct facts *facts, struct verdict *verdict)
{
    enum { HEAVY = 8, OLD = 5, SMALL = 3, SMALL_MAX = 15, MOVING = 10 };
    size_t heavy = 0, old = 0, unsized = 0, eager = 0, moving = 0, images = 0;
    for (size_t i = 0; i < facts->resource_count; i++) {
        const struct resource *resource = facts->resource[i];
        bool is_large = resource->transfer_bytes > IMAGE_LARGE_BYTES;
        if (resource->kind != KIND_IMAGE)
            continue;
        images++;
        bool is_old = is_old_image(resource);
        heavy += is_large;
        old += is_old;
        moving += resource->is_animated && is_large;
        unsized += resource->is_unsized;
        eager += resource->is_eager_late;
        if (is_large || is_old)
            add_sized(verdict, resource->url, resource->transfer_bytes,
                      resource->is_animated ? "animated GIF"
                      : is_old              ? "not AVIF or WebP"
                                            : "large");
    }
    verdict->applies = images > 0;
    if (!verdict->applies)
        return;
    verdict->score =
        clamped(100 - (double)(HEAVY * heavy + OLD * old + MIN(SMALL * unsized, SMALL_MAX) +
                               MIN(SMALL * eager, SMALL_MAX) + MOVING * moving));
    snprintf(verdict->detail, DETAIL_BYTES,
             "Images: %zu; above 200 kB: %zu; neither AVIF nor WebP: %zu; without width or "
             "height: %zu; after the fifth and not lazy: %zu",
             images, heavy, old, unsized, eager);
}

/* ---- the table ---- */

static const struct row {
    const char *id, *name, *category, *fix;
    int weight;
    void (*rule)(const struct facts *facts, struct verdict *verdict);
} rows[CHECKS] = {
#define CHECK(id, text, name, category, weight, rule, fix) \
    [CHECK_##id] = { text, name, category, fix, weight, rule },
#include "performance-audit/checks.def"
};

const char *check_id(enum check check)
{
    return rows[check].id;
}

const char *check_name(enum check check)
{
    return rows[check].name;
}

const char *check_category(enum check check)
{
    return rows[check].category;
}

const char *check_fix(enum check check)
{
    return rows[check].fix;
}

int check_weight(enum check check)
{
    return rows[check].weight;
}

/* ---- verdicts ---- */

const char *verdict_status(const struct verdict *verdict)
{
    return !verdict->applies              ? "info"
           : verdict->score >= PASS_SCORE ? "pass"
           : verdict->score >= WARN_SCORE ? "warn"
                                          : "fail";
}

double verdict_cost(enum check check, const struct verdict *verdict)
{
    return rows[check].weight * (100 - verdict->score) / 100.0;
}

const char *verdict_severity(enum check check, const struct verdict *verdict)
{
    double cost = verdict_cost(check, verdict);
    if (!verdict->applies || verdict->score >= PASS_SCORE)
        return "info";
    return cost >= 6 ? "high" : cost >= 2.5 ? "medium" : "low";
}

/* ---- the score ---- */

bool mostly_failed(const struct totals *totals)
{
    return totals->measured > 0 && 2 * totals->failed > totals->measured;
}

static int score_of(const struct facts *facts, const struct assessment *assessment)
{
    double points = 0;
    for (enum check check = 0; check < CHECKS; check++)
        points += rows[check].weight * assessment->verdict[check].score / 100.0;
    int score = MAX((int)lround(points) - assessment->failed_points, 0);
    bool is_bad = facts->page.status >= 400 || !facts->is_verified;
    if (is_bad)
        return MIN(score, BAD_PAGE_SCORE_MAX);
    return mostly_failed(&facts->totals) ? MIN(score, BROKEN_PAGE_SCORE_MAX) : score;
}

static bool has_failed(const struct assessment *assessment)
{
    for (enum check check = 0; check < CHECKS; check++)
        if (strcmp(verdict_status(&assessment->verdict[check]), "fail") == 0)
            return true;
    return false;
}

void assess(const struct facts *facts, struct assessment *assessment)
{
    memset(assessment, 0, sizeof(*assessment));
    for (enum check check = 0; check < CHECKS; check++) {
        struct verdict *verdict = &assessment->verdict[check];
        verdict->applies = true;
        rows[check].rule(facts, verdict);
        if (!verdict->applies) {
            verdict->score = 100;
            snprintf(verdict->detail, DETAIL_BYTES, "Not applicable to the page");
        }
    }
    assessment->failed_points =
        (int)MIN(FAILED_POINTS * facts->totals.failed, (size_t)FAILED_POINTS_MAX);
    assessment->score = score_of(facts, assessment);
    assessment->grade = grade_of(assessment->score, !has_failed(assessment));
}
