/* svc-chat/chatplatform-cdn-resolve/cdn.h - what lies on the platform's content network, by
 * cdn.def: URLs from parameters, and parameters from URLs. */
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

/* The kind of that name; NULL when there is none. */
const struct cdn_kind *cdn_kind(const char *name);

/* Kinds in the order of cdn.def; NULL behind the last. */
const struct cdn_kind *cdn_kind_at(size_t index);

/* What a format is called: "jpg" and "jpeg" are one. */
struct cdn_extension {
    const char *name;
    enum cdn_format format;
    const char *extension; /* in a URL */
};

/* By name; NULL when it is none. The format's usual extension; NULL for CDN_NONE. */
const struct cdn_extension *cdn_extension(struct text name);
const struct cdn_extension *cdn_usual_extension(enum cdn_format format);

enum {
    CDN_PARAMETERS_MAX = 12,
    CDN_VALUE_BYTES = 129, /* of a hash at most 128 characters, and a NUL */
    CDN_URL_BYTES = 1024,
};

/* The parameters that paths have. */
extern const char *const cdn_parameters[CDN_PARAMETERS_MAX];

/* One thing on the network. */
struct cdn_item {
    const struct cdn_kind *kind;
    char value[CDN_PARAMETERS_MAX][CDN_VALUE_BYTES]; /* empty: not set */
    int64_t size;                                    /* in pixels; 0: as it is */
};

/* The place of a parameter in value[]; the name is one that paths have. */
size_t cdn_parameter(const char *name);

/* Do URLs of these two kinds look the same? Then they cannot be told apart. */
bool cdn_are_twins(const struct cdn_kind *a, const struct cdn_kind *b);

/* Does the kind's path have this parameter? */
bool cdn_has_parameter(const struct cdn_kind *kind, size_t parameter);

/* Judge a parameter's value: ids are ids, hashes hold nothing that could change the path. */
bool cdn_is_value(size_t parameter, const char *value);

/* Is it 32 hexadecimal digits, perhaps after a_, as all known hashes are? */
bool cdn_is_usual_hash(const char *value);

/* Append the item's URL. moving asks for motion where the format needs to be told (WebP). */
void cdn_write(const struct cdn_item *item, const struct cdn_extension *extension, bool moving,
               struct buf *out);

/* Find the kind that a path (without its first slash and its extension) fits, and its values;
 * false when there is none, and then item is undefined. */
bool cdn_match(struct text path, struct cdn_item *item);
