/* tests/unit/portal/base/numbers.c - numbers, money and the price of a credit, as pages show them.
 */
#include "portal/base/numbers.h"

#include <string.h>

#include "rows.h"

#define NBSP "\xC2\xA0"

static const struct number_row {
    const char *name;
    int64_t value;
    const char *want;
} numbers[] = {
    { "nothing", 0, "0" },
    { "three digits are not grouped", 999, "999" },
    { "four do not", 1482, "1,482" },
    { "a million", 1000000, "1,000,000" },
    { "below zero", -1500, "-1,500" },
    { "three digits below zero", -214, "-214" },
    { "the largest", INT64_MAX, "9,223,372,036,854,775,807" },
    { "the smallest", INT64_MIN, "-9,223,372,036,854,775,808" },
};

static void check_number(void **state)
{
    const struct number_row *row = *state;
    char out[NUMBER_BYTES];
    number_write(row->value, out);
    assert_string_equal(out, row->want);
}

static const struct money_row {
    const char *name;
    int64_t minor;
    const char *currency;
    const char *want;
} moneys[] = {
    { "dollars", 1500, "USD", "15.00" NBSP "USD" },
    { "cents alone", 5, "USD", "0.05" NBSP "USD" },
    { "thousands", 123456789, "EUR", "1,234,567.89" NBSP "EUR" },
    { "given back", -250, "USD", "-2.50" NBSP "USD" },
    { "less than one given back", -50, "USD", "-0.50" NBSP "USD" },
    { "a currency without minor unit", 1500, "JPY", "1,500" NBSP "JPY" },
    { "one that has two decimals with the processor alone", 50000, "ISK", "500.00" NBSP "ISK" },
    { "three decimals", 12050, "KWD", "12.050" NBSP "KWD" },
    { "a currency that is gone", 150, "ZWL", "1.50" NBSP "ZWL" },
};

static void check_money(void **state)
{
    const struct money_row *row = *state;
    char out[NUMBER_BYTES];
    money_write(row->minor, row->currency, out);
    assert_string_equal(out, row->want);
}

static const struct price_row {
    const char *name;
    struct credit_price price;
    int64_t credits;
    const char *want;
} prices[] = {
    { "Starter", { 500, 250, "USD" }, 1, "2.00" NBSP "¢" },
    { "Standard", { 1500, 1500, "USD" }, 1, "1.00" NBSP "¢" },
    { "Volume", { 3900, 5000, "USD" }, 1, "0.78" NBSP "¢" },
    { "a call", { 3900, 5000, "USD" }, 25, "19.50" NBSP "¢" },
    { "a call in euros", { 3900, 5000, "EUR" }, 25, "0.1950" NBSP "EUR" },
    { "a call that costs less than a cent's hundredth", { 1, 5000, "USD" }, 1, "0.00" NBSP "¢" },
    { "euros", { 3900, 5000, "EUR" }, 1, "0.0078" NBSP "EUR" },
    { "yen", { 500, 250, "JPY" }, 1, "2.0000" NBSP "JPY" },
    { "dinars", { 500, 250, "KWD" }, 1, "0.0020" NBSP "KWD" },
    { "no credits", { 500, 0, "USD" }, 1, "0.00" NBSP "¢" },
};

static void check_price(void **state)
{
    const struct price_row *row = *state;
    char out[NUMBER_BYTES];
    credit_price_write(&row->price, row->credits, out);
    assert_string_equal(out, row->want);
}

static const struct number_row credits[] = {
    { "none", 0, "0 credits" },
    { "one", 1, "1 credit" },
    { "many", 1500, "1,500 credits" },
};

static void check_credits(void **state)
{
    const struct number_row *row = *state;
    char out[NUMBER_BYTES];
    credits_write(row->value, out);
    assert_string_equal(out, row->want);
}

int main(void)
{
    return RUN_ROWS(numbers, check_number) + RUN_ROWS(moneys, check_money) +
           RUN_ROWS(prices, check_price) + RUN_ROWS(credits, check_credits);
}
