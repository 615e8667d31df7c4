/*
 * svc-utils/jwt-decode/token/paste.h - finds the token in what people paste: a header field,
 * quotes, a callback URL, the JSON of a token endpoint, a line of a log.
 */
#pragma once

#include <stddef.h>

#include "base/text.h"

/* The texts are borrowed from the pasted one. */
struct token_paste {
    const char *form;  /* quotes, header, parameter, json or text; NULL: only the token was sent */
    struct text name;  /* of the header field, parameter or member; empty if there is none */
    struct text token; /* the whole text if it has no known form */
    size_t others;     /* more tokens, which are ignored; access_token is preferred */
};

void token_find_pasted(struct text text, struct token_paste *paste);
