/*
 * portal/playground/fields.h - a tool's request as a form for people, and what they typed as the
 * request that the gateway takes.
 *
 * What a field of the form is follows from its schema:
 *   a text (perhaps a number, too)  an input, above 200 characters a larger one; with an enum a
 * choice boolean                         a choice of the default, yes and no integer, number an
 * input for a number a list of texts                 one a line anything else JSON; where a text is
 * welcome too, what is no JSON is that text An optional field that is left empty is left out.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/err.h"
#include "svc/contract.h"

enum {
    FIELD_NAME_BYTES = 80,
    REQUEST_MAX_BYTES = 65536, /* web/http.h: what the gateway takes */
};

/* What was typed into the field of that name; NULL: nothing. */
typedef const char *typed_value(const void *form, const char *field);

/* The name of the input of a property: "v-input"; apart from the names that the page itself uses.
 */
void field_name_write(const char *property, char out[static FIELD_NAME_BYTES]);

/*
 * Append a model of pages/parts/field.html for each property, in the contract's order. Its value is
 * what value(form, name) gives, or with value NULL the contract's first example; required, and what
 * the first example uses, comes with is_first true, which pages show without being asked.
 */
void playground_fields(const struct contract *contract, typed_value *value, const void *form,
                       cJSON *list);

/*
 * The request of what was typed, an object for json_print() or query_of(), the caller's. Errors:
 * ERR_INVALID_JSON for a field that is to hold JSON and does not: *wrong is its property; the words
 * go beside it. Whether the request fits the contract is the gateway's to say.
 */
bool playground_request(const struct contract *contract, typed_value *value, const void *form,
                        cJSON **request, const char **wrong, struct err *err) must_check;

/* The property that a message of the gateway is about, by its beginning: "items[3] must …" is about
 * items; NULL: about none. Borrowed from the contract. */
const char *playground_property_of(const struct contract *contract, const char *message);
