/*
 * common/svc/subjobs.h - requests to tools of other groups while a job runs.
 *
 *     struct subjob_batch *batch = subjobs_begin(job, part, count);
 *     …
 *     subjobs_end(&batch, until_ms);
 *
 * part[] has the requests; meanwhile the job does its own work.
 *
 * The gateway that sent the job runs them as part of it (docs/develop/protocol.md): not charged,
 * within its time, only tools that the contract lists in `calls`, SUBJOBS_AT_ONCE at once and at
 * most SUBJOBS_MAX per job. A failed subjob does not fail the job: the tool reports what is
 * missing.
 */
#pragma once

#include "bus/wire.h"
#include "svc/job.h"

struct subjob {
    /* ---- request ---- */
    const char *tool;
    struct text request; /* a JSON object; borrowed until the end */
    int64_t budget_ms;   /* maximum; the tool's own budget and the job's deadline also apply */

    /* ---- outcome, after the end ---- */
    struct err err;    /* ERR_NONE: success. Else the tool's first error, the gateway's
                          (gateway/dispatch/dispatch.h), or ERR_DEADLINE_EXCEEDED */
    struct buf result; /* the result as JSON text; the caller frees it */
    int64_t took_ms;   /* since it was sent; 0: never sent */
};

struct subjob_batch;

/* Request them in order, without waiting. A job has at most one batch at a time. */
struct subjob_batch *subjobs_begin(const struct job *job, struct subjob *subjobs, size_t count);

/* Wait until all are done, or until deadline_ms by clock_ms(). */
void subjobs_end(struct subjob_batch **batch, int64_t deadline_ms);

/* ---- for the worker's thread with the sockets, and unit tests ---- */

struct subjobs *subjobs_new(void);
void subjobs_free(struct subjobs **subjobs);

/* Poll it for POLLIN: there may be subjobs to send. */
int subjobs_fd(const struct subjobs *subjobs);

/* Pass on what may be sent now. A subjob that send() rejects has failed: its gateway is gone. */
void subjobs_send(struct subjobs *subjobs,
                  bool (*send)(void *context, uint64_t link, const struct wire_job *job,
                               struct text request),
                  void *context);

/* A gateway's reply. False if no subjob waits for it. */
bool subjobs_answer(struct subjobs *subjobs, uint64_t link, const struct wire_reply *reply,
                    struct text body);

/* Fail all subjobs that were sent to that gateway. */
void subjobs_lose(struct subjobs *subjobs, uint64_t link);
