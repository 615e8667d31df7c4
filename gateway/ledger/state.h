/*
 * gateway/ledger/state.h - what the ledger's two sides share: ledger.c (the thread, which owns the
 * connections) and calls.c (the threads of calls, which bring items and wait).
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

/* A connection and what it is doing. */
struct lane {
    struct db *db;
    int64_t resume_ms; /* nothing is sent before; 0: at once */
    bool has_worked;   /* over this connection a statement was done */
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
    bool is_settled;     /* nothing waits to be settled or is under way */
    bool writer_is_idle; /* a connection found nothing to do: the next item must ring; else the */
    bool reader_is_idle; /* thread looks at the queues by itself */
    atomic_bool is_ready;
    struct degraded degraded;
    int wakeup;
    struct lane writer;
    struct lane reader;
    struct sweep sweep[SWEEPS];
    struct sweep *sweeping; /* the one whose step is under way */
    bool has_just_swept;    /* so that checks get their turn */
    bool skips_busy; /* somebody holds an account for long: do the items of the others first */
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

/* What happens to an item. SEND to END come from the ledger's thread, the others from the item's
 * waiter. */
enum item_event {
    ITEM_SEND,
    ITEM_RETURN,        /* it did not happen: it was not sent, or its batch was rolled back */
    ITEM_BUSY,          /* the same: somebody else holds its account */
    ITEM_LOSE,          /* the connection broke: it may have happened */
    ITEM_BOOK,          /* it was done, and the books hold or have charged something for it */
    ITEM_END,           /* it was done or refused, and they have not */
    ITEM_WITHDRAW,      /* it must not stay; the waiter waits for that */
    ITEM_LEAVE,         /* the same, and the waiter leaves */
    ITEM_LEAVE_UNKNOWN, /* and has told that nobody knows what became of it */
    ITEM_EVENTS
};

/* The queue an item waits in. */
struct queue *ledger_queue_of(struct ledger *ledger, const struct item *item);

/* Queue a new item in its first state. The mutex is held. */
void item_submit(struct ledger *ledger, struct item *item);

/* Post what has happened to it. The mutex is held. True: item_wake() is to follow, without the
 * mutex; only the thread's events do that. After WITHDRAW the item may be a cancel; else it may be
 * freed. */
bool item_post(struct ledger *ledger, struct item *item, enum item_event event);

/* May it be charged, as far as is known? A capture or payment, or the cancel of one, that was sent
 * and not answered. */
bool item_may_be_charged(const struct item *item);

/* Wake its waiter; context is the item, which may be gone when it returns. */
void item_wake(void *context);

/* Start what follows it; the waiter is woken by its end. */
void item_start_continuation(struct item *item);
