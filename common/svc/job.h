/*
 * common/svc/job.h - the input of a tool, and how it returns its result.
 *
 * A tool is a plain blocking function:
 *
 *     bool hash_generate(const struct job *job, cJSON *result, struct err *err);
 *
 * - It reads its checked arguments with svc/args.h.
 * - It adds its result's members to `result` in the contract's order, and returns true. Parts of
 *   its arguments may be borrowed (json_alias()).
 * - Or it sets err and returns false; then the call is not charged.
 * - Every wait must end at job->deadline_ms.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"
#include "svc/contract.h"
#include "svc/data.h"

struct subjobs; /* svc/subjobs.h */
struct egress;  /* outbound access, net/egress.h; this layer only passes it on */
struct answer;  /* a raw response and its headers, filled by job_raw() and job_header() */

struct job {
    const struct contract *contract;
    const char *request_id;  /* for logs */
    const cJSON *args;       /* the request, checked, with defaults */
    struct text body;        /* the request as sent, for tools that read lexemes */
    const void *data;        /* what the tool reads from files, svc/data.h; NULL: nothing */
    struct egress *egress;   /* NULL in groups without outbound access */
    struct subjobs *subjobs; /* for subjobs_begin(), as the next two */
    uint64_t link;           /* the gateway link that sent it */
    struct uuid id;
    uint32_t attempt; /* 2: another worker had it before, and may have done a part (svc/contract.h,
                       * retryable); 0 and 1: none */
    int64_t deadline_ms; /* by clock_ms() */
    int64_t now_ms;      /* by clock_wall_ms(), read once so that all fields agree */
    struct answer *answer;
    const atomic_bool *cancelled; /* NULL: it cannot be */
};

typedef bool tool_run(const struct job *job, cJSON *result, struct err *err);

struct tool {
    const char *name;
    tool_run *run;
    const struct data_kind *data; /* NULL: it reads no file */
};

/*
 * Return these bytes, taken over from *body, instead of the envelope. The content type must be in
 * the contract's `raw` list, in static memory. A body that overflowed is a bug.
 */
void job_raw(const struct job *job, const char *content_type, struct buf *body);

/*
 * Return this result, a whole JSON object as text taken over from *object, instead of the members
 * of `result`: for a result so large that it must not be in memory twice.
 */
void job_result(const struct job *job, struct buf *object);

/*
 * Add a header to a raw response. The name must be in the contract's `raw_headers`, in the same
 * spelling and in static memory. Any other name, and a line end in the value, is a bug.
 */
void job_header(const struct job *job, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Add what a provider charges for this job, in millionths of the currency, a code of three capital
 * letters. The operator sees it, whether the job succeeds or not. All costs of a job are in one
 * currency. Zero may have none.
 */
void job_add_cost(const struct job *job, int64_t micros, const char *currency);

/* Does nobody wait for the result any more? A tool that waits for others may stop then, with any
 * error. */
bool job_is_cancelled(const struct job *job);

/* ---- for the worker and for unit tests ---- */

struct answer_header {
    const char *name;
    char *value;
};

struct answer {
    const char *content_type; /* NULL: the result is returned */
    bool has_result;          /* body is the result */
    struct buf body;
    size_t header_count;
    struct answer_header header[CONTRACT_HEADERS_MAX];
    int64_t cost_micros;
    const char *cost_currency; /* borrowed from the tool's data; NULL: none */
};

void answer_free(struct answer *answer);
