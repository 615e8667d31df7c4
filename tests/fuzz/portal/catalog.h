/* tests/fuzz/portal/catalog.h - the tools of this tree, and a visit with a form, for targets of the
 * portal's pages. */
#pragma once

#include <assert.h>

#include "portal/page/visit.h"
#include "portal/public/catalog-cache.h"

static inline struct portal *portal_of_tree(void)
{
    static struct portal portal;
    struct err err = { 0 };
    if (!portal.catalog) {
        bool ok = catalog_cache_load(SOURCE_ROOT, SOURCE_ROOT "/gateway/limits.yaml",
                                     &portal.catalog, &err);
        assert(ok);
    }
    return &portal;
}

/* False: the bytes are not a form. End the visit in either case. */
static inline bool visit_of_form(struct visit *visit, const uint8_t *bytes, size_t size,
                                 const char *lists)
{
    static const struct http_request request = { .method = "POST", .path = "/portal" };
    struct text encoded = { (const char *)bytes, size };
    visit_begin(visit, portal_of_tree(), &request, NULL);
    return form_parse(encoded, lists, &visit->form, NULL);
}
