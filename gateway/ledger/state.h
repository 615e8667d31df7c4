/*
 * gateway/ledger/state.h - shared by ledger.c (the ledger thread, which owns the connections) and
 * calls.c (the threads of calls, which queue items and wait).
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "gateway/ledger/degraded.h"
#include "gateway/ledger/items.h"
#include "gateway/ledger/ledger.h"
#include "gateway/ledger/refusals.h"
#include "gateway/ledger/spend-estimate.h"
#include "gateway/ledger/sweeps.h"

enum { LEDGER_BATCH_MAX = 128 };

enum statement { BATCH, CHECK, SWEEP, PRUNE };

/* A connection and its statement under way. */
struct lane {
    struct db *db;
    int64_t resume_ms; /* the earliest time to send; 0: now */
    bool has_worked;   /* a statement succeeded on this connection */
    enum statement statement;
    size_t count;
    struct item *item[LEDGER_BATCH_MAX];
};

struct ledger {
    struct ledger_options options;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows, and the items' shared fields */
    struct queue settles;
    struct queue admits;
    struct queue checks;
    struct queue starts;
    bool is_stopping;
    bool is_settled; /* no settlement is queued or under way */
    bool
        writer_is_idle; /* this connection has nothing to do: the next item must wake the thread; */
    bool reader_is_idle; /* a busy connection reads its queue again when it is done */
    atomic_bool is_ready;
    struct degraded degraded;
    int wakeup;
    struct lane writer;
    struct lane reader;
    struct sweep sweep[SWEEPS];
    struct sweep *sweeping; /* its step is under way */
    bool has_just_swept;    /* the next turn is for checks */
    int64_t skip_until_ms;  /* an account was locked for long: until then, batches skip such */
    bool skips_busy;        /* the current batch does */
    struct params params;
    struct counter *batches;
    struct counter *items;
    struct counter *busy;
    struct counter *uncertain;
    struct counter *cancelled;
    struct counter *unknown;
    struct counter *expired;
    struct counter *unpaid;
    struct refusals *refusals;
    struct counter *remembered;
    struct spend_estimate *estimate;
};

/* Events of an item. SEND to END come from the ledger thread, the others from the item's waiter. */
enum item_event {
    ITEM_SEND,
    ITEM_RETURN,        /* not executed: not sent, or its batch was rolled back */
    ITEM_BUSY,          /* not executed: another session holds its account's lock */
    ITEM_LOSE,          /* the connection broke: it may be committed */
    ITEM_BOOK,          /* committed, with a hold or a charge */
    ITEM_END,           /* committed or rejected, without a hold or a charge */
    ITEM_WITHDRAW,      /* undo it; the waiter waits for that */
    ITEM_LEAVE,         /* undo it; the waiter does not wait */
    ITEM_LEAVE_UNKNOWN, /* the same, and the waiter returned outcome_unknown */
    ITEM_EVENTS
};

/* The queue of an item. */
struct queue *ledger_queue_of(struct ledger *ledger, const struct item *item);

/* Queue a new item in its initial state. The mutex is held. */
void item_submit(struct ledger *ledger, struct item *item);

/* Post an event. The mutex is held. True (only for the ledger thread's events): call item_wake()
 * next, without the mutex. After ITEM_WITHDRAW the item may be a cancel; after any other event it
 * may be freed. */
bool item_post(struct ledger *ledger, struct item *item, enum item_event event);

/* True: it may be charged: a capture or payment, or a cancel of one, was sent without a reply. */
bool item_may_be_charged(const struct item *item);

/* Call the listener of the options. */
void item_tell_outcome(struct ledger *ledger, const struct item *item, enum outcome_state state);

/* Wake its waiter. context is the item, which may be freed before this returns. */
void item_wake(void *context);

/* Start its continuation, which wakes the waiter when it is done. */
void item_start_continuation(struct item *item);
