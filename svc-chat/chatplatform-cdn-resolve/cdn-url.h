/* svc-chat/chatplatform-cdn-resolve/cdn-url.h - URLs of the platform's CDN, in pieces. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "cdn.h"

enum { CDN_EXTENSION_BYTES = 8 };

/* Borrowed from the URL's text. */
struct cdn_url {
    struct text host;
    struct text path; /* without the first slash */
    struct text query;
};

/* When a signed URL was made, and when it expires. */
struct cdn_signature {
    bool is_there; /* expires_ms is set */
    int64_t expires_ms;
    bool has_issued;
    int64_t issued_ms;
    bool has_hm;
};

/* False if it does not begin with http:// or https:// and a host. */
bool cdn_url_split(const char *url, struct cdn_url *parts);

/* "images-ext-1.discordapp.net": images that the platform fetched from other hosts. */
bool cdn_url_is_proxy(struct text host);

/* The raw value of a query's first parameter with that name; false if not found. */
bool cdn_url_query(struct text query, const char *name, struct text *value);

/* Read ex, is and hm; times are Unix seconds in hexadecimal. */
void cdn_url_signature(struct text query, struct cdn_signature *signature);

/* ---- pieces of a path; each function removes what it read ---- */

/* The extension with its dot, in lowercase to out. An unknown extension stays in the path. */
void cdn_url_take_extension(struct text *path, char out[static CDN_EXTENSION_BYTES + 1]);

/* An id and the slash after it; out has CDN_VALUE_BYTES. */
bool cdn_url_take_id(struct text *path, char *out);

/* This prefix. */
bool cdn_url_take(struct text *path, const char *prefix);
