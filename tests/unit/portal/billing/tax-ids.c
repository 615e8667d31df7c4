/* tests/unit/portal/billing/tax-ids.c - the forms of tax numbers, and the hints for wrong ones. */
#include "portal/billing/tax-ids.h"

#include <string.h>

#include "rows.h"
#include "text/json.h"

static const struct row {
    const char *name;
    const char *type;
    const char *typed;
    const char *want; /* NULL: rejected */
} rows[] = {
    { "German", "eu_vat", "DE123456789", "DE123456789" },
    { "as people write it", "eu_vat", "de 123.456-789", "DE123456789" },
    { "one digit too few", "eu_vat", "DE12345678", NULL },
    { "one digit too many", "eu_vat", "DE1234567890", NULL },
    { "a letter for a digit", "eu_vat", "DE12345678O", NULL },
    { "no prefix", "eu_vat", "123456789", NULL },
    { "a state that is not in the EU", "eu_vat", "CH123456789", NULL },
    { "Greek: EL, not GR", "eu_vat", "EL123456789", "EL123456789" },
    { "GR", "eu_vat", "GR123456789", NULL },
    { "Austrian", "eu_vat", "ATU12345678", "ATU12345678" },
    { "French with letters", "eu_vat", "FRAB123456789", "FRAB123456789" },
    { "Irish, old", "eu_vat", "IE1A23456Z", "IE1A23456Z" },
    { "Irish, new", "eu_vat", "IE1234567AB", "IE1234567AB" },
    { "Dutch", "eu_vat", "NL123456789B12", "NL123456789B12" },
    { "Romanian, short", "eu_vat", "RO12", "RO12" },
    { "Romanian, long", "eu_vat", "RO1234567890", "RO1234567890" },
    { "Romanian, too long", "eu_vat", "RO12345678901", NULL },
    { "Northern Ireland", "eu_vat", "XIGD001", "XIGD001" },
    { "British", "gb_vat", "GB 123 4567 89", "GB123456789" },
    { "a British number is not one of the EU", "eu_vat", "GB123456789", NULL },
    { "Swiss", "ch_vat", "CHE-123.456.789 mwst", "CHE123456789MWST" },
    { "Swiss without its word", "ch_vat", "CHE-123.456.789", NULL },
    { "EIN", "us_ein", "12-3456789", "123456789" },
    { "South African", "za_vat", "4123456789", "4123456789" },
    { "not South African", "za_vat", "5123456789", NULL },
    { "Indian", "in_gst", "12ABCDE3456FGZH", "12ABCDE3456FGZH" },
    { "other", "other", "any text / 1", "any text / 1" },
    { "nothing", "other", "", NULL },
    { "only separators", "us_ein", " - ", NULL },
    { "too long", "other", "12345678901234567890123456789012345678901", NULL },
    { "UTF-8", "us_ein", "12345678\xC3\xA9", NULL },
    { "an unknown type", "xx_vat", "1", NULL },
    { "no type", "", "1", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(100);
    bool ok = tax_id_read(row->type, text_of(row->typed), &out);
    assert_int_equal(ok, row->want != NULL);
    assert_string_equal(buf_str(&out), ok ? row->want : "");
}

/* ---- hints ---- */

static const struct hint_row {
    const char *name;
    const char *type, *typed, *country;
    const char *state, *example;
} hint_rows[] = {
    { "by the prefix", "eu_vat", "FR1", "DE", "FR", "FRAB123456789" },
    { "by the country", "eu_vat", "1", "GR", "GR", "EL123456789" },
    { "neither", "eu_vat", "1", "US", NULL, "DE123456789" },
    { "another type", "us_ein", "1", "DE", NULL, "12-3456789" },
    { "far too long", "eu_vat", "DE0123456789012345678901234567890123456789012345678901234567890",
      "US", NULL, "DE123456789" },
};

static void check_hint(void **state)
{
    const struct hint_row *row = *state;
    struct tax_id_hint hint = tax_id_hint(row->type, text_of(row->typed), row->country);
    assert_string_equal(hint.example, row->example);
    assert_string_equal(hint.state ? hint.state : "", row->state ? row->state : "");
}

/* ---- the table ---- */

/* Each type is an option, and its example has its form. */
static void examples(void **state)
{
    scoped(json_free) cJSON *options = json_array();
    const cJSON *option;
    (void)state;
    tax_id_options(options, "us_ein");
    assert_true(json_size(options) > 20);
    cJSON_ArrayForEach(option, options) {
        scoped(buf_free) struct buf out = BUF(100);
        const char *type = json_text(option, "/value");
        if (!type[0] || strcmp(type, "other") == 0)
            continue;
        assert_non_null(tax_id_label(type));
        if (!tax_id_read(type, text_of(tax_id_hint(type, text_of(""), "").example), &out))
            fail_msg("the example of %s does not have its form", type);
    }
}

static void examples_of_states(void **state)
{
    static const char *const countries[] = { "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "GR",
                                             "ES", "FI", "FR", "HR", "HU", "IE", "IT", "LT", "LU",
                                             "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK" };
    (void)state;
    for (size_t i = 0; i < sizeof(countries) / sizeof(*countries); i++) {
        scoped(buf_free) struct buf out = BUF(100);
        struct tax_id_hint hint = tax_id_hint("eu_vat", text_of(""), countries[i]);
        assert_non_null(hint.state);
        if (!tax_id_read("eu_vat", text_of(hint.example), &out))
            fail_msg("the example of %s does not have its form", countries[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(examples),
                                        cmocka_unit_test(examples_of_states) };
    return RUN_ROWS(rows, check) + RUN_ROWS(hint_rows, check_hint) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
