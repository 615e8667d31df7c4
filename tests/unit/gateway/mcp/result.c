/* tests/unit/gateway/mcp/result.c - results as content: what is shown, left out, escaped. */
#include "gateway/mcp/result.h"

#include <string.h>

#include "gateway/call/envelope.h"
#include "rows.h"

#define JSON "Content-Type: application/json\r\n"

enum { OUT_BYTES = 2 << 20, LONG_BYTES = 100000 };

static const struct row {
    const char *name;
    const char *headers;
    const char *hidden; /* of the result's members */
    const char *images;
    const char *body; /* of JSON the result */
    const char *want;
} rows[] = {
    { "JSON, byte for byte", JSON, NULL, NULL, "{ \"n\":1.10,\n\"s\":\"\\u00e9\\\"\"}",
      "\"content\":[{\"type\":\"text\",\"text\":\"{ \\\"n\\\":1.10,\\n\\\"s\\\":"
      "\\\"\\\\u00e9\\\\\\\"\\\"}\"}],\"structuredContent\":{ "
      "\"n\":1.10,\n\"s\":\"\\u00e9\\\"\"}" },
    { "what turns text", JSON, NULL, NULL, "{\"s\":\"\u202ea\u2069\u2028é\"}",
      "\"content\":[{\"type\":\"text\",\"text\":\"{\\\"s\\\":\\\"\\\\u202ea\\\\u2069\u2028é\\\"}\"}"
      "],"
      "\"structuredContent\":{\"s\":\"\u202ea\u2069\u2028é\"}" },
    { "tags, and their neighbours", JSON, NULL, NULL,
      "{\"s\":\"\U000E0041\U000E007F\U000E0080\U000E0100\"}",
      "\"content\":[{\"type\":\"text\",\"text\":\"{\\\"s\\\":"
      "\\\"\\\\udb40\\\\udc41\\\\udb40\\\\udc7f"
      "\U000E0080\U000E0100\\\"}\"}],\"structuredContent\":{\"s\":\"\U000E0041\U000E007F\U000E0080"
      "\U000E0100\"}" },
    { "a member is left out", JSON, "b", NULL, "{\"a\":1,\"b\":{\"a\":[2]}, \"c\":3 }",
      "\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1,\\\"c\\\":3}\"}],"
      "\"structuredContent\":{\"a\":1,\"c\":3}" },
    { "the first", JSON, "a", NULL, "{\"a\":1 , \"c\":\"},\"}",
      "\"content\":[{\"type\":\"text\",\"text\":\"{\\\"c\\\":\\\"},\\\"}\"}],"
      "\"structuredContent\":{\"c\":\"},\"}" },
    { "all there is", JSON, "a", NULL, "{\"a\":1}",
      "\"content\":[{\"type\":\"text\",\"text\":\"{}\"}],\"structuredContent\":{}" },
    { "pictures", JSON, "i", "i",
      "{\"i\":[{\"b64_json\":\"QQ/+\",\"url\":null,\"mime_type\":\"image/"
      "png\"},{\"url\":null}],\"a\":1}",
      "\"content\":[{\"type\":\"image\",\"data\":\"QQ/+\",\"mimeType\":\"image/png\"},"
      "{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}],\"structuredContent\":{\"a\":1}" },
    { "a raster image", "Content-Type: image/png\r\nA: b\r\n", NULL, NULL, "abc",
      "\"content\":[{\"type\":\"image\",\"data\":\"YWJj\",\"mimeType\":\"image/png\"},"
      "{\"type\":\"text\",\"text\":\"A PNG image of 3 bytes.\"}]" },
    { "SVG is text", "Content-Type: image/svg+xml\r\n", NULL, NULL, "<svg a=\"\"/>",
      "\"content\":[{\"type\":\"text\",\"text\":\"<svg a=\\\"\\\"/>\"}]" },
    { "a page is text", "Content-Type: text/html; charset=utf-8\r\n", NULL, NULL, "<p>\n",
      "\"content\":[{\"type\":\"text\",\"text\":\"<p>\\n\"}]" },
};

static struct contract contract_with(const char *hidden, const char *images, const char **item)
{
    *item = hidden;
    return (struct contract){ .hidden = { hidden ? 1 : 0, item }, .images = images };
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf body = BUF(OUT_BYTES);
    scoped(buf_free) struct buf out = BUF(OUT_BYTES);
    const char *item;
    struct contract contract = contract_with(row->hidden, row->images, &item);
    buf_add_str(&body, row->body);
    if (strcmp(row->headers, JSON) == 0)
        envelope_result(&body);
    struct result_answer answer = { &contract, row->headers, buf_text(&body) };
    result_write(&answer, &out);
    assert_string_equal(buf_str(&out), row->want);
    assert_true(out.size <= result_max_bytes(&answer));
}

/* A long one is there once, and the text refers to it. */
static void a_long_result_is_there_once(void **state)
{
    (void)state;
    for (int more = 0; more <= 1; more++) {
        scoped(buf_free) struct buf body = BUF(OUT_BYTES);
        scoped(buf_free) struct buf out = BUF(OUT_BYTES);
        struct contract contract = { 0 };
        buf_add_str(&body, "{\"a\":\"");
        while (body.size < LONG_BYTES - 2 + (size_t)more)
            buf_add_byte(&body, 'x');
        buf_add_str(&body, "\"}");
        envelope_result(&body);
        struct result_answer answer = { &contract, JSON, buf_text(&body) };
        result_write(&answer, &out);
        assert_int_equal(strstr(buf_str(&out), "(100001 bytes) is in structuredContent.") != NULL,
                         more);
        assert_int_equal(out.size > 2 * LONG_BYTES, !more);
        assert_true(out.size <= result_max_bytes(&answer));
    }
}

/* The longest form of any character fits into the reservation. */
static void the_worst_text_fits(void **state)
{
    static const char *const worst[] = { "\u202e", "\U000E0041", "\\\"", "\n", "\\u0001" };
    (void)state;
    for (size_t i = 0; i < countof(worst); i++) {
        scoped(buf_free) struct buf body = BUF(OUT_BYTES);
        scoped(buf_free) struct buf out = BUF(OUT_BYTES);
        struct contract contract = { 0 };
        bool is_blank = worst[i][0] == '\n';
        buf_add_str(&body, is_blank ? "{" : "{\"a\":\"");
        while (body.size < LONG_BYTES - 10)
            buf_add_str(&body, worst[i]);
        buf_add_str(&body, is_blank ? "}" : "\"}");
        envelope_result(&body);
        struct result_answer answer = { &contract, JSON, buf_text(&body) };
        result_write(&answer, &out);
        assert_true(out.size > LONG_BYTES && out.size <= result_max_bytes(&answer));
    }
}

static void headers_of_a_raw_answer_are_an_object(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1000);
    struct result_answer raw = { NULL, "Content-Type: image/png\r\nX-A: 7\r\nB: \"c\"\r\n", { 0 } };
    struct result_answer bare = { NULL, "Content-Type: image/png\r\n", { 0 } };
    struct result_answer json = { NULL, JSON "Cache-Control: no-store\r\n", { 0 } };
    assert_false(result_write_headers(&bare, &out));
    assert_false(result_write_headers(&json, &out));
    assert_int_equal(out.size, 0);
    assert_true(result_write_headers(&raw, &out));
    assert_string_equal(buf_str(&out), "{\"X-A\":\"7\",\"B\":\"\\\"c\\\"\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_result_is_there_once),
        cmocka_unit_test(the_worst_text_fits),
        cmocka_unit_test(headers_of_a_raw_answer_are_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
