/* svc-email/email-spam-check/tests/phrases.c - the syntax of phrases. */
#include "email-spam-check/phrases.h"

#include <string.h>

#include "base/mem.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *phrase;
    const char *text;
    int found; /* -1: the phrase is invalid */
} rows[] = {
    { "a word", "free", "It is free.", 1 },
    { "not inside a word", "free", "freedom", 0 },
    { "several words", "act now", "act\nnow!", 1 },
    { "not over a blank line", "act now", "act\n\nnow", 0 },
    { "an alternative", "act now|today", "act today", 1 },
    { "a prefix", "refinanc*", "Refinancing is no word; refinancing is.", 1 },
    { "any word", "my ~ name", "my own name", 1 },
    { "any word must be there", "my ~ name", "my name", 0 },
    { "a blank line is no word", "my ~ name", "my\n\nname", 0 },
    { "a gap", "lose {3} pounds", "lose up to 30 pounds", 1 },
    { "a gap may be empty", "lose {3} pounds", "lose pounds", 1 },
    { "a gap is no longer", "lose {3} pounds", "lose a b c d pounds", 0 },
    { "an optional element", "free trial? offer", "free offer", 1 },
    { "a number", "# left", "only 3 left", 1 },
    { "an amount", "earn $#", "earn $1,000.50", 1 },
    { "an amount in euros", "earn $#", "earn 5€", 1 },
    { "no amount", "earn $#", "earn 1,000", 0 },
    { "a percentage", "#% off", "20% off", 1 },
    { "an amount among words", "make $#|thousands", "make thousands", 1 },
    { "a URL is one word", "visit ~ now", "visit https://a.b/c?d=e now", 1 },
    { "an apostrophe", "don't wait", "don't wait", 1 },
    { "counted once", "free", "free free free", 1 },
    { "empty", "", "x", -1 },
    { "a capital", "Free", "x", -1 },
    { "a gap first", "{3} free", "x", -1 },
    { "a gap last", "free {3}", "x", -1 },
    { "a gap too long", "free {9} x", "x", -1 },
    { "an option first", "free? x", "x", -1 },
    { "an empty alternative", "a||b", "x", -1 },
    { "a sign", "a,b", "x", -1 },
    { "thirteen elements", "a b c d e f g h i j k l m", "x", -1 },
};

static void note(uint16_t set, size_t phrase, size_t first, size_t last, void *context)
{
    (void)phrase;
    assert_int_equal(set, 7);
    assert_true(first <= last);
    ++*(int *)context;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(phrases_free) struct phrases *phrases = phrases_new();
    struct err err = { 0 };
    int found = 0;

    bool ok = phrases_add(phrases, text_of(row->phrase), 7, &err);
    assert_int_equal(ok, row->found >= 0);
    phrases_finish(phrases);
    if (!ok)
        return;
    scoped(buf_free) struct buf lower = BUF(1000);
    buf_add_lower(&lower, text_of(row->text));
    scoped(words_free) struct words words = words_of(phrases, buf_text(&lower));
    phrases_match(phrases, &words, note, &found);
    assert_int_equal(found, row->found);
}

/* If the word numbers run out, the file is rejected, not misread. */
static void words_have_an_end(void **state)
{
    (void)state;
    scoped(phrases_free) struct phrases *phrases = phrases_new();
    struct err err = { 0 };
    size_t count = 0;
    for (bool ok = true; ok && count < UINT16_MAX; count += ok) {
        scoped(mem_free) char *word = str_format("w%zu", count);
        ok = phrases_add(phrases, text_of(word), 7, &err);
    }
    assert_in_range(count, 10000, INT16_MAX);
    assert_int_equal(phrases_count(phrases), count);
    phrases_finish(phrases);
    assert_true(phrases_have_word(phrases, text_of("w9999"), 7));
    assert_false(phrases_have_word(phrases, text_of("v9999"), 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(words_have_an_end) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
