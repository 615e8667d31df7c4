/* portal/page/form.c - see form.h. */
#include "portal/page/form.h"

#include <string.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"

/* ---- one field ---- */

/* Decode in place, which never grows, and add a NUL. *to moves past it. */
static bool decode(struct text encoded, char **to, struct err *err)
{
    char *start = *to;
    char *out = start;
    for (size_t i = 0; i < encoded.size; i++) {
        char byte = encoded.bytes[i];
        if (byte == '%') {
            int high = i + 2 < encoded.size ? hex_digit(encoded.bytes[i + 1]) : -1;
            int low = i + 2 < encoded.size ? hex_digit(encoded.bytes[i + 2]) : -1;
            if (high < 0 || low < 0)
                return err_set(err, ERR_INVALID_VALUE, "the form has an invalid percent-encoding");
            byte = (char)(high << 4 | low);
            i += 2;
        } else if (byte == '+') {
            byte = ' ';
        }
        *out++ = byte;
    }
    struct text text = { start, (size_t)(out - start) };
    if (memchr(start, '\0', text.size) || !utf8_is_valid(text))
        return err_set(err, ERR_INVALID_VALUE, "the form is not UTF-8, or contains U+0000");
    *out++ = '\0';
    *to = out;
    return true;
}

static bool is_list(const char *lists, const char *name)
{
    struct text rest = text_of(lists);
    while (rest.size > 0)
        if (text_is(text_cut(&rest, ' '), name))
            return true;
    return false;
}

static bool add_field(struct form *form, struct text pair, const char *lists, char **to,
                      struct err *err)
{
    if (form->count == FORM_FIELDS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "the form has more than %d fields", FORM_FIELDS_MAX);
    struct form_field field = { .name = *to };
    struct text name = text_cut(&pair, '=');
    if (!decode(name, to, err))
        return false;
    field.value = *to;
    if (!decode(pair, to, err))
        return false;
    if (form_has(form, field.name) && !is_list(lists, field.name))
        return err_set(err, ERR_INVALID_VALUE, "the form has a field twice");
    form->field[form->count++] = field;
    return true;
}

/* ---- all fields ---- */

bool form_parse(struct text encoded, const char *lists, struct form *form, struct err *err)
{
    scoped(form_free) struct form parsed = { 0 };
    if (encoded.size > FORM_MAX_BYTES)
        return err_set(err, ERR_TOO_LONG, "the form is larger than %d bytes", FORM_MAX_BYTES);
    /* one NUL more than there were separators, for each field's name and value */
    parsed.size = encoded.size + 2 * (FORM_FIELDS_MAX + 1);
    parsed.bytes = mem_new(parsed.size);
    parsed.field = mem_array(FORM_FIELDS_MAX, sizeof(*parsed.field));
    char *to = parsed.bytes;
    while (encoded.size > 0) {
        struct text pair = text_cut(&encoded, '&');
        if (pair.size > 0 && !add_field(&parsed, pair, lists, &to, err))
            return false;
    }
    *form = parsed;
    parsed = (struct form){ 0 };
    return true;
}

void form_free(struct form *form)
{
    if (form->bytes)
        explicit_bzero(form->bytes, form->size);
    mem_free(&form->bytes);
    mem_free(&form->field);
    *form = (struct form){ 0 };
}

/* ---- reading it ---- */

const char *form_item(const struct form *form, const char *field, size_t i)
{
    for (size_t at = 0; at < form->count; at++)
        if (strcmp(form->field[at].name, field) == 0 && i-- == 0)
            return form->field[at].value;
    return NULL;
}

bool form_has(const struct form *form, const char *field)
{
    return form_item(form, field, 0) != NULL;
}

const char *form_text(const struct form *form, const char *field)
{
    const char *value = form_item(form, field, 0);
    return value ? value : "";
}
