/*
 * common/bus/wire.h - the headers in proto/job.proto as plain structs.
 *
 * Writing appends the packed header to a buffer. Reading copies; only a reply has its own memory.
 * Input is untrusted: a header that does not unpack, or exceeds the limits below, reads as false.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"

enum message_type {
    MSG_READY = 1,
    MSG_WELCOME,
    MSG_CREDIT,
    MSG_JOB,
    MSG_REPLY,
    MSG_NACK,
    MSG_CANCEL,
    MSG_HEARTBEAT,
    MSG_GOODBYE,
};

enum {
    WIRE_TOOLS_MAX = 64,
    WIRE_NAME_BYTES = 64, /* tools and groups, with the NUL */
    WIRE_DIGEST_BYTES = 8,
    WIRE_HEADERS_MAX = 8,
    WIRE_ID_BYTES = 200, /* request id, traceparent, with the NUL */
    WIRE_CURRENCY_BYTES = 4,
    SUBJOBS_MAX = 12,    /* per job */
    SUBJOBS_AT_ONCE = 4, /* of them */
};

#define WIRE_COST_MAX UINT64_C(1000000000000000) /* of one job, in millionths */

struct wire_tool {
    char name[WIRE_NAME_BYTES];
    uint8_t digest[WIRE_DIGEST_BYTES];
};

struct wire_ready {
    char group[WIRE_NAME_BYTES];
    struct uuid instance;
    char build[WIRE_NAME_BYTES];
    size_t tool_count;
    struct wire_tool tool[WIRE_TOOLS_MAX];
};

struct wire_welcome {
    struct uuid gateway;
    uint32_t heartbeat_ms;
};

struct wire_job {
    struct uuid id;
    char tool[WIRE_NAME_BYTES];
    struct uuid account;
    uint32_t budget_ms;
    char request_id[WIRE_ID_BYTES];
    char traceparent[WIRE_ID_BYTES];
    uint32_t max_reply_bytes;
    uint32_t attempt;
    bool is_subjob; /* requested by a worker for its job `parent` */
    struct uuid parent;
};

struct wire_header {
    char name[WIRE_NAME_BYTES];
    char *value;
};

struct wire_reply {
    struct uuid id;
    struct errs errs;
    char content_type[WIRE_NAME_BYTES]; /* "" : a JSON object */
    size_t header_count;
    struct wire_header header[WIRE_HEADERS_MAX];
    uint32_t queue_us;
    uint32_t run_us;
    uint64_t cost_micros;                    /* what providers charge, in millionths */
    char cost_currency[WIRE_CURRENCY_BYTES]; /* "": none */
};

/* The job was not started. The number is on the wire. */
enum nack_reason {
    NACK_UNKNOWN,
    NACK_FULL,
    NACK_DRAINING,
    NACK_EXPIRED,
    NACK_UNKNOWN_TOOL,
};

struct wire_heartbeat {
    uint32_t running;
    bool is_draining;
};

void wire_put_ready(struct buf *out, const struct wire_ready *ready);
void wire_put_welcome(struct buf *out, const struct wire_welcome *welcome);
void wire_put_credit(struct buf *out, uint32_t slots);
void wire_put_job(struct buf *out, const struct wire_job *job);
void wire_put_reply(struct buf *out, const struct wire_reply *reply);
void wire_put_nack(struct buf *out, const struct uuid *job, enum nack_reason reason);
void wire_put_cancel(struct buf *out, const struct uuid *job);
void wire_put_heartbeat(struct buf *out, const struct wire_heartbeat *heartbeat);
void wire_put_goodbye(struct buf *out, const char *reason);

bool wire_get_ready(struct text header, struct wire_ready *ready);
bool wire_get_welcome(struct text header, struct wire_welcome *welcome);
bool wire_get_credit(struct text header, uint32_t *slots);
bool wire_get_job(struct text header, struct wire_job *job);
bool wire_get_reply(struct text header, struct wire_reply *reply);
bool wire_get_nack(struct text header, struct uuid *job, enum nack_reason *reason);
bool wire_get_cancel(struct text header, struct uuid *job);
bool wire_get_heartbeat(struct text header, struct wire_heartbeat *heartbeat);

void wire_reply_free(struct wire_reply *reply);
