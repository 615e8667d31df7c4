/* common/text/idn.c - internationalised domain names, by libidn2: what libcurl uses for the same,
 * but here without a look at the process's locale. */
#include "text/idn.h"

#include <idn2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static void free_idn(char **text)
{
    idn2_free(*text);
    *text = NULL;
}

bool idn_to_ascii(struct text name, struct buf *out)
{
    scoped(mem_free) char *input = NULL;
    scoped(free_idn) char *ascii = NULL;
    if (memchr(name.bytes, '\0', name.size) || !utf8_is_valid(name))
        return false;
    input = mem_dup(name.bytes, name.size);
    if (idn2_to_ascii_8z(input, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) != IDN2_OK)
        return false;
    return buf_add_str(out, ascii);
}

void idn_to_unicode(const char *name, struct buf *out)
{
    scoped(free_idn) char *unicode = NULL;
    bool ok = idn2_to_unicode_8z8z(name, &unicode, 0) == IDN2_OK;
    buf_add_str(out, ok ? unicode : name);
}
