/*
 * portal/page/field.h - the fields of a form as pages show them (pages/parts/field.html): what was
 * typed stands in them again, but passwords and codes, with what is wrong beside it.
 */
#pragma once

#include "portal/page/visit.h"

struct field {
    const char *name;
    const char *label;
    const char *type;         /* of the input: "text", "email", "password", "checkbox" … */
    const char *autocomplete; /* WHATWG HTML, section 4.10.18.7; NULL: none */
    const char *hint;         /* NULL: none */
    int max;                  /* code points, told to browsers; 0: not told */
    bool is_optional;
};

/* Add `fields`, a list, to a model. */
void fields_add(const struct visit *visit, const struct field *fields, size_t count, cJSON *model);

/* One of them, {"name","label","type","value","hint","error","autocomplete","max","is_required",
 * "is_checkbox","is_checked"}, with another value than was typed (NULL: what was typed). The
 * caller's. */
cJSON *field_model(const struct visit *visit, const struct field *field, const char *value);

/* Add an option of a select to its list. */
void option_add(cJSON *options, const char *value, const char *label, const char *chosen);
