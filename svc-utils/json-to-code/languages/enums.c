/* svc-utils/json-to-code/languages/enums.c - names of enum constants. */
#include "enums.h"

#include <string.h>

#include "idents.h"
#include "json-to-code/model/values.h"

/* A word has only ASCII letters. Self is a keyword in Rust. */
static const char *name_of(struct model *model, struct text word, enum enums_style style)
{
    struct words words;
    words_split(&words, word);
    const char *name =
        words_join(&words, style == ENUMS_PASCAL ? WORDS_PASCAL : WORDS_SNAKE, &model->arena);
    if (style == ENUMS_PASCAL)
        return strcmp(name, "Self") == 0 ? "Self_" : name;
    scoped(buf_free) struct buf upper = BUF(WORDS_BYTES);
    for (const char *at = name; *at; at++)
        buf_add_byte(&upper, *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
    return arena_copy(&model->arena, buf_text(&upper));
}

void enums_write(struct model *model, const struct shape *shape, enum enums_style style,
                 enums_word *write, struct buf *out)
{
    scoped(idents_free) struct idents taken = { .ignores_case = true };
    const struct values *values = shape->values;
    for (size_t i = 0; i < values->count; i++) {
        const char *name = name_of(model, values->item[i], style);
        write(out, values->item[i], idents_unique(&taken, name, &model->arena),
              i + 1 == values->count);
    }
}

void enums_of(const struct shape *shape, void (*write)(void *context, const struct shape *shape),
              void *context)
{
    const struct object *object = shape_object(shape);
    if (shape_is_enum(shape))
        write(context, shape);
    if (shape->items)
        enums_of(shape->items, write, context);
    if (object && object->is_map)
        enums_of(object_values(object), write, context);
}
