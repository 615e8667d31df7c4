/* tests/unit/svc-security/hsts.c - values of Strict-Transport-Security. */
#include "hsts.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *value;
    bool has_age;
    int64_t max_age_s;
    bool has_subdomains;
    bool has_preload;
    bool has_repeats;
    bool has_comma;
    bool is_malformed;
} rows[] = {
    { "all of it", "max-age=31536000; includeSubDomains; preload", true, 31536000, true, true },
    { "in any case and order", "PRELOAD;INCLUDESUBDOMAINS;Max-Age=1", true, 1, true, true },
    { "a quoted age", "max-age=\"63072000\"", true, 63072000 },
    { "blanks", "  max-age = 5 ;\tpreload ", true, 5, false, true },
    { "empty directives", ";;max-age=5;;", true, 5 },
    { "unknown directives", "max-age=5; foo=bar; baz", true, 5 },
    { "zero", "max-age=0", true, 0 },
    { "more than fits", "max-age=99999999999999999999999", true, (int64_t)1 << 53 },
    { "nothing", "", false },
    { "no age", "includeSubDomains", false, 0, true },
    { "an age of nothing", "max-age=", false, .is_malformed = true },
    { "an age without a sign", "max-age", false },
    { "a negative age", "max-age=-1", false },
    { "a fraction", "max-age=1.5", false },
    { "half a quote", "max-age=\"5", false, .is_malformed = true },
    { "two ages", "max-age=5; max-age=6", false, 6, .has_repeats = true },
    { "two ages, one of them good", "max-age=x; max-age=6", false, 6, .has_repeats = true },
    { "another directive twice", "max-age=5; preload; Preload", true, 5, .has_preload = true,
      .has_repeats = true },
    { "an unknown directive twice", "max-age=5; a; a", true, 5 },
    { "a comma", "a; max-age=5; b, c", true, 5, .has_comma = true, .is_malformed = true },
    { "a comma in the age", "max-age=5, max-age=6", false, .has_comma = true,
      .is_malformed = true },
    { "a longer name", "max-ages=5", false },
    { "semicolons and escapes in quotes", "a=\"b;c=\\\"\"; max-age=5; d=\"\"", true, 5 },
    { "a subdomain directive with a value", "max-age=5; includeSubDomains=true", true, 5, true,
      .is_malformed = true },
    { "a directive in quotes", "max-age=5; \"includeSubDomains\"", true, 5, .is_malformed = true },
    { "a quote too many", "max-age=5; preload\"", true, 5, .is_malformed = true },
    { "a quote alone", "max-age=5; a=\"", true, 5, .is_malformed = true },
    { "quotes that do not end", "max-age=5; a=\"b\\\"", true, 5, .is_malformed = true },
    { "a name that is not a token", "max-age=5; a@b", true, 5, .is_malformed = true },
    { "a value that is not a token", "max-age=5; a=b@c", true, 5, .is_malformed = true },
    { "a value that is missing", "max-age=5; a=", true, 5, .is_malformed = true },
    { "a name that is missing", "max-age=5; =a", true, 5, .is_malformed = true },
    { "two words", "max-age=5; a b", true, 5, .is_malformed = true },
    { "a shorter name", "max-ag=5", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct hsts hsts;
    hsts_read(text_of(row->value), &hsts);
    assert_int_equal(hsts.has_age, row->has_age);
    assert_int_equal(hsts.has_repeats, row->has_repeats);
    assert_int_equal(hsts.has_comma, row->has_comma);
    assert_int_equal(hsts.is_malformed, row->is_malformed);
    assert_int_equal(hsts.max_age_s, row->max_age_s);
    assert_int_equal(hsts.has_subdomains, row->has_subdomains);
    assert_int_equal(hsts.has_preload, row->has_preload);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
