/* gateway/http/ignored-fields.c - see ignored-fields.h. */
#include "gateway/http/ignored-fields.h"

#include <string.h>

enum {
    SHOWN_MAX = 8,
    LIST_MAX_BYTES = 1024,
    MORE_BYTES = 40, /* "...";more=N */
};

/* A string of RFC 9651, section 3.3.3; the text is printable ASCII. */
static void add_string(const char *text, struct buf *out)
{
    buf_add_byte(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_add_byte(out, '\\');
        buf_add_byte(out, *text);
    }
    buf_add_byte(out, '"');
}

static void add_field(const struct unknown_field *field, struct buf *out)
{
    add_string(field->path, out);
    if (field->did_you_mean) {
        buf_add_str(out, ";did_you_mean=");
        add_string(field->did_you_mean, out);
    }
}

void ignored_fields_write(const struct unknown_fields *unknown, struct buf *headers)
{
    scoped(buf_free) struct buf list = BUF(LIST_MAX_BYTES);
    scoped(buf_free) struct buf item = BUF(LIST_MAX_BYTES);
    size_t shown = 0;
    if (unknown->total == 0)
        return;
    for (; shown < unknown->count && shown < SHOWN_MAX; shown++) {
        buf_clear(&item);
        buf_add_str(&item, shown > 0 ? ", " : "");
        add_field(&unknown->item[shown], &item);
        if (list.size + item.size > LIST_MAX_BYTES - MORE_BYTES)
            break;
        buf_add(&list, item.bytes, item.size);
    }
    if (shown < unknown->total)
        buf_format(&list, "%s\"...\";more=%zu", shown > 0 ? ", " : "", unknown->total - shown);
    buf_format(headers, "X-Ignored-Fields: %s\r\n", buf_str(&list));
}
