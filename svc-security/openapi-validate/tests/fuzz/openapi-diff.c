/* svc-security/openapi-validate/tests/fuzz/openapi-diff.c - compare two documents with a line ====
 * between them: results are UTF-8, witnesses are at most 1 KB, and a document has no changes to
 * itself. */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "openapi-validate/diff/diff.h"
#include "openapi-validate/tests/reading.h"
#include "openapi-validate/witness/witness.h"
#include "target.h"
#include "text/json.h"

static void assert_good(const struct diff *diff)
{
    for (size_t i = 0; i < diff->kept; i++) {
        const struct change *change = &diff->changes[i];
        scoped(buf_free) struct buf texts = BUF(4 * CHANGE_VALUE_BYTES);
        change_message(change, &texts);
        change_value(change->from, &texts);
        change_value(change->to, &texts);
        assert(change->id[0] != '\0' && utf8_is_valid(buf_text(&texts)));
        assert(!change->witness || utf8_is_valid(text_of(change->witness)));
        assert(!change->witness || strlen(change->witness) <= 1024);
        assert(!change->witness || !change->witness_note);
    }
}

static void assert_is_itself(struct text text)
{
    scoped(reading_free) struct reading once;
    scoped(reading_free) struct reading again;
    scoped(diff_free) struct diff diff = { .today = 20600 };
    bool ok = reading_of(&once, text) && check_references(&once.check);
    ok &= reading_of(&again, text) && check_references(&again.check);
    if (!ok)
        return;
    diff.old.check = &once.check;
    diff.new.check = &again.check;
    diff_run(&diff);
    assert(diff.kept == 0 || diff.is_cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char line[] = "\n====\n";
    struct text input = { (const char *)bytes, size };
    const char *middle = memmem(input.bytes, input.size, line, sizeof(line) - 1);
    if (size > 65536 || !middle)
        return 0;
    struct text first = { input.bytes, (size_t)(middle - input.bytes) };
    struct text second = { middle + sizeof(line) - 1, input.size - first.size - sizeof(line) + 1 };

    scoped(reading_free) struct reading old;
    scoped(reading_free) struct reading new;
    scoped(diff_free) struct diff diff = { .today = 20600 };
    scoped(json_free) cJSON *result = json_object();
    bool ok = reading_of(&old, first) && check_references(&old.check);
    ok &= reading_of(&new, second) && check_references(&new.check);
    if (!ok)
        return 0;
    diff.old.check = &old.check;
    diff.new.check = &new.check;
    diff_run(&diff);
    witness_find(&diff);
    diff_write(&diff, result);
    assert_good(&diff);
    assert_is_itself(first);
    assert_is_itself(second);
    return 0;
}
