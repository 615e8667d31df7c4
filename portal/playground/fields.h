/*
 * portal/playground/fields.h - a tool's request as a form, and the typed values as the request for
 * the gateway.
 *
 * The kind of a field follows from its schema:
 *
 *     a text (or text and number)  an input; with `multiline` a text area; with an enum or
 *                                  `choices` a choice
 *     boolean                      a choice: default, yes, no
 *     integer, number              an input for a number
 *     a list of texts              a text area with one item per line
 *     anything else                JSON; if a text is allowed too, other input is that text
 *
 * Empty optional fields are omitted.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/err.h"
#include "svc/contract.h"

enum {
    FIELD_NAME_BYTES = 80,
    REQUEST_MAX_BYTES = 65536, /* the gateway's limit: web/http.h */
};

/* The typed value of a field, or NULL. */
typedef const char *typed_value(const void *form, const char *field);

/* The input's name of a property: "v-input". The prefix keeps it apart from the page's own fields.
 */
void field_name_write(const char *property, char out[static FIELD_NAME_BYTES]);

/*
 * Append a model of pages/parts/field.html for each property, in the contract's order. Its value is
 * value(form, name); with value NULL, the contract's first example. is_first is true for required
 * fields and for those of the first example: pages always show them.
 */
void playground_fields(const struct contract *contract, typed_value *value, const void *form,
                       cJSON *list);

/*
 * Make the request from the typed values: an object for json_print() or query_of(), which the
 * caller frees. Errors: ERR_INVALID_JSON for a field that must contain JSON: *wrong is its
 * property. The gateway validates the request.
 */
bool playground_request(const struct contract *contract, typed_value *value, const void *form,
                        cJSON **request, const char **wrong, struct err *err) must_check;

/* The property that a gateway message begins with: "items[3] must …" is about items; or NULL.
 * Borrowed from the contract. */
const char *playground_property_of(const struct contract *contract, const char *message);
