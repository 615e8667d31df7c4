/*
 * svc-security/tech-detect/literals.h - find many short texts in one pass, ignoring ASCII case (Aho
 * and Corasick, 1975). Time is linear in the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct literals; /* thread-safe after literals_finish() */

struct literals *literals_new(void);
void literals_free(struct literals **literals);

/* Add a text to search for, in lower case and not empty, with its id. Several ids may have the same
 * text. Call before literals_finish(). */
void literals_add(struct literals *literals, const char *text, uint32_t id);
void literals_finish(struct literals *literals);

/* State of a search: zero except for its text. To continue with more text, set text again and at to
 * 0. */
struct literals_scan {
    struct text text;
    size_t at;      /* offset after the last hit */
    uint32_t state; /* private, as is the rest */
    uint32_t pending;
};

/* The next id whose literal ends at scan->at. Returns false at the end of the text. */
bool literals_next(const struct literals *literals, struct literals_scan *scan, uint32_t *id);
