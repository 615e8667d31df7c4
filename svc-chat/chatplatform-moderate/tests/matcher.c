/* svc-chat/chatplatform-moderate/tests/matcher.c - all patterns are found, also overlapping
 * ones. */
#include "chatplatform-moderate/reading/matcher.h"

#include <string.h>

#include "base/buf.h"
#include "rows.h"

/* Patterns and what they find are written as words: type, then text. */
static const struct row {
    const char *name;
    const char *patterns[6];
    const char *text;
    const char *want; /* begin-end of each match, in the order of their ends */
} rows[] = {
    { "one word", { "=cat" }, "a cat", "2-5 " },
    { "a word is whole", { "=cat" }, "cats concat cat", "12-15 " },
    { "a prefix", { ">cat" }, "cats concat cat", "0-3 12-15 " },
    { "a suffix", { "<cat" }, "cats concat cat", "8-11 12-15 " },
    { "anywhere", { "~cat" }, "cats concat cat", "0-3 8-11 12-15 " },
    { "within each other", { "~he", "~she", "~hers", "~his" }, "ushers", "1-4 2-4 2-6 " },
    { "over each other", { "~aa" }, "aaaa", "0-2 1-3 2-4 " },
    { "a suffix of a pattern's beginning", { "~abcd", "~bc" }, "abce", "1-3 " },
    { "equal patterns", { "~a", "=a" }, "a", "0-1 0-1 " },
    { "a phrase", { "=bad wolf" }, "big bad wolf", "4-12 " },
    { "nothing", { "~x" }, "abc", "" },
    { "no text", { "~x" }, "", "" },
    { "no pattern", { NULL }, "abc", "" },
};

static bool note(const struct pattern *pattern, size_t begin, size_t end, void *context)
{
    (void)pattern;
    return buf_format(context, "%zu-%zu ", begin, end);
}

static size_t widen(const char *text, uint32_t *code)
{
    size_t count = 0;
    for (; *text; text++)
        code[count++] = (unsigned char)*text;
    return count;
}

static void check(void **state)
{
    static const char types[] = "=><~";
    const struct row *row = *state;
    scoped(matcher_free) struct matcher *matcher = matcher_new();
    scoped(buf_free) struct buf found = BUF(1000);
    uint32_t code[64];

    for (size_t i = 0; i < countof(row->patterns) && row->patterns[i]; i++) {
        const char *pattern = row->patterns[i];
        size_t count = widen(pattern + 1, code);
        matcher_add(matcher, code, count, (enum match_type)(strchr(types, *pattern) - types), 0,
                    false);
    }
    matcher_finish(matcher);
    size_t count = widen(row->text, code);
    matcher_run(matcher, (struct symbols){ code, count, sizeof(*code) }, note, &found);
    assert_string_equal(buf_str(&found), row->want);
}

static bool stop(const struct pattern *pattern, size_t begin, size_t end, void *context)
{
    (void)pattern, (void)begin, (void)end;
    ++*(int *)context;
    return false;
}

static void it_stops_when_told(void **state)
{
    (void)state;
    scoped(matcher_free) struct matcher *matcher = matcher_new();
    const uint32_t code[] = { 'a', 'a', 'a' };
    int calls = 0;
    matcher_add(matcher, code, 1, MATCH_SUBSTRING, 0, false);
    matcher_finish(matcher);
    matcher_run(matcher, (struct symbols){ code, 3, sizeof(*code) }, stop, &calls);
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(it_stops_when_told) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
