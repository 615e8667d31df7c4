/* svc-security/seo-analyze/tests/subject.h - rate a page with its related files, as the tool
 * does. */
#pragma once

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "rows.h"
#include "seo-analyze/factors/factors.h"

enum { HEADERS_MAX = 20 };

struct around {
    const char *url;     /* NULL: https://a.example/p/page */
    int status;          /* 0: 200 */
    const char *headers; /* lines; NULL: text/html in UTF-8 */
    const char *robots;  /* robots.txt; NULL: status 404 */
    int robots_status;   /* 0: 200 or 404 */
    const char *sitemap; /* NULL: status 404 */
    bool has_favicon;
    size_t redirects;
    int64_t first_byte_ms;
    bool is_unverified;
};

static inline size_t read_headers(char *lines, struct fetch_header *header)
{
    size_t count = 0;
    for (char *line = lines; line && *line; count++) {
        char *end = strchr(line, '\n');
        char *colon = strstr(line, ": ");
        assert_non_null(colon);
        if (end)
            *end++ = '\0';
        *colon = '\0';
        header[count].name = text_of(line);
        header[count].value = text_of(colon + 2);
        line = end;
    }
    return count;
}

static inline struct resource resource_with(const char *text, int status)
{
    return (struct resource){ .status = status ? status : text ? 200 : 404, .body = text_of(text) };
}

static inline bool is_html(const struct fetch *page)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(page, type);
    return text_has_any_case(text_of(type), "html");
}

/* Rate body as a page. */
static inline void rate_around(const struct around *around, struct text body, struct report *report)
{
    const char *lines =
        around->headers ? around->headers : "content-type: text/html; charset=utf-8";
    scoped(mem_free) char *headers = str_dup(lines);
    struct fetch_header header[HEADERS_MAX];
    struct fetch page = { .hop_count = around->redirects + 1 };
    struct fetch_hop *last = &page.hop[around->redirects];
    scoped(survey_free) struct survey survey = { 0 };
    scoped(robots_free) struct robots robots = { 0 };
    const char *url = around->url ? around->url : "https://a.example/p/page";

    last->status = around->status ? around->status : 200;
    last->header_count = read_headers(headers, header);
    last->header = header;
    last->tls_verified = !around->is_unverified;
    last->first_byte_ms = around->first_byte_ms;
    assert_true(target_parse_url(text_of(url), &last->target, NULL));
    page.body = (struct buf)BUF(8 << 20);
    buf_add(&page.body, body.bytes, body.size);
    robots_read(text_of(around->robots), &robots);
    if (is_html(&page))
        survey_read(body, fetch_header(last, "content-type"), &last->target, &survey);
    const struct subject subject = {
        .page = &page,
        .survey = is_html(&page) ? &survey : NULL,
        .robots_file = resource_with(around->robots, around->robots_status),
        .robots = &robots,
        .sitemap_file = resource_with(around->sitemap, 0),
        .favicon = resource_with(around->has_favicon ? "icon" : NULL, 0),
        .now_ms = INT64_C(1790000000000), /* 2026-09-21 */
    };
    rate_page(&subject, report);
    target_free(&last->target);
    buf_free(&page.body);
}

static inline enum factor factor_of(const char *name)
{
    static const char *const names[] = {
#define FACTOR(id, name, weight, category, needs, recommendation) name,
#include "seo-analyze/factors/factor.def"
    };
    size_t i = 0;
    while (i < FACTORS && strcmp(names[i], name) != 0)
        i++;
    assert_true(i < FACTORS);
    return (enum factor)i;
}
