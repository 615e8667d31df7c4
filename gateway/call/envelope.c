/* gateway/call/envelope.c - the envelope of all JSON responses. */
#include "gateway/call/envelope.h"

#include <assert.h>
#include <string.h>

#include "text/json.h"

void envelope_headers(struct buf *headers)
{
    buf_add_str(headers, "Content-Type: application/json\r\n"
                         "X-Content-Type-Options: nosniff\r\n"
                         "Cache-Control: no-store\r\n");
}

static const char before[] = "{\"result\":";
static const char behind[] = ",\"success\":true,\"errors\":[]}";

void envelope_result(struct buf *result)
{
    size_t size = strlen(before);
    if (!buf_reserve(result, size + strlen(behind)))
        return;
    memmove(result->bytes + size, result->bytes, result->size);
    memcpy(result->bytes, before, size);
    result->size += size;
    buf_add_str(result, behind);
}

struct text envelope_open(struct text envelope)
{
    size_t around = strlen(before) + strlen(behind);
    assert(envelope.size >= around);
    return (struct text){ envelope.bytes + strlen(before), envelope.size - around };
}

void envelope_errors(struct buf *out, const struct errs *errs)
{
    buf_add_str(out, "{\"result\":{},\"success\":false,\"errors\":[");
    for (size_t i = 0; i < errs->count; i++) {
        buf_format(out, "%s{\"code\":\"%s\",\"message\":", i > 0 ? "," : "",
                   err_code(errs->item[i].kind));
        json_print_text(text_of(errs->item[i].message), out);
        buf_add_byte(out, '}');
    }
    buf_add_str(out, "]}");
}
