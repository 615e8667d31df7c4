/*
 * common/probe/page.h - reads a web page's markup as a browser's tokenizer does (HTML standard,
 * section 13.2.5): any bytes are a page, so reading never fails.
 *
 *     scoped(page_free) struct page *page = page_new(body, "text/html; charset=utf-8");
 *     scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
 *     struct page_token token;
 *     while (page_next(reader, &token))
 *         if (page_opens(&token, "script"))
 *             look_at(page_attribute(&token, "src"), page_attribute(&token, "integrity"));
 *
 * No tree is built, and nothing is corrected: tokens come in the order of the markup, and unclosed
 * elements stay open. Scripts count as enabled, so the content of noscript is raw text. Time and
 * memory are linear in the markup.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "probe/page-text.h" /* for callers that read texts of tokens */

enum { PAGE_ATTRIBUTES_MAX = 512 /* of one tag; later ones are dropped */ };

struct page; /* one page's markup; any number of threads may read it */

/* How the character encoding was found, in order of precedence. */
enum page_encoding {
    PAGE_ENCODING_BOM,    /* byte-order mark */
    PAGE_ENCODING_HEADER, /* charset of the Content-Type header */
    PAGE_ENCODING_META,   /* a meta tag that begins in the first 1024 bytes */
    PAGE_ENCODING_GUESS,  /* no information: UTF-8 if all bytes are valid, else windows-1252 */
};

/*
 * Read body as text; it is not needed afterwards. content_type is the header's value, NULL or "" if
 * absent; with an XML type, elements without content end as in XML. Bytes that cannot be decoded,
 * and NUL, become U+FFFD.
 */
struct page *page_new(struct text body, const char *content_type);
void page_free(struct page **page);

struct text page_markup(const struct page *page); /* UTF-8, at most three times the body */

/* The encoding's lowercase name in the Encoding standard, such as "utf-8" or "windows-1252", and
 * how it was found. */
const char *page_charset(const struct page *page, enum page_encoding *how);

/*
 * The href of the first base element that has one, without outer blanks: the base of relative URLs,
 * itself relative to the page's URL. False if not found.
 */
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
    struct text name; /* lowercase; of repeated names the first is kept */
    struct text value;
};

/* All texts are valid UTF-8, borrowed until the next token. */
struct page_token {
    enum page_kind kind;
    size_t offset;    /* of its first byte in page_markup() */
    struct text name; /* OPEN, CLOSE, DOCTYPE: lowercase. TEXT: the element whose raw text it is
                         ("script", "style", "title", "noscript", …), empty for other text */
    struct text text; /* TEXT: with decoded character references, if the element has them. COMMENT:
                         its content. DOCTYPE: what follows the name, without outer blanks */
    const struct page_attribute *attributes; /* OPEN: as many as attribute_count */
    size_t attribute_count;
    bool is_self_closing; /* OPEN: ends in /> */
    bool is_foreign;  /* svg, math, or their elements and texts: their title is not the page's */
    bool in_head;     /* so far only elements of a head, including this one */
    bool in_template; /* inside a template element: not part of the page yet */
};

struct page_reader; /* one pass over one page; belongs to one thread */

struct page_reader *page_reader_new(const struct page *page); /* page must outlive it */
void page_reader_free(struct page_reader **reader);

/* The next token; false at the end, and then *token is empty. */
bool page_next(struct page_reader *reader, struct page_token *token);

/* Is it the start (end) tag of this HTML element, outside svg and math? */
bool page_opens(const struct page_token *token, const char *name);
bool page_closes(const struct page_token *token, const char *name);

/* The value of an attribute, by its lowercase name; NULL if it is absent. */
const struct text *page_attribute(const struct page_token *token, const char *name);
