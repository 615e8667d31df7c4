/* svc-chat/chatplatform-cdn-resolve/cdn.c - paths of the CDN. */
#include "cdn.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/scoped.h"
#include "base/table.h"
#include "base/text.h"
#include "platform/snowflake.h"

enum { HASH_DIGITS = 32 };

/* Short names for the rows of cdn.def. */
enum { NONE = CDN_NONE, PNG = CDN_PNG, JPG = CDN_JPG, WEBP = CDN_WEBP, GIF = CDN_GIF };
enum { JSON = CDN_JSON, SIZED = CDN_SIZED, ANIMATED = CDN_ANIMATED, APNG = CDN_APNG };

static const struct cdn_kind kinds[] = {
#define CDN(name, path, formats, traits) { #name, path, formats, traits },
#include "cdn.def"
#undef CDN
};

static const struct cdn_extension extensions[] = {
    { "png", CDN_PNG, "png" },      { "jpg", CDN_JPG, "jpg" }, { "jpeg", CDN_JPG, "jpeg" },
    { "webp", CDN_WEBP, "webp" },   { "gif", CDN_GIF, "gif" }, { "json", CDN_JSON, "json" },
    { "lottie", CDN_JSON, "json" },
};

const char *const cdn_parameters[CDN_PARAMETERS_MAX] = {
    "id",      "guild_id", "user_id",    "application_id", "asset_id", "achievement_id",
    "team_id", "role_id",  "channel_id", "event_id",       "index",    "hash",
};

const struct cdn_kind *cdn_kind(const char *name)
{
    return TABLE_FIND(kinds, name);
}

const struct cdn_kind *cdn_kind_at(size_t index)
{
    return index < countof(kinds) ? &kinds[index] : NULL;
}

const struct cdn_extension *cdn_extension(struct text name)
{
    for (size_t i = 0; i < countof(extensions); i++)
        if (strlen(extensions[i].name) == name.size &&
            strncasecmp(extensions[i].name, name.bytes, name.size) == 0)
            return &extensions[i];
    return NULL;
}

const struct cdn_extension *cdn_usual_extension(enum cdn_format format)
{
    for (size_t i = 0; i < countof(extensions); i++)
        if (extensions[i].format == format)
            return &extensions[i];
    return NULL;
}

/* ---- parameters ---- */

static size_t find_parameter(struct text name)
{
    size_t i = 0;
    while (i < CDN_PARAMETERS_MAX && !text_is(name, cdn_parameters[i]))
        i++;
    assert(i < CDN_PARAMETERS_MAX);
    return i;
}

size_t cdn_parameter(const char *name)
{
    return find_parameter(text_of(name));
}

bool cdn_is_usual_hash(const char *value)
{
    if (strncmp(value, "a_", 2) == 0)
        value += 2;
    return strlen(value) == HASH_DIGITS && strspn(value, "0123456789abcdef") == HASH_DIGITS;
}

static bool is_hash(const char *value)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t size = strlen(value);
    return size > 0 && size < CDN_VALUE_BYTES && strspn(value, letters) == size;
}

bool cdn_is_value(size_t parameter, const char *value)
{
    uint64_t id;
    const char *name = cdn_parameters[parameter];
    if (strcmp(name, "index") == 0)
        return value[0] >= '0' && value[0] <= '5' && value[1] == '\0';
    if (strcmp(name, "hash") == 0 || strcmp(name, "asset_id") == 0)
        return is_hash(value); /* every id is also a hash */
    return snowflake_parse(text_of(value), &id);
}

/* ---- paths ---- */

/* Take the next part of a path, up to a slash; false at the end. */
static bool next_part(struct text *path, struct text *part)
{
    if (!path->bytes)
        return false;
    const char *slash = memchr(path->bytes, '/', path->size);
    *part = (struct text){ path->bytes, slash ? (size_t)(slash - path->bytes) : path->size };
    path->size -= part->size + (slash ? 1 : 0);
    path->bytes = slash ? slash + 1 : NULL;
    return true;
}

/* Is the part of a pattern a parameter in braces? Then *name is the name inside. */
static bool is_parameter(struct text part, struct text *name)
{
    if (part.size == 0 || part.bytes[0] != '{')
        return false;
    *name = (struct text){ part.bytes + 1, part.size - 2 };
    return true;
}

bool cdn_has_parameter(const struct cdn_kind *kind, size_t parameter)
{
    struct text pattern = text_of(kind->path);
    struct text part, name;
    while (next_part(&pattern, &part))
        if (is_parameter(part, &name) && find_parameter(name) == parameter)
            return true;
    return false;
}

bool cdn_are_twins(const struct cdn_kind *a, const struct cdn_kind *b)
{
    struct text a_path = text_of(a->path);
    struct text b_path = text_of(b->path);
    struct text a_part, b_part, name;

    while (next_part(&a_path, &a_part)) {
        if (!next_part(&b_path, &b_part) ||
            is_parameter(a_part, &name) != is_parameter(b_part, &name))
            return false;
        if (!is_parameter(a_part, &name) &&
            (a_part.size != b_part.size || memcmp(a_part.bytes, b_part.bytes, a_part.size) != 0))
            return false;
    }
    return !b_path.bytes;
}

static bool match_part(struct text want, struct text part, struct cdn_item *item)
{
    struct text name;
    if (!is_parameter(want, &name))
        return text_equals(part, want);
    if (part.size >= CDN_VALUE_BYTES || memchr(part.bytes, '\0', part.size))
        return false;
    size_t parameter = find_parameter(name);
    memcpy(item->value[parameter], part.bytes, part.size);
    item->value[parameter][part.size] = '\0';
    return cdn_is_value(parameter, item->value[parameter]);
}

static bool match_kind(const struct cdn_kind *kind, struct text path, struct cdn_item *item)
{
    struct text pattern = text_of(kind->path);
    struct text want, part;

    *item = (struct cdn_item){ .kind = kind };
    while (next_part(&pattern, &want))
        if (!next_part(&path, &part) || !match_part(want, part, item))
            return false;
    return !path.bytes;
}

bool cdn_match(struct text path, struct cdn_item *item)
{
    for (size_t i = 0; i < countof(kinds); i++)
        if (match_kind(&kinds[i], path, item))
            return true;
    return false;
}

/* GIF stickers are on the other host, the only exception in the developer documentation. */
static const char *host_of(const struct cdn_item *item, const struct cdn_extension *extension)
{
    bool is_sticker = strcmp(item->kind->name, "sticker") == 0;
    return is_sticker && extension && extension->format == CDN_GIF ? "media.discordapp.net"
                                                                   : "cdn.discordapp.com";
}

void cdn_write(const struct cdn_item *item, const struct cdn_extension *extension, bool moving,
               struct buf *out)
{
    struct text pattern = text_of(item->kind->path);
    struct text part, name;
    bool is_told =
        moving && item->kind->traits & CDN_ANIMATED && extension && extension->format == CDN_WEBP;

    buf_format(out, "https://%s", host_of(item, extension));
    while (next_part(&pattern, &part)) {
        buf_add_byte(out, '/');
        if (is_parameter(part, &name))
            buf_add_str(out, item->value[find_parameter(name)]);
        else
            buf_add(out, part.bytes, part.size);
    }
    if (extension)
        buf_format(out, ".%s", extension->extension);
    if (is_told)
        buf_add_str(out, "?animated=true");
    if (item->size > 0 && item->kind->traits & CDN_SIZED)
        buf_format(out, "%csize=%d", is_told ? '&' : '?', (int)item->size);
}
