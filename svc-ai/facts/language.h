/* svc-ai/facts/language.h - languages as customers and models name them: BCP 47 tags (RFC 5646) or
 * English names. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum { LANGUAGE_BYTES = 36 /* a tag of 35 characters, as RFC 5646 section 4.4.1 asks for */ };

struct language {
    char tag[LANGUAGE_BYTES]; /* "de", "pt-BR", "zh-Hant-TW": in the case of RFC 5646 section 2.1.1
                               */
    const char *name;         /* of the language alone; the tag when it has none here; may point
                               * into this struct, so copies are made by language_read() */
};

/* A tag, with - or _, or a name as language.def has it; case and blanks around it do not matter.
 * False for anything else, and then *language is left alone. */
bool language_read(struct text text, struct language *language) must_check;

/* Its English name, of the whole tag or else of the language alone; the tag when it has none. */
const char *language_name(const struct language *language);

/* The same as language_read() for the field of a request. Errors: ERR_INVALID_LANGUAGE. */
bool language_field(const char *field, struct text text, struct language *language,
                    struct err *err) must_check;

/* Do both begin with the same language, and has neither a script or region that the other
 * contradicts? "en" and "en-US" are the same, "en-GB" and "en-US" are not. */
bool language_same(const struct language *a, const struct language *b);

/* The script that most letters are of: "Latin", "Cyrillic"; NULL when there is no letter. */
const char *language_script(struct text text);
