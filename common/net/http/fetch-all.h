/*
 * common/net/http/fetch-all.h - several requests at once, all in the calling thread.
 */
#pragma once

#include "net/http/fetch.h"

enum { FETCH_AT_ONCE_MAX = 16 };

/* One request and what became of it. No redirect is followed: it is an answer, of whose body
 * nothing is waited for. */
struct fetch_item {
    const struct target *target; /* what a customer named, as fetch_guarded() takes it; or */
    const char *url;             /* the operator's own, as fetch_operator() takes it */
    const struct fetch_options *options; /* NULL: the usual ones; max_redirects is not looked at */
    int64_t begin_ms;                    /* not before this, by clock_ms() */
    int64_t limit_ms;   /* from its begin to its end; what came by then is kept; 0: none */
    void *owner;        /* the caller's own */
    bool is_begun;      /* was anything tried */
    bool ok;            /* was it answered */
    struct fetch fetch; /* when ok; the caller releases it */
    struct err err;     /* when not: as fetch_guarded() or fetch_operator() have it */
};

enum fetch_next {
    FETCH_ON,
    FETCH_AGAIN, /* the item once more, which the caller has changed and emptied */
    FETCH_STOP,  /* begin nothing more; what is under way ends as it ends */
};

/* Called with each item as it ends. */
typedef enum fetch_next fetch_ended(struct fetch_item *item, void *context);

struct fetch_plan {
    size_t at_once;     /* at most FETCH_AT_ONCE_MAX */
    int64_t apart_ms;   /* between two begins */
    fetch_ended *ended; /* NULL: nothing is done but to go on */
    void *context;
    size_t per_host; /* of those at once, so many to one host at most; 0: all */
};

/* Run all items, begun in their order, until the trip's deadline; those that it leaves are not
 * begun. */
void fetch_all(struct egress_session *session, struct fetch_item *items, size_t count,
               const struct fetch_plan *plan);
