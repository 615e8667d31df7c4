/* svc-security/seo-analyze/factors/links.c - links, canonical URLs and language versions. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "factors.h"
#include "link-header.h"
#include "text/language.h"

void rate_links(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    size_t generic = survey->generic_count;
    size_t internal = survey->internal_count;
    size_t external = survey->external_count;

    report_set(report, FACTOR_LINK_TEXT,
               generic == 0   ? STATUS_PASS
               : generic <= 3 ? STATUS_WARN
                              : STATUS_FAIL,
               generic > 0 ? "%zu generic, such as \"%s\"" : "%zu generic%s", generic,
               rate_text(survey->generic));
    if (survey->uncrawlable_count > 0)
        report_set(report, FACTOR_CRAWLABLE_LINKS, STATUS_FAIL, "%zu of %zu not crawlable: \"%s\"",
                   survey->uncrawlable_count, survey->link_count, rate_text(survey->uncrawlable));
    else
        report_set(report, FACTOR_CRAWLABLE_LINKS, STATUS_PASS, "%zu links", survey->link_count);
    report_set(report, FACTOR_INTERNAL_LINKS,
               internal >= 3  ? STATUS_PASS
               : internal > 0 ? STATUS_WARN
                              : STATUS_FAIL,
               "%zu", internal);
    report_set(report, FACTOR_EXTERNAL_LINKS, STATUS_INFO, "%zu, of which nofollow: %zu", external,
               survey->nofollow_count);
}

/* ---- canonical ---- */

static bool is_absolute(const char *url)
{
    struct text text = text_of(url);
    return (text.size > 7 && text_begins_any_case(text, "http://")) ||
           (text.size > 8 && text_begins_any_case(text, "https://"));
}

/* Collect all canonical URLs as written; the caller frees each. */
static size_t collect_canonicals(const struct subject *subject, char *canonical[CANONICALS_MAX])
{
    const struct fetch_hop *last = fetch_last(subject->page);
    size_t count = 0;
    for (size_t i = 0; i < subject->survey->canonical_count; i++)
        canonical[count++] = str_dup(subject->survey->canonical[i]);
    struct header_link link;
    const char *line = fetch_header(last, "link");
    for (; line; line = fetch_header_next(last, "link", line))
        for (struct text rest = text_of(line); header_link_next(&rest, &link);)
            if (header_link_has_rel(&link, "canonical") && count < CANONICALS_MAX)
                canonical[count++] = mem_dup(link.url.bytes, link.url.size);
    return count;
}

static bool is_root(const struct target *target)
{
    return strcmp(target->path, "/") == 0;
}

static void rate_canonical_link(const struct subject *subject, const char *canonical,
                                struct report *report)
{
    const struct target *own = &fetch_last(subject->page)->target;
    scoped(target_free) struct target target = { 0 };
    enum factor factor = FACTOR_CANONICAL;

    if (!is_absolute(canonical))
        report_set(report, factor, STATUS_FAIL, "not absolute: %s", canonical);
    else if (!target_parse_url(text_of(canonical), &target, NULL))
        report_set(report, factor, STATUS_FAIL, "invalid: %s", canonical);
    else if (strcmp(target.url, own->url) == 0)
        report_set(report, factor, STATUS_PASS, "%s", target.url);
    else if (strcmp(target.host.name, own->host.name) != 0)
        report_set(report, factor, STATUS_WARN, "another host: %s", target.url);
    else if (is_root(&target) && !is_root(own))
        report_set(report, factor, STATUS_FAIL, "the site's root: %s", target.url);
    else
        report_set(report, factor, STATUS_WARN, "another page: %s", target.url);
}

static void rate_stated(const struct subject *subject, struct report *report)
{
    char *canonical[CANONICALS_MAX];
    size_t count = collect_canonicals(subject, canonical);
    bool differ = false;
    for (size_t i = 1; i < count; i++)
        differ |= strcmp(canonical[i], canonical[0]) != 0;
    if (count == 0)
        report_set(report, FACTOR_CANONICAL, STATUS_WARN, "none");
    else if (differ)
        report_set(report, FACTOR_CANONICAL, STATUS_FAIL, "%zu different, first %s", count,
                   canonical[0]);
    else
        rate_canonical_link(subject, canonical[0], report);
    for (size_t i = 0; i < count; i++)
        mem_free(&canonical[i]);
}

char *rate_canonical_url(const struct subject *subject)
{
    char *canonical[CANONICALS_MAX];
    size_t count = collect_canonicals(subject, canonical);
    scoped(target_free) struct target target = { 0 };
    bool is_stated = count > 0 && target_parse_url(text_of(canonical[0]), &target, NULL);
    for (size_t i = 0; i < count; i++)
        mem_free(&canonical[i]);
    return str_dup(is_stated ? target.url : fetch_last(subject->page)->target.url);
}

/* ---- language versions ---- */

static bool is_this_page(const struct subject *subject, const char *canonical, const char *href)
{
    scoped(target_free) struct target target = { 0 };
    return target_parse_url(text_of(href), &target, NULL) &&
           (strcmp(target.url, fetch_last(subject->page)->target.url) == 0 ||
            strcmp(target.url, canonical) == 0);
}

struct versions {
    const struct subject *subject;
    struct report *report;
    char *canonical; /* canonical URL of the page */
    size_t count;
    bool has_self;
    bool is_bad; /* one is invalid, and reported */
};

static void rate_version(const char *lang, const char *href, void *context)
{
    struct versions *versions = context;
    bool is_language = language_is_hreflang(text_of(lang));
    versions->count++;
    if (versions->is_bad)
        return;
    versions->is_bad = !is_language || !is_absolute(href);
    if (!is_language)
        report_set(versions->report, FACTOR_HREFLANG, STATUS_FAIL, "invalid %s: %s",
                   language_is_valid(text_of(lang)) ? "region" : "language", lang);
    else if (!is_absolute(href))
        report_set(versions->report, FACTOR_HREFLANG, STATUS_FAIL, "not absolute: %s", href);
    else
        versions->has_self =
            versions->has_self || is_this_page(versions->subject, versions->canonical, href);
}

static void each_header_version(const struct subject *subject, rate_version_seen *seen,
                                void *context)
{
    const struct fetch_hop *last = fetch_last(subject->page);
    struct header_link link;
    const char *line = fetch_header(last, "link");
    for (; line; line = fetch_header_next(last, "link", line))
        for (struct text rest = text_of(line); header_link_next(&rest, &link);) {
            scoped(mem_free) char *lang = mem_dup(link.hreflang.bytes, link.hreflang.size);
            scoped(mem_free) char *href = mem_dup(link.url.bytes, link.url.size);
            if (*lang && header_link_has_rel(&link, "alternate"))
                seen(lang, href, context);
        }
}

void rate_each_version(const struct subject *subject, rate_version_seen *seen, void *context)
{
    const struct survey *survey = subject->survey;
    for (size_t i = 0; i < survey->alternate_count; i++)
        seen(survey->alternate[i].lang, survey->alternate[i].href, context);
    each_header_version(subject, seen, context);
}

static void rate_hreflang(const struct subject *subject, struct report *report)
{
    struct versions versions = { subject, report, .canonical = rate_canonical_url(subject) };
    rate_each_version(subject, rate_version, &versions);
    if (versions.count == 0)
        report_set(report, FACTOR_HREFLANG, STATUS_INFO, "none");
    else if (!versions.is_bad)
        report_set(report, FACTOR_HREFLANG, versions.has_self ? STATUS_PASS : STATUS_FAIL,
                   "%zu versions%s", versions.count,
                   versions.has_self ? "" : ", without this page");
    mem_free(&versions.canonical);
}

void rate_canonical(const struct subject *subject, struct report *report)
{
    rate_stated(subject, report);
    rate_hreflang(subject, report);
}
