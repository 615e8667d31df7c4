/* tests/unit/gateway/mcp/arguments.c - what hosts write becomes valid, and nothing else changes. */
#include "gateway/mcp/arguments.h"

#include "rows.h"
#include "text/json.h"

static const char contract_source[] =
    "{\"request\":{\"required\":[\"text\"],\"one_of_required\":[\"list\"],\"properties\":{"
    "\"text\":{\"type\":\"string\"},"
    "\"size\":{\"type\":\"integer\",\"aliases\":[\"width\"]},"
    "\"ratio\":{\"type\":[\"number\",\"null\"]},"
    "\"dark\":{\"type\":\"boolean\"},"
    "\"list\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"}},"
    "\"tags\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"}},"
    "\"options\":{\"properties\":{\"a\":{\"type\":\"string\"}}},"
    "\"kind\":{\"type\":\"string\",\"enum\":[\"x\"]},"
    "\"note\":{\"type\":\"string\"},"
    "\"either\":{\"type\":[\"string\",\"integer\"]},"
    "\"any\":{}}}}";

static const struct row {
    const char *name;
    const char *arguments;
    const char *want; /* NULL: unchanged */
    const char *told;
} rows[] = {
    { "a number", "{\"size\":\"5\"}", "{\"size\":5}", "size: the string was read as number. " },
    { "with blanks", "{\"size\":\" 5 \"}", "{\"size\":5}",
      "size: the string was read as number. " },
    { "by an alias", "{\"width\":\"5\"}", "{\"width\":5}",
      "width: the string was read as number. " },
    { "a long one", "{\"size\":\"9007199254740993\"}", "{\"size\":9007199254740993}",
      "size: the string was read as number. " },
    { "true", "{\"dark\":\"true\"}", "{\"dark\":true}", "dark: the string was read as boolean. " },
    { "a list", "{\"list\":\"[\\\"a\\\"]\"}", "{\"list\":[\"a\"]}",
      "list: the string was read as array. " },
    { "an object", "{\"options\":\"{\\\"a\\\":\\\"b\\\"}\"}", "{\"options\":{\"a\":\"b\"}}",
      "options: the string was read as object. " },
    { "an empty number", "{\"size\":\"\"}", "{}", "size: empty, and left out. " },
    { "an empty enum", "{\"kind\":\"\",\"note\":\"n\"}", "{\"note\":\"n\"}",
      "kind: empty, and left out. " },
    { "null", "{\"dark\":null}", "{}", "dark: empty, and left out. " },
    { "an empty list", "{\"tags\":[]}", "{}", "tags: empty, and left out. " },
    { "two changes", "{\"size\":\"5\",\"dark\":\"\"}", "{\"size\":5}",
      "size: the string was read as number. dark: empty, and left out. " },
    { "a word for a number", "{\"size\":\"many\"}", NULL, "" },
    { "a number with a separator", "{\"size\":\"1,250\"}", NULL, "" },
    { "a list for a number", "{\"size\":\"[5]\"}", NULL, "" },
    { "a word for a list", "{\"list\":\"a, b\"}", NULL, "" },
    { "the string null", "{\"ratio\":\"null\"}", NULL, "" },
    { "where a string is valid", "{\"either\":\"5\",\"note\":\"5\",\"any\":\"5\"}", NULL, "" },
    { "an empty string that is valid", "{\"note\":\"\"}", NULL, "" },
    { "a required one", "{\"text\":null,\"list\":[]}", NULL, "" },
    { "null that is valid", "{\"ratio\":null}", NULL, "" },
    { "an unknown one", "{\"other\":\"\"}", NULL, "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *document = NULL;
    scoped(buf_free) struct buf out = BUF(4096);
    scoped(buf_free) struct buf told = BUF(ARGUMENTS_TOLD_BYTES);
    assert_true(json_parse(TEXT(contract_source), JSON_DEPTH, &document, NULL));
    const struct contract contract = { .document = document };
    bool is_changed = arguments_adjust(&contract, text_of(row->arguments), &out, &told);
    assert_int_equal(is_changed, row->want != NULL);
    assert_string_equal(buf_str(&told), row->told);
    if (is_changed)
        assert_string_equal(buf_str(&out), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
