/* common/bus/wire.c - packs and unpacks the headers in proto/job.proto. */
#include "bus/wire.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/text.h"
#include "job.pb-c.h"

enum { CONTENT_MAX_BYTES = 4096 /* of one header's value or one error message */ };

/* ---- writing ---- */

static ProtobufCBinaryData to_binary(const void *bytes, size_t size)
{
    return (ProtobufCBinaryData){ .len = size, .data = (uint8_t *)(uintptr_t)bytes };
}

static ProtobufCBinaryData id_of(const struct uuid *uuid)
{
    return to_binary(uuid->bytes, UUID_BYTES);
}

/* protobuf-c declares its strings without const but only reads them when packing. */
static char *to_string(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void put_message(struct buf *out, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    char *room = buf_reserve(out, size);
    if (room) {
        protobuf_c_message_pack(message, (uint8_t *)room);
        out->size += size;
    }
}

void wire_put_ready(struct buf *out, const struct wire_ready *ready)
{
    Tollgate__Ready message = TOLLGATE__READY__INIT;
    Tollgate__Tool tool[WIRE_TOOLS_MAX];
    Tollgate__Tool *tools[WIRE_TOOLS_MAX];

    message.group = to_string(ready->group);
    message.instance = id_of(&ready->instance);
    message.build = to_string(ready->build);
    for (size_t i = 0; i < ready->tool_count; i++) {
        tool[i] = (Tollgate__Tool)TOLLGATE__TOOL__INIT;
        tool[i].name = to_string(ready->tool[i].name);
        tool[i].digest = to_binary(ready->tool[i].digest, WIRE_DIGEST_BYTES);
        tools[i] = &tool[i];
    }
    message.n_tools = ready->tool_count;
    message.tools = tools;
    put_message(out, &message.base);
}

void wire_put_welcome(struct buf *out, const struct wire_welcome *welcome)
{
    Tollgate__Welcome message = TOLLGATE__WELCOME__INIT;
    message.gateway = id_of(&welcome->gateway);
    message.heartbeat_ms = welcome->heartbeat_ms;
    put_message(out, &message.base);
}

void wire_put_credit(struct buf *out, uint32_t slots)
{
    Tollgate__Credit message = TOLLGATE__CREDIT__INIT;
    message.slots = slots;
    put_message(out, &message.base);
}

void wire_put_job(struct buf *out, const struct wire_job *job)
{
    Tollgate__Job message = TOLLGATE__JOB__INIT;
    message.job_id = id_of(&job->id);
    message.tool = to_string(job->tool);
    message.account = id_of(&job->account);
    message.budget_ms = job->budget_ms;
    message.request_id = to_string(job->request_id);
    message.traceparent = to_string(job->traceparent);
    message.max_reply_bytes = job->max_reply_bytes;
    message.attempt = job->attempt;
    if (job->is_subjob)
        message.parent = id_of(&job->parent);
    put_message(out, &message.base);
}

void wire_put_reply(struct buf *out, const struct wire_reply *reply)
{
    Tollgate__Reply message = TOLLGATE__REPLY__INIT;
    Tollgate__Error error[ERRS_MAX];
    Tollgate__Error *errors[ERRS_MAX];
    Tollgate__Header header[WIRE_HEADERS_MAX];
    Tollgate__Header *headers[WIRE_HEADERS_MAX];

    message.job_id = id_of(&reply->id);
    message.content_type = to_string(reply->content_type);
    message.queue_us = reply->queue_us;
    message.run_us = reply->run_us;
    message.cost_micros = reply->cost_micros;
    message.cost_currency = to_string(reply->cost_currency);
    for (size_t i = 0; i < reply->errs.count; i++) {
        error[i] = (Tollgate__Error)TOLLGATE__ERROR__INIT;
        error[i].code = to_string(err_code(reply->errs.item[i].kind));
        error[i].message = to_string(reply->errs.item[i].message);
        errors[i] = &error[i];
    }
    message.n_errors = reply->errs.count;
    message.errors = errors;
    for (size_t i = 0; i < reply->header_count; i++) {
        header[i] = (Tollgate__Header)TOLLGATE__HEADER__INIT;
        header[i].name = to_string(reply->header[i].name);
        header[i].value = reply->header[i].value;
        headers[i] = &header[i];
    }
    message.n_headers = reply->header_count;
    message.headers = headers;
    put_message(out, &message.base);
}

void wire_put_nack(struct buf *out, const struct uuid *job, enum nack_reason reason)
{
    Tollgate__Nack message = TOLLGATE__NACK__INIT;
    message.job_id = id_of(job);
    message.reason = (Tollgate__Nack__Reason)reason;
    put_message(out, &message.base);
}

void wire_put_cancel(struct buf *out, const struct uuid *job)
{
    Tollgate__Cancel message = TOLLGATE__CANCEL__INIT;
    message.job_id = id_of(job);
    put_message(out, &message.base);
}

void wire_put_heartbeat(struct buf *out, const struct wire_heartbeat *heartbeat)
{
    Tollgate__Heartbeat message = TOLLGATE__HEARTBEAT__INIT;
    message.running = heartbeat->running;
    message.draining = heartbeat->is_draining;
    put_message(out, &message.base);
}

void wire_put_goodbye(struct buf *out, const char *reason)
{
    Tollgate__Goodbye message = TOLLGATE__GOODBYE__INIT;
    message.reason = to_string(reason);
    put_message(out, &message.base);
}

/* ---- reading ---- */

static void free_message(ProtobufCMessage **message)
{
    if (*message)
        protobuf_c_message_free_unpacked(*message, NULL);
}

static ProtobufCMessage *unpack_header(const ProtobufCMessageDescriptor *type, struct text header)
{
    return protobuf_c_message_unpack(type, NULL, header.size, (const uint8_t *)header.bytes);
}

static bool get_id(const ProtobufCBinaryData *data, struct uuid *uuid)
{
    if (data->len != UUID_BYTES)
        return false;
    memcpy(uuid->bytes, data->data, UUID_BYTES);
    return true;
}

/* Printable ASCII that fits, with its NUL. */
static bool get_name(char *out, size_t max, const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at < 0x20 || *at > 0x7e)
            return false;
    return (size_t)snprintf(out, max, "%s", text) < max;
}

bool wire_get_ready(struct text header, struct wire_ready *ready)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__ready__descriptor, header);
    const Tollgate__Ready *message = (const Tollgate__Ready *)unpacked;
    struct wire_ready got = { 0 };

    if (!message || message->n_tools > WIRE_TOOLS_MAX ||
        !get_name(got.group, sizeof(got.group), message->group) ||
        !get_name(got.build, sizeof(got.build), message->build) ||
        !get_id(&message->instance, &got.instance))
        return false;
    for (size_t i = 0; i < message->n_tools; i++) {
        const Tollgate__Tool *tool = message->tools[i];
        if (!get_name(got.tool[i].name, WIRE_NAME_BYTES, tool->name) ||
            tool->digest.len != WIRE_DIGEST_BYTES)
            return false;
        memcpy(got.tool[i].digest, tool->digest.data, WIRE_DIGEST_BYTES);
    }
    got.tool_count = message->n_tools;
    *ready = got;
    return true;
}

bool wire_get_welcome(struct text header, struct wire_welcome *welcome)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__welcome__descriptor, header);
    const Tollgate__Welcome *message = (const Tollgate__Welcome *)unpacked;

    if (!message || !get_id(&message->gateway, &welcome->gateway))
        return false;
    welcome->heartbeat_ms = message->heartbeat_ms;
    return true;
}

bool wire_get_credit(struct text header, uint32_t *slots)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__credit__descriptor, header);
    if (!unpacked)
        return false;
    *slots = ((const Tollgate__Credit *)unpacked)->slots;
    return true;
}

bool wire_get_job(struct text header, struct wire_job *job)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__job__descriptor, header);
    const Tollgate__Job *message = (const Tollgate__Job *)unpacked;
    struct wire_job got = { 0 };

    if (!message || !get_id(&message->job_id, &got.id) ||
        !get_id(&message->account, &got.account) ||
        !get_name(got.tool, sizeof(got.tool), message->tool) ||
        !get_name(got.request_id, sizeof(got.request_id), message->request_id) ||
        !get_name(got.traceparent, sizeof(got.traceparent), message->traceparent))
        return false;
    got.budget_ms = message->budget_ms;
    got.max_reply_bytes = message->max_reply_bytes;
    got.attempt = message->attempt;
    got.is_subjob = message->parent.len > 0;
    if (got.is_subjob && !get_id(&message->parent, &got.parent))
        return false;
    *job = got;
    return true;
}

static bool get_errors(const Tollgate__Reply *message, struct errs *errs)
{
    if (message->n_errors > ERRS_MAX)
        return false;
    for (size_t i = 0; i < message->n_errors; i++) {
        const Tollgate__Error *error = message->errors[i];
        enum err_kind kind = err_of_code(error->code);
        if (kind == ERR_NONE || strlen(error->message) >= ERR_MESSAGE_BYTES ||
            !utf8_is_valid(text_of(error->message)))
            return false;
        errs_add(errs, kind, "%s", error->message);
    }
    return true;
}

static bool get_headers(const Tollgate__Reply *message, struct wire_reply *reply)
{
    if (message->n_headers > WIRE_HEADERS_MAX)
        return false;
    for (size_t i = 0; i < message->n_headers; i++) {
        struct wire_header *header = &reply->header[i];
        char value[CONTENT_MAX_BYTES];
        if (!get_name(header->name, sizeof(header->name), message->headers[i]->name) ||
            !get_name(value, sizeof(value), message->headers[i]->value))
            return false;
        header->value = str_dup(value);
        reply->header_count++;
    }
    return true;
}

/* A cost that is not valid is not worth a lost reply: it counts as none. */
static void get_cost(const Tollgate__Reply *message, struct wire_reply *reply)
{
    struct text currency = text_of(message->cost_currency);
    if (currency.size != WIRE_CURRENCY_BYTES - 1 ||
        !text_is_made_of(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") ||
        message->cost_micros > WIRE_COST_MAX)
        return;
    reply->cost_micros = message->cost_micros;
    memcpy(reply->cost_currency, currency.bytes, WIRE_CURRENCY_BYTES);
}

bool wire_get_reply(struct text header, struct wire_reply *reply)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__reply__descriptor, header);
    const Tollgate__Reply *message = (const Tollgate__Reply *)unpacked;
    struct wire_reply got = { 0 };

    if (!message || !get_id(&message->job_id, &got.id) ||
        !get_name(got.content_type, sizeof(got.content_type), message->content_type) ||
        !get_errors(message, &got.errs) || !get_headers(message, &got)) {
        wire_reply_free(&got);
        return false;
    }
    got.queue_us = message->queue_us;
    got.run_us = message->run_us;
    get_cost(message, &got);
    *reply = got;
    return true;
}

void wire_reply_free(struct wire_reply *reply)
{
    for (size_t i = 0; i < reply->header_count; i++)
        mem_free(&reply->header[i].value);
    reply->header_count = 0;
}

bool wire_get_nack(struct text header, struct uuid *job, enum nack_reason *reason)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__nack__descriptor, header);
    const Tollgate__Nack *message = (const Tollgate__Nack *)unpacked;

    if (!message || !get_id(&message->job_id, job))
        return false;
    bool is_known = message->reason >= TOLLGATE__NACK__REASON__FULL &&
                    message->reason <= TOLLGATE__NACK__REASON__UNKNOWN_TOOL;
    *reason = is_known ? (enum nack_reason)message->reason : NACK_UNKNOWN;
    return true;
}

bool wire_get_cancel(struct text header, struct uuid *job)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__cancel__descriptor, header);
    return unpacked && get_id(&((const Tollgate__Cancel *)unpacked)->job_id, job);
}

bool wire_get_heartbeat(struct text header, struct wire_heartbeat *heartbeat)
{
    scoped(free_message) ProtobufCMessage *unpacked =
        unpack_header(&tollgate__heartbeat__descriptor, header);
    const Tollgate__Heartbeat *message = (const Tollgate__Heartbeat *)unpacked;

    if (!message)
        return false;
    heartbeat->running = message->running;
    heartbeat->is_draining = message->draining;
    return true;
}
