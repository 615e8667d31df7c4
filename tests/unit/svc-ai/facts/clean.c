/* tests/unit/svc-ai/facts/clean.c - a model's text, cleaned for display. */
#include "facts/clean.h"

#include <string.h>

#include "rows.h"

/* clang-format off */
static const struct row {
    const char *name;
    const char *text;
    unsigned flags;
    const char *want;
} rows[] = {
    { "nothing", "", 0, "" },
    { "plain", "One. Two.", 0, "One. Two." },
    { "white space around it goes", " \n\t a b \r\n", 0, "a b" },
    { "line ends are LF", "a\r\nb\rc\xE2\x80\xA8" "d", 0, "a\nb\nc\nd" },
    { "tabs stay", "a\tb", 0, "a\tb" },
    { "other controls go", "a\x01\x1B[31mb\x7F\xC2\x9B" "c", 0, "a[31mbc" },
    { "bidi controls go", "a\xE2\x80\xAE" "b\xE2\x81\xA6" "c\xE2\x81\xA9", 0, "abc" },
    { "zero width goes", "a\xE2\x80\x8B" "b\xEF\xBB\xBF" "c\xE2\x81\xA0", 0, "abc" },
    { "tag characters go", "a\xF3\xA0\x81\xA9\xF3\xA0\x81\xA7\xF3\xA0\x81\xAE", 0, "a" },
    { "a blank of Braille without Braille goes", "\xE2\xA0\x80\x01 ", 0, "" },
    { "in Braille it is a letter", "\xE2\xA0\x83\xE2\xA0\x80\xE2\xA0\x83", 0, "\xE2\xA0\x83\xE2\xA0\x80\xE2\xA0\x83" },
    { "a family of joiners stays", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7", 0,
      "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7" },
    { "NFC", "e\xCC\x81", 0, "\xC3\xA9" },
    { "one line", " a \n\n b\tc ", CLEAN_LINE, "a b c" },
    { "tags stay when nobody minds", "<b>a</b>", 0, "<b>a</b>" },
    { "tags go", "<b class=\"x\">a</b> <br/>c", CLEAN_TAGS, "a c" },
    { "in capitals too", "<IMG SRC=x onerror=alert(1)>a", CLEAN_TAGS, "a" },
    { "a script goes with its text", "a<script>alert('b')</script>c", CLEAN_TAGS, "ac" },
    { "a script without an end", "a<script>alert('b')", CLEAN_TAGS, "a" },
    { "a tag without an end", "a<img src=x onerror=alert(1) ", CLEAN_TAGS, "a" },
    { "a comment", "a<!-- <b> -->c", CLEAN_TAGS, "a -->c" },
    { "types are not tags", "a List<String> and x < y", CLEAN_TAGS, "a List<String> and x < y" },
    { "a tag made of its remains", "<scr<b></b>ipt>a</script>", CLEAN_TAGS, "" },
    { "a tag with what nobody sees in its name", "<scr\xE2\x80\x8Bipt>a</script>b<i\x01mg src=x>c", CLEAN_TAGS, "bc" },
    { "a letter and its mark around a tag", "e<b></b>\xCC\x81", CLEAN_TAGS, "\xC3\xA9" },
    { "links stay when nobody minds", "![a](//b)", CLEAN_TAGS, "![a](//b)" },
    { "a picture of Markdown is text", "![a](https://b/?q=c)", CLEAN_LINKS, "! [a] (https://b/?q=c)" },
    { "a picture by reference", "![a][b]", CLEAN_LINKS, "! [a][b]" },
    { "pictures in pictures", "![![", CLEAN_LINKS, "! [! [" },
    { "a link", "[a](b)", CLEAN_LINKS, "[a] (b)" },
    { "with what nobody sees in it", "[a]\xE2\x80\x8B(b)", CLEAN_LINKS, "[a] (b)" },
    { "addresses that run", "<JavaScript:a()> vbscript:b data:text/html,c", CLEAN_LINKS, "<JavaScript: a()> vbscript: b data: text/html,c" },
    { "a sentence about them", "Two points about JavaScript: one (see [1]). Data: two!", CLEAN_LINKS, "Two points about JavaScript: one (see [1]). Data: two!" },
    { "and so on, up to a point", "<<<<<<<<<<<b>b>b>b>b>b>b>b>b>b>b>x", CLEAN_TAGS, "b>b>b>x" },
};

static const struct cut {
    const char *name;
    const char *text;
    size_t max;
    const char *ending;
    const char *want;
} cuts[] = {
    { "short enough", "one two", 7, "…", "one two" },
    { "behind a word", "one two three", 9, "…", "one two…" },
    { "the ending counts", "one two three", 8, "…", "one two…" },
    { "a word that just fits", "one two three", 7, "", "one two" },
    { "no punctuation before the ending", "one two, three", 10, "…", "one two…" },
    { "code points, not bytes", "äöü äöü äöü", 8, "…", "äöü äöü…" },
    { "one long word", "abcdefghij", 5, "…", "abcd…" },
    { "no blanks in the script", "語語語語語語", 4, "…", "語語語…" },
    { "a grapheme is not torn", "aaaaae\xCC\x81" "bb", 6, "", "aaaaa" },
    { "no room at all", "abc", 0, "", "" },
};
/* clang-format on */

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(1 << 10);
    clean_text(text_of(row->text), row->flags, &out);
    assert_string_equal(buf_str(&out), row->want);
}

static void check_cut(void **state)
{
    const struct cut *row = *state;
    scoped(buf_free) struct buf text = BUF(1 << 10);
    buf_add_str(&text, row->text);
    assert_int_equal(clean_cut(&text, row->max, row->ending), strcmp(row->text, row->want) != 0);
    assert_string_equal(buf_str(&text), row->want);
}

static const struct says {
    const char *name;
    bool want;
} sayings[] = {
    { "", false },
    { " \n", false },
    { "!?… –", false },
    { "a", true },
    { "7", true },
    { "語", true },
    { "\xF0\x9F\x98\x80", false },
    { "\xCC\x81", false },
};

static void check_says(void **state)
{
    const struct says *row = *state;
    assert_int_equal(clean_says_something(text_of(row->name)), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(cuts, check_cut) + RUN_ROWS(sayings, check_says);
}
