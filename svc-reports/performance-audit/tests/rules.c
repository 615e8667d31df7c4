/* svc-reports/performance-audit/tests/rules.c - each check, and the total score. */
#include "performance-audit/rules.h"

#include <stdio.h>
#include <string.h>

#include "crawl/savings.h"
#include "rows.h"

enum { RESOURCES = 8, DAY = 86400 };

/* clang-format off */
#define PAGE(...) .page = { .type = "text/html", .status = 200, .http_version = "2", __VA_ARGS__ }
#define CSS(...)    { .url = "c", .use = USE_STYLE, .kind = KIND_CSS, .type = "text/css", .status = 200, .is_requested = true, __VA_ARGS__ }
#define SCRIPT(...) { .url = "s", .use = USE_SCRIPT, .kind = KIND_JAVASCRIPT, .type = "text/javascript", .status = 200, .is_requested = true, __VA_ARGS__ }
#define JPEG(...)   { .url = "j", .use = USE_IMAGE, .kind = KIND_IMAGE, .type = "image/jpeg", .status = 200, .is_requested = true, __VA_ARGS__ }
#define GIF(...)    { .url = "g", .use = USE_IMAGE, .kind = KIND_IMAGE, .type = "image/gif", .status = 200, .is_requested = true, __VA_ARGS__ }
#define WEBP(...)   { .url = "w", .use = USE_IMAGE, .kind = KIND_IMAGE, .type = "image/webp", .status = 200, .is_requested = true, __VA_ARGS__ }
#define TTL(seconds) .transfer_bytes = 1000, .freshness = { .ttl_s = (seconds), .is_stated = true }

static const struct row {
    const char *name;
    enum check check;
    int score;
    const char *status;
    const char *severity;
    struct facts facts;
    struct resource resource[RESOURCES]; /* up to the first without a URL */
} rows[] = {
    { "no waiting", CHECK_RESPONSE, 100, "pass", "info", { .timings.wait_ms = 0.1 } },
    { "a wait of 200 ms", CHECK_RESPONSE, 90, "pass", "info", { .timings.wait_ms = 200 } },
    { "a wait of 201 ms", CHECK_RESPONSE, 90, "pass", "info", { .timings.wait_ms = 201 } },
    { "a wait of 400 ms", CHECK_RESPONSE, 68, "warn", "medium", { .timings.wait_ms = 400 } },
    { "a wait of 600 ms", CHECK_RESPONSE, 50, "warn", "high", { .timings.wait_ms = 600 } },
    { "a wait of 3 s", CHECK_RESPONSE, 3, "fail", "high", { .timings.wait_ms = 3000 } },
    { "near by", CHECK_SETUP, 100, "pass", "info", { .timings = { .dns_ms = 50, .tcp_ms = 50, .tls_ms = 50 } } },
    { "half way", CHECK_SETUP, 50, "warn", "low", { .timings = { .dns_ms = 125, .tcp_ms = 200, .tls_ms = 200 } } },
    { "far away", CHECK_SETUP, 0, "fail", "medium", { .timings = { .dns_ms = 500, .tcp_ms = 500 } } },
    { "800 kB", CHECK_WEIGHT, 90, "pass", "info", { .totals.all.transfer_bytes = 800000 } },
    { "2.4 MB", CHECK_WEIGHT, 50, "warn", "high", { .totals.all.transfer_bytes = 2400000 } },
    { "25 requests", CHECK_REQUESTS, 90, "pass", "info", { .totals.all.requests = 25 } },
    { "70 requests", CHECK_REQUESTS, 50, "warn", "medium", { .totals.all.requests = 70 } },
    { "no text", CHECK_COMPRESSION, 100, "info", "info", { PAGE(.decoded_bytes = 1399) } },
    { "text as it is", CHECK_COMPRESSION, 0, "fail", "high", { PAGE(.decoded_bytes = 1400) } },
    { "text by gzip", CHECK_COMPRESSION, 100, "pass", "info", { PAGE(.decoded_bytes = 1400, .encoding = "gzip") } },
    { "text by br", CHECK_COMPRESSION, 100, "pass", "info", { PAGE(.decoded_bytes = 1400, .encoding = "br") } },
    { "text by nothing", CHECK_COMPRESSION, 0, "fail", "high", { PAGE(.decoded_bytes = 1400, .encoding = "identity") } },
    { "a quarter of the text", CHECK_COMPRESSION, 25, "fail", "high", { PAGE(.decoded_bytes = 2000, .encoding = "br") }, { CSS(.decoded_bytes = 6000) } },
    { "images are not text", CHECK_COMPRESSION, 100, "info", "info", { PAGE(.decoded_bytes = 10) }, { JPEG(.decoded_bytes = 6000) } },
    { "nothing to keep", CHECK_CACHING, 100, "info", "info" },
    { "for thirty days", CHECK_CACHING, 100, "pass", "info", .resource = { CSS(TTL(30 * DAY)) } },
    { "for seven days", CHECK_CACHING, 80, "warn", "low", .resource = { CSS(TTL(7 * DAY)) } },
    { "for a day", CHECK_CACHING, 50, "warn", "high", .resource = { CSS(TTL(DAY)) } },
    { "for an hour", CHECK_CACHING, 25, "fail", "high", .resource = { CSS(TTL(3600)) } },
    { "for a second", CHECK_CACHING, 10, "fail", "high", .resource = { CSS(TTL(1)) } },
    { "not at all", CHECK_CACHING, 0, "fail", "high", .resource = { CSS(TTL(0)) } },
    { "immutable", CHECK_CACHING, 100, "pass", "info", .resource = { CSS(.freshness = { .ttl_s = 60, .is_stated = true, .is_immutable = true }) } },
    { "a tag alone", CHECK_CACHING, 20, "fail", "high", .resource = { CSS(.freshness.has_validator = true) } },
    { "nothing said", CHECK_CACHING, 0, "fail", "high", .resource = { CSS(.transfer_bytes = 1) } },
    { "by bytes", CHECK_CACHING, 90, "pass", "info", .resource = { CSS(.transfer_bytes = 9000, .freshness = { .ttl_s = 30 * DAY, .is_stated = true }), CSS(TTL(0)) } },
    { "frames are not files", CHECK_CACHING, 100, "info", "info", .resource = { { .url = "f", .kind = KIND_HTML, .status = 200 } } },
    { "nothing blocks", CHECK_BLOCKING, 100, "pass", "info", { .is_html = true }, { SCRIPT(.decoded_bytes = 200000) } },
    { "a style sheet is free", CHECK_BLOCKING, 100, "pass", "info", { .is_html = true }, { CSS(.blocks = true) } },
    { "three style sheets", CHECK_BLOCKING, 84, "warn", "low", { .is_html = true }, { CSS(.blocks = true), CSS(.blocks = true), CSS(.blocks = true) } },
    { "a script", CHECK_BLOCKING, 88, "warn", "low", { .is_html = true }, { SCRIPT(.blocks = true) } },
    { "an import", CHECK_BLOCKING, 96, "pass", "info", { .is_html = true }, { CSS(.blocks = true), CSS(.blocks = true, .is_import = true) } },
    { "a heavy script", CHECK_BLOCKING, 73, "warn", "medium", { .is_html = true }, { SCRIPT(.blocks = true, .decoded_bytes = 100001) } },
    { "no page", CHECK_BLOCKING, 100, "info", "info", { .is_html = false } },
    { "no images", CHECK_IMAGES, 100, "info", "info", .resource = { CSS(.transfer_bytes = 300000) } },
    { "a small image", CHECK_IMAGES, 100, "pass", "info", .resource = { JPEG(.transfer_bytes = 50000) } },
    { "an old form", CHECK_IMAGES, 95, "pass", "info", .resource = { JPEG(.transfer_bytes = 50001) } },
    { "with a modern form", CHECK_IMAGES, 100, "pass", "info", .resource = { JPEG(.transfer_bytes = 50001, .has_modern_form = true) } },
    { "a large image", CHECK_IMAGES, 92, "pass", "info", .resource = { WEBP(.transfer_bytes = 200001) } },
    { "large and old", CHECK_IMAGES, 87, "warn", "low", .resource = { JPEG(.transfer_bytes = 200001) } },
    { "a large animation", CHECK_IMAGES, 77, "warn", "low", .resource = { GIF(.transfer_bytes = 200001, .is_animated = true) } },
    { "no size", CHECK_IMAGES, 97, "pass", "info", .resource = { WEBP(.is_unsized = true) } },
    { "six without size", CHECK_IMAGES, 85, "warn", "low", .resource = { WEBP(.is_unsized = true), WEBP(.is_unsized = true), WEBP(.is_unsized = true), WEBP(.is_unsized = true), WEBP(.is_unsized = true), WEBP(.is_unsized = true) } },
    { "late and eager", CHECK_IMAGES, 97, "pass", "info", .resource = { WEBP(.is_eager_late = true) } },
    { "HTTP/2", CHECK_VERSION, 100, "pass", "info", { PAGE(.url = "p") } },
    { "HTTP/1.1 for much", CHECK_VERSION, 40, "fail", "low", { .page.http_version = "1.1", .totals.all.requests = 7 } },
    { "HTTP/1.1 for little", CHECK_VERSION, 80, "warn", "low", { .page.http_version = "1.1", .totals.all.requests = 6 } },
    { "HTTP/1.0", CHECK_VERSION, 0, "fail", "medium", { .page.http_version = "1.0" } },
    { "no redirect", CHECK_REDIRECTS, 100, "pass", "info" },
    { "to https", CHECK_REDIRECTS, 100, "pass", "info", { .redirects = 1, .is_upgrade = true } },
    { "elsewhere", CHECK_REDIRECTS, 65, "warn", "low", { .redirects = 1 } },
    { "three redirects", CHECK_REDIRECTS, 0, "fail", "medium", { .redirects = 3 } },
    { "100 kB of HTML", CHECK_HTML, 100, "pass", "info", { PAGE(.decoded_bytes = 100000), .is_html = true, .elements = 1500 } },
    { "a byte more", CHECK_HTML, 80, "warn", "low", { PAGE(.decoded_bytes = 100001), .is_html = true } },
    { "2501 elements", CHECK_HTML, 60, "warn", "low", { .is_html = true, .elements = 2501 } },
    { "6 MiB of HTML", CHECK_HTML, 0, "fail", "low", { PAGE(.decoded_bytes = 6 << 20), .is_html = true } },
    { "two third parties", CHECK_THIRD_PARTIES, 100, "pass", "info", { .third_party_domains = 2 } },
    { "five third parties", CHECK_THIRD_PARTIES, 82, "warn", "low", { .third_party_domains = 5 } },
    { "twenty third parties", CHECK_THIRD_PARTIES, 0, "fail", "medium", { .third_party_domains = 20 } },
};
/* clang-format on */

/* Pointers to the resources of a row, as in struct facts. */
static size_t point(const struct resource *from, struct resource copies[RESOURCES],
                    struct resource *pointers[RESOURCES])
{
    size_t count = 0;
    while (count < RESOURCES && from[count].url) {
        copies[count] = from[count];
        pointers[count] = &copies[count];
        count++;
    }
    return count;
}

static void check(void **state)
{
    const struct row *row = *state;
    struct resource copies[RESOURCES];
    struct resource *pointers[RESOURCES];
    struct facts facts = row->facts;
    struct assessment assessment;
    facts.resource_count = point(row->resource, copies, pointers);
    facts.resource = pointers;
    assess(&facts, &assessment);
    const struct verdict *verdict = &assessment.verdict[row->check];
    assert_int_equal(verdict->score, row->score);
    assert_string_equal(verdict_status(verdict), row->status);
    assert_string_equal(verdict_severity(row->check, verdict), row->severity);
}

/* ---- the score ---- */

static const struct scored {
    const char *name;
    struct facts facts;
    int score;
    const char *grade;
} scores[] = {
    { "all is well", { PAGE(.url = "p"), .is_html = true, .is_verified = true }, 100, "A+" },
    { "something failed",
      { PAGE(.url = "p"), .is_html = true, .is_verified = true, .totals.failed = 1 },
      98,
      "A+" },
    { "much failed",
      { PAGE(.url = "p"), .is_html = true, .is_verified = true, .totals.failed = 9 },
      90,
      "A" },
    { "half failed",
      { PAGE(.url = "p"), .is_html = true, .is_verified = true, .totals.failed = 4,
        .totals.measured = 8 },
      92,
      "A" },
    { "most failed",
      { PAGE(.url = "p"), .is_html = true, .is_verified = true, .totals.failed = 5,
        .totals.measured = 8 },
      69,
      "C" },
    { "a check fails",
      { .page = { .http_version = "1.0", .status = 200 }, .is_verified = true },
      96,
      "A" },
    { "an error",
      { .page = { .http_version = "2", .status = 500 }, .is_verified = true },
      49,
      "D" },
    { "a bad certificate", { PAGE(.url = "p"), .is_verified = false }, 49, "D" },
};

static void check_score(void **state)
{
    const struct scored *row = *state;
    struct assessment assessment;
    assess(&row->facts, &assessment);
    assert_int_equal(assessment.score, row->score);
    assert_string_equal(assessment.grade, row->grade);
}

static void weights_are_all(void **state)
{
    (void)state;
    int sum = 0;
    for (enum check check = 0; check < CHECKS; check++)
        sum += check_weight(check);
    assert_int_equal(sum, 100);
}

static void the_curve(void **state)
{
    (void)state;
    assert_int_equal(log_normal_score(400, 200, 600), 68);
    assert_int_equal(log_normal_score(2400000, 800000, 2400000), 50);
    int last = 100;
    for (int value = 0; value < 10000; value++) {
        int score = log_normal_score(value, 200, 600);
        assert_true(score <= last);
        last = score;
    }
}

static void the_heaviest_come_first(void **state)
{
    (void)state;
    static const size_t kb[] = { 100, 700, 99, 300, 300, 200, 400 };
    static const size_t want[] = { 700, 400, 300, 300, 200 };
    struct resource resources[countof(kb)];
    struct resource *pointers[countof(kb)];
    struct facts facts = { .resource_count = countof(kb), .resource = pointers };
    struct assessment assessment;
    memset(resources, 0, sizeof(resources));
    for (size_t i = 0; i < countof(kb); i++) {
        resources[i].url = "x";
        resources[i].transfer_bytes = 1000 * kb[i];
        pointers[i] = &resources[i];
    }
    assess(&facts, &assessment);
    const struct verdict *verdict = &assessment.verdict[CHECK_WEIGHT];
    assert_int_equal(verdict->item_count, countof(want));
    for (size_t i = 0; i < countof(want); i++) {
        char value[VALUE_BYTES];
        snprintf(value, sizeof(value), "%zu.0 kB", want[i]);
        assert_string_equal(verdict->item[i].value, value);
    }
}

/* ---- what could be saved ---- */

/* clang-format off */
static const struct saved {
    const char *name;
    struct resource resource;
    const char *want; /* "id bytes;" of each, the largest first */
} savings[] = {
    { "nothing", CSS(.transfer_bytes = 900, .body_bytes = 700, .decoded_bytes = 700, .freshness.ttl_s = CACHED_TTL_S), "" },
    { "text", CSS(.transfer_bytes = 10200, .body_bytes = 10000, .decoded_bytes = 10000, .freshness.ttl_s = CACHED_TTL_S), "compress-text 7000;" },
    { "an old image", JPEG(.transfer_bytes = 100000, .freshness.ttl_s = CACHED_TTL_S), "modern-images 30000;" },
    { "a large one", WEBP(.transfer_bytes = 300000, .freshness.ttl_s = CACHED_TTL_S), "large-images 100000;" },
    { "both, and nothing twice", JPEG(.transfer_bytes = 400000, .freshness.ttl_s = CACHED_TTL_S), "modern-images 120000;large-images 80000;" },
    { "an animation", GIF(.transfer_bytes = 300000, .is_animated = true, .freshness.ttl_s = CACHED_TTL_S), "animated-images 240000;" },
    { "below the fold", WEBP(.transfer_bytes = 90000, .is_eager_late = true, .freshness.ttl_s = CACHED_TTL_S), "lazy-images 90000;" },
    { "sent again", CSS(.transfer_bytes = 900, .body_bytes = 700, .decoded_bytes = 700), "caching 900;" },
};
/* clang-format on */

static void check_saving(void **state)
{
    const struct saved *row = *state;
    struct resource copy = row->resource;
    struct resource *pointer = &copy;
    struct fetch page = { .hop_count = 1 };
    struct crawl crawl = { .page = page, .count = 1, .resource = &pointer };
    struct saving found[SAVINGS_MAX];
    char got[200] = "";
    size_t size = 0;
    size_t count = savings_find(&crawl, found);
    for (size_t i = 0; i < count; i++)
        size += (size_t)snprintf(got + size, sizeof(got) - size, "%s %zu;", found[i].id,
                                 found[i].bytes);
    assert_string_equal(got, row->want);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(weights_are_all),
        cmocka_unit_test(the_curve),
        cmocka_unit_test(the_heaviest_come_first),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(scores, check_score) +
           cmocka_run_group_tests(others, NULL, NULL) + RUN_ROWS(savings, check_saving);
}
