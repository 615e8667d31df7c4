/* svc-chat/chatplatform-embed-build/shrink.c - shortens texts until they fit together. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/scoped.h"
#include "base/table.h"
#include "build.h"
#include "text/json.h"

size_t embed_length(const cJSON *embed)
{
    const cJSON *field;
    size_t length = text_length(embed, "title") + text_length(embed, "description") +
                    text_length(json_get(embed, "footer"), "text") +
                    text_length(json_get(embed, "author"), "name");
    cJSON_ArrayForEach(field, json_get(embed, "fields"))
        length += text_length(field, "name") + text_length(field, "value");
    return length;
}

static int by_length(const void *a, const void *b)
{
    size_t one = ((const struct candidate *)a)->length;
    size_t other = ((const struct candidate *)b)->length;
    return one > other ? -1 : one < other;
}

size_t shrink(struct build *build, struct candidate *candidates, size_t count, size_t excess)
{
    if (count > 0)
        qsort(candidates, count, sizeof(*candidates), by_length);
    for (size_t i = 0; i < count && excess > 0; i++) {
        struct candidate *candidate = &candidates[i];
        if (candidate->length <= SHORTENED_LEAST)
            break;
        size_t limit = candidate->length > excess ? candidate->length - excess : 0;
        build_shorten(candidate->object, candidate->name, MAX(limit, (size_t)SHORTENED_LEAST));
        size_t now = text_length(candidate->object, candidate->name);
        build_adjusted(build, candidate->path.text, "truncated", (int64_t)candidate->length,
                       (int64_t)now);
        excess -= MIN(excess, candidate->length - now);
    }
    return excess;
}

static struct path embed_path(const struct build *build, size_t index)
{
    return build->has_embed_list ? path_item(&build->embeds_path, index) : build->embeds_path;
}

/* The place of a text in an embed: at its top level, in an object there, or in each field. */
struct spot {
    const char *object; /* NULL: the embed itself */
    const char *name;
};

static void list_field_texts(const struct path *outer, const cJSON *embed, const char *name,
                             struct candidate *out, size_t *count)
{
    struct path fields = path_member(outer, "fields");
    cJSON *field;
    size_t index = 0;
    cJSON_ArrayForEach(field, json_get(embed, "fields")) {
        struct path at = path_item(&fields, index++);
        out[(*count)++] =
            (struct candidate){ field, name, text_length(field, name), path_member(&at, name) };
    }
}

static size_t list_texts(const struct build *build, const cJSON *embeds, const struct spot *spot,
                         struct candidate *out)
{
    cJSON *embed;
    size_t index = 0;
    size_t count = 0;
    cJSON_ArrayForEach(embed, embeds) {
        struct path at = embed_path(build, index++);
        cJSON *object = embed;
        if (spot->object && strcmp(spot->object, "fields") == 0) {
            list_field_texts(&at, embed, spot->name, out, &count);
            continue;
        }
        if (spot->object) {
            object =
                (cJSON *)(uintptr_t)json_get(embed, spot->object); /* this tool owns the embed */
            at = path_member(&at, spot->object);
        }
        out[count++] = (struct candidate){ object, spot->name, text_length(object, spot->name),
                                           path_member(&at, spot->name) };
    }
    return count;
}

/* Drop fields from the end until `excess` is gone. The first field stays, as it may be the only
 * content. */
static size_t drop_fields(struct build *build, const struct path *outer, const cJSON *embed,
                          size_t excess)
{
    struct path path = path_member(outer, "fields");
    cJSON *fields = (cJSON *)(uintptr_t)json_get(embed, "fields"); /* this tool owns the embed */
    size_t count = json_size(fields);
    size_t kept = count;

    while (kept > 1 && excess > 0) {
        scoped(json_free) cJSON *last = json_take_last(fields);
        size_t length = text_length(last, "name") + text_length(last, "value");
        excess -= MIN(excess, length);
        kept--;
    }
    if (kept < count)
        build_adjusted(build, path.text, "dropped", (int64_t)count, (int64_t)kept);
    return excess;
}

/* If all texts have SHORTENED_LEAST characters, ten embeds with one field each fit into
 * LIMIT_TOTAL. */
void shrink_embeds(struct build *build, cJSON *embeds)
{
    static const struct spot spots[] = {
        { NULL, "description" }, { "fields", "value" }, { "footer", "text" },
        { "author", "name" },    { "fields", "name" },
    };
    enum { TEXTS_MAX = LIMIT_EMBEDS * LIMIT_FIELDS };
    scoped(mem_free) struct candidate *candidates = mem_array(TEXTS_MAX, sizeof(*candidates));
    const cJSON *embed;
    size_t total = 0;

    cJSON_ArrayForEach(embed, embeds)
        total += embed_length(embed);
    size_t excess = total > LIMIT_TOTAL ? total - LIMIT_TOTAL : 0;
    for (size_t i = 0; i < countof(spots) && excess > 0; i++) {
        size_t count = list_texts(build, embeds, &spots[i], candidates);
        excess = shrink(build, candidates, count, excess);
    }
    const cJSON *all[LIMIT_EMBEDS];
    size_t count = 0;
    cJSON_ArrayForEach(embed, embeds)
        all[count++] = embed;
    while (count-- > 0 && excess > 0) {
        struct path at = embed_path(build, count);
        excess = drop_fields(build, &at, all[count], excess);
    }
}
