/*
 * svc-chat/chatplatform-moderate/reading/view.h - a row of symbols, each with its position in the
 * text as sent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "matcher.h"

/* The disguises removed to read a symbol. */
enum disguise {
    DISGUISE_INVISIBLE = 1 << 0,
    DISGUISE_FULLWIDTH = 1 << 1,
    DISGUISE_STYLED = 1 << 2,
    DISGUISE_CONFUSABLE = 1 << 3,
    DISGUISE_DIACRITICS = 1 << 4,
    DISGUISE_LEET = 1 << 5,
    DISGUISE_REPETITION = 1 << 6,
    DISGUISE_SEPARATORS = 1 << 7,
    DISGUISE_WILDCARD = 1 << 8,
    DISGUISE_MIXED_CASE = 1 << 9,
    DISGUISES = 10,
};

struct symbol {
    uint32_t code;
    uint32_t start, end; /* code points of the text as sent */
    unsigned disguise;
};

struct view {
    struct symbol *at;
    size_t count;
    size_t capacity;
};

/* An empty view with room for this many symbols; it grows. Free with view_free(). */
struct view view_for(size_t count);
struct view view_copy(const struct view *from);
void view_free(struct view *view);

void view_add(struct view *view, struct symbol symbol);

/* 0 beyond the end. */
uint32_t view_code_at(const struct view *view, size_t index);

/* Are the codes equal? Positions may differ. */
bool view_reads_same(const struct view *a, const struct view *b);

/* As the matcher reads them; borrowed. */
struct symbols view_symbols(const struct view *view);
