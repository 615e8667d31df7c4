/* tests/unit/gateway/ledger/fake-db.c - common/db/db.h, played. */
#include "fake-db.h"

#include <assert.h>
#include <endian.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "db/db.h"

enum {
    LANES_MAX = 8,
    HOLDS_MAX = 512,
    PLANS_MAX = 64,
    SWEEPS_MAX = 4096, /* stored */
    PATIENCE_S = 10,
    OUTCOME_COLUMNS = 21,
    CHECK_COLUMNS = 13,
};

enum statement { BATCH, CHECK, SWEEP, PRUNE };

struct db {
    enum db_state state;
    uint64_t connection;
    int event;
    enum statement kind[4];
    enum statement statement; /* running */
    struct fake_batch *batch; /* the same: its items */
    enum db_outcome outcome;
    PGresult *result;
    char sqlstate[6];
};

struct plan {
    enum db_outcome outcome;
    bool is_committed;
    char sqlstate[6];
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct db *lane[LANES_MAX];
    bool is_up;
    bool refuses_send;
    int permits;
    size_t plan_count;
    struct plan plan[PLANS_MAX];
    struct plan poison[256];
    const char *outcome[256];
    struct fake_sweep sweep; /* the result */
    size_t prune_count;
    size_t sweep_count;
    int64_t sweep_since[SWEEPS_MAX];
    size_t batch_count;
    struct fake_batch *batch[FAKE_BATCHES_MAX];
    int64_t seq; /* of the newest entry of all */
    size_t hold_count;
    struct hold {
        struct uuid id;
        enum fake_state state;
        int64_t seq; /* of its entry */
        int charges;
        int refunds;
        bool is_replayed;
    } hold[HOLDS_MAX];
} server = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void lock(void)
{
    pthread_mutex_lock(&server.mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&server.mutex);
}

static void wake_lane(const struct db *db)
{
    uint64_t one = 1;
    ssize_t written = write(db->event, &one, sizeof(one));
    assert(written == sizeof(one));
}

static void wake_lanes(void)
{
    for (size_t i = 0; i < LANES_MAX; i++)
        if (server.lane[i])
            wake_lane(server.lane[i]);
}

/* ---- holds ---- */

static struct hold *find_hold(const struct uuid *id, bool is_made)
{
    for (size_t i = 0; i < server.hold_count; i++)
        if (uuid_equal(&server.hold[i].id, id))
            return &server.hold[i];
    if (!is_made)
        return NULL;
    assert(server.hold_count < HOLDS_MAX);
    server.hold[server.hold_count] = (struct hold){ .id = *id };
    return &server.hold[server.hold_count++];
}

static void charge(struct hold *hold, enum fake_state state)
{
    hold->state = state;
    hold->charges++;
    hold->seq = ++server.seq;
}

/* An entry without a hold is found by its place. */
static void find_paid(struct hold *hold, const struct fake_item *item)
{
    if (hold->state == FAKE_PAID && item->has_since && hold->seq > item->since)
        hold->state = FAKE_CAPTURED;
}

static const char *settle(const struct fake_item *item)
{
    static const char *const names[] = { "unknown", "open", "captured", "voided", "unknown" };
    struct hold *hold = find_hold(&item->id, false);
    if (!hold)
        return "unknown";
    find_paid(hold, item);
    if (hold->state == FAKE_OPEN && item->op == 1) {
        charge(hold, FAKE_CAPTURED);
    } else if (hold->state == FAKE_OPEN) {
        hold->state = FAKE_VOIDED;
    } else if (hold->state == FAKE_CAPTURED && item->op == 3 && !hold->is_replayed) {
        hold->refunds = 1;
        return "refunded";
    }
    return names[hold->state];
}

static const char *pay(const struct fake_item *item)
{
    struct hold *hold = find_hold(&item->id, true);
    find_paid(hold, item);
    if (hold->state == FAKE_UNKNOWN || hold->state == FAKE_PAID)
        charge(hold, item->has_since ? FAKE_CAPTURED : FAKE_PAID);
    return hold->state == FAKE_VOIDED ? "expired" : "captured";
}

static const char *admit(const struct fake_item *item)
{
    const char *outcome = server.outcome[item->account.bytes[0]];
    if (outcome)
        return outcome;
    if (item->op == FAKE_PAY)
        return pay(item);
    struct hold *hold = find_hold(&item->id, true);
    if (hold->state == FAKE_UNKNOWN)
        hold->state = FAKE_OPEN;
    return hold->state == FAKE_OPEN ? "admitted" : "expired";
}

/* ---- reading parameters ---- */

static uint32_t be32_at(const char *bytes)
{
    uint32_t wire;
    memcpy(&wire, bytes, sizeof(wire));
    return be32toh(wire);
}

static size_t array_count(const struct db_param *array)
{
    return be32_at(array->bytes) == 0 ? 0 : be32_at(array->bytes + 12);
}

static struct text array_item(const struct db_param *array, size_t nth)
{
    const char *at = array->bytes + 20;
    for (size_t i = 0;; i++) {
        uint32_t size = be32_at(at);
        at += 4;
        if (i == nth)
            return size == UINT32_MAX ? (struct text){ 0 } : (struct text){ at, size };
        at += size == UINT32_MAX ? 0 : size;
    }
}

enum item_column {
#define ITEM(column, type, of, add) ITEM_COLUMN_##column,
#include "gateway/ledger/columns.def"
};

/* A column of an item: the number of columns is followed by type, length and value of each. */
static struct text item_column(struct text item, enum item_column column)
{
    const char *at = item.bytes + 4;
    for (int i = 0; i < (int)column; i++) {
        uint32_t size = be32_at(at + 4);
        at += 8 + (size == UINT32_MAX ? 0 : size);
    }
    uint32_t size = be32_at(at + 4);
    return size == UINT32_MAX ? (struct text){ 0 } : (struct text){ at + 8, size };
}

static struct uuid uuid_of(struct text value)
{
    struct uuid uuid;
    assert(value.size == sizeof(uuid.bytes));
    memcpy(uuid.bytes, value.bytes, sizeof(uuid.bytes));
    return uuid;
}

static void copy_text(char *to, size_t size, struct text from)
{
    snprintf(to, size, "%.*s", (int)from.size, from.bytes ? from.bytes : "");
}

static void read_item(struct fake_item *item, struct text bytes)
{
    struct text since = item_column(bytes, ITEM_COLUMN_since);
    int op = item_column(bytes, ITEM_COLUMN_op).bytes[1];
    bool is_admission = item_column(bytes, ITEM_COLUMN_token).bytes != NULL;
    bool is_payment = is_admission && !item_column(bytes, ITEM_COLUMN_ttl_ms).bytes;
    item->op = is_payment ? FAKE_PAY : is_admission ? 0 : op;
    item->account = uuid_of(item_column(bytes, ITEM_COLUMN_account_id));
    item->id = uuid_of(item_column(bytes, ITEM_COLUMN_hold_id));
    copy_text(item->headers, sizeof(item->headers), item_column(bytes, ITEM_COLUMN_headers));
    copy_text(item->body, sizeof(item->body), item_column(bytes, ITEM_COLUMN_body));
    item->has_since = since.bytes != NULL;
    if (item->has_since) {
        uint64_t wire;
        memcpy(&wire, since.bytes, sizeof(wire));
        item->since = (int64_t)be64toh(wire);
    }
}

static void add_items(struct fake_batch *batch, const struct db_param *items, bool are_admissions)
{
    for (size_t i = 0; i < array_count(items); i++) {
        assert(batch->count < FAKE_ITEMS_MAX);
        struct fake_item *item = &batch->item[batch->count++];
        read_item(item, array_item(items, i));
        assert((item->op == 0 || item->op == FAKE_PAY) == are_admissions);
    }
}

/* An inet: family, bits, a flag and the length of the address are before it. */
static struct in6_addr address_of(struct text inet)
{
    struct in6_addr address = { 0 };
    if (inet.size == 4 + sizeof(address))
        memcpy(&address, inet.bytes + 4, sizeof(address));
    return address;
}

static void add_checks(struct fake_batch *batch, const struct db_param *accounts,
                       const struct db_param *tokens, const struct db_param *addresses)
{
    for (size_t i = 0; i < array_count(accounts); i++) {
        assert(batch->count < FAKE_ITEMS_MAX);
        struct fake_item *item = &batch->item[batch->count++];
        item->account = uuid_of(array_item(accounts, i));
        item->address = address_of(array_item(addresses, i));
        struct text token = array_item(tokens, i);
        assert(token.size == sizeof(item->token));
        memcpy(item->token, token.bytes, token.size);
    }
}

static PGresult *rows_new(int columns)
{
    PGresult *rows = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    PGresAttDesc *attributes = mem_array((size_t)columns, sizeof(*attributes));
    for (int i = 0; i < columns; i++)
        attributes[i] = (PGresAttDesc){ .name = (char *)(uintptr_t) "column", .format = 1 };
    int ok = PQsetResultAttrs(rows, columns, attributes);
    assert(ok);
    mem_free(&attributes);
    return rows;
}

static void set_bytes(PGresult *rows, int row, int column, const void *bytes, size_t size)
{
    int ok = PQsetvalue(rows, row, column, (char *)(uintptr_t)bytes, bytes ? (int)size : -1);
    assert(ok);
}

static void set_text(PGresult *rows, int row, int column, const char *text)
{
    set_bytes(rows, row, column, text, text ? strlen(text) : 0);
}

static void set_int4(PGresult *rows, int row, int column, int64_t value)
{
    uint32_t wire = htobe32((uint32_t)value);
    set_bytes(rows, row, column, &wire, sizeof(wire));
}

static void set_int8(PGresult *rows, int row, int column, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    set_bytes(rows, row, column, &wire, sizeof(wire));
}

static const char *outcome_of(const struct fake_item *item)
{
    const char *outcome = server.outcome[item->account.bytes[0]];
    if (outcome && strcmp(outcome, "busy") == 0)
        return outcome;
    return item->op == 0 || item->op == FAKE_PAY ? admit(item) : settle(item);
}

/* Each account has as many credits as its first byte says, so that a test sees whose result it got.
 * Rows come in reverse order: `ord` is the number of their item. */
static PGresult *answer_batch(const struct fake_batch *batch)
{
    PGresult *rows = rows_new(OUTCOME_COLUMNS);
    const char *outcome[FAKE_ITEMS_MAX];
    for (size_t i = 0; i < batch->count; i++)
        outcome[i] = outcome_of(&batch->item[i]);
    for (size_t i = batch->count; i-- > 0;) {
        int row = PQntuples(rows);
        set_int4(rows, row, 0, (int64_t)i + 1);
        for (int column = 1; column < OUTCOME_COLUMNS; column++)
            set_bytes(rows, row, column, NULL, 0);
        set_text(rows, row, 1, outcome[i]);
        set_int8(rows, row, 2, batch->item[i].account.bytes[0]);
        set_int8(rows, row, 3, batch->item[i].op == 2 ? FAKE_HELD : 0);
        set_int8(rows, row, 13, server.seq);
        set_bytes(rows, row, 20, batch->item[i].account.bytes, UUID_BYTES);
        if (strcmp(outcome[i], "replay") == 0) {
            set_text(rows, row, 8, "ETag: kept\r\n");
            set_text(rows, row, 9, "kept body");
        }
        if (strncmp(outcome[i], "rate_limited", strlen("rate_limited")) == 0) {
            set_int8(rows, row, 6, 60000);
            set_int8(rows, row, 7, 60000);
        }
    }
    return rows;
}

static PGresult *answer_checks(const struct fake_batch *batch)
{
    PGresult *rows = rows_new(CHECK_COLUMNS);
    for (size_t i = batch->count; i-- > 0;) {
        int row = PQntuples(rows);
        set_int4(rows, row, 0, (int64_t)i + 1);
        const char *outcome = server.outcome[batch->item[i].account.bytes[0]];
        bool is_good = outcome && strcmp(outcome, "admitted") == 0; /* token_check(): NULL */
        set_text(rows, row, 1, is_good ? NULL : outcome);
        for (int column = 2; column < CHECK_COLUMNS; column++)
            set_text(rows, row, column, column < 4 ? "fact" : NULL);
        set_bytes(rows, row, 12, batch->item[i].account.bytes, UUID_BYTES);
    }
    return rows;
}

static PGresult *answer_sweep(void)
{
    PGresult *rows = rows_new(4);
    set_int4(rows, 0, 0, 0);
    set_bytes(rows, 0, 1, &server.sweep.is_more, 1);
    set_int8(rows, 0, 2, server.sweep.reached_ms);
    if (server.sweep.busy_ms > 0)
        set_int8(rows, 0, 3, server.sweep.busy_ms);
    else
        set_bytes(rows, 0, 3, NULL, 0);
    return rows;
}

static PGresult *answer(const struct db *db)
{
    if (db->statement == BATCH)
        return answer_batch(db->batch);
    if (db->statement == CHECK)
        return answer_checks(db->batch);
    return answer_sweep();
}

/* The result of the statement: as planned, poisoned, or done. */
static struct plan plan_of(const struct db *db)
{
    struct plan plan = { .outcome = DB_DONE, .is_committed = true };
    bool has_items = db->statement == BATCH || db->statement == CHECK;
    for (size_t i = 0; has_items && i < db->batch->count; i++) {
        const struct plan *poison = &server.poison[db->batch->item[i].account.bytes[0]];
        if (poison->outcome == DB_REFUSED)
            return *poison;
    }
    if (db->statement == BATCH && server.plan_count > 0) {
        plan = server.plan[0];
        memmove(server.plan, server.plan + 1, --server.plan_count * sizeof(plan));
    }
    return plan;
}

static void finish(struct db *db)
{
    struct plan plan = plan_of(db);
    PGresult *rows = plan.is_committed ? answer(db) : NULL;
    db->outcome = plan.outcome;
    db->state = plan.outcome == DB_LOST ? DB_DOWN : DB_IDLE;
    memcpy(db->sqlstate, plan.sqlstate, sizeof(db->sqlstate));
    if (plan.outcome == DB_DONE)
        db->result = rows;
    else
        PQclear(rows);
    if (db->state == DB_DOWN)
        wake_lane(db); /* it reconnects at once */
    pthread_cond_broadcast(&server.changed);
}

/* ---- common/db/db.h ---- */

static enum statement kind_of(const char *sql)
{
    if (strstr(sql, "ledger_batch"))
        return BATCH;
    if (strstr(sql, "token_check"))
        return CHECK;
    return strstr(sql, "ledger_sweep") ? SWEEP : PRUNE;
}

struct db *db_new(const char *url, const char *password, const char *const *statements,
                  size_t count, int64_t timeout_ms)
{
    struct db *db = mem_new(sizeof(*db));
    (void)url;
    (void)password;
    (void)timeout_ms;
    assert(count == countof(db->kind));
    for (size_t i = 0; i < count; i++)
        db->kind[i] = kind_of(statements[i]);
    db->event = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    lock();
    size_t at = 0;
    while (server.lane[at])
        at++;
    server.lane[at] = db;
    unlock();
    return db;
}

void db_free(struct db **address)
{
    struct db *db = *address;
    lock();
    for (size_t i = 0; i < LANES_MAX; i++)
        if (server.lane[i] == db)
            server.lane[i] = NULL;
    unlock();
    PQclear(db->result);
    close(db->event);
    mem_free(address);
}

enum db_state db_state(const struct db *db)
{
    return db->state;
}

int db_fd(const struct db *db, short *events)
{
    *events = POLLIN;
    return db->event;
}

uint64_t db_connection(const struct db *db)
{
    return db->connection;
}

int64_t db_wake_ms(const struct db *db)
{
    (void)db;
    return INT64_MAX;
}

void db_step(struct db *db)
{
    uint64_t count;
    ssize_t got = read(db->event, &count, sizeof(count));
    (void)got;
    lock();
    if (!server.is_up && db->state != DB_DOWN) {
        db->outcome = db->state == DB_BUSY ? DB_LOST : DB_PENDING;
        db->state = DB_DOWN;
    } else if (server.is_up && db->state == DB_DOWN) {
        db->state = DB_IDLE;
        db->connection++;
    } else if (db->state == DB_BUSY) {
        bool is_held = db->statement == BATCH || db->statement == CHECK;
        if (!is_held || server.permits != 0) {
            server.permits -= is_held && server.permits > 0;
            finish(db);
        }
    }
    unlock();
}

static void note_items(struct db *db, const struct db_param *params)
{
    assert(server.batch_count < FAKE_BATCHES_MAX);
    db->batch = mem_new(sizeof(*db->batch));
    db->batch->is_checks = db->statement == CHECK;
    server.batch[server.batch_count++] = db->batch;
    if (db->statement == CHECK) {
        add_checks(db->batch, &params[0], &params[1], &params[2]);
        return;
    }
    add_items(db->batch, &params[0], false);
    add_items(db->batch, &params[1], true);
    db->batch->skips = *params[2].bytes != 0;
}

static void note_sweep(const struct db_param *params)
{
    uint64_t wire;
    memcpy(&wire, params[0].bytes, sizeof(wire));
    server.sweep_since[server.sweep_count++ % SWEEPS_MAX] = (int64_t)be64toh(wire);
}

bool db_is_stale(const char *sqlstate)
{
    return strncmp(sqlstate, "42", 2) == 0;
}

bool db_start(struct db *db, size_t statement, const struct db_param *params, size_t count)
{
    static const size_t wanted[] = { [BATCH] = 4, [CHECK] = 3, [SWEEP] = 2, [PRUNE] = 2 };
    lock();
    assert(db->state == DB_IDLE);
    db->statement = db->kind[statement];
    assert(count == wanted[db->statement]);
    if (server.refuses_send && (db->statement == BATCH || db->statement == CHECK)) {
        server.refuses_send = false;
        db->state = DB_DOWN;
        wake_lane(db); /* it reconnects at once */
        unlock();
        return false;
    }
    if (db->statement == BATCH || db->statement == CHECK)
        note_items(db, params);
    else if (db->statement == SWEEP)
        note_sweep(params);
    else
        server.prune_count++;
    db->state = DB_BUSY;
    db->outcome = DB_PENDING;
    pthread_cond_broadcast(&server.changed);
    unlock();
    wake_lane(db);
    return true;
}

enum db_outcome db_take(struct db *db, struct db_rows **rows, char sqlstate[static 6])
{
    enum db_outcome outcome = db->outcome;
    if (outcome == DB_DONE)
        *rows = (struct db_rows *)take(db->result);
    memcpy(sqlstate, db->sqlstate, sizeof(db->sqlstate));
    db->outcome = DB_PENDING;
    return outcome;
}

/* ---- the test's side ---- */

void fake_reset(void)
{
    lock();
    for (size_t i = 0; i < server.batch_count; i++)
        mem_free(&server.batch[i]);
    server.batch_count = server.hold_count = server.plan_count = 0;
    server.sweep_count = server.prune_count = 0;
    server.seq = 0;
    server.is_up = true;
    server.refuses_send = false;
    server.permits = FAKE_FREE;
    server.sweep = (struct fake_sweep){ .reached_ms = 1 };
    memset(server.poison, 0, sizeof(server.poison));
    memset(server.outcome, 0, sizeof(server.outcome));
    unlock();
}

void fake_hold(void)
{
    lock();
    server.permits = 0;
    unlock();
}

void fake_release(int count)
{
    lock();
    server.permits = count == FAKE_FREE ? FAKE_FREE : server.permits + count;
    wake_lanes();
    unlock();
}

void fake_refuse_send(void)
{
    lock();
    server.refuses_send = true;
    unlock();
}

void fake_set_up(bool is_up)
{
    lock();
    server.is_up = is_up;
    wake_lanes();
    unlock();
}

static void add_plan(struct plan plan)
{
    lock();
    assert(server.plan_count < PLANS_MAX);
    server.plan[server.plan_count++] = plan;
    unlock();
}

void fake_refuse(const char *sqlstate)
{
    struct plan plan = { .outcome = DB_REFUSED };
    snprintf(plan.sqlstate, sizeof(plan.sqlstate), "%s", sqlstate);
    add_plan(plan);
}

void fake_lose(bool is_committed)
{
    add_plan((struct plan){ .outcome = DB_LOST, .is_committed = is_committed });
}

void fake_poison(uint8_t mark, const char *sqlstate)
{
    lock();
    server.poison[mark] = (struct plan){ .outcome = DB_REFUSED };
    snprintf(server.poison[mark].sqlstate, sizeof(server.poison[mark].sqlstate), "%s", sqlstate);
    unlock();
}

void fake_outcome(uint8_t mark, const char *outcome)
{
    lock();
    server.outcome[mark] = outcome;
    unlock();
}

void fake_sweep(struct fake_sweep answer)
{
    lock();
    server.sweep = answer;
    unlock();
}

static size_t count_locked(const size_t *counter)
{
    lock();
    size_t count = *counter;
    unlock();
    return count;
}

static struct timespec patience(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    return until;
}

/* Wait for *counter with the mutex released; false on timeout. */
static bool wait_counter(const size_t *counter, size_t wanted)
{
    struct timespec until = patience();
    lock();
    int result = 0;
    while (*counter < wanted && result == 0)
        result = pthread_cond_timedwait(&server.changed, &server.mutex, &until);
    bool ok = *counter >= wanted;
    unlock();
    return ok;
}

bool fake_wait_batches(size_t count)
{
    return wait_counter(&server.batch_count, count);
}

bool fake_wait_sweeps(size_t count)
{
    return wait_counter(&server.sweep_count, count);
}

bool fake_wait_prunes(size_t count)
{
    return wait_counter(&server.prune_count, count);
}

size_t fake_batches(void)
{
    return count_locked(&server.batch_count);
}

const struct fake_batch *fake_batch(size_t nth)
{
    lock();
    const struct fake_batch *batch = server.batch[nth];
    unlock();
    return batch;
}

size_t fake_sweeps(void)
{
    return count_locked(&server.sweep_count);
}

bool fake_wait_sweep_since(int64_t since_ms)
{
    struct timespec until = patience();
    lock();
    bool is_seen = false;
    for (int result = 0; !is_seen && result == 0;) {
        for (size_t i = 0; i < MIN(server.sweep_count, (size_t)SWEEPS_MAX); i++)
            is_seen = is_seen || server.sweep_since[i] == since_ms;
        if (!is_seen)
            result = pthread_cond_timedwait(&server.changed, &server.mutex, &until);
    }
    unlock();
    return is_seen;
}

static size_t sent_locked(const struct uuid *id, int op)
{
    size_t sent = 0;
    for (size_t i = 0; i < server.batch_count; i++)
        for (size_t k = 0; k < server.batch[i]->count; k++)
            sent +=
                server.batch[i]->item[k].op == op && uuid_equal(&server.batch[i]->item[k].id, id);
    return sent;
}

size_t fake_sent(const struct uuid *id, int op)
{
    lock();
    size_t sent = sent_locked(id, op);
    unlock();
    return sent;
}

bool fake_wait_sent(const struct uuid *id, int op, size_t count)
{
    struct timespec until = patience();
    lock();
    int result = 0;
    while (sent_locked(id, op) < count && result == 0)
        result = pthread_cond_timedwait(&server.changed, &server.mutex, &until);
    bool ok = sent_locked(id, op) >= count;
    unlock();
    return ok;
}

void fake_set_state(const struct uuid *id, enum fake_state state)
{
    lock();
    find_hold(id, true)->state = state;
    unlock();
}

void fake_replay(const struct uuid *id)
{
    lock();
    find_hold(id, true)->is_replayed = true;
    unlock();
}

static struct hold copy_of(const struct uuid *id)
{
    lock();
    const struct hold *hold = find_hold(id, false);
    struct hold copy = hold ? *hold : (struct hold){ 0 };
    unlock();
    return copy;
}

enum fake_state fake_state(const struct uuid *id)
{
    return copy_of(id).state;
}

int fake_charges(const struct uuid *id)
{
    return copy_of(id).charges;
}

int fake_refunds(const struct uuid *id)
{
    return copy_of(id).refunds;
}

bool fake_wait_state(const struct uuid *id, enum fake_state state)
{
    struct timespec until = patience();
    lock();
    bool ok = false;
    for (int result = 0; !ok && result == 0;) {
        const struct hold *hold = find_hold(id, false);
        ok = hold && hold->state == state;
        if (!ok)
            result = pthread_cond_timedwait(&server.changed, &server.mutex, &until);
    }
    unlock();
    return ok;
}
