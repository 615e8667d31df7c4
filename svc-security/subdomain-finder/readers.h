/*
 * svc-security/subdomain-finder/readers.h - parse responses of certificate transparency services.
 * These are untrusted bytes, up to 16 MiB: parsed in one pass, and only names are kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "harvest.h"

enum { CURSOR_BYTES = 65 };

/* Outcome of parsing a response. */
enum reading {
    READING_WHOLE,
    READING_BROKEN, /* incomplete; the items before count */
    READING_NONE,   /* not in this format */
};

struct page {
    size_t items;              /* certificates or names */
    char cursor[CURSOR_BYTES]; /* id of the last item, or "" */
};

struct format {
    const char *name;
    enum reading (*read)(struct text body, unsigned source, struct harvest *harvest,
                         struct page *page);
    const char *page_argument; /* NULL: only one page */
    bool pages_by_cursor;      /* the argument is the cursor of the previous page, otherwise the
                                * page number */
    bool is_flaky;             /* retry after an error */
};

/* NULL for an unknown format. */
const struct format *format_of(const char *name);
