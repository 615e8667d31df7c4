/*
 * portal/base/assets.h - the files below /static/: read once at start, and named by their content,
 * so that browsers may keep them for a year.
 */
#pragma once

#include "base/err.h"
#include "base/text.h"

struct assets;

struct asset {
    const char *name;   /* "portal.css" */
    const char *hashed; /* "portal.0123456789abcdef.css": 64 bits of its SHA-256 */
    const char *type;   /* its Content-Type */
    struct text bytes;
};

/* Read all files of a folder, at most 32 of 1 MB. Errors: ERR_INVALID_VALUE for a file that cannot
 * be read, or whose type is unknown. */
bool assets_load(const char *folder, struct assets **assets, struct err *err) must_check;
void assets_free(struct assets **assets);

/* By the name it has in the folder, and by the one that pages name; NULL: there is none. */
const struct asset *assets_find(const struct assets *assets, const char *name);
const struct asset *assets_find_hashed(const struct assets *assets, const char *hashed);
