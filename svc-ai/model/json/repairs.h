/*
 * svc-ai/model/json/repairs.h - what a repair of a model's JSON changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { REPAIR_DEPTH = 32, REPAIRS_MAX = 50, REPAIR_PATH_BYTES = 100 };

/* Their words for customers are in repair_word(). */
enum repair_kind {
    REPAIR_TEXT_AROUND, /* text around the JSON */
    REPAIR_WRAPPED,     /* JSON in a string, in a list of one, or in a member such as result */
    REPAIR_COMMENT,     /* //, slash and star, # */
    REPAIR_BLANK,       /* a blank that JSON does not know, such as U+3000 */
    REPAIR_QUOTE,       /* single, typographic and back quotes, or none around a name or word */
    REPAIR_INNER_QUOTE, /* a quote inside a string without a backslash */
    REPAIR_ESCAPE,      /* an invalid escape, a raw control character, or one without need */
    REPAIR_JOINED,      /* strings joined with + */
    REPAIR_WORD,        /* True, None, undefined, NaN … */
    REPAIR_NUMBER,      /* .5, 5., +5 */
    REPAIR_CALL,        /* a function's argument, as in ObjectId("1") */
    REPAIR_COMMA,       /* a missing or additional one */
    REPAIR_COLON,       /* a missing one, = or => */
    REPAIR_BRACKET,     /* one of the wrong kind, or one too many */
    REPAIR_NO_VALUE,    /* null for a missing value */
    REPAIR_REPEATED,    /* of several members with one name the last stays */
};

const char *repair_word(enum repair_kind kind);

struct repair {
    char path[REPAIR_PATH_BYTES]; /* like items[0].price; empty at the top */
    enum repair_kind kind;
};

/* What was changed, and whether the outcome can be trusted. Zero means nothing. */
struct repairs {
    size_t count;
    struct repair item[REPAIRS_MAX]; /* further ones are not listed */
    bool is_cut;                     /* the text ended inside something, which is missing */
    bool is_joined;                  /* of members around a bracket that was skipped */
    bool is_guess;                   /* the text may also mean something else, as 1,250.00 does */
};

void repairs_add(struct repairs *repairs, enum repair_kind kind, struct text path);
