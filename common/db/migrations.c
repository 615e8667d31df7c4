/* common/db/migrations.c - the table schema_migration. */
#include "db/migrations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* Any number, equal in every process: two migrations never run at once. */
#define MIGRATION_LOCK "7238241146904121446"

/* Waits for another process that migrates; its migrations are then found as applied. */
bool migrations_lock(struct sql *sql, struct err *err)
{
    return sql_run(sql, "set lock_timeout = '10min'", NO_PARAMS, err) &&
           sql_run(sql, "select pg_advisory_lock(" MIGRATION_LOCK ")", NO_PARAMS, err) &&
           sql_run(sql, "set lock_timeout = '10s'", NO_PARAMS, err) &&
           sql_run(sql,
                   "create table if not exists schema_migration ("
                   "    version integer primary key,"
                   "    name    text not null,"
                   "    sha256  text not null,"
                   "    at      timestamptz not null default now())",
                   NO_PARAMS, err);
}

bool migrations_applied(struct sql *sql, cJSON *applied, struct err *err)
{
    scoped(json_free) cJSON *found = json_object();
    return sql_row(sql, "select to_regclass('schema_migration') is not null as exists", NO_PARAMS,
                   found, err) &&
           (!json_is(json_get(found, "exists"), cJSON_True) ||
            sql_rows(sql, "select version, name, sha256, at from schema_migration order by version",
                     NO_PARAMS, applied, err));
}

int64_t migration_version(const cJSON *row)
{
    return (int64_t)json_get(row, "version")->valuedouble;
}

bool migrations_agree(const cJSON *applied, const struct migration *known, size_t count,
                      struct err *err)
{
    const cJSON *row;
    int64_t expected = 0;
    cJSON_ArrayForEach(row, applied) {
        int64_t version = migration_version(row);
        if (version > (int64_t)count)
            return err_set(err, ERR_INVALID_VALUE,
                           "the database has migration %" PRId64
                           " (%s), this tollctl knows %zu: it "
                           "is older than the database; use a newer one",
                           version, json_text(row, "/name"), count);
        if (version != ++expected)
            return err_set(err, ERR_INVALID_VALUE,
                           "the database has migration %" PRId64 " but not %" PRId64 ": rows of "
                           "schema_migration are missing; restore them from a backup",
                           version, expected);
        const struct migration *migration = &known[version - 1];
        if (strcmp(json_text(row, "/sha256"), migration->sha256) != 0)
            return err_set(err, ERR_INVALID_VALUE,
                           "%03" PRId64 "-%s.sql is not the file that was applied; released "
                           "migrations are never changed: bring the old text back and put the "
                           "change into a new file",
                           version, migration->name);
    }
    return true;
}

bool migration_apply(struct sql *sql, const struct migration *migration, size_t version,
                     struct err *err)
{
    char number[24];
    snprintf(number, sizeof(number), "%zu", version);
    return sql_script(sql, migration->sql, err) &&
           sql_run(sql, "insert into schema_migration (version, name, sha256) values ($1, $2, $3)",
                   (struct sql_params){ 3, { number, migration->name, migration->sha256 } }, err);
}
