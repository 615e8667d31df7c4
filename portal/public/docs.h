/*
 * portal/public/docs.h - the customers' documentation. The build turns the Markdown of docs/ into
 * templates (portal/public/docs-pages.py), so their markup is checked at start like that of other
 * pages.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "portal/page/visit.h"

struct docs_page {
    const char *name; /* "errors" of /docs/errors; "": /docs */
    const char *title;
    const char *template;
    const char *source; /* of the template */
};

extern const struct docs_page docs_pages[];
extern const size_t docs_page_count;

/* Add the templates of all pages to those of the portal. Errors: as templates_load(). */
bool docs_add(struct templates *templates, struct err *err) must_check;

visit_handler docs_show; /* /docs, /docs/{page} */
