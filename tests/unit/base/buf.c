/* tests/unit/base/buf.c - growth, the limit, and the content when it is reached. */
#include "base/buf.h"

#include <string.h>

#include "rows.h"

/* Append the pieces to a buffer with this limit. */
static const struct row {
    const char *name;
    size_t max_bytes;
    const char *pieces[3];
    const char *want;
    bool is_full;
} rows[] = {
    { "nothing", 8, { "" }, "", false },
    { "several pieces", 8, { "ab", "cd", "ef" }, "abcdef", false },
    { "up to the ceiling", 6, { "ab", "cd", "ef" }, "abcdef", false },
    { "a piece past the ceiling is left out whole", 5, { "ab", "cd", "ef" }, "abcd", true },
    { "what would still fit is left out too", 5, { "ab", "cdef", "g" }, "ab", true },
    { "ceiling of 0", 0, { "a" }, "", true },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf added = BUF(row->max_bytes);
    scoped(buf_free) struct buf formatted = BUF(row->max_bytes);

    for (size_t i = 0; i < countof(row->pieces) && row->pieces[i]; i++) {
        buf_add_str(&added, row->pieces[i]);
        buf_format(&formatted, "%s", row->pieces[i]);
    }
    assert_string_equal(buf_str(&added), row->want);
    assert_int_equal(added.full, row->is_full);
    assert_string_equal(buf_str(&formatted), row->want);
    assert_int_equal(formatted.full, row->is_full);
}

static void grows_far_and_keeps_nul(void **state)
{
    (void)state;
    scoped(buf_free) struct buf buf = BUF(100000);
    for (int i = 0; i < 50000; i++)
        buf_add(&buf, "\0x", 2);
    assert_int_equal(buf.size, 100000);
    assert_false(buf_add_byte(&buf, 'y'));
    assert_memory_equal(buf.bytes + 99998, "\0x", 3);
}

static void formats_longer_than_its_small_room(void **state)
{
    (void)state;
    scoped(buf_free) struct buf buf = BUF(1000);
    assert_true(buf_format(&buf, "%300d|", 7));
    assert_int_equal(buf.size, 301);
    assert_string_equal(buf_str(&buf) + 298, " 7|");
}

static void reserve_then_write(void **state)
{
    (void)state;
    scoped(buf_free) struct buf buf = BUF(4);
    char *room = buf_reserve(&buf, 4);
    assert_non_null(room);
    memcpy(room, "abc", 4);
    buf.size += 3;
    assert_string_equal(buf_str(&buf), "abc");
    assert_null(buf_reserve(&buf, 2));
    assert_true(buf.full);
}

static void clear_and_take(void **state)
{
    (void)state;
    scoped(buf_free) struct buf buf = BUF(3);
    buf_add_str(&buf, "toolong");
    buf_clear(&buf);
    assert_true(buf_add_str(&buf, "abc"));
    scoped(mem_free) char *taken = buf_take(&buf);
    assert_string_equal(taken, "abc");
    assert_string_equal(buf_str(&buf), "");
    assert_true(buf_add_str(&buf, "def"));
    buf_free(&buf);
    scoped(mem_free) char *empty = buf_take(&buf);
    assert_string_equal(empty, "");
}

static void move(void **state)
{
    (void)state;
    scoped(buf_free) struct buf from = BUF(8);
    scoped(buf_free) struct buf to = BUF(5);
    buf_add_str(&to, "old");
    buf_add_str(&from, "abc");
    const char *bytes = from.bytes;
    assert_true(buf_move(&to, &from));
    assert_ptr_equal(to.bytes, bytes);
    assert_string_equal(buf_str(&from), "");
    assert_true(buf_add_str(&to, "de"));
    assert_string_equal(buf_str(&to), "abcde");
    assert_false(buf_add_byte(&to, 'f')); /* the limit is the buffer's own */
    assert_true(buf_add_str(&from, "12345678"));
    assert_false(buf_move(&to, &from));
    assert_true(to.full && to.size == 0 && from.size == 0);
}

static void lower_case(void **state)
{
    (void)state;
    scoped(buf_free) struct buf buf = BUF(8);
    buf_add_byte(&buf, 'X');
    assert_true(buf_add_lower(&buf, TEXT("aZ@[\0\xC4")));
    assert_int_equal(buf.size, 7);
    assert_memory_equal(buf.bytes, "Xaz@[\0\xC4", 8);
    assert_false(buf_add_lower(&buf, TEXT("AB")));
    assert_int_equal(buf.size, 7);
    assert_true(buf.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_far_and_keeps_nul),
        cmocka_unit_test(formats_longer_than_its_small_room),
        cmocka_unit_test(reserve_then_write),
        cmocka_unit_test(clear_and_take),
        cmocka_unit_test(move),
        cmocka_unit_test(lower_case),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
