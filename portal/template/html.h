/*
 * portal/template/html.h - where in a page's markup a byte stands, as a browser's tokenizer sees it
 * (HTML Living Standard section 13.2.5), so that a value is escaped for its place or refused.
 *
 * Only what templates need is understood; all else, however legal, is refused, because what is not
 * understood cannot be escaped for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum html_where {
    HTML_TEXT,        /* of an element */
    HTML_OPEN,        /* behind < */
    HTML_DECLARATION, /* behind <! */
    HTML_TAG_NAME,
    HTML_BETWEEN, /* in a tag, where an attribute may begin */
    HTML_NAME,    /* of an attribute */
    HTML_VALUE,   /* behind its = */
    HTML_QUOTED,  /* in its value */
    HTML_UNQUOTED,
};

enum html_place {
    PLACE_TEXT,      /* of a mail: nothing is escaped */
    PLACE_ELEMENT,   /* text of an element */
    PLACE_ATTRIBUTE, /* quoted value */
    PLACE_URL,       /* a part of an address */
    PLACE_HTTPS,     /* a whole address, or its beginning */
};

enum { HTML_WORD_BYTES = 24 };

/* Zero is the beginning of a page. */
struct html {
    enum html_where where;
    bool is_end_tag;
    bool needs_gap;  /* a name ended at a section: nothing may lengthen it */
    bool has_origin; /* a checked https URL began this value */
    char quote;
    char
        inside[HTML_WORD_BYTES]; /* the element whose text is not markup: title, textarea, script */
    char tag[HTML_WORD_BYTES];   /* in small letters */
    char name[HTML_WORD_BYTES];  /* of the attribute, likewise */
    char value[HTML_WORD_BYTES]; /* its first bytes */
};

/* Go through literal bytes. When something in them is refused: false, *at is where, *why says what
 * in a few words that live for ever. */
bool html_feed(struct html *html, struct text literal, size_t *at, const char **why) must_check;

/* May a value stand here, and as what? The markup goes on as behind the value. */
bool html_place(struct html *html, enum html_place *place, const char **why) must_check;

/* May a section begin or end here? A name that was being read is over. */
bool html_section(struct html *html, const char **why) must_check;

/* At the end of a section: is it where it began? Then both ways go on from here. */
bool html_join(struct html *html, const struct html *begin);

/* May a page end here, or another template be put in? */
bool html_is_plain_text(const struct html *html);
