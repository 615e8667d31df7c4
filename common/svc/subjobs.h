/*
 * common/svc/subjobs.h - ask tools of other groups while a job runs.
 *
 *     struct subjob_batch *batch = subjobs_begin(job, part, count);
 *     …
 *     subjobs_end(&batch, until_ms);
 *
 * part[] says what is asked; the job does its own work meanwhile.
 *
 * The gateway that sent the job runs them as part of it (docs/develop/protocol.md): unpaid,
 * within its time, tools that the contract names in `calls`, SUBJOBS_AT_ONCE at once and at most
 * SUBJOBS_MAX a job. What is not answered is no failure of the job: it is for the tool to say what
 * it lacks.
 */
#pragma once

#include "bus/wire.h"
#include "svc/job.h"

struct subjob {
    /* ---- what is asked ---- */
    const char *tool;
    struct text request; /* a JSON object; borrowed until the end */
    int64_t budget_ms;   /* at most; the tool's own and the job's count, too */

    /* ---- what came of it, after the end ---- */
    struct err err;    /* ERR_NONE: it was answered. Else the tool's first error, or the gateway's
                        * (gateway/dispatch/dispatch.h), or ERR_DEADLINE_EXCEEDED */
    struct buf result; /* the result as JSON text; the caller's to free */
    int64_t took_ms;   /* from its sending; 0: it was never sent */
};

struct subjob_batch;

/* Ask for them in their order, without waiting. One batch of a job at a time. */
struct subjob_batch *subjobs_begin(const struct job *job, struct subjob *subjobs, size_t count);

/* Wait until all are answered, or until then by clock_ms(). */
void subjobs_end(struct subjob_batch **batch, int64_t deadline_ms);

/* ---- for the skeleton: the daemon's thread that has the sockets, and unit tests ---- */

struct subjobs *subjobs_new(void);
void subjobs_free(struct subjobs **subjobs);

/* Poll it for POLLIN: there may be something to send. */
int subjobs_fd(const struct subjobs *subjobs);

/* Hand on what may be sent now. One that send() refuses has failed: its gateway is gone. */
void subjobs_send(struct subjobs *subjobs,
                  bool (*send)(void *context, uint64_t link, const struct wire_job *job,
                               struct text request),
                  void *context);

/* A gateway's reply. False: nobody waits for it. */
bool subjobs_answer(struct subjobs *subjobs, uint64_t link, const struct wire_reply *reply,
                    struct text body);

/* What was asked of that gateway has failed. */
void subjobs_lose(struct subjobs *subjobs, uint64_t link);
