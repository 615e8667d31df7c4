/*
 * portal/base/assets.h - the files below /static/. They are read once at start and named by their
 * content, so that browsers may cache them for a year.
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

/* Read all files of a folder: at most 32, of at most 1 MB each. Errors: ERR_INVALID_VALUE if a file
 * cannot be read, or its type is unknown. */
bool assets_load(const char *folder, struct assets **assets, struct err *err) must_check;
void assets_free(struct assets **assets);

/* Find a file by its name in the folder, and by its hashed name. NULL: it does not exist. */
const struct asset *assets_find(const struct assets *assets, const char *name);
const struct asset *assets_find_hashed(const struct assets *assets, const char *hashed);
