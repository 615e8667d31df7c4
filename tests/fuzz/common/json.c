/* tests/fuzz/common/json.c - JSON: check and parse agree, and parsed JSON survives printing. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "text/json.h"

/* Printed JSON parses to the same tree and prints the same again. */
static void check_round_trip(const cJSON *tree, size_t input_bytes)
{
    scoped(json_free) cJSON *again = NULL;
    scoped(json_free) cJSON *copy = json_copy(tree);
    scoped(buf_free) struct buf first = BUF(24 * input_bytes + 64); /* 1e9 grows to 1000000000 */
    scoped(buf_free) struct buf second = BUF(24 * input_bytes + 64);
    struct err err = { 0 };

    assert(json_print(tree, &first));
    assert(json_parse(buf_text(&first), JSON_DEPTH, &again, &err));
    assert(json_equal(tree, again) && json_equal(again, copy));
    assert(json_print(again, &second));
    assert(strcmp(buf_str(&first), buf_str(&second)) == 0);
}

/* Shown unchanged, it is the same tree with the same names. */
static void check_as_is(struct text input, const cJSON *tree)
{
    scoped(json_free) cJSON *shown = NULL;
    bool has_repeats = true;
    struct err err = { 0 };

    assert(json_parse_as_is(input, JSON_DEPTH, &shown, &has_repeats, &err));
    assert(!has_repeats && json_equal(tree, shown));
}

/* Rejected JSON may still be shown; what is shown is JSON with unique names. */
static void check_shown(struct text input)
{
    scoped(json_free) cJSON *shown = NULL;
    scoped(buf_free) struct buf out = BUF(8 * input.size + 64); /* escapes may take more room */
    bool has_repeats;
    struct err err = { 0 };

    if (!json_parse_as_is(input, JSON_DEPTH, &shown, &has_repeats, &err))
        return;
    assert(json_print(shown, &out));
    json_free(&shown);
    assert(json_parse_as_is(buf_text(&out), JSON_DEPTH, &shown, &has_repeats, &err));
    assert(!has_repeats);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text input = { (const char *)bytes, size };
    scoped(json_free) cJSON *tree = NULL;
    struct err check_err = { 0 };
    struct err parse_err = { 0 };

    bool is_valid = json_check(input, JSON_DEPTH, &check_err);
    assert(json_parse(input, JSON_DEPTH, &tree, &parse_err) == is_valid);
    assert(strcmp(check_err.message, parse_err.message) == 0);
    check_shown(input);
    if (!is_valid)
        return 0;
    check_round_trip(tree, size);
    check_as_is(input, tree);
    return 0;
}
