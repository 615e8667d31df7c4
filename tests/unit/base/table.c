/* tests/unit/base/table.c - rows by name, exactly and loosely. */
#include "base/table.h"

#include "rows.h"

static const struct digest {
    const char *name;
    int bits;
} digests[] = {
    { "SHA-1", 160 },
    { "SHA-256", 256 },
    { "SHA-512/256", 256512 },
    { "", 1 },
};

static const struct row {
    const char *name;
    const char *wanted;
    int exact; /* bits; 0: not found */
    int loose;
} rows[] = {
    { "unchanged", "SHA-256", 256, 256 },
    { "other case", "sha-256", 0, 256 },
    { "without separator", "sha256", 0, 256 },
    { "other separators", " s_h/a 2--56_", 0, 256 },
    { "name with two separators", "sha512256", 0, 256512 },
    { "prefix", "SHA-", 0, 0 },
    { "longer", "SHA-2561", 0, 0 },
    { "unknown", "MD5", 0, 0 },
    { "empty", "", 1, 1 },
    { "separators alone", "--", 0, 1 },
    { "letters beyond ASCII", "SHA-1\u00e9", 0, 0 },
};

static void check(void **state)
{
    const struct row *row = *state;
    const struct digest *exact = TABLE_FIND(digests, row->wanted);
    const struct digest *loose = TABLE_FIND_LOOSE(digests, row->wanted);
    assert_int_equal(exact ? exact->bits : 0, row->exact);
    assert_int_equal(loose ? loose->bits : 0, row->loose);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
