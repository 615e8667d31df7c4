/* tests/unit/svc-reports/browser/answer.c - answers of the browser service, also hostile ones. */
#include "browser/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/codec/base64.h"
#include "base/mem.h"
#include "browser/page.h"
#include "rows.h"
#include "text/json.h"

#define METRICS(more)                                                                      \
    "\"metrics\":{\"url\":\"http://a.com/\",\"http_status\":200,\"layout_shift\":0.12439," \
    "\"blocking_ms\":351,\"first_contentful_paint_ms\":1799.6,\"first_byte_ms\":1801" more "}"
#define ANSWER(members) "{\"problems\":[],\"is_loaded\":true," members "}"
#define WEBP            "UklGRiIAAABXRUJQVlA4IBYAAAA="

static const struct row {
    const char *name;
    const char *answer;
    const char *pointer; /* into the result */
    const char *wanted;  /* as JSON */
} rows[] = {
    { "status", ANSWER(METRICS("")), "/browser/status", "\"ok\"" },
    { "no reason", ANSWER(METRICS("")), "/browser/reason", "null" },
    { "URL", ANSWER(METRICS("")), "/browser/final_url", "\"http://a.com/\"" },
    { "HTTP status", ANSWER(METRICS("")), "/browser/http_status", "200" },
    { "a metric without a value", ANSWER(METRICS("")), "/browser/metrics/0/value", "null" },
    { "has no rating", ANSWER(METRICS("")), "/browser/metrics/0/rating", "null" },
    { "layout shift, rounded", ANSWER(METRICS("")), "/browser/metrics/1/value", "0.124" },
    { "between the limits", ANSWER(METRICS("")), "/browser/metrics/1/rating",
      "\"needs-improvement\"" },
    { "poor", ANSWER(METRICS("")), "/browser/metrics/2/rating", "\"poor\"" },
    { "at the limit, rounded", ANSWER(METRICS("")), "/browser/metrics/3/rating", "\"good\"" },
    { "load has no rating", ANSWER(METRICS(",\"load_ms\":99")), "/browser/metrics/5",
      "{\"id\":\"load\",\"name\":\"Load event\",\"value\":99,\"unit\":\"ms\",\"rating\":null}" },
    { "no warnings", ANSWER(METRICS("")), "/browser/warnings", "[]" },
    { "a failure", ANSWER("\"error\":\"it broke\""), "/browser/status", "\"failed\"" },
    { "and its reason", ANSWER("\"error\":\"it broke\""), "/browser/reason", "\"it broke\"" },
    { "and no measurements", ANSWER("\"error\":\"it broke\"," METRICS("")), "/browser/metrics",
      "[]" },
    { "a page that has not loaded", "{\"problems\":[],\"is_loaded\":1}", "/browser/warnings/0",
      "\"The page had not finished loading when it was measured.\"" },
    { "a limit", ANSWER("\"is_full\":true"), "/browser/warnings/0",
      "\"The page loads more than the browser may transfer, 32 MiB or 400 connections; the rest "
      "was cut off.\"" },
    { "dialogs", ANSWER("\"dialogs\":3"), "/browser/warnings/0",
      "\"The page opened dialogs, which the browser closed.\"" },
    { "forbidden hosts", ANSWER("\"refused_connections\":3"), "/browser/warnings/0",
      "\"The page tried to connect to hosts or ports that are not allowed.\"" },
    { "a problem", "{\"problems\":[\"Screenshot: no\"],\"is_loaded\":true}", "/browser/warnings/0",
      "\"Screenshot: no\"" },
    { "a violation",
      ANSWER("\"accessibility\":{\"version\":\"4\",\"passed\":5,\"unclear\":1,\"violations\":["
             "{\"id\":\"a\",\"impact\":\"serious\",\"help\":\"b\",\"help_url\":"
             "\"https://dequeuniversity.com/a\",\"nodes\":2,\"examples\":[\"<p>\"]}]}"),
      "/browser/accessibility",
      "{\"axe_version\":\"4\",\"passed\":5,\"unclear\":1,\"violation_count\":1,\"violations\":["
      "{\"id\":\"a\",\"impact\":\"serious\",\"help\":\"b\",\"help_url\":"
      "\"https://dequeuniversity.com/a\",\"nodes\":2,\"examples\":[\"<p>\"]}]}" },
    { "a picture", ANSWER("\"screenshot\":\"" WEBP "\""), "/screenshot/0/b64_json",
      "\"" WEBP "\"" },

    /* what no service says */
    { "not JSON", "<html>", "/browser/status", "\"failed\"" },
    { "nothing", "", "/browser/status", "\"failed\"" },
    { "a list", "[]", "/browser/status", "\"failed\"" },
    { "without problems", "{\"is_loaded\":true}", "/browser/reason",
      "\"The browser service's answer is not valid.\"" },
    { "metrics that are a text", ANSWER("\"metrics\":\"x\""), "/browser/final_url", "null" },
    { "a negative number", ANSWER("\"metrics\":{\"load_ms\":-1}"), "/browser/metrics/5/value",
      "null" },
    { "a number without end", ANSWER("\"metrics\":{\"load_ms\":1e400}"), "/browser/metrics/5/value",
      "null" },
    { "a number that is a text", ANSWER("\"metrics\":{\"load_ms\":\"1\"}"),
      "/browser/metrics/5/value", "null" },
    { "a status that does not exist", ANSWER("\"metrics\":{\"http_status\":7}"),
      "/browser/http_status", "null" },
    { "a duration that is no time", ANSWER("\"duration_ms\":1e9"), "/browser/duration_ms", "0" },
    { "an unknown impact",
      ANSWER("\"accessibility\":{\"violations\":[{\"id\":\"a\",\"impact\":\"<b>\"}]}"),
      "/browser/accessibility/violations/0/impact", "null" },
    { "a link to elsewhere",
      ANSWER("\"accessibility\":{\"violations\":[{\"id\":\"a\",\"help_url\":\"javascript:1\"}]}"),
      "/browser/accessibility/violations/0/help_url", "null" },
    { "a link that ends early",
      ANSWER("\"accessibility\":{\"violations\":[{\"id\":\"a\",\"help_url\":"
             "\"https://dequeuniversity.com/\\\"><script>\"}]}"),
      "/browser/accessibility/violations/0/help_url", "null" },
    { "violations that are numbers", ANSWER("\"accessibility\":{\"violations\":[1,null,[]]}"),
      "/browser/accessibility/violations", "[]" },
    { "examples that are not texts",
      ANSWER("\"accessibility\":{\"violations\":[{\"id\":\"a\",\"examples\":[1,{},\"x\"]}]}"),
      "/browser/accessibility/violations/0/examples", "[\"x\"]" },
    { "a picture that is a page", ANSWER("\"screenshot\":\"PGh0bWw+PGgxPng8L2gxPjwvaHRtbD4=\""),
      "/screenshot", "[]" },
    { "a picture that is not Base64", ANSWER("\"screenshot\":\"" WEBP "\\\"><script>\""),
      "/screenshot", "[]" },
    { "a picture that is a number", ANSWER("\"screenshot\":1"), "/screenshot", "[]" },
    { "unknown members", ANSWER("\"secret\":1"), "/secret", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf text = BUF(4096);
    answer_read(text_of(row->answer), result);
    const cJSON *found = json_at(result, row->pointer);
    assert_int_equal(found != NULL, row->wanted != NULL);
    if (!found)
        return;
    json_print(found, &text);
    assert_string_equal(buf_str(&text), row->wanted);
}

/* A thousand of everything, each text of 2 KB. */
static void check_bounds(void **state)
{
    (void)state;
    enum { TIMES = 1000, LONG = 2000 };
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf answer = BUF(ANSWER_BYTES * 4);
    scoped(buf_free) struct buf text = BUF(ANSWER_BYTES);
    char word[LONG + 1];
    memset(word, 'x', LONG);
    word[LONG] = '\0';
    buf_format(&answer, "{\"problems\":[\"%s\"", word);
    for (int i = 0; i < TIMES; i++)
        buf_add_str(&answer, ",\"p\"");
    buf_add_str(&answer, "],\"accessibility\":{\"violations\":[1");
    for (int i = 0; i < TIMES; i++)
        buf_format(&answer,
                   ",{\"id\":\"%s\",\"help\":\"%s\",\"examples\":[\"%s\",\"b\",\"c\",\"d\"]}", word,
                   word, word);
    buf_add_str(&answer, "]}}");
    assert_false(answer.full);
    answer_read(buf_text(&answer), result);
    assert_int_equal(json_size(json_at(result, "/browser/warnings")), 6);
    assert_int_equal(json_integer(json_at(result, "/browser/accessibility"), "violation_count"),
                     TIMES + 1);
    const cJSON *list = json_at(result, "/browser/accessibility/violations");
    assert_int_equal(json_size(list), VIOLATIONS_MAX - 1); /* one of the first 50 is a number */
    assert_int_equal(json_size(json_at(list, "/0/examples")), EXAMPLES_MAX);
    assert_int_equal(strlen(json_text(list, "/0/id")), 60);
    json_print(result, &text);
    assert_in_range(text.size, 1, 100000);
}

/* A file of exactly the largest size, and one byte more; and the largest one in a page. */
static void check_picture_sizes(void **state)
{
    (void)state;
    scoped(buf_free) struct buf bytes = BUF(SCREENSHOT_BYTES + 1);
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    buf_add(&bytes, "RIFF\0\0\0\0WEBP", 12);
    memset(buf_reserve(&bytes, SCREENSHOT_BYTES + 1 - bytes.size), 'x', SCREENSHOT_BYTES + 1 - 12);
    for (bytes.size = SCREENSHOT_BYTES; bytes.size <= SCREENSHOT_BYTES + 1; bytes.size++) {
        scoped(json_free) cJSON *result = json_object();
        scoped(buf_free) struct buf answer = BUF(ANSWER_BYTES);
        buf_add_str(&answer, "{\"problems\":[],\"screenshot\":\"");
        base64_encode(&answer, buf_text(&bytes));
        buf_add_str(&answer, "\"}");
        answer_read(buf_text(&answer), result);
        bool is_shown = bytes.size <= SCREENSHOT_BYTES;
        assert_int_equal(json_size(json_get(result, "screenshot")), is_shown);
        page.has_picture = false;
        browser_page(result, &page);
        assert_int_equal(page.has_picture, is_shown);
    }
    assert_false(page.html.full);
    assert_in_range(page.html.size, SCREENSHOT_BYTES / 3 * 4, SCREENSHOT_BYTES / 3 * 4 + 5000);
}

int main(void)
{
    const struct CMUnitTest bounds[] = { cmocka_unit_test(check_bounds),
                                         cmocka_unit_test(check_picture_sizes) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(bounds, NULL, NULL);
}
