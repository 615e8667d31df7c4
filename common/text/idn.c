/* common/text/idn.c - internationalised domain names, by libidn2: what libcurl uses for the same,
 * but here without a look at the process's locale. */
#include "text/idn.h"

#include <idn2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/text.h"

static void free_idn(char **text)
{
    idn2_free(*text);
    *text = NULL;
}

/* Bytes of a full stop (UTS 46 section 2.3) at the start of text; 0: none is there. */
static size_t dot_bytes(struct text text)
{
    static const char *const dots[] = { ".", "\u3002", "\uff0e", "\uff61" };
    for (size_t i = 0; i < countof(dots); i++) {
        size_t size = strlen(dots[i]);
        if (text.size >= size && memcmp(text.bytes, dots[i], size) == 0)
            return size;
    }
    return 0;
}

/* Labels alone, because libidn2 refuses names as ab--c.example for their hyphens (IDNA2008), which
 * are names all the same. */
static bool add_label(struct text label, struct buf *out)
{
    scoped(mem_free) char *input = NULL;
    scoped(free_idn) char *ascii = NULL;
    bool is_encoded = label.size >= 4 && strncasecmp(label.bytes, "xn--", 4) == 0;
    if (text_is_ascii(label) && !is_encoded) {
        buf_add_lower(out, label);
        return true;
    }
    input = mem_dup(label.bytes, label.size);
    if (idn2_to_ascii_8z(input, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) != IDN2_OK)
        return false;
    buf_add_str(out, ascii);
    return true;
}

bool idn_to_ascii(struct text name, struct buf *out)
{
    size_t begin = 0;
    if (memchr(name.bytes, '\0', name.size) || !utf8_is_valid(name))
        return false;
    for (size_t at = 0; at <= name.size;) {
        size_t dot = dot_bytes((struct text){ name.bytes + at, name.size - at });
        if (!dot && at < name.size) {
            at++;
            continue;
        }
        if (!add_label((struct text){ name.bytes + begin, at - begin }, out))
            return false;
        if (dot)
            buf_add_byte(out, '.');
        at += dot + (at == name.size);
        begin = at;
    }
    return !out->full;
}

void idn_to_unicode(const char *name, struct buf *out)
{
    scoped(free_idn) char *unicode = NULL;
    bool ok = idn2_to_unicode_8z8z(name, &unicode, 0) == IDN2_OK;
    buf_add_str(out, ok ? unicode : name);
}
