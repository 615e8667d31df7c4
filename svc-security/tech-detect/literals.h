/*
 * svc-security/tech-detect/literals.h - find many short texts in one pass, ASCII's capital and
 * small letters alike (Aho and Corasick, 1975). Time is linear in the text whatever it holds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct literals; /* read by any number of threads once it is finished */

struct literals *literals_new(void);
void literals_free(struct literals **literals);

/* Before literals_finish(): look for text, which is in lower case and not empty, under this id.
 * Several ids may have one text. */
void literals_add(struct literals *literals, const char *text, uint32_t id);
void literals_finish(struct literals *literals);

/* A search under way: zero but for its text. Further text may follow as one with what was before:
 * set text again and at to 0. */
struct literals_scan {
    struct text text;
    size_t at;      /* behind the last byte of what was found */
    uint32_t state; /* the rest is private */
    uint32_t pending;
};

/* The next id whose literal ends at scan->at; false at the text's end. */
bool literals_next(const struct literals *literals, struct literals_scan *scan, uint32_t *id);
