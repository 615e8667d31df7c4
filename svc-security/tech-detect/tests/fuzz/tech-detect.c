/* svc-security/tech-detect/tests/fuzz/tech-detect.c - examine any response: header lines up to an
 * empty line, then a page. Findings are UTF-8, unique and sorted. */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "target.h"
#include "tech-detect/detect.h"

enum { HEADERS_MAX = 50 };

/* Cut the lines with a colon off *rest. */
static size_t read_headers(char **rest, struct fetch_header *header)
{
    size_t count = 0;
    for (char *end; count < HEADERS_MAX && (end = strchr(*rest, '\n')); *rest = end + 1) {
        char *colon = memchr(*rest, ':', (size_t)(end - *rest));
        if (!colon)
            break;
        *colon = *end = '\0';
        header[count].name = text_of(*rest);
        header[count++].value = text_of(colon + 1);
    }
    return count;
}

static void check(const struct detected *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->item[i];
        assert(i == 0 || finding->technology > findings->item[i - 1].technology);
        assert(finding->confidence >= 50 && finding->confidence <= 100);
        assert(utf8_is_valid(text_of(finding->version)));
        assert(finding->is_implied || finding->evidence_count > 0);
        for (size_t j = 0; j < finding->evidence_count; j++)
            assert(utf8_is_valid(text_of(finding->evidence[j])));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void *signatures;
    static struct target target;
    static struct public_suffixes *suffixes;
    if (!signatures) {
        bool ok = signatures_load(SOURCE_ROOT "/svc-security", &signatures, NULL) &&
                  public_suffixes_load("", &suffixes, NULL) &&
                  target_parse_url(TEXT("https://www.example.com/a/b.php"), &target, NULL);
        assert(ok);
    }
    scoped(mem_free) char *text = mem_dup(bytes, size);
    scoped(detected_free) struct detected findings = { 0 };
    struct fetch_header header[HEADERS_MAX];
    char *rest = text;
    size_t count = read_headers(&rest, header);
    const struct response response = {
        .target = &target,
        .header = header,
        .header_count = count,
        .suffixes = suffixes,
        .body = { rest, (size_t)(text + size - rest) },
    };
    detect(signatures, &response, &findings);
    check(&findings);
    return 0;
}
