/* svc-security/seo-analyze/factors/crawl.c - crawling: robots.txt, robots meta tags, X-Robots-Tag
 * and the sitemap. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "factors.h"
#include "seo-analyze/survey/sitemap.h"
#include "text/time/datetime.h"

enum { EVERYONE, BOTS = 4 };

/* Product tokens of crawlers. For all crawlers: * in robots.txt and "robots" in meta tags. */
static const struct {
    const char *token;
    const char *meta;
} bots[BOTS] = {
    [EVERYONE] = { "*", "robots" },
    { "Googlebot", "googlebot" },
    { "bingbot", "bingbot" },
    { "DuckDuckBot", "duckduckbot" },
};

/* Crawlers that must not index the page, and the first cause. */
struct blocks {
    bool blocked[BOTS];
    char *cause; /* NULL if no crawler is blocked */
    int64_t now_ms;
};

static void block_bot(struct blocks *blocks, int bot, const char *where, const char *what)
{
    blocks->blocked[bot] = true;
    if (!blocks->cause)
        blocks->cause = str_format("%s in %s", what, where);
}

/* ---- directives ---- */

static int64_t ms_of_tm(const struct tm *tm)
{
    struct date date = { tm->tm_year + 1900, tm->tm_mon + 1, tm->tm_mday };
    return (date_to_days(date) * DAY_SECONDS + tm->tm_hour * 3600 + tm->tm_min * 60 + tm->tm_sec) *
           1000;
}

/* ISO 8601, RFC 822 or RFC 850, as search engines document. Ignores time zones, which change less
 * than a day. An invalid date is not in the past. */
static bool is_over(struct text text, int64_t now_ms)
{
    static const char *const formats[] = {
        "%a, %d %b %Y %H:%M:%S", "%d %b %Y %H:%M:%S", "%A, %d-%b-%y %H:%M:%S",
        "%d-%b-%Y %H:%M:%S",     "%Y-%m-%d",
    };
    struct datetime datetime;
    scoped(mem_free) char *string = mem_dup(page_trim(text).bytes, page_trim(text).size);
    if (datetime_parse(text_of(string), &datetime))
        return datetime.local_ms - (int64_t)datetime.offset_s * 1000 < now_ms;
    for (size_t i = 0; i < countof(formats); i++) {
        struct tm tm = { 0 };
        if (strptime(string, formats[i], &tm))
            return ms_of_tm(&tm) < now_ms;
    }
    return false;
}

/* The rule in a list such as "noindex, nofollow" that forbids indexing, or NULL. */
static const char *indexing_rule(struct text rules, int64_t now_ms)
{
    static const char after[] = "unavailable_after:";
    while (rules.size > 0) {
        const char *comma = memchr(rules.bytes, ',', rules.size);
        size_t size = comma ? (size_t)(comma - rules.bytes) : rules.size;
        struct text rule = page_trim((struct text){ rules.bytes, size });
        struct text rest = page_trim(rules);
        size_t passed = size + (comma != NULL);
        if (text_is_any_case(rule, "noindex"))
            return "noindex";
        if (text_is_any_case(rule, "none"))
            return "none";
        if (text_begins_any_case(rest, after) && /* its date may contain a comma */
            is_over(text_skip(rest, strlen(after)), now_ms))
            return "an unavailable_after date in the past";
        rules = text_skip(rules, passed);
    }
    return NULL;
}

static void read_metas(const struct survey *survey, struct blocks *blocks)
{
    for (size_t i = 0; i < survey->robots_count; i++)
        for (int bot = 0; bot < BOTS; bot++) {
            const char *what = strcmp(survey->robots[i].agent, bots[bot].meta) == 0
                                   ? indexing_rule(text_of(survey->robots[i].rules), blocks->now_ms)
                                   : NULL;
            if (what)
                block_bot(blocks, bot, "a robots meta tag", what);
        }
}

/* "googlebot: noindex" applies to one crawler, "max-snippet: 20" to all. */
static void read_tag_header(const char *value, struct blocks *blocks)
{
    for (int bot = 1; bot < BOTS; bot++) {
        size_t size = strlen(bots[bot].token);
        if (strncasecmp(value, bots[bot].token, size) == 0 && value[size] == ':') {
            const char *what = indexing_rule(text_of(value + size + 1), blocks->now_ms);
            if (what)
                block_bot(blocks, bot, "X-Robots-Tag", what);
            return;
        }
    }
    size_t name = strcspn(value, ":,");
    bool is_for_another = value[name] == ':' &&
                          !text_begins_any_case(text_of(value), "unavailable_after") &&
                          !text_begins_any_case(text_of(value), "max-");
    const char *what = is_for_another ? NULL : indexing_rule(text_of(value), blocks->now_ms);
    if (what)
        block_bot(blocks, EVERYONE, "X-Robots-Tag", what);
}

static void read_robots(const struct subject *subject, struct blocks *blocks)
{
    const char *path = fetch_last(subject->page)->target.path;
    for (int bot = 0; bot < BOTS; bot++)
        if (!robots_allow(subject->robots, bots[bot].token, path))
            block_bot(blocks, bot, "robots.txt", "disallow");
}

static bool is_robots_unknown(const struct subject *subject)
{
    return subject->robots_file.status == 0 || subject->robots_file.status >= 500;
}

static void write_indexable(const struct subject *subject, const struct blocks *blocks,
                            struct report *report)
{
    int blocked = 0;
    for (int bot = 1; bot < BOTS; bot++)
        blocked += blocks->blocked[bot];
    if (blocks->blocked[EVERYONE] || blocked == BOTS - 1)
        report_set(report, FACTOR_INDEXABLE, STATUS_FAIL, "%s", blocks->cause);
    else if (blocked > 0)
        report_set(report, FACTOR_INDEXABLE, STATUS_WARN, "%s, for some crawlers", blocks->cause);
    else if (is_robots_unknown(subject))
        report_set(report, FACTOR_INDEXABLE, STATUS_WARN, "robots.txt cannot be fetched");
    else
        report_set(report, FACTOR_INDEXABLE, STATUS_PASS, "yes");
}

static void rate_indexable(const struct subject *subject, struct report *report)
{
    const struct fetch_hop *last = fetch_last(subject->page);
    struct blocks blocks = { .now_ms = subject->now_ms };
    if (subject->survey)
        read_metas(subject->survey, &blocks);
    const char *tag = fetch_header(last, "x-robots-tag");
    for (; tag; tag = fetch_header_next(last, "x-robots-tag", tag))
        read_tag_header(tag, &blocks);
    read_robots(subject, &blocks);
    write_indexable(subject, &blocks, report);
    mem_free(&blocks.cause);
}

/* ---- files ---- */

static void rate_robots_txt(const struct subject *subject, struct report *report)
{
    int status = subject->robots_file.status;
    const struct robots *robots = subject->robots;
    enum factor factor = FACTOR_ROBOTS_TXT;
    if (status == 0)
        report_set(report, factor, STATUS_FAIL, "no response");
    else if (status >= 500)
        report_set(report, factor, STATUS_FAIL, "status %d", status);
    else if (status != 200)
        report_set(report, factor, STATUS_INFO, "status %d", status);
    else if (robots->line_count == 0)
        report_set(report, factor, STATUS_INFO, "empty");
    else if (robots->bad_count > 0)
        report_set(report, factor, STATUS_FAIL, "line %zu %s; invalid lines: %zu of %zu",
                   robots->bad_line, robots->bad_cause, robots->bad_count, robots->line_count);
    else
        report_set(report, factor, STATUS_PASS, "%zu lines", robots->line_count);
}

static void rate_sitemap(const struct subject *subject, struct report *report)
{
    const struct resource *file = &subject->sitemap_file;
    bool is_declared = subject->robots->sitemap.size > 0;
    enum status missing = is_declared ? STATUS_WARN : STATUS_FAIL;
    struct sitemap sitemap = { 0 };

    if (file->status == 200)
        sitemap_read(file->body, file->is_cut, &sitemap);
    if (file->status != 200)
        report_set(report, FACTOR_SITEMAP, missing,
                   is_declared ? "declared, status %d" : "none, status %d", file->status);
    else if (!sitemap.is_xml || !sitemap.is_known)
        report_set(report, FACTOR_SITEMAP, missing,
                   is_declared ? "declared, but not an XML sitemap" : "none");
    else if (sitemap.urls > SITEMAP_URLS_MAX)
        report_set(report, FACTOR_SITEMAP, STATUS_WARN, "%zu URLs", sitemap.urls);
    else
        report_set(report, FACTOR_SITEMAP, STATUS_PASS, "%zu %s%s", sitemap.urls,
                   sitemap.is_index ? "sitemaps" : "URLs", file->is_cut ? " and more" : "");
}

void rate_crawl(const struct subject *subject, struct report *report)
{
    rate_indexable(subject, report);
    if (!subject->survey)
        return;
    rate_robots_txt(subject, report);
    rate_sitemap(subject, report);
}
