/* tests/unit/text/money/currency.c - the table of currencies is valid, with the right values for
 * unusual ones. */
#include "text/money/currency.h"

#include <string.h>

#include "rows.h"

static const struct currency_row {
    const char *name;
    const char *code;
    int64_t unit; /* 0: there is none */
    int64_t step;
    int64_t least;
} rows[] = {
    { "dollars", "USD", 100, 1, 50 },
    { "yen have no minor unit", "JPY", 1, 1, 50 },
    { "krónur have one with the processor, always 00", "ISK", 100, 100, 1 },
    { "of three decimals the last is 0", "KWD", 1000, 10, 1 },
    { "much is needed in forints", "HUF", 100, 1, 17500 },
    { "a new one", "XCG", 100, 1, 1 },
    { "one that is gone", "BGN", 0, 0, 0 },
    { "a metal", "XAU", 0, 0, 0 },
    { "none at all", "ABC", 0, 0, 0 },
    { "small letters", "usd", 0, 0, 0 },
    { "nothing", "", 0, 0, 0 },
};

static void check(void **state)
{
    const struct currency_row *row = *state;
    const struct currency *currency = currency_find(row->code);
    assert_int_equal(currency != NULL, row->unit > 0);
    if (!currency)
        return;
    assert_int_equal(currency_unit(currency), row->unit);
    assert_int_equal(currency->step, row->step);
    assert_int_equal(currency->least, row->least);
}

/* ---- amounts ---- */

static const struct amount_row {
    const char *name;
    int64_t minor;
    const char *want;
} amounts[] = {
    { "USD", 1500, "15.00" },   { "USD", 5, "0.05" },           { "USD", -250, "-2.50" },
    { "USD", -5, "-0.05" },     { "JPY", 1500, "1500" },        { "JPY", -1500, "-1500" },
    { "KWD", 10, "0.010" },     { "KWD", -15000, "-15.000" },   { "USD", 0, "0.00" },
    { "ISK", 50000, "500.00" }, { "ZZZ", 1234567, "12345.67" },
};

static void check_amount(void **state)
{
    const struct amount_row *row = *state;
    char text[AMOUNT_TEXT_BYTES];
    amount_write(row->minor, row->name, text);
    assert_string_equal(text, row->want);
}

/* ---- the table itself ---- */

#define CURRENCY(code, decimals, step, least) { code, decimals, step, least },
static const struct currency table[] = {
#include "text/money/currency.def"
};

static const struct currency *before(const struct currency *row)
{
    return row > table ? row - 1 : NULL;
}

/* In the order of their codes, so there is no duplicate. */
static void check_table(void **state)
{
    const struct currency *row = *state;
    assert_int_equal(strspn(row->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 3);
    assert_int_equal(strlen(row->name), 3);
    assert_true(!before(row) || strcmp(before(row)->name, row->name) < 0);
    assert_in_range(row->decimals, 0, 3);
    assert_true(row->step == 1 || row->step == 10 || row->step == 100);
    assert_true(row->least >= 1);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(amounts, check_amount) + RUN_ROWS(table, check_table);
}
