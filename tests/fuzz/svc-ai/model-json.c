/* tests/fuzz/svc-ai/model-json.c - text from a model: finds JSON in it, repairs it and fits it to a
 * shape. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../target.h"
#include "base/codec/utf8.h"
#include "model/json/extract.h"
#include "model/json/repair.h"
#include "model/shape.h"
#include "model/visible-text.h"
#include "text/json.h"

static const char shape_source[] =
    "{\"properties\":{\"a\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":9},"
    "\"b\":{\"items\":{\"enum\":[\"x\",\"y\"],\"synonyms\":{\"z\":\"x\"}},\"maxItems\":3},"
    "\"c\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9,\"default\":1},"
    "\"d\":{\"type\":[\"boolean\",\"null\"]}}}";

static void check_fitted(const cJSON *fitted)
{
    size_t length = utf8_length(json_text_of(json_get(fitted, "a")));
    assert(json_size(fitted) == 4);
    assert(length >= 1 && length <= 9);
    assert(json_size(json_get(fitted, "b")) <= 3);
    assert(json_is_integer(json_get(fitted, "c")));
    assert(json_get(fitted, "c")->valuedouble >= 0 && json_get(fitted, "c")->valuedouble <= 9);
}

/* Repaired text is strict JSON, and repairing it again does not change its meaning. */
static void check_mended(struct text text)
{
    scoped(buf_free) struct buf once = BUF(6 * EXTRACT_MAX_BYTES);
    scoped(json_free) cJSON *tree = NULL;
    bool has_repeats;
    size_t end = 0;
    struct repairs repairs = { 0 };
    struct err err;
    if (text.size == 0 || (text.bytes[0] != '{' && text.bytes[0] != '[') ||
        !repair_json(text, &end, &once, &repairs))
        return;
    assert(end > 0 && end <= text.size);
    bool has_nul = text_has(text, "\\u0000") || memchr(text.bytes, '\0', text.size);
    if (!json_parse_as_is(buf_text(&once), JSON_DEPTH, &tree, &has_repeats, &err))
        assert(err.kind == ERR_INVALID_JSON && has_nul); /* not allowed in names */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static cJSON *source;
    static struct shape *shape;
    struct text text = { (const char *)bytes, size };
    struct extract extract = { .text = visible_text(&(struct model_ask){ 0 }, text) };
    cJSON *tree = NULL;
    if (!shape && (!json_parse(TEXT(shape_source), JSON_DEPTH, &source, NULL) ||
                   !shape_new(source, &shape, NULL)))
        abort();
    if (!utf8_is_valid(text))
        return 0;
    check_mended(text);
    for (size_t i = 0; extract_next(&extract, &tree); i++) {
        scoped(buf_free) struct buf complaint = BUF(4096);
        scoped(json_free) cJSON *fitted = shape_fit(shape, tree, &complaint);
        assert(i <= EXTRACT_CANDIDATES + 2);
        assert(fitted || complaint.size > 0);
        if (fitted)
            check_fitted(fitted);
        json_free(&tree);
    }
    return 0;
}
