/* svc-security/seo-analyze/site-pages.c - compare pages of one site. */
#include "site-pages.h"

#include <string.h>

#include "base/mem.h"
#include "text/json.h"

static const char *const outcome_names[] = {
    [SITE_NOT_FETCHED] = "not_fetched", [SITE_COMPARED] = "compared",
    [SITE_DISALLOWED] = "disallowed",   [SITE_REDIRECT] = "redirect",
    [SITE_ERROR_STATUS] = "error",      [SITE_NOT_HTML] = "not_html",
    [SITE_NO_RESPONSE] = "no_response",
};

/* ---- one page ---- */

static void keep_version(const char *lang, const char *href, void *context)
{
    struct site_page *page = context;
    scoped(target_free) struct target target = { 0 };
    if (page->version_count == SITE_VERSIONS_MAX || !target_parse_url(text_of(href), &target, NULL))
        return;
    page->version[page->version_count++] =
        (struct site_version){ str_dup(lang), str_dup(target.url) };
}

void site_page_read(const struct subject *subject, struct site_page *page)
{
    page->outcome = SITE_COMPARED;
    page->title = subject->survey->title ? str_dup(subject->survey->title) : NULL;
    page->canonical = rate_canonical_url(subject);
    page->version = mem_array(SITE_VERSIONS_MAX, sizeof(*page->version));
    rate_each_version(subject, keep_version, page);
}

void site_page_free(struct site_page *page)
{
    for (size_t i = 0; i < page->version_count; i++) {
        mem_free(&page->version[i].lang);
        mem_free(&page->version[i].url);
    }
    mem_free(&page->version);
    mem_free(&page->url);
    mem_free(&page->title);
    mem_free(&page->canonical);
}

/* ---- titles ---- */

/* Two URLs of one page, by their canonical URL, may have one title. */
static bool has_same_title(const struct site_page *a, const struct site_page *b)
{
    return a->title && b->title && *a->title && strcmp(a->title, b->title) == 0 &&
           strcmp(a->canonical, b->canonical) != 0;
}

static bool is_listed(const struct site_page *pages, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (has_same_title(&pages[i], &pages[index]))
            return true;
    return false;
}

static void write_titles(const struct site_page *pages, size_t count, cJSON *list)
{
    for (size_t i = 0; i < count; i++) {
        cJSON *urls = NULL;
        for (size_t k = i + 1; k < count && !is_listed(pages, i); k++) {
            if (!has_same_title(&pages[i], &pages[k]))
                continue;
            if (!urls) {
                cJSON *item = json_item(list);
                json_str(item, "title", pages[i].title);
                urls = json_list(item, "urls");
                json_item_str(urls, pages[i].url);
            }
            json_item_str(urls, pages[k].url);
        }
    }
}

/* ---- language versions ---- */

static bool is_at(const struct site_page *page, const char *url)
{
    return strcmp(page->url, url) == 0 || (page->canonical && strcmp(page->canonical, url) == 0);
}

static const struct site_page *page_at(const struct site_page *pages, size_t count, const char *url)
{
    for (size_t i = 0; i < count; i++)
        if (is_at(&pages[i], url))
            return &pages[i];
    return NULL;
}

static bool points_to(const struct site_page *from, const struct site_page *to)
{
    for (size_t i = 0; i < from->version_count; i++)
        if (is_at(to, from->version[i].url))
            return true;
    return false;
}

/* Search engines ignore a language version that does not point back. */
static void write_returns(const struct site_page *pages, size_t count, cJSON *comparison)
{
    size_t unchecked = 0;
    cJSON *list = json_list(comparison, "missing_returns");
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < pages[i].version_count; v++) {
            const struct site_version *version = &pages[i].version[v];
            const struct site_page *other = page_at(pages, count, version->url);
            bool is_compared = other && other->outcome == SITE_COMPARED;
            unchecked += !is_compared;
            if (!is_compared || other == &pages[i] || points_to(other, &pages[i]))
                continue;
            cJSON *item = json_item(list);
            json_str(item, "from", pages[i].url);
            json_str(item, "to", other->url);
            json_str(item, "hreflang", version->lang);
        }
    json_int(comparison, "unchecked_versions", (int64_t)unchecked);
}

/* ---- the result ---- */

static void write_page(const struct site_page *page, cJSON *item)
{
    json_str(item, "url", page->url);
    json_str(item, "outcome", outcome_names[page->outcome]);
    if (page->status)
        json_int(item, "status_code", page->status);
    else
        json_null(item, "status_code");
    json_str(item, "title", rate_text(page->title));
}

void site_pages_write(const struct site_page *pages, size_t count, cJSON *comparison)
{
    cJSON *list = json_list(comparison, "pages");
    for (size_t i = 0; i < count; i++)
        write_page(&pages[i], json_item(list));
    write_titles(pages, count, json_list(comparison, "duplicate_titles"));
    write_returns(pages, count, comparison);
}
