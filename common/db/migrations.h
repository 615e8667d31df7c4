/*
 * common/db/migrations.h - numbered scripts that update a database from version to version, and the
 * record of applied ones. A released script never changes: the record has its SHA-256.
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

/*
 * Prevent other migrations until this connection closes, and create the table of applied ones.
 * Waits for a running migration.
 */
bool migrations_lock(struct sql *sql, struct err *err) must_check;

/* Append the applied migrations to list: { version, name, sha256, at } in order. */
bool migrations_applied(struct sql *sql, cJSON *list, struct err *err) must_check;

/* The version of one item of that list. */
int64_t migration_version(const cJSON *row);

/*
 * Is a database with these applied migrations (a list of { version, name, sha256 } in order)
 * compatible with `known`? Errors: ERR_INVALID_VALUE for a gap, a file that was changed after its
 * release, and an unknown version, each with what to do.
 */
bool migrations_agree(const cJSON *applied, const struct migration *known, size_t count,
                      struct err *err) must_check;

/* Run one and record it, in the current transaction. */
bool migration_apply(struct sql *sql, const struct migration *migration, size_t version,
                     struct err *err) must_check;
