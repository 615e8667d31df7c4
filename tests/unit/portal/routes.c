/* tests/unit/portal/routes.c - the route of a path, and its parameters. */
#include "portal/routes.h"

#include "rows.h"

static const struct row {
    const char *name; /* method and path */
    const char *method;
    const char *path;
    const char *want;  /* the pattern; NULL: none */
    const char *allow; /* when there is none */
} rows[] = {
    { "a page", "GET", "/portal/sign-in", "/portal/sign-in", NULL },
    { "its head", "HEAD", "/portal/sign-in", "/portal/sign-in", NULL },
    { "another method", "DELETE", "/portal/sign-in", NULL, "GET, HEAD, POST" },
    { "a method in small letters", "get", "/portal/sign-in", NULL, "GET, HEAD, POST" },
    { "its form", "POST", "/portal/sign-in", "/portal/sign-in", NULL },
    { "a form without a page", "GET", "/portal/sign-out", NULL, "POST" },
    { "a place", "GET", "/portal/verify/abc-_.~9", "/portal/verify/{link}", NULL },
    { "an empty place", "GET", "/portal/verify/", NULL, "" },
    { "a place with a slash", "GET", "/portal/verify/a/b", NULL, "" },
    { "a place with an escape", "GET", "/portal/verify/%41", NULL, "" },
    { "a slash at the end", "GET", "/portal/sign-in/", NULL, "" },
    { "two slashes", "GET", "//portal/sign-in", NULL, "" },
    { "an escape", "GET", "/portal/sign%2din", NULL, "" },
    { "capitals", "GET", "/Portal/sign-in", NULL, "" },
    { "dots", "GET", "/portal/../portal/sign-in", NULL, "" },
    { "nothing", "GET", "", NULL, "" },
    { "no such page", "GET", "/portal/nothing", NULL, "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(arena_free) struct arena arena = { 0 };
    const char *place[VISIT_PLACES_MAX] = { 0 };
    const char *allow = "";
    const struct route *route = route_find(row->method, row->path, &arena, place, &allow);
    assert_int_equal(route != NULL, row->want != NULL);
    if (route)
        assert_string_equal(route->pattern, row->want);
    else
        assert_string_equal(allow, row->allow);
}

/* A route of a session concerns a member or an account, and no other route does. */
static void check_permissions(void **state)
{
    const struct route *route;
    size_t count = 0;
    (void)state;
    while ((route = route_at(count++))) {
        bool has_session = route->access == ACCESS_MEMBER || route->access == ACCESS_CONFIRMED ||
                           route->access == ACCESS_PASSWORD;
        if (route->permission == PERMISSION_MISSING ||
            (route->permission != PERMISSION_NONE) != has_session)
            fail_msg("%s %s", route->method, route->pattern);
    }
    assert_true(count > 60);
}

int main(void)
{
    const struct CMUnitTest others[] = { cmocka_unit_test(check_permissions) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(others, NULL, NULL);
}
