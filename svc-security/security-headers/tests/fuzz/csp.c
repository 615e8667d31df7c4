/* svc-security/security-headers/tests/fuzz/csp.c - parse, merge and check any lines as policies,
 * within the limits. The first byte is the number of lines in markup. */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "security-headers/csp/findings.h"
#include "security-headers/tests/site.h"
#include "target.h"

static const struct knowledge *knowledge;

/* A merged source is allowed by every policy, or the list is 'none'. */
static void check_merged(const struct csp *csp)
{
    for (size_t d = 0; d < csp->merged.count; d++) {
        const struct csp_directive *directive = &csp->merged.directive[d];
        assert(csp_find(&csp->merged, directive->name) == directive);
        assert(directive->count <= CSP_SOURCES_MAX + 1);
        for (size_t s = 0; s < directive->count; s++)
            assert(*directive->source[s] && utf8_is_valid(text_of(directive->source[s])));
    }
    assert(csp->sources <= CSP_SOURCES_MAX && csp->directives <= CSP_DIRECTIVES_MAX);
}

static void read_lines(struct csp *csp, size_t of_markup, struct text lines)
{
    for (size_t i = 0; lines.size > 0; i++) {
        const char *end = memchr(lines.bytes, '\n', lines.size);
        size_t size = end ? (size_t)(end - lines.bytes) : lines.size;
        csp_add(csp, (struct text){ lines.bytes, size }, i < of_markup);
        lines.bytes += size + (end != NULL);
        lines.size -= size + (end != NULL);
    }
    csp_merge(csp);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(csp_free) struct csp csp = { 0 };
    struct csp_findings findings = { 0 };
    if (!knowledge)
        knowledge = site_knowledge();
    if (size == 0)
        return 0;
    read_lines(&csp, bytes[0] % 4, (struct text){ (const char *)bytes + 1, size - 1 });
    check_merged(&csp);
    csp_find_all(&csp, &knowledge->bypasses, &findings);
    csp_find_static_nonces(&csp, &csp, &findings);
    assert(findings.count <= CSP_FINDINGS_MAX);
    for (size_t i = 0; i < findings.count; i++)
        assert(*findings.item[i].directive && utf8_is_valid(text_of(findings.item[i].value)));
    return 0;
}
