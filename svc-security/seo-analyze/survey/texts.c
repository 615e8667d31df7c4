/* svc-security/seo-analyze/survey/texts.c - copy texts of a page. */
#include "scan.h"

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/text.h"

char *scan_dup(struct text text)
{
    text = survey_is_blank(text) ? TEXT("") : utf8_cut(page_trim(text), SCAN_TEXT_BYTES);
    return mem_dup(text.bytes, text.size);
}

void scan_add(struct buf *buf, struct text text)
{
    text = utf8_cut(text, buf->max_bytes - buf->size);
    buf_add(buf, text.bytes, text.size);
}

void scan_keep(char **place, struct text text)
{
    if (!*place)
        *place = scan_dup(text);
}
