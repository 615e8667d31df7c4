/*
 * portal/usage/csv.h - comma-separated values (RFC 4180) that spreadsheets open safely.
 */
#pragma once

#include "base/buf.h"

/*
 * Append one field, with a comma before it unless it is the first of its line. A field with a
 * comma, quote, CR or LF is quoted (section 2, rules 5 to 7). A field that begins with = + - @, tab
 * or CR gets a leading ', so that spreadsheets do not read it as a formula (OWASP, CSV Injection).
 */
void csv_text(struct buf *out, struct text value);

/* The same for a number from the portal, which may begin with a minus. */
void csv_number(struct buf *out, struct text digits);

/* End the line with CR LF (rule 1). */
void csv_end(struct buf *out);
