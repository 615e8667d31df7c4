/* tests/unit/base/writing/nearest.c - which name was probably meant. */
#include "base/writing/nearest.h"

#include <string.h>

#include "rows.h"

static const char *const known[] = { "algorithm", "input",     "key_encoding", "max_depth", "url",
                                     "domain",    "prev_port", "port",         "dns-lookup" };

static const struct row {
    const char *name; /* what was written */
    const char *want; /* NULL: nothing is near */
} rows[] = {
    { "algoritm", "algorithm" },
    { "Algorithm", "algorithm" },
    { "keyEncoding", "key_encoding" },
    { "KEY-ENCODING", "key_encoding" },
    { "key encoding", "key_encoding" },
    { "depth", "max_depth" },
    { "maxDepth", "max_depth" },
    { "depth_max", "max_depth" },
    { "target_url", "url" },
    { "domainName", "domain" },
    { "prot", "port" },
    { "Port2", "port" },
    { "dns-lokup", "dns-lookup" },
    { "dnslookup", "dns-lookup" },
    { "colour", NULL },
    { "ur", "url" },
    { "x", NULL },
    { "", NULL },
    { "---", NULL },
    { "\xc3\xa9", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct did_you_mean meant = did_you_mean(row->name);
    for (size_t i = 0; i < countof(known); i++)
        did_you_mean_offer(&meant, known[i], known[i]);
    assert_string_equal(meant.shown ? meant.shown : "", row->want ? row->want : "");
}

/* An alias is a candidate; the canonical name is shown. */
static void shows_the_canonical_name(void **state)
{
    struct did_you_mean meant = did_you_mean("tetx");
    (void)state;
    did_you_mean_offer(&meant, "input", "input");
    did_you_mean_offer(&meant, "text", "input");
    assert_string_equal(meant.shown, "input");
}

static void long_names_are_cut(void **state)
{
    char name[500] = { 0 };
    struct did_you_mean meant = did_you_mean(name);
    (void)state;
    memset(name, 'a', sizeof(name) - 1);
    did_you_mean_offer(&meant, "input", "input");
    assert_null(meant.shown);
    for (size_t i = 0; i < sizeof(name) - 1; i += 2)
        name[i] = '_';
    did_you_mean_offer(&meant, name, "words");
    assert_string_equal(meant.shown, "words");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(shows_the_canonical_name),
        cmocka_unit_test(long_names_are_cut),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
