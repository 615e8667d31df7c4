/* svc-email/address/lookalike.c - the skeleton of a name: each letter becomes the ASCII letter that
 * it looks like. */
#include "address/lookalike.h"

#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/writing/chars.h"
#include "text/idn.h"

enum { NAME_BYTES = 1024, SKELETON_BYTES = 4096 };

/* Add the letter that people see, without marks, in lower case. */
static void add_letter(uint32_t code, struct buf *out)
{
    char ascii = char_confusable(code);
    if (uc_is_general_category_withtable(code, UC_CATEGORY_MASK_Mn))
        return;
    if (ascii)
        buf_add_byte(out, ascii_lower(ascii));
    else
        utf8_add(out, code);
}

static void write_skeleton(struct text name, struct buf *out)
{
    size_t size = 0;
    uint8_t *decomposed =
        u8_normalize(UNINORM_NFKD, (const uint8_t *)name.bytes, name.size, NULL, &size);
    struct text rest = { (const char *)decomposed, size };
    while (rest.size > 0) {
        size_t bytes;
        add_letter(utf8_next(rest, &bytes), out);
        rest = text_skip(rest, bytes);
    }
    mem_free(&decomposed);
}

const struct provider *lookalike_of(const struct knowledge *knowledge, const char *domain)
{
    scoped(buf_free) struct buf name = BUF(NAME_BYTES);
    scoped(buf_free) struct buf skeleton = BUF(SKELETON_BYTES);
    idn_to_unicode(domain, &name);
    if (name.full || !utf8_is_valid(buf_text(&name)))
        return NULL;
    write_skeleton(buf_text(&name), &skeleton);
    return strcmp(buf_str(&skeleton), domain) == 0
               ? NULL
               : providers_find(knowledge->providers, buf_str(&skeleton));
}
