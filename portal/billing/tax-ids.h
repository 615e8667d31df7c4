/*
 * portal/billing/tax-ids.h - tax numbers of companies: types and forms (tax-ids.def). No check
 * digit is computed. portal/payments/tax-checks.h asks registers.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "text/conf.h"

enum { TAX_ID_MAX_BYTES = 40 };

/* Are registers asked, through the payment processor? */
bool tax_ids_are_checked(const struct conf *conf);

/* "EU VAT number", or NULL if the type is unknown. */
const char *tax_id_label(const char *type);

/* Add each type, and an empty choice first, to the options of a select. */
void tax_id_options(cJSON *options, const char *chosen);

/*
 * Append a number as it is stored: capitals, without the blanks and signs that people type. False:
 * it does not have the form of its type; out is then unchanged. Numbers of the type `other` only
 * need one character.
 */
bool tax_id_read(const char *type, struct text typed, struct buf *out) must_check;

/* An example of the type, and for an EU VAT number the state that it begins with, or that of the
 * country. *state NULL: no state is known. */
struct tax_id_hint {
    const char *state; /* ISO 3166-1 */
    const char *example;
};
struct tax_id_hint tax_id_hint(const char *type, struct text typed, const char *country);
