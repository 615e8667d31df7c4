/* tests/unit/jsonschema/uri.c - references resolved, JSON pointers cut. */
#include "jsonschema/uri.h"

#include "rows.h"

#define BASE "http://a/b/c/d;p?q" /* of RFC 3986 section 5.4 */

static const struct row {
    const char *name; /* the reference */
    const char *base;
    const char *want;
} rows[] = {
    { "g:h", BASE, "g:h" },
    { "g", BASE, "http://a/b/c/g" },
    { "./g/", BASE, "http://a/b/c/g/" },
    { "/g", BASE, "http://a/g" },
    { "//g", BASE, "http://g" },
    { "?y", BASE, "http://a/b/c/d;p?y" },
    { "g?y/./x", BASE, "http://a/b/c/g?y/./x" },
    { "", BASE, BASE },
    { ".", BASE, "http://a/b/c/" },
    { "..", BASE, "http://a/b/" },
    { "../../g", BASE, "http://a/g" },
    { "../../../../g", BASE, "http://a/g" },
    { "/./g/../h", BASE, "http://a/h" },
    { "g", "http://a", "http://a/g" },
    { "g", "", "g" },
    { "urn:uuid:1", "urn:uuid:2", "urn:uuid:1" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(URI_BYTES);
    uri_resolve(text_of(row->base), text_of(row->name), &out);
    buf_add_byte(&out, '\0');
    assert_string_equal(buf_str(&out), row->want);
}

static void parts(void **state)
{
    scoped(buf_free) struct buf part = BUF(URI_BYTES);
    struct text uri = TEXT("a#/x~1y~0/0/");
    struct text pointer = uri_cut_fragment(&uri);
    (void)state;
    assert_true(text_is(uri, "a"));
    assert_true(uri_cut_part(&pointer, &part));
    assert_true(text_is(buf_text(&part), "x/y~"));
    assert_true(uri_cut_part(&pointer, &part));
    assert_true(text_is(buf_text(&part), "0"));
    assert_true(uri_cut_part(&pointer, &part));
    assert_int_equal(part.size, 0);
    assert_false(uri_cut_part(&pointer, &part));
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(parts) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
