/*
 * gateway/dispatch/job.h - a job for a daemon, and the daemon's reply.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/os/memory-budget.h"
#include "bus/wire.h"
#include "svc/contract.h"

struct group; /* the daemons of one group; lives as long as the dispatcher */

struct dispatch_job {
    const struct contract *contract;
    struct group *group; /* that runs it */
    struct uuid id;
    struct uuid account;
    struct text body;        /* borrowed until the job is done */
    const char *request_id;  /* printable ASCII, below WIRE_ID_BYTES */
    const char *traceparent; /* "": absent */
    int64_t deadline_ms;     /* of the whole call, by clock_ms() */
};

struct dispatch_reply {
    struct wire_reply header;
    struct buf body;
    struct reservation reservation; /* of the body's memory; it moves with the body */
    int64_t wait_us;                /* in the gateway's queue and on the wire */
};

void dispatch_reply_free(struct dispatch_reply *reply);
