/* svc-security/subdomain-finder/tests/harvest.c - which names count, without duplicates, in
 * order. */
#include "subdomain-finder/harvest.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

#define LABEL63 "a23456789012345678901234567890123456789012345678901234567890123"

static const struct row {
    const char *name;
    struct text raw;
    const char *want; /* NULL: dropped */
    bool is_wildcard;
} rows[] = {
    { "a name", TEXT("www.x.com"), "www.x.com" },
    { "upper case", TEXT("WWW.X.Com"), "www.x.com" },
    { "white space", TEXT(" \twww.x.com\r\n"), "www.x.com" },
    { "a final dot", TEXT("www.x.com."), "www.x.com" },
    { "a wildcard", TEXT("*.www.x.com"), "www.x.com", true },
    { "a wildcard of the domain", TEXT("*.x.com"), NULL },
    { "the domain", TEXT("x.com"), NULL },
    { "the domain with a dot", TEXT("x.com."), NULL },
    { "another domain", TEXT("www.y.com"), NULL },
    { "only the same letters", TEXT("notx.com"), NULL },
    { "the domain in front", TEXT("x.com.evil.net"), NULL },
    { "an underscore", TEXT("_dmarc.x.com"), "_dmarc.x.com" },
    { "hyphens at the ends", TEXT("-a-.x.com"), "-a-.x.com" },
    { "U-labels", TEXT("m\xc3\xbcnchen.x.com"), "xn--mnchen-3ya.x.com" },
    { "an ideographic dot", TEXT("www\xe3\x80\x82x.com"), "www.x.com" },
    { "A-labels", TEXT("XN--mnchen-3ya.x.com"), "xn--mnchen-3ya.x.com" },
    { "no UTF-8", TEXT("\xff.x.com"), NULL },
    { "a mail address", TEXT("me@www.x.com"), NULL },
    { "a blank inside", TEXT("a b.x.com"), NULL },
    { "a question mark", TEXT("?.x.com"), NULL },
    { "a wildcard inside", TEXT("a.*.x.com"), NULL },
    { "a wildcard as a part", TEXT("*a.x.com"), NULL },
    { "two wildcards", TEXT("*.*.x.com"), NULL },
    { "an empty label", TEXT("a..x.com"), NULL },
    { "an empty label in front", TEXT(".x.com"), NULL },
    { "two final dots", TEXT("a.x.com.."), NULL },
    { "a NUL", TEXT("a\0b.x.com"), NULL },
    { "a label of 63", TEXT(LABEL63 ".x.com"), LABEL63 ".x.com" },
    { "a label of 64", TEXT(LABEL63 "4.x.com"), NULL },
    { "253 octets",
      TEXT(LABEL63 "." LABEL63 "." LABEL63 "."
                   "a234567890123456789012345678901234567890123456789012345.x.com"),
      LABEL63 "." LABEL63 "." LABEL63 "."
              "a234567890123456789012345678901234567890123456789012345.x.com" },
    { "254 octets",
      TEXT(LABEL63 "." LABEL63 "." LABEL63 "."
                   "a2345678901234567890123456789012345678901234567890123456.x.com"),
      NULL },
    { "nothing", TEXT(""), NULL },
    { "a wildcard of nothing", TEXT("*."), NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(harvest_free) struct harvest *harvest = harvest_new("x.com");
    harvest_add(harvest, 0, row->raw, NO_TIME, NO_TIME);
    assert_int_equal(harvest_count(harvest), row->want ? 1 : 0);
    if (!row->want)
        return;
    assert_string_equal(harvest_by_label(harvest)->name, row->want);
    assert_int_equal(harvest_by_label(harvest)->is_plain, !row->is_wildcard);
}

static void add(struct harvest *harvest, unsigned source, const char *name, int64_t ms)
{
    harvest_add(harvest, source, text_of(name), ms, ms);
}

static void names_of_several_sources_are_one(void **state)
{
    (void)state;
    scoped(harvest_free) struct harvest *harvest = harvest_new("x.com");
    add(harvest, 0, "*.a.x.com", 50);
    add(harvest, 2, "A.x.com", NO_TIME);
    add(harvest, 2, "a.x.com", 20);
    add(harvest, 1, "*.a.x.com", 70);
    assert_int_equal(harvest_count(harvest), 1);
    const struct found_name *found = harvest_by_label(harvest);
    assert_int_equal(found->sources, 7);
    assert_true(found->is_plain);
    assert_int_equal(found->first_seen_ms, 20);
    assert_int_equal(found->last_seen_ms, 70);
}

static void check_order(const struct found_name *found, const char *const *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(found[i].name, want[i]);
}

static void orders(void **state)
{
    (void)state;
    static const char *const by_label[] = { "a.x.com",   "b.a.x.com",   "c.b.a.x.com", "c.a.x.com",
                                            "a-b.x.com", "z.a-b.x.com", "aa.x.com" };
    static const char *const by_interest[] = { "aa.x.com",    "a-b.x.com", "a.x.com",
                                               "z.a-b.x.com", "b.a.x.com", "c.a.x.com",
                                               "c.b.a.x.com" };
    scoped(harvest_free) struct harvest *harvest = harvest_new("x.com");
    add(harvest, 0, "c.a.x.com", NO_TIME);
    add(harvest, 0, "aa.x.com", 9);
    add(harvest, 0, "z.a-b.x.com", 5);
    add(harvest, 0, "a.x.com", NO_TIME);
    add(harvest, 0, "c.b.a.x.com", 10);
    add(harvest, 0, "a-b.x.com", NO_TIME);
    add(harvest, 0, "b.a.x.com", NO_TIME);
    check_order(harvest_by_label(harvest), by_label, countof(by_label));
    check_order(harvest_by_interest(harvest), by_interest, countof(by_interest));
}

static void too_many_are_cut(void **state)
{
    (void)state;
    scoped(harvest_free) struct harvest *harvest = harvest_new("x.com");
    for (int i = 0; i < HARVEST_MAX; i++) {
        char name[32];
        snprintf(name, sizeof(name), "n%d.x.com", i);
        add(harvest, 0, name, NO_TIME);
    }
    assert_false(harvest_is_cut(harvest));
    add(harvest, 0, "n7.x.com", NO_TIME);
    assert_false(harvest_is_cut(harvest));
    add(harvest, 0, "one-more.x.com", NO_TIME);
    assert_true(harvest_is_cut(harvest));
    assert_int_equal(harvest_count(harvest), HARVEST_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_several_sources_are_one),
        cmocka_unit_test(orders),
        cmocka_unit_test(too_many_are_cut),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
