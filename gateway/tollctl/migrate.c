/* gateway/tollctl/migrate.c - bring the database to the tables this version needs. */
#include "gateway/tollctl/migrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "db/sql.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* Any number, the same in every tollctl: two migrations never run at once. */
#define MIGRATION_LOCK "7238241146904121446"

static int64_t version_of(const cJSON *row)
{
    return (int64_t)json_get(row, "version")->valuedouble;
}

bool migrations_agree(const cJSON *applied, const struct migration *known, size_t count,
                      struct err *err)
{
    const cJSON *row;
    int64_t expected = 0;
    cJSON_ArrayForEach(row, applied) {
        int64_t version = version_of(row);
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

/* ---- what is applied ---- */

static bool read_applied(struct sql *sql, cJSON *applied, struct err *err)
{
    scoped(json_free) cJSON *found = json_object();
    return sql_row(sql, "select to_regclass('schema_migration') is not null as exists", NO_PARAMS,
                   found, err) &&
           (!json_is(json_get(found, "exists"), cJSON_True) ||
            sql_rows(sql, "select version, name, sha256, at from schema_migration order by version",
                     NO_PARAMS, applied, err));
}

static void describe(const struct migration *migration, size_t version, const cJSON *row,
                     cJSON *list)
{
    cJSON *item = json_item(list);
    bool is_same = row && migration && strcmp(json_text(row, "/sha256"), migration->sha256) == 0;
    json_int(item, "version", (int64_t)version);
    json_str(item, "name", migration ? migration->name : json_text(row, "/name"));
    json_str(item, "state",
             !row         ? "pending"
             : !migration ? "unknown"
             : is_same    ? "applied"
                          : "changed");
    json_str(item, "at", json_text(row, "/at"));
}

static const cJSON *find_applied(const cJSON *applied, size_t version)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, applied)
        if (version_of(row) == (int64_t)version)
            return row;
    return NULL;
}

static bool db_status(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *applied = json_array();
    struct err why = { 0 };
    const cJSON *row;
    int64_t pending = 0;

    if (!read_applied(ctl->sql, applied, err))
        return false;
    cJSON *list = json_list(answer, "migrations");
    for (size_t version = 1; version <= migration_count; version++) {
        row = find_applied(applied, version);
        describe(&migrations[version - 1], version, row, list);
        pending += !row;
    }
    cJSON_ArrayForEach(row, applied)
        if (version_of(row) > (int64_t)migration_count)
            describe(NULL, (size_t)version_of(row), row, list);
    json_int(answer, "pending", pending);
    if (!migrations_agree(applied, migrations, migration_count, &why)) {
        ctl->status = EXIT_FAILURE;
        json_str(answer, "problem", why.message);
    }
    return true;
}

/* ---- applying ---- */

static bool record(struct tollctl *ctl, const struct migration *migration, const char *version,
                   struct err *err)
{
    scoped(mem_free) char *detail = str_format("%s %s", version, migration->name);
    return sql_run(
               ctl->sql, "insert into schema_migration (version, name, sha256) values ($1, $2, $3)",
               (struct sql_params){ 3, { version, migration->name, migration->sha256 } }, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err);
}

static bool apply(struct tollctl *ctl, size_t version, cJSON *done, struct err *err)
{
    const struct migration *migration = &migrations[version - 1];
    int64_t started_ms = clock_ms();
    struct err why = { 0 };
    char text[24];

    snprintf(text, sizeof(text), "%zu", version);
    if (!sql_begin(ctl->sql, SQL_WRITE, &why) || !sql_script(ctl->sql, migration->sql, &why) ||
        !record(ctl, migration, text, &why) || !sql_commit(ctl->sql, &why))
        return err_set(err, why.kind, "migration %zu (%s): %s", version, migration->name,
                       why.message);
    int64_t ms = clock_ms() - started_ms;
    cJSON *item = json_item(done);
    json_int(item, "version", (int64_t)version);
    json_str(item, "name", migration->name);
    json_int(item, "ms", ms);
    if (!ctl->is_json) {
        printf("applied %03zu %s in %" PRId64 " ms\n", version, migration->name, ms);
        fflush(stdout);
    }
    return true;
}

/* Whoever migrates at the same time is waited for; what he applied is then found applied. */
static bool lock_migrations(struct sql *sql, struct err *err)
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

static bool db_migrate(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *applied = json_array();
    cJSON *done = json_list(answer, "applied");

    if (!lock_migrations(ctl->sql, err) || !read_applied(ctl->sql, applied, err) ||
        !migrations_agree(applied, migrations, migration_count, err))
        return false;
    size_t before = (size_t)json_size(applied);
    for (size_t version = before + 1; version <= migration_count; version++)
        if (!apply(ctl, version, done, err))
            return false;
    json_int(answer, "version", (int64_t)migration_count);
    ctl->is_silent = !ctl->is_json;
    if (before == migration_count && !ctl->is_json)
        printf("nothing to do: the database has all %zu migrations\n", migration_count);
    return true;
}

/* clang-format off */
const struct command db_commands[] = {
    { "db migrate", "Apply the migrations that the database has not; safe to repeat.", db_migrate },
    { "db status", "Show which migrations are applied and which are pending.", db_status },
    { 0 },
};
/* clang-format on */
