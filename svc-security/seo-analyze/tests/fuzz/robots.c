/* svc-security/seo-analyze/tests/fuzz/robots.c - parse and match any bytes as robots.txt, and parse
 * them as a sitemap. */
#include <assert.h>

#include "base/scoped.h"
#include "seo-analyze/survey/robots.h"
#include "seo-analyze/survey/sitemap.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const paths[] = { "/", "/a/b.php?c=d", "/%C3%A4/~a/%2F*$" };
    static const char *const agents[] = { "*", "Googlebot", "a" };
    struct text text = { (const char *)bytes, size };
    scoped(robots_free) struct robots robots;
    struct sitemap sitemap;

    robots_read(text, &robots);
    assert(robots.bad_count <= robots.line_count && robots.sitemap.size <= size);
    assert((robots.bad_cause != NULL) == (robots.bad_count > 0));
    for (size_t i = 0; i < countof(paths); i++)
        for (size_t j = 0; j < countof(agents); j++) {
            bool is_allowed = robots_allow(&robots, agents[j], paths[i]);
            assert(is_allowed || robots.rule_count > 0);
        }
    sitemap_read(text, bytes && size % 2, &sitemap);
    assert(sitemap.is_known || !sitemap.is_index);
    return 0;
}
