/*
 * gateway/mcp/result-cut.h - fit a JSON result into the space that an agent's host has for it.
 *
 * Lists keep their first items, maps inside them their first members. Long texts, such as code and
 * markup, are left out whole and become "". Numbers keep their digits, types stay, and no top
 * member goes, so the result still fits its outputSchema. The top member `truncated` says it.
 */
#pragma once

#include "base/buf.h"
#include "svc/contract.h"

enum { CUT_PLACES_MAX = 10, CUT_PATH_BYTES = 64, CUT_NOTE_BYTES = 2048 };

struct cut_place {
    char path[CUT_PATH_BYTES]; /* rows[].cells, without the items' numbers */
    size_t shown;              /* items or members; 0 of a text */
    size_t total;              /* items or members; of a text bytes */
    bool is_text;
};

/* By value; zero means nothing was cut. */
struct result_cut {
    size_t count;
    struct cut_place place[CUT_PLACES_MAX]; /* further ones are not listed */
};

/* Append the result to out, with at most max_bytes. Returns false, and appends nothing, if it
 * cannot be fitted. */
bool result_cut(struct text result, size_t max_bytes, struct result_cut *cut,
                struct buf *out) must_check;

/* One paragraph for a model: what is missing, and which arguments narrow the result. */
void result_cut_note(const struct result_cut *cut, const struct contract *contract,
                     size_t max_bytes, struct buf *out);

/* The same as a JSON list: {path, shown, total} or {path, bytes}. */
void result_cut_list(const struct result_cut *cut, struct buf *out);
