/* common/jsonschema/place.c - places as JSON pointers (RFC 6901), and in readable form. */
#include "jsonschema/place.h"

static void write_name(struct text name, struct buf *out)
{
    for (size_t i = 0; i < name.size; i++) {
        if (name.bytes[i] == '~' || name.bytes[i] == '/')
            buf_add_str(out, name.bytes[i] == '~' ? "~0" : "~1");
        else
            buf_add_byte(out, name.bytes[i]);
    }
}

void schema_place_write(const struct schema_place *place, struct buf *out)
{
    if (!place)
        return;
    schema_place_write(place->outer, out);
    if (!place->name.bytes && place->outer)
        buf_format(out, "/%zu", place->index);
    if (!place->name.bytes)
        return;
    buf_add_byte(out, '/');
    write_name(place->name, out);
}

void schema_place_print(const struct schema_place *place, struct buf *out)
{
    if (!place->outer)
        return;
    schema_place_print(place->outer, out);
    if (!place->name.bytes)
        buf_format(out, "[%zu]", place->index);
    else
        buf_format(out, "%s%s", out->size > 0 ? "." : "", place->name.bytes);
}
