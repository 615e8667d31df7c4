/*
 * common/probe/page-text.h - small help with texts of pages: blanks and lists of words as the HTML
 * standard has them.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* Tab, line feed, form feed, carriage return, space: HTML knows no vertical tab, so this is not
 * ascii_is_space(), nor is what follows text_trim(). */
bool page_is_blank(char byte);

/* Text without blanks around it. */
struct text page_trim(struct text text);

/* The next word of a list that is parted by blanks, such as class or rel, taken off *list; false
 * at its end. */
bool page_word(struct text *list, struct text *word);
