/*
 * svc-chat/chatplatform-moderate/reading/matcher.h - find any of thousands of patterns in one pass
 * (Aho and Corasick 1975): time is linear in the text and the matches, whatever the patterns are.
 *
 * Symbols are code points; a blank stands for everything between words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in a word a pattern stands; the platform's own filters write word, word*, *word, *word*. */
enum match_type { MATCH_WORD, MATCH_PREFIX, MATCH_SUFFIX, MATCH_SUBSTRING, MATCH_TYPES };

struct pattern {
    enum match_type type;
    uint16_t group; /* the caller's */
    bool has_marks; /* it was spelled with marks, that are part of its spelling then */
    uint32_t *code;
    size_t length;
    size_t next; /* for the matcher: 1 + another pattern of the same symbols */
};

struct matcher;

/* How symbols come: a row of structs, each of which begins with its uint32_t code. */
struct symbols {
    const void *first;
    size_t count;
    size_t stride;
};

struct matcher *matcher_new(void);
void matcher_free(struct matcher **matcher);

/* Add a pattern, whose symbols are copied; an empty one is dropped. Not after matcher_finish(). */
void matcher_add(struct matcher *matcher, const uint32_t *code, size_t length, enum match_type type,
                 uint16_t group, bool has_marks);

/* To be called once; then any number of threads may match. */
void matcher_finish(struct matcher *matcher);

size_t matcher_count(const struct matcher *matcher);
const struct pattern *matcher_pattern(const struct matcher *matcher, size_t index);

/* Call found() for each match that stands in its word as its type wants: at the symbols from begin
 * to end. It stops when found() returns false. */
typedef bool matcher_found(const struct pattern *pattern, size_t begin, size_t end, void *context);
void matcher_run(const struct matcher *matcher, struct symbols symbols, matcher_found *found,
                 void *context);
