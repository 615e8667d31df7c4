/*
 * common/text/idn.c - internationalized domain names with libidn2. libcurl uses it too; here it
 * does not depend on the process's locale.
 */
#include "text/idn.h"

#include <idn2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/text.h"
#include "text/idn-symbols.h"

/* Of a label in code points and in octets; a code point takes at most four bytes. */
enum { IDN_LABEL_BYTES = 64 };

static void free_idn(char **text)
{
    idn2_free(*text);
    *text = NULL;
}

/* Bytes of a full stop (UTS 46 section 2.3) at the start of text; 0: none. */
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

/* With libidn2: mapped, checked, encoded. NULL: not allowed. */
static char *encode_by_library(const char *label)
{
    char *ascii = NULL;
    const int flags = IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL;
    return idn2_to_ascii_8z(label, &ascii, flags) == IDN2_OK ? ascii : NULL;
}

/* ---- differences of libidn2 from the current UTS 46 ---- */

#define CAPITAL_SHARP_S                                                      \
    "\u1E9E" /* since revision 31 it maps to the lowercase letter, not to ss \
              */
#define SMALL_SHARP_S "\u00DF"
#define EMOJI_STYLE   "\uFE0F" /* a selector, which is ignored */

/* A label without capital sharp s and selectors; true if it contains symbols. */
static bool prepare_label(struct text label, struct buf *out)
{
    bool has_symbol = false;
    while (label.size > 0) {
        size_t bytes;
        uint32_t point = utf8_next(label, &bytes);
        has_symbol |= idn_is_symbol(point);
        if (text_begins(label, CAPITAL_SHARP_S))
            buf_add_str(out, SMALL_SHARP_S);
        else if (!text_begins(label, EMOJI_STYLE))
            buf_add(out, label.bytes, bytes);
        label = (struct text){ label.bytes + bytes, label.size - bytes };
    }
    return has_symbol;
}

static bool is_ldh(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
                    text.bytes[i]))
            return false;
    return true;
}

/* The text between symbols, as mapped by libidn2. */
static bool map_run(struct text run, struct buf *out)
{
    scoped(mem_free) char *copy = mem_dup(run.size ? run.bytes : "", run.size);
    scoped(free_idn) char *ascii = NULL;
    scoped(free_idn) char *mapped = NULL;
    if (run.size == 0)
        return true;
    if (text_is_ascii(run))
        return is_ldh(run) && buf_add_lower(out, run);
    ascii = encode_by_library(copy);
    return ascii && idn2_to_unicode_8z8z(ascii, &mapped, 0) == IDN2_OK && buf_add_str(out, mapped);
}

static bool add_with_symbols(struct text label, struct buf *out)
{
    scoped(buf_free) struct buf mapped = BUF(4 * IDN_LABEL_BYTES);
    size_t run = 0;
    for (size_t at = 0; at < label.size;) {
        size_t bytes;
        bool is_symbol =
            idn_is_symbol(utf8_next((struct text){ label.bytes + at, label.size - at }, &bytes));
        if (is_symbol && (!map_run((struct text){ label.bytes + run, at - run }, &mapped) ||
                          !buf_add(&mapped, label.bytes + at, bytes)))
            return false;
        at += bytes;
        run = is_symbol ? at : run;
    }
    return map_run((struct text){ label.bytes + run, label.size - run }, &mapped) &&
           idn_encode(buf_text(&mapped), out);
}

/* Is it the A-label of symbols, which libidn2 rejects? */
static bool is_of_symbols(const char *label)
{
    scoped(free_idn) char *unicode = NULL;
    scoped(buf_free) struct buf plain = BUF(4 * IDN_LABEL_BYTES);
    scoped(buf_free) struct buf again = BUF(IDN_LABEL_BYTES);
    return idn2_to_unicode_8z8z(label, &unicode, 0) == IDN2_OK &&
           prepare_label(text_of(unicode), &plain) && add_with_symbols(buf_text(&plain), &again) &&
           strcasecmp(buf_str(&again), label) == 0;
}

/* ---- names ---- */

/* Label by label, because libidn2 rejects valid names such as ab--c.example because of their
 * hyphens (IDNA2008). */
static bool add_label(struct text label, struct buf *out)
{
    scoped(buf_free) struct buf prepared = BUF(4 * IDN_LABEL_BYTES);
    scoped(free_idn) char *ascii = NULL;
    bool is_encoded = label.size >= 4 && strncasecmp(label.bytes, "xn--", 4) == 0;
    if (text_is_ascii(label) && !is_encoded) {
        buf_add_lower(out, label);
        return true;
    }
    if (label.size > 4 * IDN_LABEL_BYTES)
        return false;
    if (prepare_label(label, &prepared))
        return add_with_symbols(buf_text(&prepared), out);
    ascii = encode_by_library(buf_str(&prepared));
    if (!ascii && is_encoded && is_of_symbols(buf_str(&prepared)))
        return buf_add_lower(out, buf_text(&prepared));
    return ascii && buf_add_str(out, ascii);
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
