/* common/text/language.h - language tags, by the shapes of BCP 47 (RFC 5646) and the languages of
 * ISO 639-1 and 639-2. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* A language, then optional script, region, variants and extensions, each in its form. */
bool language_is_valid(struct text tag);

/* Is it valid for hreflang: a language, optional script, optional region of ISO 3166-1 or number of
 * UN M.49; or x-default? */
bool language_is_hreflang(struct text tag);
