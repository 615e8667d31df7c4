/* tests/fuzz/common/json-schema.c - {"schema", "value"}: any schema judges any value within its
 * steps, with the same result twice. A validator that compiles late gives the same result, unless
 * it knows less. */
#include <assert.h>

#include "../target.h"
#include "jsonschema/validator.h"
#include "text/json.h"

enum { INPUT_MAX = 64 << 10, STEPS = 100000 };

static const void *resolve_nothing(const void *schema)
{
    (void)schema;
    return NULL;
}

static bool count(void *context, const struct schema_error *error)
{
    scoped(buf_free) struct buf place = BUF(1 << 12);
    size_t *errors = context;
    schema_place_write(error->place, &place);
    schema_place_write(error->keyword_place, &place);
    (*errors)++;
    return true;
}

static enum schema_verdict judge(struct subschema *schema, const cJSON *value, bool wants_all)
{
    size_t errors = 0;
    struct validation validation = { .tree = &tree_json,
                                     .steps_left = STEPS,
                                     .wants_all = wants_all,
                                     .report = count,
                                     .context = &errors };
    enum schema_verdict verdict = validator_check(schema, value, &validation);
    assert((verdict == SCHEMA_FAILS) == (errors > 0));
    assert(wants_all || errors <= 1);
    return verdict;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const enum schema_dialect dialects[] = { SCHEMA_2020_12, SCHEMA_DRAFT_7,
                                                    SCHEMA_OPENAPI_3_0, SCHEMA_SWAGGER_2_0 };
    scoped(json_free) cJSON *tree = NULL;
    if (size > INPUT_MAX ||
        !json_parse((struct text){ (const char *)bytes, size }, JSON_DEPTH, &tree, NULL) ||
        !json_get(tree, "schema") || !json_get(tree, "value"))
        return 0;
    for (size_t i = 0; i < countof(dialects); i++) {
        struct validator_options options = { .tree = &tree_json, .dialect = dialects[i] };
        scoped(validator_free) struct validator *early = validator_new(&options);
        options.resolve = resolve_nothing;
        scoped(validator_free) struct validator *late = validator_new(&options);
        struct subschema *schema = validator_add(early, TEXT(""), json_get(tree, "schema"));
        struct subschema *same = validator_add(late, TEXT(""), json_get(tree, "schema"));
        (void)judge(same, json_get(tree, "value"), false);
        if (!validator_compile(early, NULL))
            continue;
        enum schema_verdict one = judge(schema, json_get(tree, "value"), false);
        enum schema_verdict all = judge(schema, json_get(tree, "value"), true);
        assert(one == all || one == SCHEMA_UNDECIDED || all == SCHEMA_UNDECIDED);
    }
    return 0;
}
