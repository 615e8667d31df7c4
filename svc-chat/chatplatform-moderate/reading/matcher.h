/*
 * svc-chat/chatplatform-moderate/reading/matcher.h - finds any of thousands of patterns in one pass
 * (Aho and Corasick 1975), in time linear in the text and the matches for any patterns.
 *
 * Symbols are code points; a blank replaces everything between words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Position of a pattern in a word; the platform's own filters write word, word*, *word, *word*. */
enum match_type { MATCH_WORD, MATCH_PREFIX, MATCH_SUFFIX, MATCH_SUBSTRING, MATCH_TYPES };

struct pattern {
    enum match_type type;
    uint16_t group; /* the caller's */
    bool has_marks; /* it has marks that belong to its spelling */
    uint32_t *code;
    size_t length;
    size_t next; /* for the matcher: 1 + another pattern with the same symbols */
};

struct matcher;

/* The layout of symbols: an array of structs, each of which begins with its uint32_t code. */
struct symbols {
    const void *first;
    size_t count;
    size_t stride;
};

struct matcher *matcher_new(void);
void matcher_free(struct matcher **matcher);

/* Add a pattern; its symbols are copied, and an empty one is dropped. Not after
 * matcher_finish(). */
void matcher_add(struct matcher *matcher, const uint32_t *code, size_t length, enum match_type type,
                 uint16_t group, bool has_marks);

/* Call once; after that any number of threads may match. */
void matcher_finish(struct matcher *matcher);

size_t matcher_count(const struct matcher *matcher);
const struct pattern *matcher_pattern(const struct matcher *matcher, size_t index);

/*
 * Call found() for each match whose position in its word is allowed by its type, with the symbols
 * from begin to end. Stops when found() returns false.
 */
typedef bool matcher_found(const struct pattern *pattern, size_t begin, size_t end, void *context);
void matcher_run(const struct matcher *matcher, struct symbols symbols, matcher_found *found,
                 void *context);
