/* gateway/tollctl/migrate.c - applies the migrations of this version. */
#include "gateway/tollctl/migrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"
#include "svc/contract.h"

/* ---- status ---- */

static void add_migration(const struct migration *migration, size_t version, const cJSON *row,
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
        if (migration_version(row) == (int64_t)version)
            return row;
    return NULL;
}

static bool db_status(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *applied = json_array();
    struct err why = { 0 };
    const cJSON *row;
    int64_t pending = 0;

    if (!migrations_applied(ctl->sql, applied, err))
        return false;
    cJSON *list = json_list(answer, "migrations");
    for (size_t version = 1; version <= migration_count; version++) {
        row = find_applied(applied, version);
        add_migration(&migrations[version - 1], version, row, list);
        pending += !row;
    }
    cJSON_ArrayForEach(row, applied)
        if (migration_version(row) > (int64_t)migration_count)
            add_migration(NULL, (size_t)migration_version(row), row, list);
    json_int(answer, "pending", pending);
    if (!migrations_agree(applied, migrations, migration_count, &why)) {
        ctl->status = EXIT_FAILURE;
        json_str(answer, "problem", why.message);
    }
    return true;
}

/* ---- applying ---- */

/* The migrations grant rights to roles, which belong to the whole cluster: only its superuser can
 * create them. */
static bool check_roles(struct sql *sql, struct err *err)
{
    scoped(json_free) cJSON *found = json_object();
    if (!sql_row(
            sql,
            "select string_agg(r, ', ') as missing"
            "  from unnest(array['tollgate_gateway', 'tollgate_portal', 'tollgate_operator']) r"
            " where not exists (select from pg_roles where rolname = r)",
            NO_PARAMS, found, err))
        return false;
    const char *missing = json_text(found, "/missing");
    return !missing ||
           err_set(err, ERR_NOT_FOUND,
                   "the role %s is missing: run deploy/database/roles.sql as the superuser, "
                   "then migrate; nothing was changed",
                   missing);
}

static bool apply(struct tollctl *ctl, size_t version, cJSON *done, struct err *err)
{
    const struct migration *migration = &migrations[version - 1];
    int64_t started_ms = clock_ms();
    struct err why = { 0 };
    scoped(mem_free) char *detail = str_format("%zu %s", version, migration->name);

    if (!sql_begin(ctl->sql, SQL_WRITE, &why) ||
        !migration_apply(ctl->sql, migration, version, &why) ||
        !tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, &why) ||
        !sql_commit(ctl->sql, &why))
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

/* ---- tools and their prices ---- */

enum { COLUMN_MAX_BYTES = 1 << 16 };

/* The parameters of tool_register() of sql/002-ledger.sql, as comma-separated texts. */
struct columns {
    struct buf names, groups, classes, prices;
};

static void free_columns(struct columns *columns)
{
    buf_free(&columns->names);
    buf_free(&columns->groups);
    buf_free(&columns->classes);
    buf_free(&columns->prices);
}

static void free_contracts(struct contract **contracts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        contract_free(&contracts[i]);
    mem_free(&contracts);
}

static bool read_columns(const struct conf *conf, struct columns *columns, struct err *err)
{
    struct contract **contracts = NULL;
    size_t count = 0;
    if (!contract_load_all(conf_str(conf, "contracts_dir"), NULL, &contracts, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct contract *contract = contracts[i];
        const char *comma = i > 0 ? "," : "";
        buf_format(&columns->names, "%s%s", comma, contract->tool);
        buf_format(&columns->groups, "%s%s", comma, contract->group);
        buf_format(&columns->classes, "%s%s", comma, contract->rate_class);
        buf_format(&columns->prices, "%s%" PRId64, comma, contract->credits);
    }
    free_contracts(contracts, count);
    return !columns->names.full ||
           err_set(err, ERR_TOO_LONG, "the contracts' names are longer than %d bytes",
                   COLUMN_MAX_BYTES);
}

/* Print each changed price, and write it to the audit log. */
static bool report_prices(struct tollctl *ctl, const cJSON *changed, struct err *err)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, changed) {
        scoped(mem_free) char *detail =
            str_format("%s from %" PRId64 " to %" PRId64 " credits", json_text(row, "/tool"),
                       (int64_t)json_get(row, "before")->valuedouble,
                       (int64_t)json_get(row, "price")->valuedouble);
        if (!tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err))
            return false;
        if (!ctl->is_json)
            printf("price of %s\n", detail);
    }
    return true;
}

/* Write the contracts' prices to the database: gateways charge only those, and only this step has
 * the owner's rights. */
static bool register_tools(struct tollctl *ctl, cJSON *changed, struct err *err)
{
    scoped(free_columns) struct columns columns = { BUF(COLUMN_MAX_BYTES), BUF(COLUMN_MAX_BYTES),
                                                    BUF(COLUMN_MAX_BYTES), BUF(COLUMN_MAX_BYTES) };
    return read_columns(ctl->conf, &columns, err) && sql_begin(ctl->sql, SQL_WRITE, err) &&
           sql_rows(ctl->sql,
                    "select changed as tool, old_price as before, new_price as price"
                    "  from tool_register(string_to_array($1, ','), string_to_array($2, ','),"
                    "                     string_to_array($3, ','),"
                    "                     string_to_array($4, ',')::bigint[])",
                    (struct sql_params){ 4,
                                         { buf_str(&columns.names), buf_str(&columns.groups),
                                           buf_str(&columns.classes), buf_str(&columns.prices) } },
                    changed, err) &&
           report_prices(ctl, changed, err) && sql_commit(ctl->sql, err);
}

static bool db_migrate(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *applied = json_array();
    cJSON *done = json_list(answer, "applied");

    if (!check_roles(ctl->sql, err) || !migrations_lock(ctl->sql, err) ||
        !migrations_applied(ctl->sql, applied, err) ||
        !migrations_agree(applied, migrations, migration_count, err))
        return false;
    size_t before = (size_t)json_size(applied);
    for (size_t version = before + 1; version <= migration_count; version++)
        if (!apply(ctl, version, done, err))
            return false;
    cJSON *prices = json_list(answer, "prices");
    if (!register_tools(ctl, prices, err))
        return false;
    json_int(answer, "version", (int64_t)migration_count);
    ctl->is_silent = !ctl->is_json;
    if (before == migration_count && json_size(prices) == 0 && !ctl->is_json)
        printf("nothing to do: the database has all %zu migrations and the contracts' prices\n",
               migration_count);
    return true;
}

/* clang-format off */
const struct command db_commands[] = {
    { "db migrate", "Apply missing migrations and write the contracts' prices; safe to repeat.", db_migrate },
    { "db status", "Show applied and pending migrations.", db_status },
    { 0 },
};
/* clang-format on */
