/* tests/fuzz/json.c - JSON: check and parse agree, and what was read survives being written. */
#include <assert.h>
#include <string.h>

#include "target.h"
#include "text/json.h"

/* Written, it reads as the same tree and is written the same again. */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text input = { (const char *)bytes, size };
    scoped(json_free) cJSON *tree = NULL;
    struct err check_err = { 0 };
    struct err parse_err = { 0 };

    bool is_valid = json_check(input, JSON_DEPTH, &check_err);
    assert(json_parse(input, JSON_DEPTH, &tree, &parse_err) == is_valid);
    assert(strcmp(check_err.message, parse_err.message) == 0);
    if (is_valid)
        check_round_trip(tree, size);
    return 0;
}
