/*
 * portal/page/field.h - the fields of a form (pages/parts/field.html). After an error they keep
 * what was typed, except passwords and codes, and show the error.
 */
#pragma once

#include "portal/page/visit.h"

struct field {
    const char *name;
    const char *label;
    const char *type;         /* of the input: "text", "email", "password", "checkbox" … */
    const char *autocomplete; /* WHATWG HTML, section 4.10.18.7; or NULL */
    const char *hint;         /* or NULL */
    int max;                  /* code points, for the browser; 0: no limit */
    bool is_optional;
};

/* Add `fields`, a list, to a model. */
void fields_add(const struct visit *visit, const struct field *fields, size_t count, cJSON *model);

/* One field as {"name","label","type","value","hint","error","autocomplete","max","is_required",
 * "is_checkbox","is_checked"}, with this value (NULL: what was typed). The caller frees it. */
cJSON *field_model(const struct visit *visit, const struct field *field, const char *value);

/* Add an option of a select to its list. */
void option_add(cJSON *options, const char *value, const char *label, const char *chosen);
