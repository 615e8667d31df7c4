/*
 * common/net/http/fetch-all.h - several requests at once, all in the calling thread.
 */
#pragma once

#include "net/http/fetch.h"

enum { FETCH_AT_ONCE_MAX = 16 };

/* One request and its outcome. Redirects are not followed: a redirect is a response whose body is
 * ignored. */
struct fetch_item {
    const struct target *target;         /* a customer's target, as for fetch_guarded(); or */
    const char *url;                     /* the operator's URL, as for fetch_operator() */
    const struct fetch_options *options; /* NULL: defaults; max_redirects is ignored */
    int64_t begin_ms;                    /* earliest start, by clock_ms() */
    int64_t limit_ms;   /* from start to end; what was received by then is kept; 0: none */
    void *owner;        /* for the caller */
    bool is_begun;      /* was it started? */
    bool ok;            /* is there a response? */
    struct fetch fetch; /* valid if ok; the caller releases it */
    struct err err;     /* valid if not ok: as fetch_guarded() or fetch_operator() */
};

enum fetch_next {
    FETCH_ON,
    FETCH_AGAIN, /* retry the item, which the caller has changed and emptied */
    FETCH_STOP,  /* start nothing more; running requests continue to their end */
};

/* Called at the end of each item. */
typedef enum fetch_next fetch_ended(struct fetch_item *item, void *context);

struct fetch_plan {
    size_t at_once;     /* at most FETCH_AT_ONCE_MAX */
    int64_t apart_ms;   /* between two starts */
    fetch_ended *ended; /* NULL: continue */
    void *context;
    size_t per_host; /* limit per host of those at once; 0: no limit */
};

/*
 * Run all items, started in order, until the session's deadline. Items that are left then are not
 * started.
 */
void fetch_all(struct egress_session *session, struct fetch_item *items, size_t count,
               const struct fetch_plan *plan);
