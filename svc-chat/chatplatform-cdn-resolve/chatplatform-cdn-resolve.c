/*
 * svc-chat/chatplatform-cdn-resolve/chatplatform-cdn-resolve.c - builds and parses CDN URLs. It
 * never fetches.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "cdn-url.h"
#include "cdn.h"
#include "findings/issues.h"
#include "platform/platform.h"
#include "platform/snowflake.h"
#include "svc/args.h"
#include "text/json.h"
#include "time/instant.h"
#include "tools.h"

enum {
    SIZE_MIN = 16, /* sizes are powers of two in this range */
    SIZE_MAX_PIXELS = 4096,
    URL_MAX_BYTES = 8192, /* 2048 characters */
};

/* The format of a sticker with format_type 1, 2, 3, 4. */
static const enum cdn_format sticker_formats[] = { CDN_PNG, CDN_PNG, CDN_JSON, CDN_GIF };

/* The data of the result. */
struct answer_parts {
    const char *kind;                      /* of cdn.def, or attachment, external_proxy, unknown */
    bool is_known;                         /* item is set */
    struct cdn_item item;                  /* for attachments only its ids */
    const struct cdn_extension *extension; /* NULL: missing or unknown */
    char format[CDN_EXTENSION_BYTES + 1];  /* as in the URL; empty: none */
    unsigned formats;                      /* available variants */
    bool is_animated;
    bool is_moving; /* the URL requests animation */
    char file[256]; /* file name of an attachment; empty: none */
    struct cdn_signature signature;
    struct buf url;
    struct issues warnings;
};

static void parts_free(struct answer_parts *parts)
{
    buf_free(&parts->url);
    issues_free(&parts->warnings);
}

static bool is_sticker(const struct cdn_item *item)
{
    return strcmp(item->kind->name, "sticker") == 0;
}

static bool has_animated_hash(const struct cdn_item *item)
{
    return item->kind->traits & (CDN_ANIMATED | CDN_APNG) &&
           strncmp(item->value[cdn_parameter("hash")], "a_", 2) == 0;
}

static void warn_of_hash(struct answer_parts *parts, const char *path)
{
    const char *hash = parts->item.value[cdn_parameter("hash")];
    if (*hash && !cdn_is_usual_hash(hash))
        issues_add(&parts->warnings, path, "unusual_hash",
                   "known hashes have 32 hexadecimal digits, optionally after a_");
}

/* ---- building: parameters ---- */

static bool reject_value(size_t parameter, struct err *err)
{
    const char *name = cdn_parameters[parameter];
    if (strcmp(name, "hash") == 0 || strcmp(name, "asset_id") == 0)
        return err_set(err, ERR_INVALID_HASH,
                       "%s must have at most 128 letters, digits, - and _; usually it has 32 "
                       "hexadecimal digits, with or without a_",
                       name);
    if (strcmp(name, "index") == 0)
        return err_set(err, ERR_INVALID_VALUE, "index must be from 0 to 5");
    return err_set(err, ERR_INVALID_SNOWFLAKE, "%s must be an id: digits only", name);
}

/* The text of a string or integer, to out with CDN_VALUE_BYTES. A longer value becomes invalid. */
static void text_of_value(const cJSON *value, char *out)
{
    const char *text = json_text(value, "");
    if (!text)
        snprintf(out, CDN_VALUE_BYTES, "%.0f", value->valuedouble);
    else if (snprintf(out, CDN_VALUE_BYTES, "%s", text) >= CDN_VALUE_BYTES)
        snprintf(out, CDN_VALUE_BYTES, "/");
}

/* From the user id, or from the number of four digits that legacy names had and bots still have. */
static bool write_avatar_index(const struct job *job, uint64_t user_id, char *out, struct err *err)
{
    int64_t discriminator = 0;
    char text[CDN_VALUE_BYTES];

    if (arg_has(job, "discriminator")) {
        text_of_value(arg_any(job, "discriminator"), text);
        if (strlen(text) > 4 || !num_parse(text_of(text), 9999, &discriminator))
            return err_set(err, ERR_INVALID_VALUE, "discriminator must have 1 to 4 digits");
    }
    snprintf(out, CDN_VALUE_BYTES, "%u",
             discriminator == 0 ? (unsigned)((user_id >> SNOWFLAKE_TIME_SHIFT) % 6)
                                : (unsigned)(discriminator % 5));
    return true;
}

/* The index of a default avatar: as given, or derived from a user id. */
static bool fill_index(const struct job *job, struct cdn_item *item, struct err *err)
{
    uint64_t user_id;

    if (arg_has(job, "index") || !cdn_has_parameter(item->kind, cdn_parameter("index")))
        return true;
    if (!arg_has(job, "user_id"))
        return err_set(err, ERR_MISSING_FIELD, "index or user_id is required for a default avatar");
    return snowflake_read(arg_any(job, "user_id"), "user_id", &user_id, err) &&
           write_avatar_index(job, user_id, item->value[cdn_parameter("index")], err);
}

static bool read_parameters(const struct job *job, struct cdn_item *item, struct err *err)
{
    if (!fill_index(job, item, err))
        return false;
    for (size_t i = 0; i < CDN_PARAMETERS_MAX; i++) {
        char *value = item->value[i];
        if (!cdn_has_parameter(item->kind, i))
            continue;
        if (arg_has(job, cdn_parameters[i]))
            text_of_value(arg_any(job, cdn_parameters[i]), value);
        else if (!*value)
            return err_set(err, ERR_MISSING_FIELD, "%s is required for the kind %s",
                           cdn_parameters[i], item->kind->name);
        if (!cdn_is_value(i, value))
            return reject_value(i, err);
    }
    return true;
}

/* ---- building: size and format ---- */

static int64_t nearest_size(int64_t size)
{
    int64_t nearest = SIZE_MIN;
    for (int64_t valid = SIZE_MIN; valid <= SIZE_MAX_PIXELS; valid *= 2)
        if (llabs(valid - size) < llabs(nearest - size))
            nearest = valid;
    return nearest;
}

static bool read_size(const struct job *job, struct answer_parts *parts, struct err *err)
{
    int64_t size = arg_int(job, "size");
    if (!arg_has(job, "size"))
        return true;
    if (nearest_size(size) != size)
        return err_set(err, ERR_INVALID_SIZE,
                       "size must be a power of two from 16 to 4096; the nearest to %" PRId64
                       " is %" PRId64,
                       size, nearest_size(size));
    if (parts->item.kind->traits & CDN_SIZED)
        parts->item.size = size;
    else
        issues_add(&parts->warnings, "size", "size_ignored", "the kind %s has only one size",
                   parts->kind);
    return true;
}

static bool reject_format(const struct answer_parts *parts, struct err *err)
{
    scoped(buf_free) struct buf names = BUF(64);
    for (unsigned flag = CDN_PNG; flag <= CDN_JSON; flag <<= 1)
        if (parts->formats & flag)
            buf_format(&names, "%s%s", names.size > 0 ? ", " : "", cdn_usual_extension(flag)->name);
    return err_set(err, ERR_FORMAT_UNAVAILABLE, "this %s comes as %s", parts->kind,
                   names.size > 0 ? buf_str(&names) : "a file without extension");
}

/* The formats of this item. */
static unsigned formats_of(const struct cdn_item *item, bool is_animated, int64_t sticker_type)
{
    if (is_sticker(item) && sticker_type > 0)
        return sticker_formats[sticker_type - 1];
    if (item->kind->traits & CDN_ANIMATED && !is_animated)
        return item->kind->formats & ~(unsigned)CDN_GIF;
    return item->kind->formats;
}

/* WebP if available, else the first. */
static const struct cdn_extension *usual_extension(unsigned formats)
{
    return cdn_usual_extension(formats & CDN_WEBP ? CDN_WEBP : formats & -formats);
}

/* The hash says whether an image is animated. For an emoji, `animated` or the format gif does. */
static bool read_animated(const struct job *job, const struct cdn_item *item,
                          const struct cdn_extension *extension)
{
    if (cdn_has_parameter(item->kind, cdn_parameter("hash")))
        return has_animated_hash(item);
    if (is_sticker(item))
        return arg_int(job, "format_type") > 1 || (extension && extension->format != CDN_PNG);
    if (!(item->kind->traits & CDN_ANIMATED))
        return false;
    return arg_has(job, "animated") ? arg_bool(job, "animated")
                                    : extension && extension->format == CDN_GIF;
}

static bool read_format(const struct job *job, struct answer_parts *parts, struct err *err)
{
    const char *name = arg_str(job, "format");
    const struct cdn_extension *extension = name ? cdn_extension(text_of(name)) : NULL;

    parts->is_animated = read_animated(job, &parts->item, extension);
    parts->is_moving = parts->is_animated && !arg_bool(job, "force_static");
    parts->formats = formats_of(&parts->item, parts->is_animated, arg_int(job, "format_type"));
    if (name && (!extension || !(parts->formats & extension->format)))
        return reject_format(parts, err);
    parts->extension = extension ? extension : usual_extension(parts->formats);
    if (parts->extension)
        snprintf(parts->format, sizeof(parts->format), "%s", parts->extension->extension);
    return true;
}

static bool build_url(const struct job *job, struct answer_parts *parts, struct err *err)
{
    parts->item.kind = cdn_kind(arg_str(job, "kind"));
    parts->kind = parts->item.kind->name; /* the contract allows only known kinds */
    parts->is_known = true;
    if (!read_parameters(job, &parts->item, err) || !read_size(job, parts, err) ||
        !read_format(job, parts, err))
        return false;
    warn_of_hash(parts, "hash");
    cdn_write(&parts->item, parts->extension, parts->is_moving, &parts->url);
    return true;
}

/* ---- parsing ---- */

/* "attachments/C/A/file.png" */
static bool parse_attachment(const struct cdn_url *url, struct answer_parts *parts)
{
    struct text path = url->path;
    if (!cdn_url_take(&path, "attachments/") && !cdn_url_take(&path, "ephemeral-attachments/"))
        return false;
    if (!cdn_url_take_id(&path, parts->item.value[cdn_parameter("channel_id")]) ||
        !cdn_url_take_id(&path, parts->item.value[cdn_parameter("id")]) || path.size == 0 ||
        path.size >= sizeof(parts->file) || memchr(path.bytes, '/', path.size))
        return false;
    memcpy(parts->file, path.bytes, path.size);
    parts->kind = "attachment";
    cdn_url_take_extension(&path, parts->format);
    cdn_url_signature(url->query, &parts->signature);
    return true;
}

static void warn_of_twins(struct answer_parts *parts)
{
    const struct cdn_kind *kind;
    for (size_t i = 0; (kind = cdn_kind_at(i)); i++)
        if (kind != parts->item.kind && cdn_are_twins(kind, parts->item.kind))
            issues_add(&parts->warnings, "url", "ambiguous_kind", "it may also be a %s",
                       kind->name);
}

static void read_motion(const struct cdn_url *url, struct answer_parts *parts)
{
    struct text value;
    enum cdn_format format = parts->extension ? parts->extension->format : CDN_NONE;
    bool is_asked = cdn_url_query(url->query, "animated", &value) && text_is(value, "true");

    if (cdn_has_parameter(parts->item.kind, cdn_parameter("hash")))
        parts->is_animated = has_animated_hash(&parts->item);
    else if (is_sticker(&parts->item))
        parts->is_animated = format == CDN_GIF || format == CDN_JSON;
    else if (parts->item.kind->traits & CDN_ANIMATED)
        parts->is_animated = is_asked || format == CDN_GIF;
    parts->is_moving = is_asked || format == CDN_GIF;
}

static bool parse_item(const struct cdn_url *url, struct answer_parts *parts)
{
    struct text path = url->path;
    struct text size;

    cdn_url_take_extension(&path, parts->format);
    if (!cdn_match(path, &parts->item))
        return false;
    parts->is_known = true;
    parts->kind = parts->item.kind->name;
    parts->extension = cdn_extension(text_of(parts->format));
    read_motion(url, parts);
    parts->formats = formats_of(&parts->item, parts->is_animated, 0);
    if (cdn_url_query(url->query, "size", &size) && parts->item.kind->traits & CDN_SIZED)
        num_parse(size, SIZE_MAX_PIXELS, &parts->item.size);
    if (parts->item.kind->formats != CDN_NONE &&
        (!parts->extension || !(parts->item.kind->formats & parts->extension->format)))
        issues_add(&parts->warnings, "url", "unusual_format", "the kind %s is not available as %s",
                   parts->kind, parts->format[0] ? parts->format : "a file without extension");
    warn_of_hash(parts, "url");
    warn_of_twins(parts);
    return true;
}

static bool parse_url(const struct job *job, struct answer_parts *parts, struct err *err)
{
    const char *text = arg_str(job, "url");
    struct cdn_url url;

    if (!cdn_url_split(text, &url))
        return err_set(err, ERR_INVALID_URL, "url must begin with https:// and a host");
    bool is_proxy = cdn_url_is_proxy(url.host);
    if (!is_proxy && !text_is_any_case(url.host, "cdn.discordapp.com") &&
        !text_is_any_case(url.host, "media.discordapp.net"))
        return err_set(err, ERR_NOT_A_CDN_URL,
                       "url must be on cdn.discordapp.com, media.discordapp.net or "
                       "images-ext-N.discordapp.net");
    buf_add_str(&parts->url, text);
    if (is_proxy) {
        parts->kind = "external_proxy";
    } else if (!parse_attachment(&url, parts) && !parse_item(&url, parts)) {
        parts->kind = "unknown";
        parts->item = (struct cdn_item){ 0 };
        issues_add(&parts->warnings, "url", "unknown_path", "no known kind has this path");
    }
    return true;
}

/* ---- the result ---- */

static void add_url(cJSON *result, const char *name, const struct answer_parts *parts,
                    const struct cdn_extension *extension, bool moving)
{
    scoped(buf_free) struct buf url = BUF(CDN_URL_BYTES);
    cdn_write(&parts->item, extension, moving, &url);
    json_str(result, name, buf_str(&url));
}

/* A still image in the current format, or in another one if that format is always animated. */
static void add_static_url(cJSON *result, const struct answer_parts *parts)
{
    const struct cdn_kind *kind = parts->item.kind;
    bool never_still = parts->is_animated && !(kind->traits & CDN_ANIMATED);
    const struct cdn_extension *extension = parts->extension;

    if (!parts->is_known || parts->formats == CDN_NONE || never_still) {
        json_null(result, "static_url");
        return;
    }
    if (!extension || extension->format == CDN_GIF)
        extension = usual_extension(parts->formats);
    add_url(result, "static_url", parts, extension, false);
}

static void add_animated_url(cJSON *result, const struct answer_parts *parts)
{
    if (!parts->is_known || !parts->is_animated)
        json_null(result, "animated_url");
    else if (parts->item.kind->traits & CDN_ANIMATED)
        add_url(result, "animated_url", parts, cdn_usual_extension(CDN_WEBP), true);
    else
        add_url(result, "animated_url", parts, parts->extension, true);
}

static void add_variants(cJSON *result, const struct answer_parts *parts)
{
    cJSON *list = json_list(result, "variants");
    for (unsigned flag = CDN_PNG; flag <= CDN_JSON; flag <<= 1) {
        if (!parts->is_known || !(parts->formats & flag))
            continue;
        const struct cdn_extension *extension = cdn_usual_extension(flag);
        cJSON *item = json_item(list);
        json_str(item, "format", extension->name);
        add_url(item, "url", parts, extension, parts->is_moving);
    }
}

static void add_sizes(cJSON *result, const struct answer_parts *parts)
{
    cJSON *list = json_list(result, "sizes");
    if (parts->is_known && parts->item.kind->traits & CDN_SIZED)
        for (int size = SIZE_MIN; size <= SIZE_MAX_PIXELS; size *= 2)
            json_item_int(list, size);
}

/* Attachments use the name attachment_id. */
static const char *name_of_id(const struct answer_parts *parts, size_t parameter)
{
    bool is_attachment = !parts->is_known && strcmp(cdn_parameters[parameter], "id") == 0;
    return is_attachment ? "attachment_id" : cdn_parameters[parameter];
}

static void add_ids(cJSON *result, const struct answer_parts *parts)
{
    cJSON *ids = json_map(result, "ids");
    for (size_t i = 0; i < CDN_PARAMETERS_MAX; i++)
        if (*parts->item.value[i] && i != cdn_parameter("hash"))
            json_str(ids, name_of_id(parts, i), parts->item.value[i]);
}

static void add_created(cJSON *result, const struct answer_parts *parts)
{
    cJSON *created = json_map(result, "created_at");
    uint64_t id;
    for (size_t i = 0; i < CDN_PARAMETERS_MAX; i++)
        if (i != cdn_parameter("hash") && i != cdn_parameter("index") &&
            snowflake_parse(text_of(parts->item.value[i]), &id))
            json_time(created, name_of_id(parts, i), snowflake_unix_ms(id));
}

static void add_signature(cJSON *result, const struct cdn_signature *signature, int64_t now_ms)
{
    if (!signature->is_there) {
        json_null(result, "signature");
        return;
    }
    cJSON *object = json_map(result, "signature");
    json_time(object, "expires_at", signature->expires_ms);
    if (signature->has_issued)
        json_time(object, "issued_at", signature->issued_ms);
    else
        json_null(object, "issued_at");
    json_bool(object, "expired", signature->expires_ms <= now_ms);
    json_bool(object, "hm_present", signature->has_hm);
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static void write_result(cJSON *result, const struct answer_parts *parts, int64_t now_ms)
{
    json_str(result, "kind", parts->kind);
    json_str(result, "url", buf_str(&parts->url));
    json_bool(result, "animated", parts->is_animated);
    json_str(result, "format", or_null(parts->format));
    if (parts->item.size > 0)
        json_int(result, "size", parts->item.size);
    else
        json_null(result, "size");
    add_ids(result, parts);
    json_str(result, "hash", or_null(parts->item.value[cdn_parameter("hash")]));
    add_static_url(result, parts);
    add_animated_url(result, parts);
    add_variants(result, parts);
    add_sizes(result, parts);
    add_created(result, parts);
    json_str(result, "file", or_null(parts->file));
    add_signature(result, &parts->signature, now_ms);
    issues_write(&parts->warnings, result, "warnings");
    json_str(result, "data_revision", PLATFORM_DATA_REVISION);
}

bool chatplatform_cdn_resolve(const struct job *job, cJSON *result, struct err *err)
{
    scoped(parts_free) struct answer_parts parts = { .url = BUF(URL_MAX_BYTES) };
    int64_t now_ms;

    if (arg_has(job, "url") && arg_has(job, "kind"))
        return err_set(err, ERR_CONFLICTING_FIELDS, "send either url or kind, not both");
    if (!instant_now(job, &now_ms, err))
        return false;
    if (!(arg_has(job, "url") ? parse_url(job, &parts, err) : build_url(job, &parts, err)))
        return false;
    write_result(result, &parts, now_ms);
    return true;
}
