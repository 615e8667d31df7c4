/* tests/unit/db/migrations.c - databases that may be migrated further, and those that may not. */
#include "db/migrations.h"

#include <string.h>

#include "rows.h"

static const struct migration known[] = {
    { "one", "1111", "" },
    { "two", "2222", "" },
    { "three", "3333", "" },
};

/* Applied migrations as "1=1111 2=2222": version and checksum. */
static const struct row {
    const char *name;
    const char *applied;
    const char *says; /* part of the error; NULL: may go on */
} rows[] = {
    { "an empty database", "", NULL },
    { "the first", "1=1111", NULL },
    { "all", "1=1111 2=2222 3=3333", NULL },
    { "the first is missing", "2=2222", "migration 2 but not 1" },
    { "one between is missing", "1=1111 3=3333", "migration 3 but not 2" },
    { "a file was changed", "1=1111 2=2223", "002-two.sql is not the file" },
    { "the checksum of another file", "1=2222", "001-one.sql is not the file" },
    { "a newer one", "1=1111 2=2222 3=3333 4=4444", "older than the database" },
    { "a newer one behind a gap", "1=1111 9=9999", "older than the database" },
    { "version 0", "0=0000", "migration 0 but not 1" },
};

static cJSON *list_of(const char *applied)
{
    cJSON *list = json_array();
    for (; *applied; applied += strspn(applied, " ")) {
        cJSON *row = json_item(list);
        scoped(mem_free) char *sha256 = mem_dup(applied + 2, 4);
        json_int(row, "version", applied[0] - '0');
        json_str(row, "name", "any");
        json_str(row, "sha256", sha256);
        applied += 6;
    }
    return list;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *applied = list_of(row->applied);
    struct err err = { 0 };

    assert_int_equal(migrations_agree(applied, known, countof(known), &err), row->says == NULL);
    if (row->says)
        assert_non_null(strstr(err.message, row->says));
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
