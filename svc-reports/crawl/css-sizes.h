/*
 * svc-reports/crawl/css-sizes.h - which images a style sheet gives a size, so that the page does
 * not move when they arrive.
 *
 * A rule counts if it sets width and height, or aspect-ratio and one of both. Its selector must end
 * in an element of tag img, classes and an id; what comes before is ignored, so an end without
 * class or id counts only alone. The time is linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { SIZE_RULES_MAX = 500 /* later ones are ignored */ };

/* A zero struct is empty. Free it with size_rules_free(). */
struct size_rules {
    size_t count;
    char *item[SIZE_RULES_MAX]; /* "img.hero#logo": what an element must have */
};

void size_rules_read(struct text sheet, struct size_rules *rules);
/* Move the rules of one to the end of the other. */
void size_rules_take(struct size_rules *rules, struct size_rules *from);
void size_rules_free(struct size_rules *rules);

/* Whether a rule fits an img with this class attribute and id. */
bool size_rules_fit(const struct size_rules *rules, struct text classes, struct text id);

/* Whether declarations, such as those of a style attribute, set a size. */
bool css_sets_size(struct text declarations);
