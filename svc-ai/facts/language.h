/* svc-ai/facts/language.h - names of languages in requests and answers: BCP 47 tags (RFC 5646) or
 * English names. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum { LANGUAGE_BYTES = 36 /* a tag of 35 characters (RFC 5646 section 4.4.1) */ };

struct language {
    char tag[LANGUAGE_BYTES]; /* "de", "pt-BR", "zh-Hant-TW": in the case of RFC 5646 section
                               * 2.1.1 */
    const char *name;         /* English name of the language, or its tag if unknown. May point into
                               * this struct, so copy it only with language_read() */
};

/* Read a tag, with - or _, or a name of language.def. Ignores case and blanks around it. On false
 * *language is unchanged. */
bool language_read(struct text text, struct language *language) must_check;

/* The English name of the whole tag, otherwise of the language, otherwise the tag. */
const char *language_name(const struct language *language);

/* language_read() for a field of a request. Errors: ERR_INVALID_LANGUAGE. */
bool language_field(const char *field, struct text text, struct language *language,
                    struct err *err) must_check;

/* Whether both have the same language, and no different scripts or regions. "en" and "en-US" are
 * the same, "en-GB" and "en-US" are not. */
bool language_same(const struct language *a, const struct language *b);

/* The script of most letters: "Latin", "Cyrillic"; NULL without letters. */
const char *language_script(struct text text);
