/* tests/simulator/compare/compare.c - runs statements in PostgreSQL, compares and prints. */
#include "compare.h"

#include <stdio.h>
#include <string.h>

#include "../rows.h"
#include "../scheduler.h"
#include "base/codec/hex.h"
#include "postgres.h"
#include "state.h"

enum { TEXT_BYTES = 1 << 20 };

static size_t statements; /* since compare_load() */

void compare_load(const struct model *model)
{
    statements = 0;
    postgres_note_rows(state_query());
    state_load(model);
}

/* ---- rows ---- */

enum { OID_BOOL = 16, OID_BYTEA = 17, OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_TEXT = 25 };

static int64_t int_of(const char *bytes, int size)
{
    int64_t value = bytes[0] & 0x80 ? -1 : 0;
    for (int i = 0; i < size; i++)
        value = (int64_t)((uint64_t)value << 8 | (uint8_t)bytes[i]);
    return value;
}

static void add_cell(struct buf *out, const PGresult *result, int row, int column, Oid type)
{
    const char *bytes = PQgetvalue(result, row, column);
    int size = PQgetlength(result, row, column);
    if (PQgetisnull(result, row, column)) {
        buf_add_str(out, "NULL");
    } else if (type == OID_INT2 || type == OID_INT4 || type == OID_INT8 || type == OID_BOOL) {
        buf_format(out, "%lld", (long long)int_of(bytes, size));
    } else if (type == OID_TEXT) {
        buf_format(out, "'%.*s'", size, bytes);
    } else {
        for (int i = 0; i < size; i++)
            buf_format(out, "%02x", (uint8_t)bytes[i]);
    }
}

/* The row with this number in its first column; -1: none. */
static int find_row(const PGresult *result, int64_t ord)
{
    for (int row = 0; row < PQntuples(result); row++)
        if (int_of(PQgetvalue(result, row, 0), PQgetlength(result, row, 0)) == ord)
            return row;
    return -1;
}

/* PostgreSQL may return the outcomes of a batch in another order. */
static void compare_rows(const PGresult *real, const PGresult *model, const struct request *request,
                         struct buf *differences)
{
    bool has_ord = request->statement == STATEMENT_BATCH || request->statement == STATEMENT_CHECK;
    if (PQntuples(real) != PQntuples(model) || PQnfields(real) != PQnfields(model))
        buf_format(differences, "PostgreSQL returns %d rows, the model %d\n", PQntuples(real),
                   PQntuples(model));
    for (int row = 0; row < PQntuples(model); row++) {
        int real_row = has_ord ? find_row(real, row + 1) : row;
        if (real_row < 0 || real_row >= PQntuples(real)) {
            buf_format(differences, "PostgreSQL does not return row %d\n", row + 1);
            continue;
        }
        for (int column = 0; column < PQnfields(real); column++) {
            scoped(buf_free) struct buf a = BUF(TEXT_BYTES);
            scoped(buf_free) struct buf b = BUF(TEXT_BYTES);
            add_cell(&a, real, real_row, column, PQftype(real, column));
            add_cell(&b, model, row, column, PQftype(real, column));
            if (strcmp(buf_str(&a), buf_str(&b)) != 0)
                buf_format(differences, "row %d, %s: PostgreSQL %s, model %s\n", row + 1,
                           PQfname(real, column), buf_str(&a), buf_str(&b));
        }
    }
}

/* ---- state ---- */

static size_t line_bytes(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += line_bytes(line);
    return line + (*line == '\n');
}

/* Lines that only one of two sorted texts has. */
static void compare_lines(const char *real, const char *model, struct buf *differences)
{
    while (*real || *model) {
        size_t a = line_bytes(real), b = line_bytes(model);
        int order = memcmp(real, model, a < b ? a : b);
        if (order == 0)
            order = (a > b) - (a < b);
        if (order == 0) {
            real = next_line(real);
            model = next_line(model);
        } else if (*model == '\0' || (*real && order < 0)) {
            buf_format(differences, "only in PostgreSQL: %.*s\n", (int)a, real);
            real = next_line(real);
        } else {
            buf_format(differences, "only in the model:  %.*s\n", (int)b, model);
            model = next_line(model);
        }
    }
}

static void add_without_faults(struct buf *out, const char *line)
{
    for (; *line; line = next_line(line))
        if (strncmp(line, "fault ", 6) != 0)
            buf_format(out, "%s%.*s", out->size ? "\n" : "", (int)line_bytes(line), line);
}

static void compare_state(PGresult *rows, const struct model *after, struct buf *differences)
{
    scoped(buf_free) struct buf model = BUF(TEXT_BYTES);
    scoped(buf_free) struct buf rest = BUF(TEXT_BYTES);
    const char *real = PQgetvalue(rows, 0, 0);
    if (!after->has_faults) {
        add_without_faults(&rest, real);
        real = buf_str(&rest);
    }
    state_of_model(after, &model);
    if (strcmp(real, buf_str(&model)) != 0)
        compare_lines(real, buf_str(&model), differences);
    PQclear(rows);
}

/* ---- the statement as text ---- */

static void print_item(const char *what, size_t place, const struct m_item *item)
{
    static const char *const ops[] = { "?",     "capture", "void",   "cancel", "void, keep day",
                                       "admit", "pay",     "expire?" };
    char account[UUID_TEXT_BYTES], hold[UUID_TEXT_BYTES], token[2 * DIGEST_BYTES + 1];
    uuid_format(account, &item->account);
    uuid_format(hold, &item->hold);
    hex_encode(token, item->token, 4);
    printf("  %s %zu: %s %s of %s", what, place + 1, ops[item->op], hold, account);
    if (item->since != ABSENT)
        printf(", since %lld", (long long)item->since);
    if (item->op >= 5) {
        printf(", token %s, tool %lld, amount %lld, limits", token, (long long)item->tool,
               (long long)item->amount);
        const int64_t limits[] = { item->endpoint_limit, item->class_limit, item->global_limit,
                                   item->daily_limit };
        for (size_t i = 0; i < 4; i++)
            printf(limits[i] == ABSENT ? " -" : " %lld", (long long)limits[i]);
        printf(item->ttl_ms == ABSENT ? ", no hold" : ", for %lld ms", (long long)item->ttl_ms);
        if (item->has_key)
            printf(", key %02x, request %02x", item->key[0], item->fingerprint[0]);
    } else if (item->op == 1) {
        printf(", headers %lld bytes, body %lld", (long long)item->headers.size,
               (long long)item->body.size);
    }
    putchar('\n');
}

static void print_locks(struct locks locks)
{
    const struct m_row_locks *rows = &locks.rows;
    if (locks.accounts || locks.tokens)
        printf(", accounts %x and tokens of %x are locked", locks.accounts, locks.tokens);
    if (locks.plain_tokens)
        printf(", tokens without counters of %x are locked", locks.plain_tokens);
    if (rows->holds || rows->keys || rows->pieces || rows->quotas)
        printf(", holds of %x, keys of %x, pieces of %x and quotas of %x are locked", rows->holds,
               rows->keys, rows->pieces, rows->quotas);
}

static void print_request(const struct request *request, struct locks locks)
{
    static const char *const names[] = { "batch", "check", "sweep", "prune" };
    const struct m_batch *batch = &request->batch;
    printf("%s", names[request->statement]);
    print_locks(locks);
    if (request->statement == STATEMENT_SWEEP || request->statement == STATEMENT_PRUNE)
        printf(", since %lld, limit %lld", (long long)request->since_ms, (long long)request->limit);
    puts(batch->skips_busy ? ", skips locked accounts" : "");
    for (size_t i = 0; i < batch->settle_count; i++)
        print_item("settle", i, &batch->settle[i]);
    for (size_t i = 0; i < batch->admit_count; i++)
        print_item("admit", batch->settle_count + i, &batch->admit[i]);
}

static void print_head(int64_t now_ms)
{
    printf("statement %zu at %lld: ", statements, (long long)now_ms);
}

/* ---- statements ---- */

/* rows: a table and where. */
static void add_lock(struct buf *sql, const struct model *model, const char *rows,
                     unsigned accounts)
{
    char id[UUID_TEXT_BYTES];
    if (accounts == 0)
        return;
    buf_format(sql, "select from %s account_id in (null", rows);
    for (size_t i = 0; i < model->account_count; i++) {
        uuid_format(id, &model->account[i].id);
        if (accounts & 1u << i)
            buf_format(sql, ", '%s'", id);
    }
    buf_add_str(sql, ") for no key update;");
}

/* False: nothing is locked. */
static bool take_locks(const struct model *model, struct locks locks)
{
    scoped(buf_free) struct buf sql = BUF(TEXT_BYTES);
    add_lock(&sql, model, "account_balance where", locks.accounts);
    add_lock(&sql, model, "token where spent_total is not null and", locks.tokens);
    add_lock(&sql, model, "token where spent_total is null and", locks.plain_tokens);
    add_lock(&sql, model, "hold where", locks.rows.holds);
    add_lock(&sql, model, "idempotency where", locks.rows.keys);
    add_lock(&sql, model, "large_response where", locks.rows.pieces);
    add_lock(&sql, model, "daily_quota where", locks.rows.quotas);
    if (sql.size == 0)
        return false;
    postgres_lock(buf_str(&sql));
    return true;
}

static PGresult *run_locked(const struct request *request, const struct model *model,
                            struct locks locks, int64_t now_ms, PGresult **rows)
{
    bool has_locks = take_locks(model, locks);
    PGresult *result = postgres_run(request, now_ms, rows);
    if (has_locks)
        postgres_unlock();
    return result;
}

bool compare_statement(const struct request *request, const struct response *response,
                       const struct model *after, struct locks locks, int64_t now_ms)
{
    scoped(buf_free) struct buf differences = BUF(TEXT_BYTES);
    PGresult *rows;
    statements++;
    PGresult *real = run_locked(request, after, locks, now_ms, &rows);
    PGresult *model = rows_of(response);
    if (strcmp(postgres_sqlstate(real), response->sqlstate) != 0)
        buf_format(&differences, "PostgreSQL fails with '%s' %s, the model with '%s'\n",
                   postgres_sqlstate(real), PQresultErrorMessage(real), response->sqlstate);
    else if (!*response->sqlstate)
        compare_rows(real, model, request, &differences);
    compare_state(rows, after, &differences);
    PQclear(real);
    PQclear(model);
    if (differences.size > 0 || trace_is_on()) {
        print_head(now_ms);
        print_request(request, locks);
        fputs(buf_str(&differences), stdout);
    }
    return differences.size == 0;
}

bool compare_query(const char *sql, const char *expected, const struct model *after,
                   struct locks locks, int64_t now_ms)
{
    scoped(buf_free) struct buf differences = BUF(TEXT_BYTES);
    statements++;
    bool has_locks = take_locks(after, locks);
    PGresult *real = postgres_run_at(sql, has_locks, now_ms);
    if (has_locks)
        postgres_unlock();
    const char *sqlstate = postgres_sqlstate(real);
    const char *value = *sqlstate ? sqlstate : PQntuples(real) ? PQgetvalue(real, 0, 0) : "";
    if (strcmp(value, expected) != 0)
        buf_format(&differences, "PostgreSQL returns %s, the model %s %s\n", value, expected,
                   PQresultErrorMessage(real));
    PQclear(real);
    compare_state(postgres_rows(), after, &differences);
    if (differences.size > 0 || trace_is_on()) {
        print_head(now_ms);
        printf("%s", sql);
        print_locks(locks);
        putchar('\n');
        fputs(buf_str(&differences), stdout);
    }
    return differences.size == 0;
}
