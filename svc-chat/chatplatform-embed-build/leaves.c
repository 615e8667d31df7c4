/*
 * svc-chat/chatplatform-embed-build/leaves.c - checks members that are texts, numbers, ids or
 * emoji, by a table of their types and limits.
 */
#include "base/codec/utf8.h"
#include "base/writing/chars.h"
#include "base/writing/runes.h"
#include "build.h"
#include "platform/snowflake.h"
#include "text/json.h"
#include "text/names.h"

enum { EMOJI_NAME_MAX = 32 };

bool has_member(const cJSON *node, const char *name)
{
    const cJSON *member = json_get(node, name);
    return member && !json_is(member, cJSON_NULL);
}

bool is_list(struct build *build, const struct path *path, const cJSON *node)
{
    if (!json_is(node, cJSON_Array))
        subject_wrong_type(&build->subject, path, "a list");
    return json_is(node, cJSON_Array);
}

bool is_object(struct build *build, const struct path *path, const cJSON *node)
{
    if (!json_is(node, cJSON_Object))
        subject_wrong_type(&build->subject, path, "an object");
    return json_is(node, cJSON_Object);
}

cJSON *build_own(const struct build *build, const cJSON *given)
{
    return build->truncates ? json_copy(given) : json_alias(given);
}

/* Outer blanks do not count: the platform removes them. */
static void check_text(struct build *build, const struct path *path, const cJSON *object,
                       const cJSON *member, const struct leaf *leaf)
{
    struct text text = json_text_of(member);
    if (!json_is(member, cJSON_String)) {
        subject_wrong_type(&build->subject, path, "a text");
        return;
    }
    int64_t whole = (int64_t)utf8_length(text);
    int64_t length = leaf->kind == LEAF_SHOWN ? (int64_t)utf8_length(trim_text(text)) : whole;
    if (length < leaf->least) {
        LIMIT_AT(build, path, "required", leaf->least, length, "must have at least %lld characters",
                 (long long)leaf->least);
    } else if (whole > leaf->most && leaf->kind == LEAF_SHOWN && build->truncates) {
        build_shorten((cJSON *)(uintptr_t)object, leaf->name,
                      (size_t)leaf->most); /* object comes from build_own() */
        build_adjusted(build, path->text, "truncated", whole,
                       (int64_t)text_length(object, leaf->name));
    } else if (whole > leaf->most) {
        LIMIT_AT(build, path, "too_long", leaf->most, whole,
                 "must have at most %lld characters; it has %lld", (long long)leaf->most,
                 (long long)whole);
    }
}

static void check_number(struct build *build, const struct path *path, const cJSON *member,
                         const struct leaf *leaf)
{
    if (!json_is(member, cJSON_Number))
        subject_wrong_type(&build->subject, path, "a number");
    else if (member->valuedouble < (double)leaf->least || member->valuedouble > (double)leaf->most)
        ERROR_AT(build, path, "out_of_range", "must be from %lld to %lld", (long long)leaf->least,
                 (long long)leaf->most);
}

static bool is_id(const cJSON *node)
{
    uint64_t id;
    return json_is(node, cJSON_String) && snowflake_parse(json_text_of(node), &id);
}

static void check_id(struct build *build, const struct path *path, const cJSON *member)
{
    if (!is_id(member))
        subject_wrong_type(&build->subject, path, "an id, as a string of digits");
}

/* Exactly one emoji. */
static bool is_emoji(struct text text)
{
    scoped(runes_free) struct runes runes = runes_of(text);
    return runes.count > 0 && emoji_length(runes.at, runes.count) == runes.count;
}

static void check_emoji(struct build *build, const struct path *path, const cJSON *emoji)
{
    static const struct leaf leaves[] = {
        { "id", LEAF_ID, false, 0, 0 },
        { "name", LEAF_TEXT, false, 0, EMOJI_NAME_MAX },
        { "animated", LEAF_BOOL, false, 0, 0 },
    };
    if (!json_is(emoji, cJSON_Object)) {
        subject_wrong_type(&build->subject, path, "an object with name or id");
        return;
    }
    CHECK_LEAVES(build, path, emoji, leaves);
    struct text name = json_text_of(json_get(emoji, "name"));
    if (!has_member(emoji, "id") && (!has_member(emoji, "name") || name.size == 0))
        ERROR_AT(build, path, "required",
                 "must have the id of a custom emoji, or a Unicode emoji as name");
    else if (!has_member(emoji, "id") && utf8_length(name) <= EMOJI_NAME_MAX && !is_emoji(name))
        ERROR_AT(build, path, "invalid_emoji", "without id, name must be one Unicode emoji");
}

static void check_leaf(struct build *build, const struct path *path, const cJSON *object,
                       const cJSON *member, const struct leaf *leaf)
{
    switch (leaf->kind) {
    case LEAF_TEXT:
    case LEAF_SHOWN:
        check_text(build, path, object, member, leaf);
        break;
    case LEAF_BOOL:
        if (!node_is_bool(member))
            subject_wrong_type(&build->subject, path, "true or false");
        break;
    case LEAF_INTEGER:
        subject_integer(&build->subject, path, member, "out_of_range", leaf->least, leaf->most);
        break;
    case LEAF_NUMBER:
        check_number(build, path, member, leaf);
        break;
    case LEAF_ID:
        check_id(build, path, member);
        break;
    case LEAF_EMOJI:
        check_emoji(build, path, member);
        break;
    }
}

void check_leaves(struct build *build, const struct path *outer, const cJSON *object,
                  const struct leaf *leaves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct path path = path_member(outer, leaves[i].name);
        if (has_member(object, leaves[i].name))
            check_leaf(build, &path, object, json_get(object, leaves[i].name), &leaves[i]);
        else if (leaves[i].is_required)
            ERROR_AT(build, &path, "required", "is required");
    }
}

void check_ids(struct build *build, const struct path *path, const cJSON *ids, size_t most)
{
    scoped(names_free) struct names seen = { 0 };
    const cJSON *id;
    size_t index = 0;

    if (!is_list(build, path, ids))
        return;
    if (json_size(ids) > most)
        LIMIT_AT(build, path, "too_many_ids", (int64_t)most, (int64_t)json_size(ids),
                 "must have at most %zu ids", most);
    cJSON_ArrayForEach(id, ids) {
        struct path at = path_item(path, index++);
        if (!is_id(id))
            check_id(build, &at, id);
        else if (!names_add(&seen, 0, json_text_of(id)))
            ERROR_AT(build, &at, "duplicate_id", "occurs twice");
    }
}
