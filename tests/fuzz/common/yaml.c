/* tests/fuzz/common/yaml.c - YAML: every tree it gives can be written as JSON and read back. */
#include <assert.h>

#include "../target.h"
#include "text/json.h"
#include "text/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text input = { (const char *)bytes, size };
    scoped(json_free) cJSON *tree = NULL;
    scoped(json_free) cJSON *again = NULL;
    scoped(buf_free) struct buf json = BUF(24 * size + 64);
    struct err err = { 0 };

    if (!yaml_parse(input, &tree, &err)) {
        assert(!tree && err.kind == ERR_INVALID_VALUE);
        return 0;
    }
    assert(json_print(tree, &json));
    assert(json_parse(buf_text(&json), JSON_DEPTH, &again, &err));
    assert(json_equal(tree, again));
    return 0;
}
