/* svc-security/openapi-validate/tests/fuzz/openapi-document.c - check any text: findings are
 * counted, UTF-8 and reproducible, and the document has no changes to itself. */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/num.h"
#include "openapi-validate/diff/diff.h"
#include "openapi-validate/stats.h"
#include "openapi-validate/tests/reading.h"
#include "target.h"
#include "text/json.h"

static bool check_text(struct reading *side, struct text input)
{
    bool ok = reading_of(side, input) && check_document(&side->check);
    findings_sort(side->findings);
    return ok;
}

static void assert_good(const struct reading *side)
{
    const struct findings *findings = side->findings;
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        for (size_t i = 0; i < MIN(findings->count[level], (size_t)FINDINGS_MAX); i++) {
            scoped(buf_free) struct buf path = BUF(1 << 20);
            const struct finding *finding = &findings->item[level][i];
            assert(finding->rule[0] != '\0');
            assert(utf8_is_valid(text_of(finding->message)));
            node_path(finding->node, &path);
            assert(path.full || utf8_is_valid(buf_text(&path)));
        }
}

static void assert_same(const struct reading *a, const struct reading *b)
{
    for (size_t level = 0; level < LEVEL_COUNT; level++) {
        assert(a->findings->count[level] == b->findings->count[level]);
        for (size_t i = 0; i < MIN(a->findings->count[level], (size_t)FINDINGS_MAX); i++)
            assert(strcmp(a->findings->item[level][i].message,
                          b->findings->item[level][i].message) == 0);
    }
}

static void assert_unchanged(struct reading *a, struct reading *b)
{
    scoped(diff_free) struct diff diff = { .today = 20600 };
    diff.old.check = &a->check;
    diff.new.check = &b->check;
    diff_run(&diff);
    assert(diff.kept == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text input = { (const char *)bytes, size };
    scoped(reading_free) struct reading first;
    scoped(reading_free) struct reading second;
    scoped(json_free) cJSON *result = json_object();

    if (size > 65536)
        return 0;
    bool ok = check_text(&first, input);
    assert(check_text(&second, input) == ok);
    assert(ok || first.findings->count[LEVEL_ERROR] > 0);
    assert_good(&first);
    stats_add(&first.check, result);
    if (first.check.is_cut || second.check.is_cut)
        return 0; /* a time limit is not reproducible */
    assert_same(&first, &second);
    if (ok)
        assert_unchanged(&first, &second);
    return 0;
}
