/* svc-ai/schema/format.h - check texts against `format` of a schema. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Formats: date, date-time and time (RFC 3339); email (RFC 5321 dot-string and a domain); uri (RFC
 * 3986 scheme; http and https must be fetchable); uuid (RFC 9562); ipv4, ipv6. An unknown format is
 * false. */
bool format_fits(const char *format, struct text text);

bool format_is_known(const char *format);
