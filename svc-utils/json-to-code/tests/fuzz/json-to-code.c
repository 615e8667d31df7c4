/* svc-utils/json-to-code/tests/fuzz/json-to-code.c - any JSON value as a sample: the code is text,
 * twice the same, and the schema is JSON. */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "json-to-code/languages/target.h"
#include "json-to-code/model/refine.h"
#include "json-to-code/model/sample.h"
#include "json-to-code/naming.h"
#include "json-to-code/notes.h"
#include "target.h"

enum { CODE_BYTES = 1 << 20, SCHEMA_DEPTH = 512 };

static bool read_model(struct text input, struct model *model, struct err *err)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, JSON_DEPTH);
    struct json_event event;
    if (!json_next(reader, &event, err) || !sample_read(model, reader, &event, err))
        return false;
    if (!refine(model, NULL, err) || !name_types(model, TEXT("root"), err))
        return false;
    take_notes(model);
    return true;
}

/* json_check() would refuse names with U+0000, which a sample in a text may have. */
static bool is_json(struct text text)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(text, SCHEMA_DEPTH);
    struct json_event event;
    do {
        if (!json_next(reader, &event, NULL))
            return false;
    } while (event.kind != JSON_END);
    return true;
}

static bool write_all(struct text input, struct buf *out)
{
    static target_write *const targets[] = { write_json_schema, write_typescript, write_go,
                                             write_python,      write_rust,       write_kotlin };
    scoped(model_free) struct model model = { 0 };
    struct err err = { 0 };

    if (!read_model(input, &model, &err))
        return false;
    assert(model.types.count <= TYPES_MAX && model.note_count <= NOTES_MAX);
    for (size_t i = 0; i < countof(targets); i++) {
        scoped(buf_free) struct buf code = BUF(CODE_BYTES);
        targets[i](&model, &code);
        assert(code.full || utf8_is_valid(buf_text(&code)));
        assert(i > 0 || code.full || is_json(buf_text(&code)));
        buf_add(out, buf_str(&code), code.size);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text input = { (const char *)bytes, size };
    scoped(buf_free) struct buf first = BUF(6 * CODE_BYTES);
    scoped(buf_free) struct buf second = BUF(6 * CODE_BYTES);

    if (size > 65536 || !write_all(input, &first))
        return 0;
    assert(write_all(input, &second));
    assert(strcmp(buf_str(&first), buf_str(&second)) == 0);
    return 0;
}
