/* tests/unit/gateway/requests/request-log.c - the request log against a simulated connection: what
 * is sent, repeated, dropped and counted. */
#include "gateway/requests/request-log.h"

#include <endian.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "db/db.h"
#include "rows.h"

enum { BATCHES_MAX = 64, RING = 24576, BATCH = 2000, PARAMETERS = 6, STEP_MS = 100 };

/* ---- the clock does not move until the log stops ---- */

static atomic_long now_ms = 1000000;
static atomic_bool is_passing;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
    return now_ms;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    (void)timeout;
    for (nfds_t i = 0; i < count; i++)
        fds[i].revents = 0;
    if (is_passing)
        now_ms += STEP_MS;
    sched_yield();
    return 0;
}

/* ---- the connection ---- */

struct db {
    int unused;
};

static struct db connection;
static atomic_bool is_down;

static struct played {
    const char *outcomes; /* of the batches in order: d done, l lost, t refused for now, r refused;
                             then all are done */
    bool is_busy;
    size_t count;
    struct sent {
        int64_t number;
        uint32_t records;
        uint32_t tokens;
        uint32_t dropped; /* entries */
        bool is_of_any;   /* the first of them */
    } batch[BATCHES_MAX];
} played;

struct db *db_new(const char *url, const char *password, const char *const *statements,
                  size_t count, int64_t timeout_ms)
{
    (void)url, (void)password, (void)statements, (void)timeout_ms;
    assert_int_equal(count, 1);
    return &connection;
}

void db_free(struct db **db)
{
    *db = NULL;
}

enum db_state db_state(const struct db *db)
{
    (void)db;
    return is_down ? DB_DOWN : played.is_busy ? DB_BUSY : DB_IDLE;
}

int db_fd(const struct db *db, short *events)
{
    (void)db;
    *events = POLLIN;
    return -1;
}

int64_t db_wake_ms(const struct db *db)
{
    return db_state(db) == DB_IDLE ? INT64_MAX : now_ms;
}

void db_step(struct db *db)
{
    (void)db;
}

/* The number of elements of an array. */
static uint32_t length_of(const struct db_param *param)
{
    uint32_t head[4];
    memcpy(head, param->bytes, 3 * sizeof(head[0]));
    if (head[0] == 0)
        return 0;
    memcpy(head, param->bytes, sizeof(head));
    return be32toh(head[3]);
}

bool db_start(struct db *db, size_t statement, const struct db_param *params, size_t count)
{
    (void)db, (void)statement;
    assert_int_equal(count, PARAMETERS);
    assert_in_range(played.count, 0, BATCHES_MAX - 1);
    struct sent *sent = &played.batch[played.count++];
    uint64_t number;
    memcpy(&number, params[1].bytes, sizeof(number));
    sent->number = (int64_t)be64toh(number);
    assert_int_equal(length_of(&params[2]), length_of(&params[3]));
    sent->tokens = length_of(&params[2]);
    sent->records = length_of(&params[4]);
    sent->dropped = length_of(&params[5]);
    /* the array's head, the composite's length, its columns, a type and a length: then an id */
    sent->is_of_any = sent->dropped > 0 && params[5].bytes[20 + 4 + 4 + 8] == 0;
    played.is_busy = true;
    return true;
}

enum db_outcome db_take(struct db *db, struct db_rows **rows, char sqlstate[static 6])
{
    (void)db, (void)rows;
    if (!played.is_busy)
        return DB_PENDING;
    played.is_busy = false;
    size_t size = strlen(played.outcomes);
    char outcome = played.count <= size ? played.outcomes[played.count - 1] : 'd';
    memcpy(sqlstate, outcome == 't' ? "53100" : "22000", 6);
    return outcome == 'd' ? DB_DONE : outcome == 'l' ? DB_LOST : DB_REFUSED;
}

bool db_is_stale(const char *sqlstate)
{
    return strncmp(sqlstate, "42", 2) == 0;
}

/* ---- rows ---- */

static const struct row {
    const char *name;
    const char *outcomes;
    int accounts; /* each with one token */
    int records;  /* of each, charged */
    bool is_down; /* until the log stops */
    bool stays_down;
    int batches;       /* that are sent */
    const char *count; /* the metric's lines that the log has at its end */
} rows[] = {
    { "nothing", "", 0, 0, false, false, 0, "records_total 0" },
    { "one record", "", 1, 1, true, false, 1, "records_total 1" },
    { "one token of many records", "", 1, 100, true, false, 1, "records_total 100" },
    { "two batches", "", 21, 100, true, false, 2, "records_total 2100" },
    { "a lost batch is sent again", "l", 3, 5, true, false, 2, "records_total 15" },
    { "a full disk passes", "tt", 3, 5, true, false, 3, "records_total 15" },
    { "a rejected batch is dropped, and that is reported", "r", 3, 5, true, false, 2,
      "dropped_total{reason=\"rejected\"} 15" },
    { "an account's share", "", 1, 130, true, false, 1, "dropped_total{reason=\"share\"} 30" },
    { "a full ring", "", 248, 100, true, false, 13, "dropped_total{reason=\"full\"} 224" },
    { "no database at the end", "", 4, 100, true, true, 0,
      "dropped_total{reason=\"stopped\"} 400" },
};

static void add_records(struct request_log *log, const struct row *row)
{
    for (int account = 0; account < row->accounts; account++)
        for (int i = 0; i < row->records; i++) {
            struct request_record record = { .credits = 1, .status = 200, .surface = RECORD_REST };
            record.account.bytes[0] = 1;
            record.account.bytes[UUID_BYTES - 8] = (uint8_t)account;
            record.token[0] = (uint8_t)account;
            request_log_add(log, &record);
        }
}

/* A repeated batch has the number and records of the first attempt; others count up. */
static void check_numbers(const struct row *row)
{
    for (size_t i = 1; i < played.count; i++) {
        const struct sent *before = &played.batch[i - 1];
        const struct sent *sent = &played.batch[i];
        bool is_again = i <= strlen(row->outcomes) && row->outcomes[i - 1] != 'r';
        assert_int_equal(sent->number, before->number + !is_again);
        if (is_again)
            assert_memory_equal(sent, before, sizeof(*sent));
    }
}

static void check(void **state)
{
    const struct row *row = *state;
    struct metrics *metrics = metrics_new("1", "test");
    scoped(buf_free) struct buf text = BUF(1 << 20);
    played = (struct played){ .outcomes = row->outcomes };
    is_down = row->is_down;
    is_passing = false;
    now_ms = 1000000;
    struct request_log_options options = { .url = "", .metrics = metrics };
    struct request_log *log = request_log_start(&options);
    add_records(log, row);
    is_down = row->stays_down;
    is_passing = true;
    request_log_stop(&log);
    assert_null(log);
    assert_int_equal(played.count, row->batches);
    check_numbers(row);
    for (size_t i = 0; i < played.count; i++)
        assert_in_range(played.batch[i].records, 0, BATCH);
    if (played.count > 0 && row->outcomes[0] == '\0')
        assert_in_range(played.batch[0].tokens, 1, row->accounts);
    assert_true(metrics_write(metrics, &text));
    if (!strstr(buf_str(&text), row->count))
        fail_msg("%s is not in %s", row->count, buf_str(&text));
    metrics_free(&metrics);
}

int main(void)
{
    request_log_add(NULL, &(struct request_record){ 0 }); /* the log is off */
    return RUN_ROWS(rows, check);
}
