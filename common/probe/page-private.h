/* common/probe/page-private.h - what page.c and page-reader.c share. */
#ifndef PROBE_PAGE_PRIVATE_H
#define PROBE_PAGE_PRIVATE_H

#include "probe/page.h"

struct page {
    struct buf utf8;
    struct text markup;
    const char *charset;
    enum page_encoding how;
    bool is_xml;
    char *base; /* NULL: no base element */
};

/* Does text begin with prefix, which is in lower case? */
bool page_begins(struct text text, const char *lower);

#endif
