/*
 * common/db/migrations.h - numbered scripts that bring a database from version to version, and what
 * a database says of those it has. A released one never changes: its SHA-256 is kept beside it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "db/sql.h"

/* The migrations of a program are an array of these, numbered 1, 2, 3 … in order. */
struct migration {
    const char *name;   /* "accounts" of 001-accounts.sql */
    const char *sha256; /* of the file, in hex */
    const char *sql;
};

/* Keep others from migrating until this connection ends, and make the table that remembers what is
 * applied. Waits for whoever migrates already. */
bool migrations_lock(struct sql *sql, struct err *err) must_check;

/* Append what is applied to list: { version, name, sha256, at } in order. */
bool migrations_applied(struct sql *sql, cJSON *list, struct err *err) must_check;

/* The version of one of that list. */
int64_t migration_version(const cJSON *row);

/*
 * May a database that has applied these (a list of { version, name, sha256 } in order) go on with
 * known? Errors: ERR_INVALID_VALUE for a gap, a file that was changed after its release, and a
 * version that is not known, each with what to do.
 */
bool migrations_agree(const cJSON *applied, const struct migration *known, size_t count,
                      struct err *err) must_check;

/* Run one and remember it, within the transaction under way. */
bool migration_apply(struct sql *sql, const struct migration *migration, size_t version,
                     struct err *err) must_check;
