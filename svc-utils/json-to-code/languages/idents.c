/* svc-utils/json-to-code/languages/idents.c - unique names, in linear time for any collisions. */
#include "idents.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { NAME_BYTES = 4 * WORDS_BYTES };

static struct text key_of(const struct idents *idents, const char *name, struct arena *arena)
{
    return text_of(idents->ignores_case ? words_fold(name, arena) : name);
}

static bool add_key(struct idents *idents, struct text key)
{
    if (!names_add(&idents->taken, 0, key))
        return false;
    if (idents->taken.count > idents->capacity) {
        idents->capacity = MAX(2 * idents->capacity, (size_t)64);
        idents->last = mem_resize(idents->last, idents->capacity * sizeof(*idents->last));
    }
    idents->last[idents->taken.count - 1] = 1;
    return true;
}

bool idents_add(struct idents *idents, const char *name, struct arena *arena)
{
    return add_key(idents, key_of(idents, name, arena));
}

const char *idents_unique(struct idents *idents, const char *name, struct arena *arena)
{
    struct text key = key_of(idents, name, arena);
    if (add_key(idents, key))
        return name;
    uint32_t index = 0;
    names_find(&idents->taken, key, &index);
    size_t size = strlen(name);
    bool ends_with_digit = name[size - 1] >= '0' && name[size - 1] <= '9';
    const char *numbered;
    do {
        scoped(buf_free) struct buf text = BUF(NAME_BYTES);
        buf_format(&text, "%s%s%u", name, ends_with_digit ? "_" : "", ++idents->last[index]);
        numbered = arena_copy(arena, buf_text(&text));
    } while (!idents_add(idents, numbered, arena));
    return numbered;
}

void idents_free(struct idents *idents)
{
    names_free(&idents->taken);
    mem_free(&idents->last);
    idents->capacity = 0;
}

/* ---- fields ---- */

void namer_reserve(struct namer *namer, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        names_add(&namer->reserved, 0, text_of(words[i]));
}

void namer_free(struct namer *namer)
{
    names_free(&namer->reserved);
    idents_free(&namer->idents);
}

void namer_begin(struct namer *namer)
{
    names_drop(&namer->idents.taken, 0);
    namer->position = 0;
}

static const char *format_name(struct arena *arena, const char *before, const char *name,
                               const char *behind)
{
    scoped(mem_free) char *text = str_format("%s%s%s", before, name, behind);
    return arena_copy(arena, text_of(text));
}

const char *namer_next(struct namer *namer, const struct field *field)
{
    struct arena *arena = &namer->model->arena;
    struct words words;
    uint32_t index;

    namer->position++;
    words_split(&words, field->key);
    const char *name = words_join(&words, namer->style, arena);
    if (!name) {
        scoped(mem_free) char *number = str_format("%zu", namer->position);
        name = format_name(arena, namer->style == WORDS_GO ? "Field" : "field", number, "");
    }
    if (namer->reserved_prefix &&
        strncmp(name, namer->reserved_prefix, strlen(namer->reserved_prefix)) == 0)
        name = format_name(arena, "field_", name, "");
    if (names_find(&namer->reserved, text_of(name), &index))
        name = format_name(arena, name, "_", "");
    return idents_unique(&namer->idents, name, arena);
}
