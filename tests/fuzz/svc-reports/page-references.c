/* tests/fuzz/svc-reports/page-references.c - arbitrary bytes as a page. Each reference has a URL
 * that needs a request, and lazy images are not eager. */
#include "crawl/references.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(references_free) struct references references = { 0 };
    scoped(page_free) struct page *page =
        page_new((struct text){ (const char *)bytes, size }, "text/html");
    references_read(page, &references);
    assert(references.count <= REFERENCES_MAX && references.max_depth <= references.elements);
    for (size_t i = 0; i < references.count; i++) {
        const struct reference *reference = &references.item[i];
        struct text url = text_of(reference->url);
        assert(url.size > 0 && !text_begins_any_case(url, "data:") && *url.bytes != '#');
        assert(!reference->is_lazy || !reference->is_eager_late);
        assert(!reference->blocks || reference->use == USE_STYLE || reference->use == USE_SCRIPT);
    }
    return 0;
}
