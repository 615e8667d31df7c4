/*
 * svc-security/subdomain-finder/readers.h - the answers of certificate transparency services. They
 * are foreign bytes, up to 16 MiB: read in one pass, nothing is built of them but names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "harvest.h"

enum { CURSOR_BYTES = 65 };

/* What became of one answer. */
enum reading {
    READING_WHOLE,
    READING_BROKEN, /* it breaks off; what came before counts */
    READING_NONE,   /* it is not of the format at all */
};

struct page {
    size_t items;              /* certificates or names on it */
    char cursor[CURSOR_BYTES]; /* id of the last item; "" when there is none */
};

struct format {
    const char *name;
    enum reading (*read)(struct text body, unsigned source, struct harvest *harvest,
                         struct page *page);
    const char *page_argument; /* NULL: there is but one page */
    bool pages_by_cursor;      /* the argument is the cursor of the page before; else its number */
    bool is_flaky;             /* worth a second try after an error */
};

/* NULL: no such format. */
const struct format *format_of(const char *name);
