/* tests/unit/db/pool.c - connections acquired and released, with a real PostgreSQL (pool.py). */
#include "db/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "rows.h"

enum {
    CONNECTIONS = 2,
    WAIT_MS = 100,
    TIMEOUT_MS = 20000,
    SHORT_MS = 3000, /* of tests that wait for it; a busy machine connects in less */
};

static struct pool *pool_of(const char *url)
{
    return pool_new(url, NULL, CONNECTIONS, WAIT_MS, TIMEOUT_MS);
}

static struct pool *pool_here(void)
{
    return pool_of(getenv("TOLLGATE_TEST_DB"));
}

static struct sql *taken_of(struct pool *pool)
{
    struct sql *sql = NULL;
    struct err err = { 0 };
    if (!pool_take(pool, &sql, &err))
        fail_msg("%s", err.message);
    return sql;
}

/* The number that a statement returns as `n`. */
static int64_t number(struct sql *sql, const char *statement)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    if (!sql_row(sql, statement, NO_PARAMS, row, &err))
        fail_msg("%s", err.message);
    return (int64_t)json_get(row, "n")->valuedouble;
}

static int64_t backend(struct sql *sql)
{
    return number(sql, "select pg_backend_pid() as n");
}

/* Terminate a connection from the server's side, and wait until it is closed. */
static void hang_up(int64_t pid)
{
    scoped(sql_close) struct sql *other = NULL;
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    scoped(mem_free) char *text = str_format("%d", (int)pid);
    assert_true(sql_open(getenv("TOLLGATE_TEST_DB"), NULL, TIMEOUT_MS, &other, &err));
    assert_true(sql_row(other, "select pg_terminate_backend($1, 5000) as is_gone",
                        (struct sql_params){ 1, { text } }, row, &err));
    assert_true(json_is(json_get(row, "is_gone"), cJSON_True));
}

static void a_good_connection_is_reused(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_here();
    struct sql *sql = taken_of(pool);
    int64_t pid = backend(sql);
    pool_give(&sql);
    assert_null(sql);
    pool_give(&sql); /* nothing */
    sql = taken_of(pool);
    assert_int_equal(backend(sql), pid);
    pool_give(&sql);
}

static void no_more_than_there_are(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_here();
    struct sql *one = taken_of(pool), *two = taken_of(pool), *three = NULL;
    struct err err = { 0 };
    int64_t since_ms = clock_ms();
    assert_int_not_equal(backend(one), backend(two));
    assert_false(pool_take(pool, &three, &err));
    assert_int_equal(err.kind, ERR_LEDGER_UNAVAILABLE);
    assert_true(clock_ms() - since_ms >= WAIT_MS);
    pool_give(&one);
    three = taken_of(pool);
    pool_give(&two);
    pool_give(&three);
}

static void *give_back(void *context)
{
    void **both = context;
    pool_give((struct sql **)&both[1]);
    return NULL;
}

static void a_waiter_gets_a_released_connection(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool =
        pool_new(getenv("TOLLGATE_TEST_DB"), NULL, 1, 60000, TIMEOUT_MS);
    struct sql *one = taken_of(pool);
    int64_t pid = backend(one);
    void *both[2] = { pool, one };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, give_back, both), 0);
    one = taken_of(pool);
    pthread_join(thread, NULL);
    assert_int_equal(backend(one), pid);
    pool_give(&one);
}

static void a_broken_connection_is_not_reused(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_here();
    struct sql *sql = taken_of(pool);
    struct err err = { 0 };
    int64_t pid = backend(sql);
    hang_up(pid);
    assert_false(sql_run(sql, "select 1", NO_PARAMS, &err));
    pool_give(&sql);
    sql = taken_of(pool);
    assert_int_not_equal(backend(sql), pid);
    pool_give(&sql);
}

static void connections_closed_while_idle_are_not_reused(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_here();
    struct sql *sql[CONNECTIONS] = { taken_of(pool), taken_of(pool) };
    int64_t pid[CONNECTIONS] = { backend(sql[0]), backend(sql[1]) };
    for (size_t i = 0; i < CONNECTIONS; i++)
        pool_give(&sql[i]);
    for (size_t i = 0; i < CONNECTIONS; i++)
        hang_up(pid[i]);
    for (size_t i = 0; i < CONNECTIONS; i++)
        number(sql[i] = taken_of(pool), "select 1 as n");
    for (size_t i = 0; i < CONNECTIONS; i++)
        pool_give(&sql[i]);
}

/* A connection that is released early leaves a transaction behind, open or failed. */
static const struct left_row {
    const char *name;
    const char *statement; /* within the transaction, after the insert */
} left_rows[] = {
    { "an open transaction is rolled back", "select 1" },
    { "a failed transaction is rolled back", "select 1 / 0" },
};

static void is_rolled_back(void **state)
{
    const struct left_row *row = *state;
    scoped(pool_free) struct pool *pool = pool_here();
    struct sql *sql = taken_of(pool);
    struct err err = { 0 };
    int64_t pid = backend(sql);
    assert_true(sql_run(sql, "create temporary table seen (n integer)", NO_PARAMS, &err));
    assert_true(sql_begin(sql, SQL_WRITE, &err));
    assert_true(sql_run(sql, "insert into seen values (1)", NO_PARAMS, &err));
    (void)!sql_run(sql, row->statement, NO_PARAMS, &err);
    pool_give(&sql);
    sql = taken_of(pool);
    assert_int_equal(backend(sql), pid);
    assert_int_equal(number(sql, "select count(*) as n from seen"), 0);
    pool_give(&sql);
}

static void a_statement_that_takes_too_long_ends_its_connection(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool =
        pool_new(getenv("TOLLGATE_TEST_DB"), NULL, 1, WAIT_MS, SHORT_MS);
    struct sql *sql = taken_of(pool);
    struct err err = { 0 };
    int64_t since_ms = clock_ms(), pid = backend(sql);
    assert_false(sql_run(sql, "select pg_sleep(30)", NO_PARAMS, &err));
    assert_non_null(strstr(err.message, "did not respond within 3000 ms"));
    assert_true(clock_ms() - since_ms < 20000);
    pool_give(&sql);
    sql = taken_of(pool);
    assert_int_not_equal(backend(sql), pid);
    pool_give(&sql);
}

/* Of two hosts: the connection to the slow one is closed, so that the next one is tried. */
static void a_slow_host_is_skipped(void **state)
{
    (void)state;
    scoped(mem_free) char *url =
        str_format("%s host=%s,%s", getenv("TOLLGATE_TEST_DB"), getenv("TOLLGATE_TEST_HOST"),
                   getenv("TOLLGATE_TEST_HOST"));
    scoped(pool_free) struct pool *pool = pool_new(url, NULL, CONNECTIONS, WAIT_MS, SHORT_MS);
    struct sql *late = taken_of(pool), *other = taken_of(pool);
    struct err err = { 0 };
    int64_t pid = backend(other);
    assert_false(sql_run(late, "select pg_sleep(30)", NO_PARAMS, &err));
    pool_give(&other);
    pool_give(&late);
    other = taken_of(pool);
    assert_int_not_equal(backend(other), pid);
    pool_give(&other);
}

/* After a promotion elsewhere this server is read-only, and the next one may be writable. */
static void a_read_only_connection_is_not_reused(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_here();
    struct sql *sql = taken_of(pool);
    struct err err = { 0 };
    int64_t pid = backend(sql);
    assert_true(sql_run(sql, "set default_transaction_read_only = on", NO_PARAMS, &err));
    assert_false(sql_run(sql, "create table never (n integer)", NO_PARAMS, &err));
    pool_give(&sql);
    sql = taken_of(pool);
    assert_int_not_equal(backend(sql), pid);
    pool_give(&sql);
}

static void a_failed_statement_keeps_the_connection(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_here();
    struct sql *sql = taken_of(pool);
    struct err err = { 0 };
    int64_t pid = backend(sql);
    assert_false(sql_run(sql, "select 1 / 0", NO_PARAMS, &err));
    assert_non_null(strstr(err.message, "division by zero"));
    pool_give(&sql);
    sql = taken_of(pool);
    assert_int_equal(backend(sql), pid);
    pool_give(&sql);
}

static void no_server_takes_no_place(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_of("host=/nowhere dbname=none");
    for (size_t i = 0; i < 2 * CONNECTIONS; i++) {
        struct sql *sql = NULL;
        struct err err = { 0 };
        assert_false(pool_take(pool, &sql, &err));
        assert_non_null(strstr(err.message, "cannot be reached"));
        assert_null(sql);
    }
}

static void twelve_parameters_and_bytes(void **state)
{
    (void)state;
    scoped(pool_free) struct pool *pool = pool_here();
    scoped(json_free) cJSON *row = json_object();
    struct sql *sql = taken_of(pool);
    struct err err = { 0 };
    assert_true(sql_row(
        sql,
        "select $1 || $2 || $3 || $4 || $5 || $6 || $7 || $8 || $9 || $10 || $11"
        "       || $12 as all, '\\x00ff'::bytea as bytes, null::bytea as none",
        (struct sql_params){ 12, { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l" } },
        row, &err));
    assert_string_equal(json_text(row, "/all"), "abcdefghijkl");
    assert_string_equal(json_text(row, "/bytes"), "00ff");
    assert_true(json_is(json_get(row, "none"), cJSON_NULL));
    pool_give(&sql);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_connection_is_reused),
        cmocka_unit_test(no_more_than_there_are),
        cmocka_unit_test(a_waiter_gets_a_released_connection),
        cmocka_unit_test(a_broken_connection_is_not_reused),
        cmocka_unit_test(connections_closed_while_idle_are_not_reused),
        cmocka_unit_test(a_statement_that_takes_too_long_ends_its_connection),
        cmocka_unit_test(a_slow_host_is_skipped),
        cmocka_unit_test(a_read_only_connection_is_not_reused),
        cmocka_unit_test(a_failed_statement_keeps_the_connection),
        cmocka_unit_test(no_server_takes_no_place),
        cmocka_unit_test(twelve_parameters_and_bytes),
    };
    return RUN_ROWS(left_rows, is_rolled_back) + cmocka_run_group_tests(tests, NULL, NULL);
}
