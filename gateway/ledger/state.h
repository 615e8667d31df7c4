/*
 * gateway/ledger/state.h - what the ledger's two sides share: ledger.c (the thread, which owns the
 * connections) and calls.c (the threads of calls, which bring items and wait).
 */
#ifndef GATEWAY_LEDGER_STATE_H
#define GATEWAY_LEDGER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gateway/ledger/headroom.h"
#include "gateway/ledger/items.h"
#include "gateway/ledger/lacks.h"
#include "gateway/ledger/ledger.h"
#include "gateway/ledger/refusals.h"
#include "gateway/ledger/walks.h"

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
    struct lacks lacks;
    int bell;
    struct lane writer;
    struct lane reader;
    struct walk walk[WALKS];
    struct walk *walking; /* the one whose step is under way */
    bool has_just_walked; /* so that checks get their turn */
    bool skips_busy;      /* somebody holds an account for long: do the items of the others first */
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
    struct headroom *headroom;
};

/* The queue an item waits in. */
struct queue *ledger_queue_of(struct ledger *ledger, const struct item *item);

/* Start what follows it; who waits is woken by its end. */
void item_start_sequel(struct item *item);

/* It goes back as a cancel: what it held or charged must not stay. */
void item_become_cancel(struct ledger *ledger, struct item *item);

/* It is no longer wanted: what waits to be sent goes as a cancel at once, what is under way when it
 * comes back and has held or charged. The mutex is held, the item is not DONE. */
void item_withdraw(struct ledger *ledger, struct item *item);

/* The same, and the waiter leaves: what was never sent and holds nothing is forgotten. */
void item_abandon(struct ledger *ledger, struct item *item);

#endif
