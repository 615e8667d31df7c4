/*
 * portal/template/html.h - tracks the position in a page's markup like a browser's tokenizer (HTML
 * Living Standard section 13.2.5), so that each value is escaped for its place, or rejected.
 *
 * It understands only what the templates need. It rejects everything else, even if it is valid
 * HTML, because it cannot escape a value in markup that it does not understand.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum html_where {
    HTML_TEXT,        /* text of an element */
    HTML_OPEN,        /* after < */
    HTML_DECLARATION, /* after <! */
    HTML_TAG_NAME,
    HTML_BETWEEN, /* in a tag, before an attribute */
    HTML_NAME,    /* in an attribute's name */
    HTML_VALUE,   /* after its = */
    HTML_QUOTED,  /* in its value */
    HTML_UNQUOTED,
};

enum html_place {
    PLACE_TEXT,      /* in a text email: not escaped */
    PLACE_ELEMENT,   /* text of an element */
    PLACE_ATTRIBUTE, /* a quoted value */
    PLACE_URL,       /* a part of an address */
    PLACE_HTTPS,     /* a whole address, or its beginning */
    PLACE_REFRESH,   /* the address of <meta http-equiv="refresh">: only from template_redirect() */
};

enum { HTML_WORD_BYTES = 24, HTML_VALUE_BYTES = 64 };

/* A zero struct is the beginning of a page. */
struct html {
    enum html_where where;
    bool is_end_tag;
    bool is_sandboxed; /* the <iframe> has sandbox="" */
    bool needs_gap;    /* a name ended at a section: a space must follow */
    bool has_origin;   /* the value begins with a checked https URL */
    char quote;
    char inside[HTML_WORD_BYTES]; /* the element whose content is text: title, textarea, script */
    char tag[HTML_WORD_BYTES];    /* in lower case */
    char name[HTML_WORD_BYTES];   /* of the attribute, in lower case */
    char value[HTML_VALUE_BYTES]; /* its first bytes */
};

/* Process literal bytes. False: markup was rejected; *at is its position, *why the reason in a few
 * words (a static string). */
bool html_feed(struct html *html, struct text literal, size_t *at, const char **why) must_check;

/* Is a value allowed here, and in which place? The state continues after the value. */
bool html_place(struct html *html, enum html_place *place, const char **why) must_check;

/* May a section begin or end here? A name that is being read ends. */
bool html_section(struct html *html, const char **why) must_check;

/* At the end of a section: is the state the same as at its beginning? Then both branches continue
 * from here. */
bool html_join(struct html *html, const struct html *begin);

/* May the page end here, or another template be included? */
bool html_is_plain_text(const struct html *html);
