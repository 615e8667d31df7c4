/*
 * gateway/mcp/result-cut.h - fit a JSON result into the space that an agent's host has for it.
 *
 * The rules of the contract (`cut`) name the places that lose something, in order: the first rule
 * alone if that suffices, then the first two, and so on. A list there keeps its first items, a map
 * its first members. A long text, such as code and markup, is left out whole and becomes "". Only
 * if all rules do not suffice, because an operator set a lower limit, other places lose the same.
 * Numbers keep their digits, types stay, and no top member goes, so the result still fits its
 * outputSchema. The top member `truncated` says it.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"

enum { CUT_PLACES_MAX = 10, CUT_PATH_BYTES = 64, CUT_NOTE_BYTES = 2048 };

struct cut_place {
    char path[CUT_PATH_BYTES]; /* rows[].cells, without the items' numbers */
    const char *argument;      /* the one that gets the rest, of the rule; NULL: none */
    size_t shown;              /* items or members; 0 of a text */
    size_t total;              /* items or members; of a text bytes */
    bool is_text;
};

/* By value; zero means nothing was cut. */
struct result_cut {
    size_t count;
    struct cut_place place[CUT_PLACES_MAX]; /* further ones are not listed */
};

/* Append the result to out, with at most max_bytes. rules is `cut` of the contract, or NULL.
 * Returns false, and appends nothing, if it cannot be fitted. */
bool result_cut(struct text result, const cJSON *rules, size_t max_bytes, struct result_cut *cut,
                struct buf *out) must_check;

/* One paragraph for a model: what is missing, and which arguments get it. */
void result_cut_note(const struct result_cut *cut, size_t max_bytes, struct buf *out);

/* The same as a JSON list: {path, shown, total, argument} or {path, bytes, argument}. */
void result_cut_list(const struct result_cut *cut, struct buf *out);
