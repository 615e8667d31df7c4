/*
 * common/probe/page.h - read a web page's markup as a browser's tokenizer does (HTML standard,
 * section 13.2.5): any bytes are a page, nothing is an error.
 *
 *     scoped(page_free) struct page *page = page_new(body, "text/html; charset=utf-8");
 *     scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
 *     struct page_token token;
 *     while (page_next(reader, &token))
 *         if (page_opens(&token, "script"))
 *             look_at(page_attribute(&token, "src"), page_attribute(&token, "integrity"));
 *
 * No tree is built and nothing is corrected: tokens come in the order of the markup, elements that
 * were never closed stay open. Scripts count as running, so what stands in noscript is raw text.
 * Time and memory are linear in the markup, whatever it holds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "probe/page-text.h" /* for who looks at texts of tokens */

enum { PAGE_ATTRIBUTES_MAX = 512 /* of one tag; later ones are dropped */ };

struct page; /* one page's markup; any number of threads may read it */

/* How the character encoding was found, in the order in which the ways are tried. */
enum page_encoding {
    PAGE_ENCODING_BOM,    /* its first bytes */
    PAGE_ENCODING_HEADER, /* charset of the Content-Type header */
    PAGE_ENCODING_META,   /* a meta tag that begins in the first 1024 bytes */
    PAGE_ENCODING_GUESS,  /* nothing said so: UTF-8 if all bytes are, else windows-1252 */
};

/* Read body, which is not needed afterwards, as text. content_type is the header's value, NULL or
 * "" when there was none; with an XML type, elements without content end as XML says. What the
 * encoding cannot explain, and NUL, becomes U+FFFD. */
struct page *page_new(struct text body, const char *content_type);
void page_free(struct page **page);

struct text page_markup(const struct page *page); /* UTF-8, at most three times the body */

/* The encoding's name in lower case as the Encoding standard has it, such as "utf-8" or
 * "windows-1252", and how it was found. */
const char *page_charset(const struct page *page, enum page_encoding *how);

/* The href of the first base element that has one, without blanks around it: what relative URLs
 * are relative to, itself relative to the page's own URL. False when there is none. */
bool page_base(const struct page *page, struct text *href);

/* ---- tokens ---- */

enum page_kind {
    PAGE_DOCTYPE,
    PAGE_COMMENT,
    PAGE_TEXT,
    PAGE_OPEN,  /* <name …> */
    PAGE_CLOSE, /* </name> */
};

struct page_attribute {
    struct text name; /* lower case; of two with one name the first is kept */
    struct text value;
};

/* All texts are valid UTF-8, borrowed until the next token. */
struct page_token {
    enum page_kind kind;
    size_t offset;    /* of its first byte in page_markup() */
    struct text name; /* OPEN, CLOSE, DOCTYPE: in lower case. TEXT: the element whose raw text it
                       * is ("script", "style", "title", "noscript", …), empty for other text */
    struct text text; /* TEXT: character references decoded, where the element has them. COMMENT:
                       * what is in it. DOCTYPE: what follows the name, without blanks around it */
    const struct page_attribute *attributes; /* OPEN: as many as attribute_count */
    size_t attribute_count;
    bool is_self_closing; /* OPEN: ends in /> */
    bool is_foreign;      /* svg, math, or an element or text of theirs: their title is no title */
    bool in_head;         /* nothing but what may stand in a head came before it, nor is it else */
    bool in_template;     /* within a template element: not part of the page yet */
};

struct page_reader; /* one pass over one page; belongs to one thread */

struct page_reader *page_reader_new(const struct page *page); /* page must outlive it */
void page_reader_free(struct page_reader **reader);

/* The next token; false at the end, then *token is empty. */
bool page_next(struct page_reader *reader, struct page_token *token);

/* Is it the opening (closing) tag of this HTML element, outside of svg and math? */
bool page_opens(const struct page_token *token, const char *name);
bool page_closes(const struct page_token *token, const char *name);

/* The value of an attribute, by its name in lower case; NULL when it is not there. */
const struct text *page_attribute(const struct page_token *token, const char *name);
