/* tests/unit/gateway/ledger/large-response-steps.c - the statements that store and read a large
 * response: which ones run, and what the caller gets if one fails. The database is played. */
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "db/pool.h"
#include "gateway/ledger/large-response.h"
#include "rows.h"

enum { SIZE = LARGE_RESPONSE_PIECE_BYTES + 1 }; /* two pieces */

/*
 * A script has a letter for each step:
 *   T takes a connection    B begins             C commits
 *   P stores a piece        E stores none: the hold has ended
 *   S selects a piece       R marks the response as replayed
 *   N finds no charge to mark
 * and, instead of S, a selected piece that is damaged:
 *   0 no row   2 two rows   n NULL as size   t NULL as bytes   z size 0   l too large
 *   d other bytes   o another size of the response
 * ! before a letter: the statement fails. + before a letter: it takes longer than all may take.
 */
static struct {
    const char *next;
    int64_t now_ms;
    char row; /* the letter of the last selected piece */
    size_t selected;
    struct buf packed;
} played = { .packed = BUF(2 * LARGE_RESPONSE_PIECE_BYTES) };

static char response[SIZE];

/* Is the next step one of these letters, and does it succeed? Its letter is in *step. */
static bool play(const char *letters, char *step, struct err *err)
{
    bool ok = *played.next != '!';
    played.next += !ok;
    if (*played.next == '+') {
        played.now_ms += 60000;
        played.next++;
    }
    assert_true(*played.next && strchr(letters, *played.next));
    *step = *played.next++;
    return ok || err_set(err, ERR_LEDGER_UNAVAILABLE, "played");
}

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
    return played.now_ms;
}

bool __wrap_pool_take(struct pool *pool, struct sql **sql, struct err *err);
bool __wrap_pool_take(struct pool *pool, struct sql **sql, struct err *err)
{
    char step;
    (void)pool;
    *sql = NULL;
    return play("T", &step, err);
}

void __wrap_pool_give(struct sql **sql);
void __wrap_pool_give(struct sql **sql)
{
    assert_null(*sql);
}

bool __wrap_sql_begin(struct sql *sql, enum sql_mode mode, struct err *err);
bool __wrap_sql_begin(struct sql *sql, enum sql_mode mode, struct err *err)
{
    char step;
    (void)sql;
    assert_int_equal(mode, SQL_WRITE);
    return play("B", &step, err);
}

bool __wrap_sql_commit(struct sql *sql, struct err *err);
bool __wrap_sql_commit(struct sql *sql, struct err *err)
{
    char step;
    (void)sql;
    return play("C", &step, err);
}

bool __wrap_sql_bool(struct sql *sql, const char *statement, struct sql_params params,
                     bool *is_true, struct err *err);
bool __wrap_sql_bool(struct sql *sql, const char *statement, struct sql_params params,
                     bool *is_true, struct err *err)
{
    char step;
    (void)sql, (void)params;
    bool ok = play(strstr(statement, "large_response_put(") ? "PE" : "RN", &step, err);
    *is_true = step == 'P' || step == 'R';
    return ok;
}

bool __wrap_sql_select(struct sql *sql, const char *statement, struct sql_params params,
                       struct db_rows **rows, struct err *err);
bool __wrap_sql_select(struct sql *sql, const char *statement, struct sql_params params,
                       struct db_rows **rows, struct err *err)
{
    (void)sql, (void)statement;
    size_t at = played.selected++ * LARGE_RESPONSE_PIECE_BYTES;
    assert_int_equal(params.count, 4);
    *rows = NULL;
    buf_clear(&played.packed);
    struct text piece = { response + at, MIN((size_t)LARGE_RESPONSE_PIECE_BYTES, SIZE - at) };
    large_response_pack(piece, &played.packed);
    return play("S02ntzldo", &played.row, err);
}

size_t __wrap_db_rows_count(const struct db_rows *rows);
size_t __wrap_db_rows_count(const struct db_rows *rows)
{
    (void)rows;
    return played.row == '0' ? 0 : played.row == '2' ? 2 : 1;
}

bool __wrap_db_int(const struct db_rows *rows, size_t row, size_t column, int64_t *value);
bool __wrap_db_int(const struct db_rows *rows, size_t row, size_t column, int64_t *value)
{
    (void)rows, (void)row;
    assert_int_equal(column, 0);
    *value = played.row == 'z'   ? 0
             : played.row == 'l' ? LARGE_RESPONSE_MAX_BYTES + 1
             : played.row == 'o' ? SIZE - 1
                                 : SIZE;
    return played.row != 'n';
}

bool __wrap_db_text(const struct db_rows *rows, size_t row, size_t column, struct text *value);
bool __wrap_db_text(const struct db_rows *rows, size_t row, size_t column, struct text *value)
{
    (void)rows, (void)row;
    assert_int_equal(column, 1);
    *value = played.row == 'd' ? TEXT("damaged") : buf_text(&played.packed);
    return played.row != 't';
}

void __wrap_db_rows_free(struct db_rows **rows);
void __wrap_db_rows_free(struct db_rows **rows)
{
    *rows = NULL;
}

/* ---- the rows ---- */

#define CLOSED  "the credit ledger cannot be reached; nothing was charged, please retry"
#define DAMAGED "the first call with this Idempotency-Key succeeded, but its stored response"

struct row {
    const char *name;
    const char *steps; /* all of them run, and no other */
    enum err_kind kind;
    const char *message; /* how it begins */
};

static const struct row stores[] = {
    { "stored", "TBPPC", ERR_NONE, "" },
    { "no connection", "!T", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "no transaction", "T!B", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the first piece fails", "TB!P", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the second piece fails", "TBP!P", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the time is over", "TB+P", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the hold has ended", "TBEC", ERR_NONE, "" },
    { "the commit fails", "TBPP!C", ERR_LEDGER_UNAVAILABLE, CLOSED },
};

static const struct row loads[] = {
    { "read", "TSSR", ERR_NONE, "" },
    { "no connection", "!T", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the first piece cannot be read", "T!S", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the second piece cannot be read", "TS!S", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the time is over", "T+S", ERR_LEDGER_UNAVAILABLE, CLOSED },
    { "the first piece is missing", "T0", ERR_INTERNAL, DAMAGED },
    { "the second piece is missing", "TS0", ERR_INTERNAL, DAMAGED },
    { "a piece is there twice", "T2", ERR_INTERNAL, DAMAGED },
    { "no size", "Tn", ERR_INTERNAL, DAMAGED },
    { "no bytes", "Tt", ERR_INTERNAL, DAMAGED },
    { "nothing in it", "Tz", ERR_INTERNAL, DAMAGED },
    { "larger than any response", "Tl", ERR_INTERNAL, DAMAGED },
    { "the first piece is damaged", "Td", ERR_INTERNAL, DAMAGED },
    { "the second piece is damaged", "TSd", ERR_INTERNAL, DAMAGED },
    { "the second piece is of another response", "TSo", ERR_INTERNAL, DAMAGED },
    { "its charge was refunded", "TSSN", ERR_INTERNAL, DAMAGED },
    { "it cannot be marked", "TSS!R", ERR_LEDGER_UNAVAILABLE, CLOSED },
};

static void begin(const struct row *row)
{
    played.next = row->steps;
    played.now_ms = 1000;
    played.selected = 0;
}

static void check_end(const struct row *row, bool ok, const struct err *err)
{
    assert_string_equal(played.next, "");
    assert_int_equal(ok, row->kind == ERR_NONE);
    assert_int_equal(err->kind, row->kind);
    assert_memory_equal(err->message, row->message, strlen(row->message));
}

static void check_store(void **state)
{
    scoped(large_responses_free) struct large_responses *responses =
        large_responses_new("host=unused", "unused", 2, 1);
    const struct row *row = *state;
    struct uuid account = uuid_new();
    struct uuid hold = uuid_new();
    struct err err = { 0 };

    for (int i = 0; i < 2; i++) { /* the place is given back */
        begin(row);
        bool ok = large_response_store(responses, &account, &hold,
                                       (struct text){ response, sizeof(response) }, &err);
        check_end(row, ok, &err);
    }
}

static void check_load(void **state)
{
    scoped(large_responses_free) struct large_responses *responses =
        large_responses_new("host=unused", "unused", 2, 1);
    const struct row *row = *state;
    struct large_response_key key = { .account = uuid_new() };

    for (int i = 0; i < 2; i++) {
        scoped(buf_free) struct buf out = BUF(SIZE);
        struct memory_budget budget;
        struct reservation reservation = { 0 };
        struct err err = { 0 };
        memory_budget_open(&budget, SIZE, 0, "full");
        begin(row);
        bool ok = large_response_load(responses, &key, &budget, &reservation, &out, &err);
        check_end(row, ok, &err);
        if (ok)
            assert_true(text_equals(buf_text(&out), (struct text){ response, SIZE }));
        reservation_free(&reservation);
        memory_budget_close(&budget);
    }
}

/* Another response has one byte of the memory. */
static void no_memory_for_it(void **state)
{
    scoped(large_responses_free) struct large_responses *responses =
        large_responses_new("host=unused", "unused", 2, 1);
    const struct row row = { "", "TS", ERR_OVERLOADED, "full" };
    struct large_response_key key = { .account = uuid_new() };
    scoped(buf_free) struct buf out = BUF(SIZE);
    struct memory_budget budget;
    struct reservation other = { 0 };
    struct reservation reservation = { 0 };
    struct err err = { 0 };

    (void)state;
    memory_budget_open(&budget, SIZE, 0, "full");
    assert_true(memory_budget_reserve(&budget, 1, 0, &other, &err));
    begin(&row);
    bool ok = large_response_load(responses, &key, &budget, &reservation, &out, &err);
    check_end(&row, ok, &err);
    reservation_free(&other);
    memory_budget_close(&budget);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(no_memory_for_it) };
    memset(response, 'x', sizeof(response));
    int failed = RUN_ROWS(stores, check_store) + RUN_ROWS(loads, check_load) +
                 cmocka_run_group_tests(singles, NULL, NULL);
    buf_free(&played.packed);
    return failed;
}
