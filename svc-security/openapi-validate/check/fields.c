/* svc-security/openapi-validate/check/fields.c - lookups in fields.def. */
#include "fields.h"

#include <string.h>

#include "base/scoped.h"

/* clang-format off */
static const struct object_type objects[TYPE_COUNT_OF_TYPES] = {
#define OBJECT(type, label, reference, extensible, shape, entries) \
    [TYPE_##type] = { label, reference, extensible, SHAPE_##shape, TYPE_##entries },
#include "fields.def"
};

static const struct field fields[] = {
#define FIELD(object, names, versions, required, shape, type, words) \
    { names, TYPE_##object, versions, required, SHAPE_##shape, TYPE_##type, words },
#include "fields.def"
};

/* clang-format on */

const struct object_type *object_type(enum type type)
{
    return objects[type].label ? &objects[type] : NULL;
}

/* The first row of this object, or of a later one; rows are in the order of the objects. */
static size_t first_of(enum type type)
{
    size_t low = 0;
    size_t high = countof(fields);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fields[middle].object < type)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct field *fields_of(enum type type, size_t *count)
{
    size_t first = first_of(type);
    *count = first_of(type + 1) - first;
    return &fields[first];
}

const struct field *field_find(enum type type, unsigned version, struct text name)
{
    const struct field *found = NULL;
    size_t count;
    const struct field *field = fields_of(type, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_word_of(name, field[i].names))
            continue;
        found = &field[i];
        if (found->versions & version)
            return found;
    }
    return found;
}

/* ---- versions ---- */

/* "3.1.0", "3.1.1-rc1": a third number and an optional suffix. */
static unsigned openapi_version(const char *text)
{
    static const unsigned versions[] = { V30, V31, V32 };
    if (strncmp(text, "3.", 2) != 0 || text[2] < '0' || text[2] > '2' || text[3] != '.')
        return 0;
    size_t digits = strspn(text + 4, "0123456789");
    bool ends = text[4 + digits] == '\0' || text[4 + digits] == '-';
    return digits > 0 && ends ? versions[text[2] - '0'] : 0;
}

unsigned version_of(const struct node *root)
{
    const struct node *swagger = node_get(root, "swagger");
    const struct node *openapi = node_get(root, "openapi");
    bool is_number = node_is(swagger, NODE_NUMBER) && text_is(swagger->text, "2.0");
    if (swagger && openapi)
        return 0;
    if (swagger)
        return is_number || node_says(swagger, "2.0") ? V20 : 0;
    return node_is(openapi, NODE_STRING) ? openapi_version(openapi->text.bytes) : 0;
}
