/* svc-security/tls-check/tests/fuzz/tls-starttls.c - process any bytes of a mail server: the pieces
 * do not change replies and result, and replies are only our own commands. */
#include <assert.h>
#include <string.h>

#include "target.h"
#include "tls-check/scan/starttls.h"

static enum starttls_state hear(enum starttls kind, struct text text, size_t at_once,
                                struct buf *said)
{
    struct starttls_talk talk = { .kind = kind };
    enum starttls_state state = STARTTLS_TALKS;
    for (size_t i = 0; i < text.size && state == STARTTLS_TALKS; i += at_once) {
        size_t size = text.size - i < at_once ? text.size - i : at_once;
        state = starttls_feed(&talk, (struct text){ text.bytes + i, size }, said);
    }
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    struct text text = { (const char *)bytes + 2, size - 2 };
    enum starttls kind = (enum starttls)(STARTTLS_SMTP + bytes[0] % 3);
    scoped(buf_free) struct buf whole = BUF(STARTTLS_SAID_BYTES);
    scoped(buf_free) struct buf pieces = BUF(STARTTLS_SAID_BYTES);

    enum starttls_state state = hear(kind, text, size, &whole);
    assert(hear(kind, text, 1u + bytes[1], &pieces) == state);
    assert(strcmp(buf_str(&whole), buf_str(&pieces)) == 0 && !whole.full);
    return 0;
}
