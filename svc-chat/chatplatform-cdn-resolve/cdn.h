/*
 * svc-chat/chatplatform-cdn-resolve/cdn.h - items of the platform's CDN by cdn.def: builds URLs
 * from parameters, and parses URLs into parameters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum cdn_format {
    CDN_NONE,
    CDN_PNG = 1 << 0,
    CDN_JPG = 1 << 1,
    CDN_WEBP = 1 << 2,
    CDN_GIF = 1 << 3,
    CDN_JSON = 1 << 4,
};

enum cdn_trait {
    CDN_SIZED = 1 << 0,
    CDN_ANIMATED = 1 << 1,
    CDN_APNG = 1 << 2,
};

struct cdn_kind {
    const char *name;
    const char *path; /* "icons/{guild_id}/{hash}" */
    unsigned formats; /* of enum cdn_format */
    unsigned traits;  /* of enum cdn_trait */
};

/* The kind of that name; NULL if not found. */
const struct cdn_kind *cdn_kind(const char *name);

/* Kinds in the order of cdn.def; NULL after the last. */
const struct cdn_kind *cdn_kind_at(size_t index);

/* The name of a format: "jpg" and "jpeg" are equal. */
struct cdn_extension {
    const char *name;
    enum cdn_format format;
    const char *extension; /* in a URL */
};

/* Find by name, or the usual extension of a format; NULL if not found and for CDN_NONE. */
const struct cdn_extension *cdn_extension(struct text name);
const struct cdn_extension *cdn_usual_extension(enum cdn_format format);

enum {
    CDN_PARAMETERS_MAX = 12,
    CDN_VALUE_BYTES = 129, /* a hash of at most 128 characters, and a NUL */
    CDN_URL_BYTES = 1024,
};

/* The parameters of all paths. */
extern const char *const cdn_parameters[CDN_PARAMETERS_MAX];

/* An item on the CDN. */
struct cdn_item {
    const struct cdn_kind *kind;
    char value[CDN_PARAMETERS_MAX][CDN_VALUE_BYTES]; /* empty: not set */
    int64_t size;                                    /* in pixels; 0: original size */
};

/* The index of a parameter in value[]. The name must be in cdn_parameters. */
size_t cdn_parameter(const char *name);

/* Do URLs of these two kinds look the same? */
bool cdn_are_twins(const struct cdn_kind *a, const struct cdn_kind *b);

/* Does the kind's path have this parameter? */
bool cdn_has_parameter(const struct cdn_kind *kind, size_t parameter);

/* Is the value valid? Ids are ids, and hashes contain nothing that could change the path. */
bool cdn_is_value(size_t parameter, const char *value);

/* Does it have 32 hexadecimal digits, optionally after a_, as all known hashes have? */
bool cdn_is_usual_hash(const char *value);

/* Append the item's URL. moving requests animation for formats that need a parameter (WebP). */
void cdn_write(const struct cdn_item *item, const struct cdn_extension *extension, bool moving,
               struct buf *out);

/*
 * Find the kind and the parameters of a path (without its first slash and its extension). If there
 * is none, returns false and leaves item undefined.
 */
bool cdn_match(struct text path, struct cdn_item *item);
