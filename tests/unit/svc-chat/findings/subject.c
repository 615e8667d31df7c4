/* tests/unit/svc-chat/findings/subject.c - paths of members and items. */
#include "findings/subject.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "rows.h"

#define TEN "0123456789"

static const struct row {
    const char *name;
    const char *outer;
    const char *member; /* NULL: item */
    size_t item;
    const char *want;
} rows[] = {
    { "a member of the root", "", "embeds", 0, "embeds" },
    { "a member", "embeds[0]", "title", 0, "embeds[0].title" },
    { "the first item", "embeds", NULL, 0, "embeds[0]" },
    { "an item with two digits", "embeds", NULL, 10, "embeds[10]" },
    { "an item of the root", "", NULL, 907, "[907]" },
    { "the last item that a list can have", "a", NULL, SIZE_MAX, "a[18446744073709551615]" },
    { "a name of 60 bytes", "a", TEN TEN TEN TEN TEN TEN, 0, "a." TEN TEN TEN TEN TEN TEN },
    { "a longer name is cut", "a", TEN TEN TEN TEN TEN TEN "x", 0, "a." TEN TEN TEN TEN TEN TEN },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct path outer = { { 0 } };
    snprintf(outer.text, sizeof(outer.text), "%s", row->outer);
    struct path path =
        row->member ? path_member(&outer, row->member) : path_item(&outer, row->item);
    assert_string_equal(path.text, row->want);
}

/* A name of letters with two bytes is cut between letters, and the outer path keeps its start. */
static void long_paths(void **state)
{
    char name[101];
    struct path path = { { 0 } };
    (void)state;
    for (size_t i = 0; i < 100; i += 2)
        memcpy(name + i, "\303\251", 2);
    name[100] = '\0';
    for (int i = 0; i < 8; i++) {
        path = path_member(&path, name);
        struct path item = path_item(&path, SIZE_MAX);
        assert_true(strlen(path.text) < PATH_BYTES && strlen(item.text) < PATH_BYTES);
        assert_true(utf8_is_valid(text_of(path.text)) && utf8_is_valid(text_of(item.text)));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(long_paths) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
