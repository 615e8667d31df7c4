/* svc-utils/token-counter/tests/vocabulary.c - merge order, invalid files. */
#include "token-counter/vocabulary.h"

#include <string.h>

#include "base/codec/base64.h"
#include "rows.h"

/* Bytes have the ranks 0 to 255, and the words the next ones. */
static void make(struct buf *out, const char *words)
{
    int rank = 0;
    for (; rank < 256; rank++) {
        base64_encode(out, (struct text){ (char[]){ (char)rank }, 1 });
        buf_format(out, " %d\n", rank);
    }
    for (const char *word = words; *word; word += *word == ',') {
        size_t size = strcspn(word, ",");
        base64_encode(out, (struct text){ word, size });
        buf_format(out, " %d\n", rank++);
        word += size;
    }
}

static const struct row {
    const char *name;
    const char *words; /* by rank */
    const char *text;
    int64_t tokens;
} rows[] = {
    { "nothing", "", "", 0 },
    { "bytes", "", "\u00e9", 2 },
    { "a pair", "ab", "ab", 1 },
    { "a whole piece needs no way to it", "abcd", "abcd", 1 },
    { "but only whole", "abcd", "abcde", 5 },
    { "the lowest rank first", "bc,ab,xa", "xabc", 2 },         /* xa bc */
    { "at any position", "ab,bc,xa", "xabc", 3 },               /* x ab c */
    { "and so on with what it makes", "bc,ab,abc", "xabc", 2 }, /* x abc */
    { "the leftmost of equal ones", "aa,aaa", "xaaa", 2 },
    { "and again", "aa", "xaaaaa", 4 },
    { "pairs of pairs", "aa,aaaa", "xaaaaaaaa", 3 },
    { "not across pieces", "ba, b", "ab ba", 4 }, /* a b | " b" a */
    { "a merge that makes another", "ab,cd,abcd", "xabcdy", 3 },
    { "an outdated pair", "bc,ab,cd,abcd", "xabcd", 4 }, /* x a bc d */
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf content = BUF(1 << 14);
    scoped(vocabulary_free) struct vocabulary *vocabulary = NULL;
    struct err err = { 0 };
    make(&content, row->words);
    assert_true(vocabulary_read(buf_text(&content), SPLIT_O200K, &vocabulary, &err));
    assert_int_equal(vocabulary_count(vocabulary, text_of(row->text)), row->tokens);
}

/* A piece as long as a request. It uses the heap and no table of pieces. */
static void the_longest_piece(void **state)
{
    (void)state;
    scoped(buf_free) struct buf content = BUF(1 << 14);
    scoped(buf_free) struct buf text = BUF(1 << 16);
    scoped(vocabulary_free) struct vocabulary *vocabulary = NULL;
    struct err err = { 0 };
    make(&content, "aa,aaaa,aaaaaaaa");
    assert_true(vocabulary_read(buf_text(&content), SPLIT_CL100K, &vocabulary, &err));
    for (int i = 0; i < 65535; i++)
        buf_add_byte(&text, 'a');
    assert_int_equal(vocabulary_count(vocabulary, buf_text(&text)), 8191 + 3);
}

static const struct refused {
    const char *name;
    const char *more; /* after the bytes; NULL: an empty file */
    const char *message;
} refused[] = {
    { "an empty file", NULL, "byte 0 must be a token" },
    { "no rank", "YWI=\n", "line 257 must be" },
    { "an invalid rank", "YWI= x\n", "line 257 must be" },
    { "a rank too great", "YWI= 4294967295\n", "line 257 must be" },
    { "no Base64", "Y!I= 256\n", "line 257 must be" },
    { "nothing as a token", " 256\n", "line 257 must be" },
    { "a token twice", "YWI= 256\nYWI= 257\n", "line 258 must be" },
    { "an empty line", "\n", "line 257 must be" },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    scoped(buf_free) struct buf content = BUF(1 << 14);
    struct vocabulary *vocabulary = NULL;
    struct err err = { 0 };
    if (row->more)
        make(&content, "");
    buf_add_str(&content, row->more ? row->more : "");
    assert_false(vocabulary_read(buf_text(&content), SPLIT_O200K, &vocabulary, &err));
    assert_null(vocabulary);
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_memory_equal(err.message, row->message, strlen(row->message));
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(the_longest_piece) };
    return RUN_ROWS(rows, check) + RUN_ROWS(refused, check_refused) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
