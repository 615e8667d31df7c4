/*
 * gateway/ledger/items.h - items, their queues, and their encoding as parameters and rows of
 * gateway/sql/002-ledger.sql (gateway/ledger/columns.def). Private to gateway/ledger/ and its
 * tests.
 */
#pragma once

#include <semaphore.h>

#include "base/os/log.h"
#include "db/db.h"
#include "gateway/ledger/admission.h"

/* The first four values are parameters of ledger_settle(). OP_PAY admits and charges at once.
 * OP_START only runs its continuation; nothing is sent to the database. */
enum op {
    OP_CAPTURE = 1,
    OP_VOID = 2,
    OP_CANCEL = 3,
    OP_VOID_KEEP_DAY = 4,
    OP_ADMIT,
    OP_PAY,
    OP_CHECK,
    OP_START,
};

/* Explained in gateway/ledger/item-states.def. */
enum item_state {
    ITEM_LOOK_QUEUED,
    ITEM_LOOK_SENT,
    ITEM_LOOK_LEFT,
    ITEM_CLAIM_QUEUED,
    ITEM_CLAIM_SENT,
    ITEM_CLAIM_WITHDRAWN,
    ITEM_CLAIM_LEFT,
    ITEM_OPEN_QUEUED,
    ITEM_OPEN_SENT,
    ITEM_OPEN_WITHDRAWN,
    ITEM_OPEN_LEFT,
    ITEM_CANCEL_QUEUED,
    ITEM_CANCEL_SENT,
    ITEM_CANCEL_QUEUED_LEFT,
    ITEM_CANCEL_LEFT,
    ITEM_DONE,
    ITEM_FREED,
    ITEM_STATES
};

/*
 * One operation on the ledger, shared by its waiter (the call's thread) and the ledger thread.
 * 1. The ledger's mutex guards `state` and the fields from it to `done`.
 * 2. Only item_post() changes `state`.
 * 3. The waiter frees an item that is DONE; else the ledger thread frees it.
 */
struct item {
    struct item *next;
    enum op op;
    enum item_state state;
    bool is_told;       /* its waiter returned outcome_unknown */
    bool is_uncertain;  /* sent before, and the connection broke: it may be committed */
    bool is_busy;       /* outcome: another session holds the account's lock; nothing was done */
    size_t max_batch;   /* smaller after a batch with it failed */
    uint64_t sent_over; /* the connection, by its number */
    sem_t done;
    struct continuation continuation; /* of an admission or a start; start NULL: without one */
    struct admission admission;
    struct optimistic_admission optimistic; /* of a payment, and of its cancel */
    bool is_payment;                        /* OP_PAY, also after it became a cancel */
    bool is_marked; /* a payment that writes a hold, so that a retry finds it */
    struct uuid account;
    struct uuid id;
    char *headers;
    char *body;
    size_t body_bytes;
    enum err_kind refusal;
    struct account_snapshot snapshot;
    struct kept_answer kept;
    struct token_facts *facts; /* of a check that needs them; else NULL */
    bool is_captured;
};

/* max_batch: the initial value. */
struct item *item_new(enum op op, const struct uuid *account, const struct uuid *id,
                      size_t max_batch);
void item_free(struct item *item);

/* Does it admit a call: OP_ADMIT or OP_PAY? */
bool item_is_admission(const struct item *item);

/* Write a log line with the item's account and id. */
void log_item(enum log_level level, const char *message, const struct item *item);

/* ---- queues; the caller holds the ledger's mutex ---- */

struct queue {
    struct item *first;
    struct item *last;
    size_t count;
};

void queue_push(struct queue *queue, struct item *item);
void queue_push_front(struct queue *queue, struct item *item);
struct item *queue_pop(struct queue *queue);               /* NULL when empty */
void queue_remove(struct queue *queue, struct item *item); /* it must be there */

/* ---- the parameters of one statement ---- */

enum { LEDGER_PARAMS_MAX = 4 };

struct params {
    struct buf bytes; /* of all parameters, in order */
    size_t count;
    size_t start[LEDGER_PARAMS_MAX + 1];
};

void params_clear(struct params *params);

/* An array of items, as ledger_batch() takes it; the addresses of the clients of admissions or
 * checks; and the first two arrays of token_check(). */
void params_add_items(struct params *params, struct item *const *items, size_t count);
void params_add_addresses(struct params *params, struct item *const *items, size_t count);
void params_add_checks(struct params *params, struct item *const *items, size_t count);
void params_add_bool(struct params *params, bool value);
void params_add_int4(struct params *params, int32_t value);
void params_add_int8(struct params *params, int64_t value);

/* The parameters for db_start(): params->count of them, borrowed until the next change. */
void params_list(const struct params *params, struct db_param list[static LEDGER_PARAMS_MAX]);

/* ---- outcomes ---- */

/* An integer of a row; -1 for NULL. */
int64_t outcome_int(const struct db_rows *rows, size_t row, size_t column);

/* Copy a row of ledger_outcome, or of token_check(), into its item. */
void item_read_outcome(struct item *item, const struct db_rows *rows, size_t row);
void item_read_check(struct item *item, const struct db_rows *rows, size_t row);
