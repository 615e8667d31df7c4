/* tests/unit/svc-chat/findings/issues.c - order, limits, members of an issue. */
#include "findings/issues.h"

#include <stdio.h>

#include "expect.h"

static void assert_written(struct issues *issues, const char *quoted)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(json_free) cJSON *want = quoted_tree(quoted);
    issues_write(issues, result, "list");
    issues_free(issues);
    assert_true(json_equal(json_get(result, "list"), want));
}

static void the_header_shows_it(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    scoped(issues_free) struct issues warnings = { 0 };
    issues_add(&warnings, "embeds[0].color", "color_zero", "0 shows as no color");
    issues_write(&warnings, result, "warnings");
    assert_string_equal(json_text(result, "/warnings/0/path"), "embeds[0].color");
}

static void none(void **state)
{
    (void)state;
    struct issues issues = { 0 };
    assert_written(&issues, "[]");
}

static void all_that_an_issue_shows(void **state)
{
    (void)state;
    struct issues issues = { 0 };
    issues_add(&issues, "a", "plain", "%d is %s", 1, "one");
    issues_add_limit(&issues, "b", "too_long", 10, 11, "too long");
    issues_add_hint(&issues, "c", "misspelt", "right", "wrong");
    assert_written(&issues,
                   "[{'path':'a','code':'plain','message':'1 is one'},"
                   "{'path':'b','code':'too_long','message':'too long','limit':10,'actual':11},"
                   "{'path':'c','code':'misspelt','message':'wrong','suggestion':'right'}]");
}

static void issues_of_a_path_are_grouped_by_code(void **state)
{
    (void)state;
    struct issues issues = { 0 };
    issues_add(&issues, "z", "m", "1");
    issues_add(&issues, "a", "b", "2");
    issues_add(&issues, "z", "c", "3");
    issues_add(&issues, "z", "x", "4");
    issues_add(&issues, "a", "a", "5");
    assert_written(&issues, "[{'path':'z','code':'c','message':'3'},"
                            "{'path':'z','code':'m','message':'1'},"
                            "{'path':'z','code':'x','message':'4'},"
                            "{'path':'a','code':'a','message':'5'},"
                            "{'path':'a','code':'b','message':'2'}]");
}

static void the_two_hundredth_is_the_last(void **state)
{
    (void)state;
    for (int count = ISSUES_MAX; count <= ISSUES_MAX + 3; count += 3) {
        scoped(issues_free) struct issues issues = { 0 };
        scoped(json_free) cJSON *result = json_object();
        for (int i = 0; i < count; i++) {
            scoped(mem_free) char *path = str_format("items[%d]", i);
            issues_add(&issues, path, "bad", "bad");
        }
        issues_write(&issues, result, "list");
        assert_string_equal(json_text(result, "/list/199/path"), "items[199]");
        const char *last = json_text(result, "/list/200/code");
        assert_string_equal(last ? last : "", count > ISSUES_MAX ? "issues_truncated" : "");
        if (last)
            assert_string_equal(json_text(result, "/list/200/message"),
                                "3 more issues were found; fix these first");
        assert_null(json_at(result, "/list/201"));
    }
}

static void a_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    scoped(issues_free) struct issues issues = { 0 };
    scoped(buf_free) struct buf text = BUF(4096);
    for (int i = 0; i < 200; i++)
        buf_add_str(&text, "\u20ac");
    issues_add(&issues, "a", "long", "%s", buf_str(&text));
    assert_int_equal(strlen(issues.item[0].message) % 3, 0);
    assert_true(strlen(issues.item[0].message) > 300);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(the_header_shows_it),
        cmocka_unit_test(none),
        cmocka_unit_test(all_that_an_issue_shows),
        cmocka_unit_test(issues_of_a_path_are_grouped_by_code),
        cmocka_unit_test(the_two_hundredth_is_the_last),
        cmocka_unit_test(a_long_message_is_cut_between_characters),
    };
    return cmocka_run_group_tests(singles, NULL, NULL);
}
