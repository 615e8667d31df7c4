/*
 * portal/page/form.h - the fields of a form: application/x-www-form-urlencoded as browsers send it
 * (WHATWG URL, section 5.1). A page's query has the same format.
 *
 * Values are UTF-8 without NUL, and end with one. All of them are in one piece of memory, which
 * form_free() wipes, because forms contain passwords.
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

/* By value. A zero struct is an empty form. */
struct form {
    size_t count;
    struct form_field *field;
    char *bytes;
    size_t size;
};

/*
 * Decode a form. lists: names of the fields that may be repeated, separated by spaces ("" or NULL:
 * none). Errors: ERR_INVALID_VALUE for more than FORM_FIELDS_MAX fields, a repeated field, an
 * invalid escape, or text that is not UTF-8 or has a NUL; ERR_TOO_LONG above FORM_MAX_BYTES.
 */
bool form_parse(struct text encoded, const char *lists, struct form *form,
                struct err *err) must_check;
void form_free(struct form *form);

bool form_has(const struct form *form, const char *field);

/* The value of a field, "" if absent; of a list, the first. Borrowed from the form. */
const char *form_text(const struct form *form, const char *field);

/* Value i of a list, counted from 0; NULL past its end. */
const char *form_item(const struct form *form, const char *field, size_t i);
