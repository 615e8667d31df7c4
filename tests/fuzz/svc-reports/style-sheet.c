/* tests/fuzz/svc-reports/style-sheet.c - arbitrary bytes as a style sheet. Each URL is trimmed, and
 * the URLs have at most as many bytes as the sheet. */
#include "crawl/css.h"

#include <assert.h>
#include <string.h>

#include "../target.h"

static void count(enum css_use use, struct text url, void *context)
{
    size_t *found = context;
    assert(use == CSS_IMPORT || use == CSS_FONT || use == CSS_IMAGE);
    assert(url.size > 0 && url.size <= CSS_URL_BYTES);
    assert(text_equals(text_trim(url), url) && !text_begins_any_case(url, "data:"));
    ++*found;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t found = 0;
    css_read((struct text){ (const char *)bytes, size }, count, &found);
    assert(found <= size / strlen("url(a"));
    return 0;
}
