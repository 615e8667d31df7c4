/*
 * tests/unit/gateway/ledger/fake-db.h - a database that a test plays: common/db/db.h without
 * PostgreSQL.
 *
 * It has holds and entries and their outcomes, but no balances and no limits. A test delays
 * results, breaks connections, rejects batches, and reads what was sent. One at a time in a
 * process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netinet/in.h>

#include "base/codec/uuid.h"

enum { FAKE_ITEMS_MAX = 256, FAKE_BATCHES_MAX = 512, FAKE_FREE = -1, FAKE_PAY = 6 };

/* What a void returns as the account's held credits. A token's id is that of its account. */
enum { FAKE_HELD = 3 };

/* Before each test: up, responding at once, empty. */
void fake_reset(void);

/* ---- its behavior ---- */

/* The next batches, and checks, get their result when they are released. FAKE_FREE: all, at
 * once. */
void fake_hold(void);
void fake_release(int count);

/* Connections are up (true at first), or broken: running statements are lost. */
void fake_set_up(bool is_up);

/* The next batch that reaches its result is rejected, or its connection breaks after or before the
 * commit. Each call adds one more batch. */
void fake_refuse(const char *sqlstate);
void fake_lose(bool is_committed);

/* The next batch or check cannot be sent: its connection breaks before. */
void fake_refuse_send(void);

/* Every batch and check with this item (its account's first byte is `mark`) is rejected. */
void fake_poison(uint8_t mark, const char *sqlstate);

/* An admission whose account's first byte is `mark` has this outcome instead of a hold; a
 * settlement too when it is "busy". */
void fake_outcome(uint8_t mark, const char *outcome);

/* How far the next sweeps come, whether there is more, and the oldest hold they leave; 0: none. */
struct fake_sweep {
    bool is_more;
    int64_t reached_ms;
    int64_t busy_ms;
};
void fake_sweep(struct fake_sweep answer);

/* ---- what it received ---- */

struct fake_item {
    int op; /* of ledger_settle(); 0: an admission, FAKE_PAY: one that is charged at once */
    bool has_since;
    int64_t since;
    struct uuid account;
    struct uuid id;
    struct in6_addr address; /* of a check's client */
    uint8_t token[32];       /* of a check */
    char headers[32];        /* of a capture; empty: NULL */
    char body[32];
};

struct fake_batch {
    bool is_checks;
    bool skips; /* it waits for no lock */
    size_t count;
    struct fake_item item[FAKE_ITEMS_MAX];
};

/* Wait until that many batches were started, for ten seconds at most. */
bool fake_wait_batches(size_t count);

/* The same for sweeps, and for prunes. */
bool fake_wait_sweeps(size_t count);
bool fake_wait_prunes(size_t count);

size_t fake_batches(void);
const struct fake_batch *fake_batch(size_t nth);
size_t fake_sweeps(void);

/* Wait until a sweep begins after this time. */
bool fake_wait_sweep_since(int64_t since_ms);

/* The number of batches in which this item was sent with that op. */
size_t fake_sent(const struct uuid *id, int op);
bool fake_wait_sent(const struct uuid *id, int op, size_t count);

/* ---- its content ---- */

/* FAKE_PAID: charged, without a hold that could find it. */
enum fake_state { FAKE_UNKNOWN, FAKE_OPEN, FAKE_CAPTURED, FAKE_VOIDED, FAKE_PAID };

void fake_set_state(const struct uuid *id, enum fake_state state);
void fake_replay(const struct uuid *id); /* a response was sent for its key: not refunded */
enum fake_state fake_state(const struct uuid *id);
bool fake_wait_state(const struct uuid *id, enum fake_state state);

/* Usage entries and refunds of a hold. */
int fake_charges(const struct uuid *id);
int fake_refunds(const struct uuid *id);
