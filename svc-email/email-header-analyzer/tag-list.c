/* svc-email/email-header-analyzer/tag-list.c */
#include "email-header-analyzer/tag-list.h"

#include "base/ascii.h"

struct text tag_list_get(const struct tag_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (text_is(list->tag[i].name, name))
            return list->tag[i].value;
    return (struct text){ "", 0 };
}

static bool has(const struct tag_list *list, struct text name)
{
    for (size_t i = 0; i < list->count; i++)
        if (text_equals(list->tag[i].name, name))
            return true;
    return false;
}

struct tag_list tag_list_read(struct text text, struct arena *arena)
{
    struct tag_list list = { .is_valid = true };
    char *plain = arena_get(arena, text.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_space((unsigned char)text.bytes[i]))
            plain[size++] = text.bytes[i];
    struct text rest = { plain, size };
    while (rest.size > 0 && list.count < TAGS_MAX) {
        struct text value = text_cut(&rest, ';');
        struct text part = value;
        struct text name = text_cut(&value, '=');
        if (part.size == 0 && rest.size == 0) /* the last semicolon */
            break;
        list.is_valid &= name.size > 0 && name.size < part.size && !has(&list, name);
        if (!has(&list, name))
            list.tag[list.count++] = (struct tag){ name, value };
    }
    return list;
}
