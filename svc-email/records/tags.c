/* svc-email/records/tags.c - lists of tags. */
#include "tags.h"

#include <string.h>

#include "base/ascii.h"

static bool is_tag_name(struct text name)
{
    return name.size > 0 && ascii_is_letter(name.bytes[0]) &&
           text_is_made_of(name, ASCII_ALNUM "_");
}

static bool read_tag(struct text part, struct tag *tag)
{
    const char *equals = memchr(part.bytes, '=', part.size);
    if (!equals)
        return false;
    size_t size = (size_t)(equals - part.bytes);
    tag->name = text_trim((struct text){ part.bytes, size });
    tag->value = text_trim(text_skip(part, size + 1));
    return is_tag_name(tag->name);
}

static bool has_tag(const struct tags *tags, struct text name)
{
    for (size_t i = 0; i < tags->count; i++)
        if (text_equals(tags->tag[i].name, name))
            return true;
    return false;
}

void tags_read(struct text record, struct tags *tags)
{
    *tags = (struct tags){ 0 };
    while (record.size > 0) {
        struct tag tag;
        struct text part = text_trim(text_cut(&record, ';'));
        if (part.size == 0) {
            tags->has_empty_part |= record.size > 0;
            continue;
        }
        if (tags->count == TAGS_MAX || !read_tag(part, &tag)) {
            tags->is_malformed = true;
            continue;
        }
        tags->has_repeats |= has_tag(tags, tag.name);
        tags->tag[tags->count++] = tag;
    }
}

const struct text *tags_get(const struct tags *tags, const char *name)
{
    for (size_t i = 0; i < tags->count; i++)
        if (text_is(tags->tag[i].name, name))
            return &tags->tag[i].value;
    return NULL;
}

bool tags_begin(struct text record, const char *version)
{
    struct tag tag;
    struct text first = text_cut(&record, ';');
    return read_tag(first, &tag) && text_is_any_case(tag.name, "v") && text_is(tag.value, version);
}
