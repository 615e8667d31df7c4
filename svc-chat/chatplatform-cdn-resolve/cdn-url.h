/* svc-chat/chatplatform-cdn-resolve/cdn-url.h - URLs on the platform's content network, in pieces.
 */
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

/* When a signed URL was made, and until when it holds. */
struct cdn_signature {
    bool is_there; /* expires_ms is meant */
    int64_t expires_ms;
    bool has_issued;
    int64_t issued_ms;
    bool has_hm;
};

/* False when it does not begin with http:// or https:// and a host. */
bool cdn_url_split(const char *url, struct cdn_url *parts);

/* "images-ext-1.discordapp.net": what the platform fetched from elsewhere. */
bool cdn_url_is_proxy(struct text host);

/* The value of a query's first parameter of that name, as it stands; false when there is none. */
bool cdn_url_query(struct text query, const char *name, struct text *value);

/* Read ex, is and hm, where times are seconds since 1970 in hexadecimal. */
void cdn_url_signature(struct text query, struct cdn_signature *signature);

/* ---- pieces of a path; each cuts off what it took ---- */

/* The extension with its dot, in lower case to out; one that is none stays where it is. */
void cdn_url_take_extension(struct text *path, char out[static CDN_EXTENSION_BYTES + 1]);

/* An id and the slash behind it; out has CDN_VALUE_BYTES. */
bool cdn_url_take_id(struct text *path, char *out);

/* This beginning. */
bool cdn_url_take(struct text *path, const char *prefix);
