/* gateway/traces/span.c - see span.h. */
#include "gateway/traces/span.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

#include "base/codec/hex.h"
#include "text/json.h"

enum { SPAN_BYTES = 8, STATUS_ERROR = 2 /* Status.StatusCode */ };

void span_set_parent(struct span *span, const char *traceparent)
{
    snprintf(span->trace, sizeof(span->trace), "%.32s", traceparent + TRACE_ID_AT);
    snprintf(span->parent, sizeof(span->parent), "%.16s", traceparent + TRACE_SPAN_AT);
}

void span_set_id(struct span *span)
{
    uint8_t random[SPAN_BYTES];
    randombytes_buf(random, sizeof(random));
    hex_encode(span->id, random, sizeof(random));
}

/* ---- JSON: 64-bit integers are strings, enums are numbers ---- */

static void add_text(cJSON *attributes, const char *key, const char *value)
{
    if (!value)
        return;
    cJSON *item = json_item(attributes);
    json_str(item, "key", key);
    json_str(json_map(item, "value"), "stringValue", value);
}

static void add_number(cJSON *attributes, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, value);
    cJSON *item = json_item(attributes);
    json_str(item, "key", key);
    json_str(json_map(item, "value"), "intValue", text);
}

static void add_uuid(cJSON *attributes, const char *key, const struct uuid *uuid)
{
    char text[UUID_TEXT_BYTES];
    uuid_format(text, uuid);
    add_text(attributes, key, text);
}

static void add_time(cJSON *object, const char *key, int64_t us)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64 "000", us);
    json_str(object, key, text);
}

/* Names of the semantic conventions 1.40, and as in the log (docs/operate/logs.md). */
static void add_attributes(const struct span *span, cJSON *attributes)
{
    add_uuid(attributes, "call_id", &span->call);
    add_uuid(attributes, "account_id", &span->account);
    add_text(attributes, "tool", span->tool);
    add_text(attributes, "error.type", span->error);
    if (span->kind != SPAN_SERVER)
        return;
    add_text(attributes, "surface", span->surface);
    add_number(attributes, "http.response.status_code", span->status);
    add_number(attributes, "credits_charged", span->credits);
    add_number(attributes, "ledger_us", span->ledger_us);
}

static void add_span(const struct span *span, cJSON *object)
{
    json_str(object, "traceId", span->trace);
    json_str(object, "spanId", span->id);
    if (span->parent[0])
        json_str(object, "parentSpanId", span->parent);
    json_str(object, "name", span->name);
    json_int(object, "kind", span->kind);
    add_time(object, "startTimeUnixNano", span->start_us);
    add_time(object, "endTimeUnixNano", span->end_us);
    add_attributes(span, json_list(object, "attributes"));
    if (span->is_failure)
        json_int(json_map(object, "status"), "code", STATUS_ERROR);
}

void spans_write(const struct span *spans, size_t count, const char *build, struct buf *out)
{
    scoped(json_free) cJSON *root = json_object();
    cJSON *resource = json_item(json_list(root, "resourceSpans"));
    cJSON *attributes = json_list(json_map(resource, "resource"), "attributes");
    add_text(attributes, "service.name", "gateway");
    add_text(attributes, "service.namespace", "tollgate");
    add_text(attributes, "service.version", build);
    cJSON *scope = json_item(json_list(resource, "scopeSpans"));
    json_str(json_map(scope, "scope"), "name", "tollgate");
    cJSON *list = json_list(scope, "spans");
    for (size_t i = 0; i < count; i++)
        add_span(&spans[i], json_item(list));
    json_print(root, out);
}
