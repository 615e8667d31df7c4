/* tests/unit/base/text.c - questions about texts, and parts of them. */
#include "base/text.h"

#include <string.h>

#include "base/ascii.h"
#include "rows.h"

#define NOTHING ((struct text){ NULL, 0 })

enum answer {
    IS = 1 << 0,
    BEGINS = 1 << 1,
    HAS = 1 << 2,
    IS_ANY = 1 << 3,
    BEGINS_ANY = 1 << 4,
    HAS_ANY = 1 << 5,
    ANY = IS_ANY | BEGINS_ANY | HAS_ANY,
    ALL = IS | BEGINS | HAS | ANY,
};

static const struct row {
    const char *name;
    struct text text;
    const char *string;
    int answers; /* of enum answer: all that are yes */
} rows[] = {
    { "the same", TEXT("ab"), "ab", ALL },
    { "shorter than the string", TEXT("ab"), "abc", 0 },
    { "longer", TEXT("abc"), "ab", BEGINS | HAS | BEGINS_ANY | HAS_ANY },
    { "in the middle", TEXT("xaby"), "ab", HAS | HAS_ANY },
    { "at the end", TEXT("xab"), "ab", HAS | HAS_ANY },
    { "cut off at the end", TEXT("xa"), "ab", 0 },
    { "behind a false start", TEXT("aab"), "ab", HAS | HAS_ANY },
    { "something else", TEXT("ba"), "ab", 0 },
    { "nothing in nothing", NOTHING, "", ALL },
    { "nothing in an empty literal", TEXT(""), "", ALL },
    { "nothing in a text", TEXT("a"), "", BEGINS | HAS | BEGINS_ANY | HAS_ANY },
    { "a string in nothing", NOTHING, "a", 0 },
    { "capitals", TEXT("AZ"), "az", ANY },
    { "small letters for capitals", TEXT("az"), "AZ", ANY },
    { "capitals in a longer text", TEXT("xAZy"), "az", HAS_ANY },
    { "capitals at the beginning", TEXT("AZy"), "az", BEGINS_ANY | HAS_ANY },
    { "not the signs next to the letters", TEXT("@["), "`{", 0 },
    { "not the letters of Latin-1", TEXT("\xC4"), "\xE4", 0 },
    { "bytes beyond ASCII", TEXT("\xC3\xA4"), "\xC3\xA4", ALL },
    { "a NUL behind it", TEXT("a\0"), "a", BEGINS | HAS | BEGINS_ANY | HAS_ANY },
    { "a NUL before it", TEXT("\0a"), "a", HAS | HAS_ANY },
    { "a NUL within", TEXT("a\0b"), "ab", 0 },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(text_is(row->text, row->string), (row->answers & IS) != 0);
    assert_int_equal(text_begins(row->text, row->string), (row->answers & BEGINS) != 0);
    assert_int_equal(text_has(row->text, row->string), (row->answers & HAS) != 0);
    assert_int_equal(text_is_any_case(row->text, row->string), (row->answers & IS_ANY) != 0);
    assert_int_equal(text_begins_any_case(row->text, row->string),
                     (row->answers & BEGINS_ANY) != 0);
    assert_int_equal(text_has_any_case(row->text, row->string), (row->answers & HAS_ANY) != 0);
}

/* A text that ends where its memory does: nothing beyond is read. */
static void check_bounds(void **state)
{
    const struct row *row = *state;
    struct row copy = *row;
    scoped(mem_free) char *bytes = mem_array(row->text.size, 1);
    if (row->text.size > 0)
        memcpy(bytes, row->text.bytes, row->text.size);
    copy.text.bytes = bytes;
    void *again = &copy;
    check(&again);
}

static void texts(void **state)
{
    (void)state;
    assert_int_equal(text_of(NULL).size, 0);
    assert_non_null(text_of(NULL).bytes);
    assert_int_equal(text_of("abc").size, 3);
    assert_int_equal(TEXT("a\0b").size, 3);
}

static const struct pair {
    const char *name;
    struct text a, b;
    bool is_equal;
} pairs[] = {
    { "the same bytes", TEXT("ab"), TEXT("ab"), true },
    { "another size", TEXT("ab"), TEXT("abc"), false },
    { "another byte", TEXT("ab"), TEXT("aB"), false },
    { "the same behind a NUL", TEXT("a\0b"), TEXT("a\0b"), true },
    { "another byte behind a NUL", TEXT("a\0b"), TEXT("a\0c"), false },
    { "two empty ones", NOTHING, TEXT(""), true },
};

static void check_pair(void **state)
{
    const struct pair *row = *state;
    assert_int_equal(text_equals(row->a, row->b), row->is_equal);
    assert_int_equal(text_equals(row->b, row->a), row->is_equal);
}

static const struct kind {
    const char *name;
    struct text text;
    bool is_digits, is_ascii, is_hex;
} kinds[] = {
    { "a digit", TEXT("0"), true, true, true },
    { "digits", TEXT("0123456789"), true, true, true },
    { "none at all", NOTHING, false, true, true },
    { "a sign before", TEXT("-1"), false, true, false },
    { "the byte before 0", TEXT("1/"), false, true, false },
    { "the byte behind 9", TEXT("1:"), false, true, false },
    { "a letter among them", TEXT("1a"), false, true, true },
    { "a NUL among them", TEXT("1\0"), false, true, false },
    { "the last of ASCII", TEXT("\x7F"), false, true, false },
    { "the first beyond", TEXT("a\x80"), false, false, false },
    { "digits of another script", TEXT("\u0661"), false, false, false },
};

static void check_kind(void **state)
{
    const struct kind *row = *state;
    assert_int_equal(text_is_digits(row->text), row->is_digits);
    assert_int_equal(text_is_ascii(row->text), row->is_ascii);
    assert_int_equal(text_is_made_of(row->text, "0123456789abcdef"), row->is_hex);
}

static const struct trim {
    const char *name;
    struct text text;
    struct text want;
} trims[] = {
    { "white space of each sort", TEXT(" \t a b\r\n\v\f"), TEXT("a b") },
    { "none", TEXT("a"), TEXT("a") },
    { "white space alone", TEXT(" \n "), TEXT("") },
    { "NUL is not one", TEXT("\0 "), TEXT("\0") },
    { "a no-break space is not one", TEXT("\u00A0a"), TEXT("\u00A0a") },
    { "an empty text", NOTHING, TEXT("") },
};

static void check_trim(void **state)
{
    const struct trim *row = *state;
    assert_true(text_equals(text_trim(row->text), row->want));
}

static const struct cut {
    const char *name;
    struct text text;
    const char *parts[4]; /* as long as something is left */
} cuts[] = {
    { "parts", TEXT("a,b"), { "a", "b" } },
    { "one part", TEXT("ab"), { "ab" } },
    { "empty parts", TEXT(",,a"), { "", "", "a" } },
    { "nothing behind the last separator", TEXT("a,"), { "a" } },
    { "the separator alone", TEXT(","), { "" } },
    { "nothing", NOTHING, { NULL } },
};

static void check_cut(void **state)
{
    const struct cut *row = *state;
    struct text rest = row->text;
    for (size_t i = 0; i < countof(row->parts) && row->parts[i]; i++) {
        assert_true(rest.size > 0);
        assert_true(text_is(text_cut(&rest, ','), row->parts[i]));
    }
    assert_int_equal(rest.size, 0);
    assert_int_equal(text_cut(&rest, ',').size, 0); /* and again */
}

static void a_nul_may_separate(void **state)
{
    (void)state;
    struct text rest = TEXT("a\0b");
    assert_true(text_is(text_cut(&rest, '\0'), "a"));
    assert_true(text_is(rest, "b"));
}

static void what_is_behind(void **state)
{
    (void)state;
    assert_true(text_is(text_skip(TEXT("abc"), 0), "abc"));
    assert_true(text_is(text_skip(TEXT("abc"), 2), "c"));
    assert_true(text_is(text_skip(TEXT("abc"), 3), ""));
}

static const struct take {
    const char *name;
    struct text text;
    const char *one_of;
    bool takes;
} takes[] = {
    { "the first of the set", TEXT("+1"), "+-", true },
    { "the last of the set", TEXT("-1"), "+-", true },
    { "not the second byte", TEXT("1-"), "+-", false },
    { "not the other case", TEXT("Z"), "z", false },
    { "a NUL is in no set", TEXT("\0"), "+-", false },
    { "of nothing", NOTHING, "+-", false },
    { "an empty set", TEXT("+"), "", false },
};

static void check_take(void **state)
{
    const struct take *row = *state;
    struct text rest = row->text;
    assert_int_equal(text_take_byte(&rest, row->one_of), row->takes);
    assert_true(text_equals(rest, text_skip(row->text, row->takes)));
}

static void what_is_around(void **state)
{
    static const char *const words[] = { "one", "Two" };
    (void)state;
    assert_true(text_is(text_strip(TEXT("<a.b>."), "<", ">."), "a.b"));
    assert_true(text_is(text_strip(TEXT("<a>"), "", ">"), "<a"));
    assert_true(text_is(text_strip(TEXT("..."), ".", "."), ""));
    assert_true(text_is(text_strip(NOTHING, ".", "."), ""));
    assert_true(text_is(text_before(TEXT("a/b?c"), "?/"), "a"));
    assert_true(text_is(text_before(TEXT("abc"), "/"), "abc"));
    assert_true(text_is(text_before(TEXT("a\0b"), "/"), "a"));
    assert_true(text_is(text_before(NOTHING, "/"), ""));
    assert_true(text_is_among(TEXT("ONE"), words, countof(words)));
    assert_true(text_is_among(TEXT("two"), words, countof(words)));
    assert_false(text_is_among(TEXT("on"), words, countof(words)));
    assert_false(text_is_among(TEXT("one"), words, 0));
    assert_true(text_is_made_of(TEXT("aZ09"), ASCII_ALNUM));
    assert_false(text_is_made_of(TEXT("a-b"), ASCII_ALNUM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(a_nul_may_separate),
        cmocka_unit_test(what_is_behind),
        cmocka_unit_test(what_is_around),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(rows, check_bounds) + RUN_ROWS(pairs, check_pair) +
           RUN_ROWS(kinds, check_kind) + RUN_ROWS(trims, check_trim) + RUN_ROWS(cuts, check_cut) +
           RUN_ROWS(takes, check_take) + cmocka_run_group_tests(tests, NULL, NULL);
}
