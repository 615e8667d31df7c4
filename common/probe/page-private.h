/* common/probe/page-private.h - shared by page.c and page-reader.c. */
#pragma once

#include "probe/page.h"

struct page {
    struct buf utf8;
    struct text markup;
    const char *charset;
    enum page_encoding how;
    bool is_xml;
    char *base; /* NULL: no base element */
};
