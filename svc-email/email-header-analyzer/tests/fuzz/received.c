/* svc-email/email-header-analyzer/tests/fuzz/received.c - any text as a Received field gives
 * terminated strings and a valid date. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "email-header-analyzer/received.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(arena_free) struct arena arena = { 0 };
    scoped(mem_free) char *copy = mem_dup(bytes, size); /* a copy that ends with the input */
    struct hop hop;

    for (size_t i = 0; i < size; i++)
        if (copy[i] == '\0') /* fields.h: a value has no NUL */
            copy[i] = ' ';
    received_read((struct text){ copy, size }, &arena, &hop);
    assert(hop.form && strlen(hop.raw) <= size);
    assert(!hop.from || strlen(hop.from) > 0);
    assert(!hop.by || strlen(hop.by) > 0);
    assert(hop.date_fit == MAIL_DATE_NONE || hop.date_raw);
    assert(hop.parse_ok == (strcmp(hop.form, "unparsed") != 0));
    return 0;
}
