/*
 * gateway/catalog/openapi-headers.h - the headers of responses in the OpenAPI document, and which
 * responses have them.
 */
#pragma once

#include <stddef.h>

struct header {
    const char *name;
    const char *type;
    const char *about;
};

extern const struct header headers[];
extern const size_t header_count;

/* Names, which end with NULL. */
extern const char *const headers_always[];  /* errors without others */
extern const char *const headers_paid[];    /* results of tools */
extern const char *const headers_wrong[];   /* 400 */
extern const char *const headers_limited[]; /* endpoints of the account, and 429 */
extern const char *const headers_later[];   /* errors that say when to retry */
extern const char *const headers_denied[];  /* 403 */
