/* tests/fuzz/portal/cookie.c - any text as a Cookie header: a value that is found in it is set
 * again unchanged. */
#include "portal/session/cookie.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *header = mem_dup(bytes, size);
    scoped(buf_free) struct buf set = BUF(512);
    uint8_t value[COOKIE_BYTES];
    if (!cookie_find(header, COOKIE_SESSION, value))
        return 0;
    cookie_set(&set, COOKIE_SESSION, value, 0);
    struct text pair = buf_text(&set);
    text_cut(&pair, ' '); /* Set-Cookie: */
    pair = text_cut(&pair, ';');
    scoped(mem_free) char *wanted = mem_dup(pair.bytes, pair.size);
    assert(strstr(header, wanted));
    return 0;
}
