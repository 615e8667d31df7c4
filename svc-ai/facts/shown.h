/* svc-ai/facts/shown.h - members of a result that are a model's words: cleaned, bounded, without
 * what repeats. HTML's tags never come through, and Markdown's links and pictures do nothing. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* One line of at most max_points code points, ended by `ending` where it is cut. */
void shown_line(cJSON *object, const char *name, struct text words, size_t max_points,
                const char *ending);

/* The same, with its line ends. */
void shown_lines(cJSON *object, const char *name, struct text words, size_t max_points,
                 const char *ending);

/* Texts of a list that say something, as lines, each once whatever its case: at most max_items of
 * them. Returns the list, which belongs to object. */
cJSON *shown_list(cJSON *object, const char *name, const cJSON *words, size_t max_items,
                  size_t max_points);

/* Does it say something once tags and what hides are gone? */
bool shown_says_something(const cJSON *words);

/* Is there a text of this in a list, whatever its case? */
bool shown_has(const cJSON *list, struct text words);
