/* svc-ai/facts/shown.h - add a model's texts to a result: cleaned, bounded, without duplicates.
 * HTML tags are removed, and Markdown links and images are disabled. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Add one line of at most max_points code points; `ending` marks a cut. */
void shown_line(cJSON *object, const char *name, struct text words, size_t max_points,
                const char *ending);

/* The same with line breaks. */
void shown_lines(cJSON *object, const char *name, struct text words, size_t max_points,
                 const char *ending);

/* Add at most max_items lines of a list. Skips blank texts, and duplicates in any case. Returns the
 * list, which belongs to object. */
cJSON *shown_list(cJSON *object, const char *name, const cJSON *words, size_t max_items,
                  size_t max_points);

/* Whether text is left after cleaning. */
bool shown_says_something(const cJSON *words);

/* Whether the list has this text, in any case. */
bool shown_has(const cJSON *list, struct text words);
