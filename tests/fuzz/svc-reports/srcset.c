/* tests/fuzz/svc-reports/srcset.c - three lines of arbitrary bytes: srcset, sizes, src. The chosen
 * URL is in srcset or src; one from srcset has no blank. */
#include "crawl/srcset.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "crawl/media.h"
#include "probe/page-text.h"

static bool is_within(struct text part, struct text whole)
{
    return part.bytes >= whole.bytes && part.bytes + part.size <= whole.bytes + whole.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text src = { (const char *)bytes, size };
    struct text srcset = text_cut(&src, '\n');
    struct text sizes = text_cut(&src, '\n');
    struct text url = TEXT("");
    bool fits = media_fits(sizes);
    assert(!fits || !media_is_print(sizes));
    if (!srcset_choose(srcset, sizes, src, &url)) {
        assert(url.size == 0);
        return 0;
    }
    assert(url.size > 0 && (is_within(url, srcset) || is_within(url, src)));
    for (size_t i = 0; i < url.size && is_within(url, srcset); i++)
        assert(!page_is_blank(url.bytes[i]));
    return 0;
}
