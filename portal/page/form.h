/*
 * portal/page/form.h - the fields of a form: application/x-www-form-urlencoded as browsers send it
 * (WHATWG URL, section 5.1), and the query of a page, which has the same form.
 *
 * Values are UTF-8 without NUL, each followed by one. All of it lies in one piece of memory, which
 * form_free() wipes: forms hold passwords.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

enum { FORM_FIELDS_MAX = 100, FORM_MAX_BYTES = 64 << 10 };

struct form_field {
    const char *name;
    const char *value;
};

/* By value; a zero struct is an empty form. */
struct form {
    size_t count;
    struct form_field *field;
    char *bytes;
    size_t size;
};

/*
 * Decode a form. lists names the fields that may stand in it more than once, with blanks between
 * them ("" or NULL: none). Errors: ERR_INVALID_VALUE for more than FORM_FIELDS_MAX fields, a field
 * that is repeated, escapes that are none, and text that is not UTF-8 or holds NUL; ERR_TOO_LONG
 * above FORM_MAX_BYTES. The sentence is for who made the form.
 */
bool form_parse(struct text encoded, const char *lists, struct form *form,
                struct err *err) must_check;
void form_free(struct form *form);

bool form_has(const struct form *form, const char *field);

/* The value of a field, "" when it is absent; of a list, the first. Borrowed from the form. */
const char *form_text(const struct form *form, const char *field);

/* Value i of a list, counted from 0; NULL past its end. */
const char *form_item(const struct form *form, const char *field, size_t i);
