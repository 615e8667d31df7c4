/* svc-ai/ai-extract/tests/fuzz/ai-extract.c - {"schema", "value"}: for any accepted schema and any
 * value, the coerced value fits the schema, and coercing it again changes nothing. */
#include <assert.h>

#include "ai-extract/coerce-fields.h"
#include "schema/subset.h"
#include "target.h"
#include "text/json.h"

enum { FAULTS_MAX = 20, INPUT_MAX = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(json_free) cJSON *read = NULL;
    struct err err = { 0 };
    if (size > INPUT_MAX ||
        !json_parse((struct text){ (const char *)bytes, size }, JSON_DEPTH, &tree, &err) ||
        !json_get(tree, "schema") ||
        !subset_read(json_get(tree, "schema"), "schema", NULL, &read, &err))
        return 0;
    scoped(json_free) cJSON *schema = subset_object(read);
    scoped(json_free) cJSON *strict = subset_strict(read);
    scoped(json_free) cJSON *faults = json_array();
    scoped(json_free) cJSON *more = json_array();
    scoped(json_free) cJSON *first = coerce_fields(schema, json_get(tree, "value"), faults);
    scoped(json_free) cJSON *second = coerce_fields(schema, first, more);
    scoped(buf_free) struct buf a = BUF(4 << 20);
    scoped(buf_free) struct buf b = BUF(4 << 20);
    assert(json_is(strict, cJSON_Object)); /* the provider's schema */
    json_print(first, &a);
    json_print(second, &b);
    assert(text_equals(buf_text(&a), buf_text(&b)));
    subset_check(schema, first, FAULTS_MAX, more);
    assert(json_size(more) <= FAULTS_MAX);
    return 0;
}
