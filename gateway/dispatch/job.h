/*
 * gateway/dispatch/job.h - a job for a daemon, and what the daemon replied.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/os/memory-budget.h"
#include "bus/wire.h"
#include "svc/contract.h"

struct group; /* the daemons of one group; as long as the dispatcher */

struct dispatch_job {
    const struct contract *contract;
    struct group *group; /* whose daemons run it */
    struct uuid id;
    struct uuid account;
    struct text body;        /* borrowed while the call lasts */
    const char *request_id;  /* printable ASCII, below WIRE_ID_BYTES */
    const char *traceparent; /* "" : none */
    int64_t deadline_ms;     /* of the whole call, by clock_ms() */
};

struct dispatch_reply {
    struct wire_reply header;
    struct buf body;
    struct reservation
        reservation; /* on the body's memory; who takes the body over takes this, too */
    int64_t wait_us; /* in the gateway's queue and on the way */
};

void dispatch_reply_free(struct dispatch_reply *reply);
