/* tests/unit/portal/snippets/curl-line.c - commands that a shell parses as intended. */
#include "portal/snippets/curl-line.h"

#include <string.h>

#include "base/mem.h"
#include "rows.h"
#include "text/json.h"

static struct contract post = { .tool = "hash-generate" };
static struct contract get = { .tool = "placeholder-image", .is_get = true };
static const struct curl_caller plain = { "https://api.example.com", "", NULL, NULL };
static const struct curl_caller known = { "https://localhost:8443", "--cacert ca.pem", "0198",
                                          "tg_live_x" };

static const struct row {
    const char *name;
    struct contract *contract;
    const struct curl_caller *caller;
    const char *request;
    const char *want;
} rows[] = {
    { "a POST with what the reader sets", &post, &plain, "{\"input\":\"abc\"}",
      "curl \"https://api.example.com/v1/client/$ACCOUNT/tools/hash-generate\" \\\n"
      "  -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/json\" \\\n"
      "  -d '{\"input\":\"abc\"}'" },
    { "with account, token and options", &post, &known, "{\"input\":\"abc\"}",
      "curl --cacert ca.pem \"https://localhost:8443/v1/client/0198/tools/hash-generate\" \\\n"
      "  -H \"Authorization: Bearer tg_live_x\" -H \"Content-Type: application/json\" \\\n"
      "  -d '{\"input\":\"abc\"}'" },
    { "an apostrophe in the body", &post, &plain, "{\"input\":\"it's $HOME `id`\"}",
      "curl \"https://api.example.com/v1/client/$ACCOUNT/tools/hash-generate\" \\\n"
      "  -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/json\" \\\n"
      "  -d '{\"input\":\"it'\\''s $HOME `id`\"}'" },
    { "a GET has a query", &get, &plain, "{\"width\":300,\"text\":\"a&b $x\\n\\\"é\"}",
      "curl \"https://api.example.com/v1/client/$ACCOUNT/tools/placeholder-image"
      "?width=300&text=a%26b%20%24x%0A%22%C3%A9\" \\\n"
      "  -H \"Authorization: Bearer $TOKEN\"" },
    { "a GET without fields", &get, &plain, "{}",
      "curl \"https://api.example.com/v1/client/$ACCOUNT/tools/placeholder-image\" \\\n"
      "  -H \"Authorization: Bearer $TOKEN\"" },
    { "a long body has lines", &post, &plain,
      "{\"input\":\"0123456789012345678901234567890123456789012345678901234567890123456789"
      "0123456789\",\"algorithm\":\"md5\"}",
      "curl \"https://api.example.com/v1/client/$ACCOUNT/tools/hash-generate\" \\\n"
      "  -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/json\" \\\n"
      "  -d '{\n  \"input\": \"012345678901234567890123456789012345678901234567890123456789"
      "01234567890123456789\",\n  \"algorithm\": \"md5\"\n}'" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(CURL_LINE_BYTES);
    scoped(json_free) cJSON *request = NULL;
    assert_true(json_parse(text_of(row->request), JSON_DEPTH, &request, NULL));
    curl_line(row->contract, request, row->caller, &out);
    assert_string_equal(buf_str(&out), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
