/* tests/unit/base/arena.c - blocks of every size, all valid until the end. */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "rows.h"

enum { PIECES = 40 };

static const struct row {
    const char *name;
    size_t first; /* the size of the first piece, and what each is larger than the one before */
    size_t step;
} rows[] = {
    { "nothing", 0, 0 },
    { "single bytes", 1, 0 },
    { "what grows", 1, 7 },
    { "as large as the first chunk", 1024, 0 },
    { "a byte more", 1025, 0 },
    { "as large as the largest chunk", 32 << 10, 0 },
    { "larger than any", (32 << 10) + 1, 1000 },
};

/* Zeros, aligned, and not shared: a write into one changes no other. */
static void check(void **state)
{
    const struct row *row = *state;
    static const char zeros[(32 << 10) + 1 + 1000 * PIECES];
    struct arena arena = { 0 };
    char *piece[PIECES];

    for (size_t i = 0; i < PIECES; i++) {
        size_t size = row->first + i * row->step;
        piece[i] = arena_get(&arena, size);
        assert_int_equal((size_t)piece[i] % alignof(max_align_t), 0);
        assert_memory_equal(piece[i], zeros, size);
        memset(piece[i], (int)(1 + i), size);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t at = 0; at < row->first + i * row->step; at++)
            assert_int_equal((unsigned char)piece[i][at], 1 + i);
    arena_free(&arena);
    assert_null(arena.newest);
}

static void check_copy(void **state)
{
    (void)state;
    struct arena arena = { 0 };
    assert_string_equal(arena_copy(&arena, TEXT("a text")), "a text");
    assert_string_equal(arena_copy(&arena, (struct text){ 0 }), "");
    assert_string_equal(arena_lower(&arena, TEXT("A Text\xC3\x84")), "a text\xC3\x84");
    assert_string_equal(arena_lower(&arena, (struct text){ 0 }), "");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_copy) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
