/*
 * portal/usage/csv.h - comma-separated values (RFC 4180) that spreadsheets open safely.
 */
#pragma once

#include "base/buf.h"

/*
 * Append one field, and the comma before it unless it is the first of its line: after nothing or
 * after CR LF. A field with a comma, quote, CR or LF is quoted (section 2, rules 5 to 7). What
 * begins with = + - @, tab or CR gets a leading ': a spreadsheet would take it for a formula
 * (OWASP, CSV Injection).
 */
void csv_text(struct buf *out, struct text value);

/* The same for a value of ours that is a number and may begin with a minus. */
void csv_number(struct buf *out, struct text digits);

/* End the line by CR LF (rule 1). */
void csv_end(struct buf *out);
