/* tests/fuzz/common/wire.c - any bytes as the header of any message: rejected, or it can be written
 * and reads the same again. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/codec/utf8.h"
#include "bus/wire.h"

static void check_ready(struct text header)
{
    scoped(buf_free) struct buf again = BUF(1 << 16);
    struct wire_ready ready = { 0 };
    struct wire_ready second = { 0 };
    if (!wire_get_ready(header, &ready))
        return;
    assert(ready.tool_count <= WIRE_TOOLS_MAX);
    wire_put_ready(&again, &ready);
    assert(wire_get_ready(buf_text(&again), &second));
    assert(memcmp(&ready, &second, sizeof(ready)) == 0);
}

static void check_job(struct text header)
{
    scoped(buf_free) struct buf again = BUF(1 << 16);
    struct wire_job job = { 0 };
    struct wire_job second = { 0 };
    if (!wire_get_job(header, &job))
        return;
    wire_put_job(&again, &job);
    assert(wire_get_job(buf_text(&again), &second));
    assert(uuid_equal(&job.id, &second.id) && strcmp(job.tool, second.tool) == 0 &&
           strcmp(job.request_id, second.request_id) == 0 && job.budget_ms == second.budget_ms);
}

/* Becomes a header line or an error of the response. */
static void check_reply(struct text header)
{
    scoped(wire_reply_free) struct wire_reply reply = { 0 };
    if (!wire_get_reply(header, &reply))
        return;
    assert(reply.errs.count <= ERRS_MAX && reply.header_count <= WIRE_HEADERS_MAX);
    for (size_t i = 0; i < reply.errs.count; i++)
        assert(reply.errs.item[i].kind != ERR_NONE &&
               utf8_is_valid(text_of(reply.errs.item[i].message)));
    for (size_t i = 0; i < reply.header_count; i++)
        assert(!strpbrk(reply.header[i].name, "\r\n") && !strpbrk(reply.header[i].value, "\r\n"));
    assert(!strpbrk(reply.content_type, "\r\n"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text header = { (const char *)bytes, size };
    struct wire_welcome welcome;
    struct wire_heartbeat heartbeat;
    enum nack_reason reason = NACK_UNKNOWN;
    struct uuid id;
    uint32_t slots;

    check_ready(header);
    check_job(header);
    check_reply(header);
    if (wire_get_nack(header, &id, &reason))
        assert(reason <= NACK_UNKNOWN_TOOL);
    (void)wire_get_welcome(header, &welcome);
    (void)wire_get_credit(header, &slots);
    (void)wire_get_cancel(header, &id);
    (void)wire_get_heartbeat(header, &heartbeat);
    return 0;
}
