/* common/text/language.h - language tags, by the shapes of BCP 47 (RFC 5646) and the
 * languages of ISO 639-1 and 639-2. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* A language, then perhaps a script, a region, variants and extensions, each in its shape. */
bool language_is_valid(struct text tag);

/* What hreflang may say: a language, perhaps a script, perhaps a region; or x-default. */
bool language_is_hreflang(struct text tag);
