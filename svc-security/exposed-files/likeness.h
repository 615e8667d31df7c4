/*
 * svc-security/exposed-files/likeness.h - are two responses similar, ignoring what changes each
 * time (paths, hosts, numbers, tokens)? Used to recognize "not found" pages with status 200.
 */
#pragma once

#include <stdint.h>

#include "exposures.h"

enum { LIKENESS_HEAD_BYTES = 512 };

/* Free it with likeness_free(). */
struct likeness {
    char *media_type;
    bool is_binary;
    size_t head_size;
    char head[LIKENESS_HEAD_BYTES]; /* raw bytes, used to compare binaries */
    uint64_t hash;                  /* of all words of the text */
    size_t length;                  /* total length of the words */
    size_t shingle_count;
    uint64_t *shingle; /* hashes of four consecutive words: sorted, unique */
};

/* The likeness of a response for this path and host. */
struct likeness likeness_of(const struct content *content, const char *path, const char *host);
void likeness_free(struct likeness *likeness);

/* Are a and b the same page? Symmetric. */
bool likeness_matches(const struct likeness *a, const struct likeness *b);
