/*
 * svc-utils/token-counter/tests/pieces.c - where texts are split. Each row was compared with the
 * published expressions (npm gpt-tokenizer 4, November 2026).
 */
#include "token-counter/pieces.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *text;
    const char *o200k; /* the pieces, separated by | */
    const char *cl100k;
} rows[] = {
    { "words", "one two", "one| two", "one| two" },
    { "two blanks", "one  two", "one| | two", "one| | two" },
    { "a tab is a prefix too", "a\tb", "a|\tb", "a|\tb" },
    { "a symbol is a prefix", "a.b", "a|.b", "a|.b" },
    { "not a line end", "a\nb", "a|\n|b", "a|\n|b" },
    { "camel case", "getUserName", "get|User|Name", "getUserName" },
    { "capitals before a word", "HTTPServer", "HTTPServer", "HTTPServer" },
    { "capitals alone", "HTTP", "HTTP", "HTTP" },
    { "capitals behind letters without case", "\u4e2dA\u4e2d\u4e2dBC", "\u4e2dA\u4e2d\u4e2d|BC",
      "\u4e2dA\u4e2d\u4e2dBC" },
    { "a title-case letter is a capital", "a\u01c5b", "a|\u01c5b", "a\u01c5b" },
    { "a mark goes on", "e\u0301a", "e\u0301a", "e|\u0301a" },
    { "a mark begins", "\u0301a", "\u0301a", "\u0301a" },
    { "a mark alone", "1\u0301 ", "1|\u0301| ", "1|\u0301| " },
    { "contractions", "don't I'LL you're", "don't| I'LL| you're", "don|'t| I|'LL| you|'re" },
    { "no contraction", "don'x", "don|'x", "don|'x" },
    { "a contraction of a word's beginning", "'sun", "'sun", "'s|un" },
    { "digits in threes", "12345678", "123|456|78", "123|456|78" },
    { "digits of other scripts", "\u0661\u0662\u0663\u0664", "\u0661\u0662\u0663|\u0664",
      "\u0661\u0662\u0663|\u0664" },
    { "a blank stays before digits", "a 1", "a| |1", "a| |1" },
    { "symbols", "x = !!;\n", "x| =| !!;\n", "x| =| !!;\n" },
    { "slashes behind symbols", "://a", "://|a", "://|a" },
    { "a URL", "http://a.b/c", "http|://|a|.b|/c", "http|://|a|.b|/c" },
    { "line ends and slashes", "}\n\n//", "}\n\n//", "}\n\n|//" },
    { "blanks before a line end", "a  \n  b", "a|  \n| | b", "a|  \n| | b" },
    { "blanks at the end", "a   ", "a|   ", "a|   " },
    { "line ends at the end", "a\n \n ", "a|\n \n| ", "a|\n \n " },
    { "an ideographic blank", "a\u3000b", "a|\u3000b", "a|\u3000b" },
    { "only a blank joins symbols", "\u3000!", "\u3000|!", "\u3000|!" },
    { "an emoji", "a \U0001f600\u200d\U0001f600", "a| \U0001f600\u200d\U0001f600",
      "a| \U0001f600\u200d\U0001f600" },
};

static void check_split(enum split split, const char *string, const char *want)
{
    scoped(buf_free) struct buf got = BUF(1024);
    for (struct text text = text_of(string); text.size > 0;) {
        size_t size = piece_bytes(split, text);
        assert_in_range(size, 1, text.size);
        buf_add_str(&got, got.size > 0 ? "|" : "");
        buf_add(&got, text.bytes, size);
        text = (struct text){ text.bytes + size, text.size - size };
    }
    assert_string_equal(buf_str(&got), want);
}

static void check(void **state)
{
    const struct row *row = *state;
    check_split(SPLIT_O200K, row->text, row->o200k);
    check_split(SPLIT_CL100K, row->text, row->cl100k);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
