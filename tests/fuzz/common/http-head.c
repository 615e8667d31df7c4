/* tests/fuzz/common/http-head.c - headers of HTTP responses, a line at a time: within limits, and
 * every name and value a separate C string. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"
#include "net/http/head.h"

static void check_hop(const struct fetch_hop *hop)
{
    size_t total = 0;
    assert(hop->header_count <= FETCH_HEADER_LINES);
    for (size_t i = 0; i < hop->header_count; i++) {
        const struct fetch_header *header = &hop->header[i];
        assert(header->name.size > 0 && strlen(header->name.bytes) == header->name.size);
        assert(strlen(header->value.bytes) == header->value.size);
        assert(!strpbrk(header->value.bytes, "\r\n") && !strpbrk(header->name.bytes, "\r\n"));
        assert(fetch_header(hop, header->name.bytes));
        total += header->name.size + header->value.size;
    }
    assert(total <= FETCH_HEADER_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(head_free) struct head head = { 0 };
    scoped(fetch_free) struct fetch fetch = { 0 };
    const char *at = (const char *)bytes;
    while (size > 0) {
        const char *end = memchr(at, '\n', size);
        size_t line = end ? (size_t)(end - at) + 1 : size;
        if (!head_add(&head, (struct text){ at, line }))
            return 0;
        at += line;
        size -= line;
    }
    if (!head.is_complete)
        return 0;
    assert(head.status >= 200 && head.status <= 999 && head.http_version);
    bool is_redirect = head_is_redirect(&head);
    fetch.hop_count = 1;
    head_take(&head, &fetch.hop[0]);
    check_hop(&fetch.hop[0]);
    assert(is_redirect ==
           (fetch_is_redirect(fetch.hop[0].status) && fetch_header(&fetch.hop[0], "Location")));
    return 0;
}
