/*
 * common/probe/page-text.h - small help with texts of pages: blanks, letters and lists of words as
 * the HTML standard has them.
 */
#ifndef PROBE_PAGE_TEXT_H
#define PROBE_PAGE_TEXT_H

#include <stdbool.h>

#include "base/buf.h"

bool page_is_blank(char byte); /* tab, line feed, form feed, carriage return, space */

/* Text without blanks around it. */
struct text page_trim(struct text text);

/* Does text begin with these letters, is it these, has it them anywhere? ASCII's capital and small
 * ones count as equal; lower is in small ones. */
bool page_begins(struct text text, const char *lower);
bool page_text_is(struct text text, const char *lower);
bool page_text_has(struct text text, const char *lower);

/* The next word of a list that is parted by blanks, such as class or rel, taken off *list; false
 * at its end. */
bool page_word(struct text *list, struct text *word);

#endif
