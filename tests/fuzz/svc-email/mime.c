/* tests/fuzz/svc-email/mime.c - any bytes as a message: parts in UTF-8, within their limits. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/codec/utf8.h"
#include "message/mime.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text message = { size > 0 ? (const char *)bytes : "", size };
    struct mime mime;

    (void)mime_is_message(message);
    mime_read(message, &mime);
    assert(utf8_is_valid(buf_text(&mime.text)) && utf8_is_valid(buf_text(&mime.html)));
    assert(!mime.text.full && !mime.html.full);
    assert(mime.attachment_count <= MIME_ATTACHMENTS_MAX);
    for (size_t i = 0; i < mime.attachment_count; i++)
        assert(utf8_is_valid(text_of(mime.attachment[i])));
    mime_free(&mime);
    return 0;
}
