/* svc-ai/schema/format.h - what `format` of a schema asks of a text. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* date, date-time and time by RFC 3339; email by RFC 5321's dot-string and a domain; uri by RFC
 * 3986's scheme, http and https as they can be fetched; uuid by RFC 9562; ipv4, ipv6. False also
 * for an unknown format. */
bool format_fits(const char *format, struct text text);

bool format_is_known(const char *format);
