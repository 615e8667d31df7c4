/* tests/fuzz/portal/form.c - any bytes as a form: rejected, or UTF-8 fields that are found by their
 * names; only fields that may repeat do. */
#include "portal/page/form.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/codec/utf8.h"

static size_t count_of(const struct form *form, const char *name)
{
    size_t count = 0;
    while (form_item(form, name, count))
        count++;
    return count;
}

static void check_field(const struct form *form, const struct form_field *field)
{
    size_t count = count_of(form, field->name);
    assert(utf8_is_valid(text_of(field->name)) && utf8_is_valid(text_of(field->value)));
    assert(form_has(form, field->name) && count >= 1);
    assert(count == 1 || strcmp(field->name, "l") == 0 || strcmp(field->name, "list") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(form_free) struct form form = { 0 };
    struct err err = { 0 };
    struct text encoded = { (const char *)bytes, size };
    if (!form_parse(encoded, "l list", &form, &err)) {
        assert(form.count == 0 && err.kind != ERR_NONE);
        return 0;
    }
    assert(form.count <= FORM_FIELDS_MAX && size <= FORM_MAX_BYTES);
    for (size_t i = 0; i < form.count; i++)
        check_field(&form, &form.field[i]);
    return 0;
}
