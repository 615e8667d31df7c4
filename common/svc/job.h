/*
 * common/svc/job.h - what a tool is given, and how it answers.
 *
 * A tool is a plain blocking function:
 *
 *     bool hash_generate(const struct job *job, cJSON *result, struct err *err);
 *
 * It reads its checked arguments by svc/args.h, adds its result's members to `result` in the order
 * of the contract and returns true (what it shows of its arguments again may be borrowed from them,
 * json_alias()); or it fills err and returns false, and the caller pays nothing.
 * It honours job->deadline_ms in every wait.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"
#include "svc/contract.h"
#include "svc/data.h"

struct subjobs; /* svc/subjobs.h */
struct egress;  /* the way out, net/egress.h; this layer only hands it on */
struct answer;  /* a raw answer and its headers, filled by job_raw() and job_header() */

struct job {
    const struct contract *contract;
    const char *request_id;  /* for logs */
    const cJSON *args;       /* the request, checked, defaults filled */
    struct text body;        /* the request as it came, for tools that read lexemes */
    const void *data;        /* what the tool reads from files, svc/data.h; NULL: nothing */
    struct egress *egress;   /* NULL in groups that never go out */
    struct subjobs *subjobs; /* for subjobs_begin(), as are the next two */
    uint64_t link;           /* who sent it */
    struct uuid id;
    int64_t deadline_ms; /* by clock_ms() */
    int64_t now_ms;      /* by clock_wall_ms(), read once so that all fields agree */
    struct answer *answer;
};

typedef bool tool_run(const struct job *job, cJSON *result, struct err *err);

struct tool {
    const char *name;
    tool_run *run;
    const struct data_kind *data; /* NULL: it reads no file */
};

/* Answer these bytes, taken over from *body, instead of the envelope. The content type must stand
 * in the contract's `raw` list; its memory must be static. A body that overflowed is a bug. */
void job_raw(const struct job *job, const char *content_type, struct buf *body);

/* Answer this result, a whole JSON object as text, taken over from *object, instead of the members
 * of the tool's `result`: for one so large that it should not stand in memory twice. */
void job_result(const struct job *job, struct buf *object);

/* Add a header to a raw answer. The name must stand in the contract's `raw_headers`, as it is
 * spelled there; any other is a bug, and so is a line end in the value. Its memory must be static.
 */
void job_header(const struct job *job, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- for the skeleton and for unit tests ---- */

struct answer_header {
    const char *name;
    char *value;
};

struct answer {
    const char *content_type; /* NULL: the result is the answer */
    bool has_result;          /* body is it */
    struct buf body;
    size_t header_count;
    struct answer_header header[CONTRACT_HEADERS_MAX];
};

void answer_free(struct answer *answer);
