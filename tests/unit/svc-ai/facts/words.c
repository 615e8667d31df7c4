/* tests/unit/svc-ai/facts/words.c - words of texts in any script. */
#include "facts/words.h"

#include "rows.h"

static const struct row {
    const char *name; /* the text */
    size_t want;
} rows[] = {
    { "", 0 },
    { "one", 1 },
    { "  one\ttwo\nthree ", 3 },
    { "it's well-known", 2 },
    { "- … !", 0 },
    { "7 + 7", 2 },
    { "naïve Über-Größe", 2 },
    { "日本語", 3 },
    { "東京タワー", 5 },
    { "Python入門 3", 4 },
    { "한국어 문장", 2 },
    { "Привет, мир", 2 },
    { "(a)", 1 },
    { "a\xC2\xA0"
      "b",
      2 },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(words_count(text_of(row->name)), row->want);
}

static const struct reading {
    const char *name;
    size_t words;
    int64_t want;
} readings[] = {
    { "nothing", 0, 0 },     { "one word", 1, 1 },
    { "ten words", 10, 3 },  { "eleven words, rounded up", 11, 4 },
    { "a minute", 200, 60 },
};

static void check_reading(void **state)
{
    const struct reading *row = *state;
    assert_int_equal(words_reading_seconds(row->words), row->want);
}

static const struct phrase {
    const char *name;
    const char *text;
    const char *phrase;
    bool has;
    bool is_proper;
} phrases[] = {
    { "a word", "red apples", "apples", true, false },
    { "in other case", "Red Apples", "red apples", true, false },
    { "over a line end", "red\n apples", "red apples", true, false },
    { "not inside a word", "pineapples", "apples", false, false },
    { "behind an inside, as a word", "pineapples apples", "apples", true, false },
    { "a proper noun", "The Tollgate API", "Tollgate", true, true },
    { "a proper noun in lower case", "the tollgate", "Tollgate", true, false },
    { "of a script without blanks", "私は東京に住む", "東京", true, false },
    { "nothing", "a b", " ", false, false },
    { "a sign", "a - b", "-", false, false },
};

static void check_phrase(void **state)
{
    const struct phrase *row = *state;
    assert_int_equal(words_have(text_of(row->text), text_of(row->phrase)), row->has);
    assert_int_equal(words_have_proper(text_of(row->text), text_of(row->phrase)), row->is_proper);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(readings, check_reading) +
           RUN_ROWS(phrases, check_phrase);
}
