/* common/probe/page-text.h - blanks and word lists by the HTML standard. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/*
 * Tab, line feed, form feed, carriage return, space. HTML does not include the vertical tab, so
 * this differs from ascii_is_space() and text_trim().
 */
bool page_is_blank(char byte);

/* The text without outer blanks. */
struct text page_trim(struct text text);

/* Take the next word off a list separated by blanks, such as class or rel; false at its end. */
bool page_word(struct text *list, struct text *word);
