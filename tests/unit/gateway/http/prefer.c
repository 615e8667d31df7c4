/* tests/unit/gateway/http/prefer.c - the preference `handling`, as RFC 7240 writes it. */
#include "gateway/http/prefer.h"

#include "rows.h"

static const struct row {
    const char *name; /* the header's value */
    enum handling want;
} rows[] = {
    { "handling=strict", HANDLING_STRICT },
    { "handling=lenient", HANDLING_LENIENT },
    { "Handling=Strict", HANDLING_STRICT },
    { "handling=\"strict\"", HANDLING_STRICT },
    { " handling = strict ", HANDLING_STRICT },
    { "respond-async, handling=lenient", HANDLING_LENIENT },
    { "respond-async, wait=10; foo=\"a, b\", handling=strict", HANDLING_STRICT },
    { "handling=strict;foo=bar", HANDLING_STRICT },
    { "handling=strict, handling=lenient", HANDLING_STRICT },
    { "handling=odd, handling=strict", HANDLING_UNSET },
    { "foo=\"handling=strict\"", HANDLING_UNSET },
    { "foo=\"x\\\", handling=strict", HANDLING_UNSET },
    { "handling", HANDLING_UNSET },
    { "strict", HANDLING_UNSET },
    { "handlings=strict", HANDLING_UNSET },
    { "handling=strictly", HANDLING_UNSET },
    { ",,;=,", HANDLING_UNSET },
    { "\"", HANDLING_UNSET },
    { "\\", HANDLING_UNSET },
    { "", HANDLING_UNSET },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(prefer_handling(row->name), row->want);
}

static void absent(void **state)
{
    (void)state;
    assert_int_equal(prefer_handling(NULL), HANDLING_UNSET);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(absent) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
