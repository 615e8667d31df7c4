/* tests/unit/portal/page/form.c - the fields of a form, and invalid forms. */
#include "portal/page/form.h"

#include <string.h>

#include "base/buf.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *encoded;
    const char *want; /* name=value, one after the other with | between them; NULL: rejected */
} rows[] = {
    { "nothing", "", "" },
    { "one field", "email=a@b.c", "email=a@b.c" },
    { "two", "a=1&b=2", "a=1|b=2" },
    { "blanks and escapes", "a=1+2%203%2b4", "a=1 2 3+4" },
    { "escapes in both cases", "a=%c3%A4", "a=\xc3\xa4" },
    { "no value", "a=&b", "a=|b=" },
    { "no name", "=1", "=1" },
    { "a second equals sign belongs to the value", "a=b=c", "a=b=c" },
    { "separators alone", "&&a=1&", "a=1" },
    { "a field twice", "a=1&a=1", NULL },
    { "twice, once escaped", "a=1&%61=2", NULL },
    { "a list", "tool=x&tool=y", "tool=x|tool=y" },
    { "of another name", "group=x&group=y&to=1", "group=x|group=y|to=1" },
    { "whose name begins alike", "too=1&too=2", NULL },
    { "half an escape", "a=%4", NULL },
    { "an escape's start at the end", "a=%", NULL },
    { "an invalid escape", "a=%4g", NULL },
    { "U+0000", "a=%00", NULL },
    { "U+0000 in a name", "a%00=1", NULL },
    { "not UTF-8", "a=%ff", NULL },
    { "a surrogate", "a=%ed%a0%80", NULL },
    { "half a character", "a=%c3", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(form_free) struct form form = { 0 };
    scoped(buf_free) struct buf shown = BUF(1 << 16);
    struct err err = { 0 };

    bool ok = form_parse(text_of(row->encoded), "tool group", &form, &err);
    assert_int_equal(ok, row->want != NULL);
    for (size_t i = 0; ok && i < form.count; i++)
        buf_format(&shown, "%s%s=%s", i > 0 ? "|" : "", form.field[i].name, form.field[i].value);
    if (ok)
        assert_string_equal(buf_str(&shown), row->want);
    else
        assert_int_equal(err.kind, ERR_INVALID_VALUE);
}

static void make_fields(struct buf *out, int count)
{
    for (int i = 0; i < count; i++)
        buf_format(out, "f%d=v&", i);
}

static void as_many_fields_as_there_may_be(void **state)
{
    (void)state;
    scoped(buf_free) struct buf full = BUF(1 << 16);
    scoped(form_free) struct form form = { 0 };
    struct err err = { 0 };
    make_fields(&full, FORM_FIELDS_MAX);
    assert_true(form_parse(buf_text(&full), NULL, &form, &err));
    assert_int_equal(form.count, FORM_FIELDS_MAX);
    buf_add_str(&full, "more=1");
    assert_false(form_parse(buf_text(&full), NULL, &form, &err));
    assert_int_equal(form.count, FORM_FIELDS_MAX); /* unchanged */
}

static void as_large_as_it_may_be(void **state)
{
    (void)state;
    scoped(buf_free) struct buf large = BUF(1 << 17);
    scoped(form_free) struct form form = { 0 };
    struct err err = { 0 };
    buf_add_str(&large, "a=");
    while (large.size < FORM_MAX_BYTES)
        buf_add_byte(&large, 'x');
    assert_true(form_parse(buf_text(&large), NULL, &form, &err));
    assert_int_equal(strlen(form_text(&form, "a")), FORM_MAX_BYTES - 2);
    buf_add_byte(&large, 'x');
    assert_false(form_parse(buf_text(&large), NULL, &form, &err));
    assert_int_equal(err.kind, ERR_TOO_LONG);
}

static void looked_at(void **state)
{
    (void)state;
    scoped(form_free) struct form form = { 0 };
    struct err err = { 0 };
    assert_true(form_parse(TEXT("tool=x&name=&tool=y"), "tool", &form, &err));
    assert_string_equal(form_text(&form, "tool"), "x");
    assert_string_equal(form_item(&form, "tool", 1), "y");
    assert_null(form_item(&form, "tool", 2));
    assert_true(form_has(&form, "name"));
    assert_string_equal(form_text(&form, "name"), "");
    assert_false(form_has(&form, "other"));
    assert_string_equal(form_text(&form, "other"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_many_fields_as_there_may_be),
                                        cmocka_unit_test(as_large_as_it_may_be),
                                        cmocka_unit_test(looked_at) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
