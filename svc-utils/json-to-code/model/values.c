/* svc-utils/json-to-code/model/values.c - detects few different texts that repeat. */
#include "values.h"

#include "base/ascii.h"

static bool is_word(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        bool fits = i == 0 ? ascii_is_letter(c) : ascii_is_alnum(c) || c == '-' || c == '_';
        if (!fits)
            return false;
    }
    return text.size > 0 && text.size <= VALUE_BYTES_MAX;
}

struct values *values_new(struct arena *arena, struct text text)
{
    struct values *values = arena_get(arena, sizeof(*values));
    *values = (struct values){ .seen = 1, .count = 1, .is_data = !is_word(text) };
    if (!values->is_data)
        values->item[0] = (struct text){ arena_copy(arena, text), text.size };
    return values;
}

static void add_value(struct values *values, struct text text)
{
    for (size_t i = 0; i < values->count; i++)
        if (text_equals(values->item[i], text))
            return;
    if (values->count == VALUES_MAX)
        values->is_data = true;
    else
        values->item[values->count++] = text;
}

void values_join(struct values *into, const struct values *from)
{
    into->seen += from->seen;
    into->is_data |= from->is_data;
    for (size_t i = 0; i < from->count && !into->is_data; i++)
        add_value(into, from->item[i]);
}

bool values_are_enum(const struct values *values)
{
    return !values->is_data && values->count > 1 && values->seen >= VALUES_REPEATED * values->count;
}
