/* tests/unit/portal/entry/next.c - where signing in may lead. */
#include "portal/entry/next.h"

#include <string.h>

#include "rows.h"

static const struct row {
    const char *name; /* what next= says */
    bool want;
} rows[] = {
    { "/portal", true },
    { "/portal/usage?from=2026-11-01&tool=hash-generate", true },
    { "/tools/hash-generate", true },
    { "/oauth/authorize", true },
    { "/oauth/authorize?client_id=x&redirect_uri=http://localhost:1/x", true },
    { "/oauth/authorize?x=\\", false },
    { "/oauth/authorize/", false },
    { "/oauth/authorizer", false },
    { "/oauth/done/x", false },
    { "/oauth//authorize?x", false },
    { "", false },
    { "/", false },
    { "/pricing", false },
    { "portal", false },
    { "//evil.example", false },
    { "/\\evil.example", false },
    { "/portal//evil.example", false },
    { "/portal\\evil.example", false },
    { "https://evil.example/portal", false },
    { "javascript:alert(1)", false },
    { " /portal", false },
    { "/portal\r\nSet-Cookie: a=b", false },
    { "/portal\t", false },
    { "/portal/\x7f", false },
    { "/portal/\xc3\xa4", false },
    { "/Portal", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(next_is_safe(row->name), row->want);
}

static void as_long_as_it_may_be(void **state)
{
    (void)state;
    char next[NEXT_MAX_BYTES + 2] = "/portal/";
    memset(next + strlen(next), 'x', NEXT_MAX_BYTES - strlen(next));
    assert_true(next_is_safe(next));
    next[NEXT_MAX_BYTES] = 'x';
    assert_false(next_is_safe(next));
}

static void passed_on(void **state)
{
    (void)state;
    struct visit visit = { 0 };
    struct err err = { 0 };
    assert_true(form_parse(TEXT("next=/portal/usage%3Fa%3Db%26c"), NULL, &visit.form, &err));
    assert_string_equal(next_passed_on(&visit, "/portal/sign-in/code"),
                        "/portal/sign-in/code?next=/portal/usage%3Fa%3Db%26c");
    form_free(&visit.form);
    assert_string_equal(next_passed_on(&visit, "/portal/sign-in/code"), "/portal/sign-in/code");
    arena_free(&visit.arena);
}

/* The page asked for, with its query while both together are safe. */
static void the_page_itself(void **state)
{
    (void)state;
    static const struct {
        const char *query, *want;
    } asked[] = { { "", "/portal/usage" },
                  { "from=2026-11-01&tool=a%20b", "/portal/usage?from=2026-11-01&tool=a%20b" },
                  { "a=//x", "/portal/usage?a=//x" },
                  { "a\\b", "/portal/usage" } };
    for (size_t i = 0; i < countof(asked); i++) {
        struct http_request request = { .query = text_of(asked[i].query) };
        struct visit visit = { .request = &request, .path = "/portal/usage" };
        assert_string_equal(next_here(&visit), asked[i].want);
        arena_free(&visit.arena);
    }
    char query[NEXT_MAX_BYTES + 1];
    memset(query, 'x', sizeof(query));
    struct http_request request = { .query = { query, sizeof(query) } };
    struct visit visit = { .request = &request, .path = "/portal/usage" };
    assert_string_equal(next_here(&visit), "/portal/usage");
    arena_free(&visit.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_long_as_it_may_be),
                                        cmocka_unit_test(the_page_itself),
                                        cmocka_unit_test(passed_on) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
