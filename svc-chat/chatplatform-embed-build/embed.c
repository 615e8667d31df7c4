/* svc-chat/chatplatform-embed-build/embed.c - builds one embed, member by member in the platform's
 * order. */
#include <string.h>

#include "base/scoped.h"
#include "base/table.h"
#include "build.h"
#include "text/json.h"
#include "time/instant.h"

/* ---- members by name and alias ---- */

static void alias_used(struct build *build, const struct path *path, const char *name)
{
    WARN_AT(build, path, "alias_used", "the platform calls this %s", name);
}

/* The member with that name or an alias; NULL if it is absent or null. *path becomes its path. */
static const cJSON *find_member(struct build *build, const cJSON *object, const char *name,
                                const char *const *aliases, struct path *path)
{
    const struct path outer = *path;
    const cJSON *node = json_get(object, name);

    *path = path_member(&outer, name);
    for (; !node && aliases && *aliases; aliases++) {
        node = json_get(object, *aliases);
        if (!node)
            continue;
        *path = path_member(&outer, *aliases);
        alias_used(build, path, name);
    }
    return json_is(node, cJSON_NULL) ? NULL : node;
}

static const char *const icon_aliases[] = { "iconURL", "iconUrl", NULL };
static const char *const image_aliases[] = { "imageURL", NULL };
static const char *const color_aliases[] = { "colour", NULL };

/* Members that the platform overrides, in any object of an embed. */
static bool is_ignored(const char *name)
{
    static const char *const names[] = { "type",           "provider", "video", "proxy_url",
                                         "proxy_icon_url", "height",   "width", "flags" };
    for (size_t i = 0; i < countof(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_one_of(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* Report members that have no effect. */
static void check_members(struct build *build, const struct path *path, const cJSON *object,
                          const char *const *known)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, object) {
        struct path at = path_member(path, member->string);
        if (is_ignored(member->string))
            WARN_AT(build, &at, "field_ignored", "the platform sets this itself; it was dropped");
        else if (!is_one_of(known, member->string))
            WARN_AT(build, &at, "unknown_field",
                    "the platform does not support this field; it was dropped");
    }
}

static void require_member(struct build *build, const struct path *path, const char *name)
{
    struct path at = path_member(path, name);
    ERROR_AT(build, &at, "required", "is required");
}

static void add_text(struct build *build, const struct path *outer, const cJSON *object,
                     const char *name, size_t limit, cJSON *out)
{
    struct path path = *outer;
    const cJSON *node = find_member(build, object, name, NULL, &path);
    if (node)
        build_text(build, &path, node, limit, out, name);
}

static void add_url(struct build *build, const struct path *outer, const cJSON *object,
                    const char *name, const char *const *aliases, unsigned schemes, cJSON *out)
{
    struct path path = *outer;
    const cJSON *node = find_member(build, object, name, aliases, &path);
    if (node)
        build_url(build, &path, node, schemes, LIMIT_URL, out, name);
}

/* ---- members ---- */

typedef void build_member(struct build *build, const struct path *path, const cJSON *node,
                          cJSON *embed);

static void build_title(struct build *build, const struct path *path, const cJSON *node,
                        cJSON *embed)
{
    build_text(build, path, node, LIMIT_TITLE, embed, "title");
}

static void build_description(struct build *build, const struct path *path, const cJSON *node,
                              cJSON *embed)
{
    build_text(build, path, node, LIMIT_DESCRIPTION, embed, "description");
}

static void build_link(struct build *build, const struct path *path, const cJSON *node,
                       cJSON *embed)
{
    build_url(build, path, node, URL_WEB, LIMIT_URL, embed, "url");
}

/* The platform does not accept true, "now" and numbers: convert them. */
static void build_timestamp(struct build *build, const struct path *path, const cJSON *node,
                            cJSON *embed)
{
    struct instant instant = { .unix_ms = build->now_ms };
    bool is_read = json_is(node, cJSON_True) ||
                   instant_read(node, path->text, NULL, build->now_ms, &instant, NULL);

    if (!is_read) {
        ERROR_AT(build, path, "invalid_timestamp", "must be an ISO 8601 time");
        return;
    }
    if (!json_is(node, cJSON_String) || !strchr(json_text_of(node).bytes, '-') ||
        !strpbrk(json_text_of(node).bytes, "0123456789"))
        WARN_AT(build, path, "alias_used",
                "the platform accepts only ISO 8601 times; it was converted");
    json_time(embed, "timestamp", instant.unix_ms);
}

static void reject_color(struct issues *errors, const struct path *path, const cJSON *node)
{
    static const char why[] =
        "must be a color: a number up to 16777215, #rrggbb, rgb(r, g, b) or a name";
    if (json_is_integer(node))
        issues_add_limit(errors, path->text, "invalid_color", LIMIT_COLOR,
                         (int64_t)node->valuedouble, "%s", why);
    else
        issues_add(errors, path->text, "invalid_color", "%s", why);
}

static void build_color(struct build *build, const struct path *path, const cJSON *node,
                        cJSON *embed)
{
    uint32_t color;
    enum color_reading reading = color_read(node, build->seed, &color);

    if (reading == COLOR_NONE) {
        reject_color(&build->subject.errors, path, node);
        return;
    }
    if (reading == COLOR_AMBIGUOUS)
        WARN_AT(build, path, "color_ambiguous", "read as hex digits, not as a decimal number");
    if (color == 0)
        WARN_AT(build, path, "color_zero", "0 shows as no color; use 1 for black");
    json_int(embed, "color", color);
}

/* The object for a text, as {key: text}; NULL with an issue for any other type. */
static cJSON *object_of(struct build *build, const struct path *path, const cJSON *node,
                        const char *key)
{
    if (json_is(node, cJSON_Object))
        return json_copy(node);
    if (!json_is(node, cJSON_String)) {
        subject_wrong_type(&build->subject, path, "an object");
        return NULL;
    }
    cJSON *object = json_object();
    json_text_add(object, key, json_text_of(node));
    WARN_AT(build, path, "alias_used", "the platform expects an object with %s here", key);
    return object;
}

static void build_footer(struct build *build, const struct path *path, const cJSON *node,
                         cJSON *embed)
{
    static const char *const known[] = { "text", "icon_url", "iconURL", "iconUrl", NULL };
    scoped(json_free) cJSON *given = object_of(build, path, node, "text");
    if (!given)
        return;
    cJSON *footer = json_map(embed, "footer");
    add_text(build, path, given, "text", LIMIT_FOOTER, footer);
    if (text_length(footer, "text") == 0)
        require_member(build, path, "text");
    add_url(build, path, given, "icon_url", icon_aliases, URL_WEB | URL_ATTACHMENT, footer);
    check_members(build, path, given, known);
}

static void build_author(struct build *build, const struct path *path, const cJSON *node,
                         cJSON *embed)
{
    static const char *const known[] = { "name", "url", "icon_url", "iconURL", "iconUrl", NULL };
    scoped(json_free) cJSON *given = object_of(build, path, node, "name");
    if (!given)
        return;
    cJSON *author = json_map(embed, "author");
    add_text(build, path, given, "name", LIMIT_AUTHOR, author);
    if (text_length(author, "name") == 0)
        require_member(build, path, "name");
    add_url(build, path, given, "url", NULL, URL_WEB, author);
    add_url(build, path, given, "icon_url", icon_aliases, URL_WEB | URL_ATTACHMENT, author);
    check_members(build, path, given, known);
}

static void build_media(struct build *build, const struct path *path, const cJSON *node,
                        const char *name, cJSON *embed)
{
    static const char *const known[] = { "url", "description", NULL };
    scoped(json_free) cJSON *given = object_of(build, path, node, "url");
    if (!given)
        return;
    cJSON *media = json_map(embed, name);
    add_url(build, path, given, "url", NULL, URL_WEB | URL_ATTACHMENT, media);
    if (!json_get(media, "url"))
        require_member(build, path, "url");
    add_text(build, path, given, "description", LIMIT_MEDIA_DESCRIPTION, media);
    check_members(build, path, given, known);
}

static void build_image(struct build *build, const struct path *path, const cJSON *node,
                        cJSON *embed)
{
    build_media(build, path, node, "image", embed);
}

static void build_thumbnail(struct build *build, const struct path *path, const cJSON *node,
                            cJSON *embed)
{
    build_media(build, path, node, "thumbnail", embed);
}

/* ---- fields ---- */

static void build_field_text(struct build *build, const struct path *outer, const cJSON *given,
                             const char *name, size_t limit, const char *empty_code, cJSON *field)
{
    struct path path = path_member(outer, name);
    const cJSON *node = json_get(given, name);
    if (!node || json_is(node, cJSON_NULL)) {
        ERROR_AT(build, &path, "required", "is required");
        return;
    }
    if (build_text(build, &path, node, limit, field, name) && text_length(field, name) == 0)
        WARN_AT(build, &path, empty_code,
                "the platform accepts an empty text since about 2024; older clients may not");
}

static void build_field(struct build *build, const struct path *path, const cJSON *given,
                        cJSON *fields)
{
    static const char *const known[] = { "name", "value", "inline", NULL };
    if (!is_object(build, path, given))
        return;
    cJSON *field = json_item(fields);
    build_field_text(build, path, given, "name", LIMIT_FIELD_NAME, "empty_field_name", field);
    build_field_text(build, path, given, "value", LIMIT_FIELD_VALUE, "empty_field_value", field);
    const cJSON *in_line = json_get(given, "inline");
    if (node_is_bool(in_line)) {
        json_bool(field, "inline", json_is(in_line, cJSON_True));
    } else if (in_line && !json_is(in_line, cJSON_NULL)) {
        struct path at = path_member(path, "inline");
        subject_wrong_type(&build->subject, &at, "true or false");
    }
    check_members(build, path, given, known);
}

/* {"name": "value"} as a list of fields, owned by the caller. */
static cJSON *fields_of_object(const cJSON *object)
{
    cJSON *list = json_array();
    const cJSON *member;
    cJSON_ArrayForEach(member, object) {
        cJSON *field = json_item(list);
        json_str(field, "name", member->string);
        json_add(field, "value", json_alias(member));
    }
    return list;
}

static void check_field_count(struct build *build, const struct path *path, size_t count,
                              size_t *kept)
{
    *kept = count;
    if (count <= LIMIT_FIELDS)
        return;
    if (build->truncates) {
        *kept = LIMIT_FIELDS;
        build_adjusted(build, path->text, "dropped", (int64_t)count, LIMIT_FIELDS);
    } else {
        LIMIT_AT(build, path, "too_many_fields", LIMIT_FIELDS, (int64_t)count,
                 "an embed must have at most %d fields; it has %zu", LIMIT_FIELDS, count);
    }
}

static void build_fields(struct build *build, const struct path *path, const cJSON *node,
                         cJSON *embed)
{
    scoped(json_free) cJSON *made = NULL;
    const cJSON *item;
    size_t kept;
    size_t index = 0;
    size_t in_lines = 0;

    if (json_is(node, cJSON_Object)) {
        WARN_AT(build, path, "alias_used",
                "the platform expects a list of objects with name and value");
        made = fields_of_object(node);
        node = made;
    }
    if (!is_list(build, path, node))
        return;
    check_field_count(build, path, json_size(node), &kept);
    cJSON *fields = json_list(embed, "fields");
    cJSON_ArrayForEach(item, node) {
        struct path at = path_item(path, index);
        if (index++ >= kept)
            break;
        build_field(build, &at, item, fields);
        in_lines += json_is(json_get(item, "inline"), cJSON_True);
    }
    if (in_lines == 1)
        WARN_AT(build, path, "inline_layout", "a single inline field looks like any other field");
}

/* ---- the embed ---- */

static const struct member {
    const char *name;
    const char *const *aliases;
    build_member *build;
} members[] = {
    { "title", NULL, build_title },
    { "description", NULL, build_description },
    { "url", NULL, build_link },
    { "timestamp", NULL, build_timestamp },
    { "color", color_aliases, build_color },
    { "footer", NULL, build_footer },
    { "image", image_aliases, build_image },
    { "thumbnail", NULL, build_thumbnail },
    { "author", NULL, build_author },
    { "fields", NULL, build_fields },
};

static const char *const embed_names[] = { "title",    "description", "url",    "timestamp",
                                           "color",    "colour",      "footer", "image",
                                           "imageURL", "thumbnail",   "author", "fields",
                                           NULL };

bool is_embed_member(const char *name)
{
    return is_one_of(embed_names, name);
}

static bool is_empty(const cJSON *embed)
{
    static const char *const objects[] = { "footer", "author", "image", "thumbnail" };
    for (size_t i = 0; i < countof(objects); i++)
        if (json_get(embed, objects[i]))
            return false;
    return text_length(embed, "title") == 0 && text_length(embed, "description") == 0 &&
           json_size(json_get(embed, "fields")) == 0;
}

cJSON *build_embed(struct build *build, const struct path *path, const cJSON *given)
{
    cJSON *embed = json_object();
    if (!is_object(build, path, given))
        return embed;
    for (size_t i = 0; i < countof(members); i++) {
        struct path at = *path;
        const cJSON *node = find_member(build, given, members[i].name, members[i].aliases, &at);
        if (node)
            members[i].build(build, &at, node, embed);
    }
    check_members(build, path, given, embed_names);
    if (is_empty(embed))
        issues_add(
            &build->subject.errors, path->text, "empty_embed",
            "an embed must have a title, description, field, footer, author, image or thumbnail");
    if (json_get(embed, "url") && text_length(embed, "title") == 0) {
        struct path at = path_member(path, "url");
        WARN_AT(build, &at, "title_url_without_title",
                "the URL belongs to the title, which is missing");
    }
    return embed;
}
