/* svc-security/seo-analyze/tests/fuzz/seo-analyze.c - rate any page: every factor has UTF-8 content
 * of bounded length. The first byte selects URL and headers; the rest is the page, whose first line
 * is also a Link header. */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "probe/grade.h"
#include "seo-analyze/factors/factors.h"
#include "target.h"

static const char *const urls[] = { "https://a.example/p/page", "http://b.example/",
                                    "https://a.example/A_b/c.html?d=1&e=2&f=3" };
static const char *const types[] = { "text/html; charset=utf-8", "text/html",
                                     "application/xhtml+xml" };
static const char *const files[] = { "", "User-agent: *\nDisallow: /p\n", "Sitemap: /s" };

static void check(const struct report *report)
{
    int score = report_score(report);
    assert(score >= 0 && score <= 100 && grade_of(score, true));
    for (size_t i = 0; i < FACTORS; i++) {
        struct text content = text_of(report->finding[i].content);
        assert(content.size > 0 && utf8_is_valid(content) && utf8_length(content) <= 301);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct report report;
    if (size == 0)
        return 0;
    struct text body = { (const char *)bytes + 1, size - 1 };
    const char *type = types[bytes[0] % countof(types)];
    struct text rest = body;
    struct text line = text_cut(&rest, '\n');
    scoped(mem_free) char *link = mem_dup(line.bytes, line.size);
    struct fetch_header header[] = {
        { TEXT("Content-Type"), text_of(type) },
        { TEXT("X-Robots-Tag"), TEXT("a: noindex") },
        { TEXT("Link"), text_of(link) },
    };
    struct fetch page = { .hop_count = 1 };
    scoped(robots_free) struct robots robots;
    scoped(survey_free) struct survey survey;
    scoped(target_free) struct target target = { 0 };

    bool ok = target_parse_url(text_of(urls[bytes[0] / 3 % countof(urls)]), &target, NULL);
    assert(ok);
    page.hop[0] = (struct fetch_hop){
        .target = target, .status = 200, .header = header, .header_count = countof(header)
    };
    robots_read(text_of(files[bytes[0] / 9 % countof(files)]), &robots);
    survey_read(body, type, &target, &survey);
    assert(survey.title_count <= size && survey.image_alt_count <= survey.image_count);
    const struct subject subject = {
        .page = &page,
        .survey = &survey,
        .robots = &robots,
        .sitemap_file = { .status = 200, .body = body },
    };
    rate_page(&subject, &report);
    check(&report);
    return 0;
}
