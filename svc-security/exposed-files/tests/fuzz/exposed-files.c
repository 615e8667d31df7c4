/* svc-security/exposed-files/tests/fuzz/exposed-files.c - match arbitrary bodies, and compare
 * pages. The first byte selects the path, the second the media type and whether the body is
 * truncated. */
#include <assert.h>
#include <stdlib.h>

#include "exposed-files/exposures.h"
#include "exposed-files/likeness.h"
#include "target.h"

static struct exposures *exposures;

static void check_likeness(const struct content *content, const char *path)
{
    struct content half = *content;
    half.bytes.size /= 2;
    scoped(likeness_free) struct likeness a = likeness_of(content, path, "example.com");
    scoped(likeness_free) struct likeness b = likeness_of(&half, "/x/y.php", "example.com");
    assert(likeness_matches(&a, &a) && likeness_matches(&b, &b));
    assert(likeness_matches(&a, &b) == likeness_matches(&b, &a));
    assert(a.shingle_count <= content->bytes.size / 2 + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const types[] = { "text/plain", "text/html", "", "application/json" };
    struct finding finding = { .severity = SEVERITIES };
    if (!exposures &&
        !exposures_load(SOURCE_ROOT "/svc-security/exposed-files/paths.yaml", &exposures, NULL))
        abort();
    if (size < 2)
        return 0;
    const struct exposure *exposure = &exposures->item[bytes[0] % exposures->count];
    const struct content content = { { (const char *)bytes + 2, size - 2 },
                                     types[bytes[1] % countof(types)],
                                     bytes[1] & 0x80 };
    bool fits = exposure_fits(exposure, &content, &finding);
    assert(fits == (finding.severity < SEVERITIES));
    assert(!fits || finding.evidence);
    check_likeness(&content, exposure->path);
    return 0;
}
