/*
 * svc-security/exposed-files/likeness.h - do two answers look alike, but for what differs each
 * time: paths, hosts, numbers, tokens? That is how a site's page for "not found" is known when it
 * comes with status 200.
 */
#pragma once

#include <stdint.h>

#include "exposures.h"

enum { LIKENESS_HEAD_BYTES = 512 };

/* By value; release with likeness_free(). */
struct likeness {
    char *media_type;
    bool is_binary;
    size_t head_size;
    char head[LIKENESS_HEAD_BYTES]; /* as it came: what binaries are compared by */
    uint64_t hash;                  /* of all words of the text */
    size_t length;                  /* of the words together */
    size_t shingle_count;
    uint64_t *shingle; /* hashes of four words in a row: sorted, each once */
};

/* Of an answer to a request for that path of that host. */
struct likeness likeness_of(const struct content *content, const char *path, const char *host);
void likeness_free(struct likeness *likeness);

/* Is a the same page as b? Symmetrical. */
bool likeness_matches(const struct likeness *a, const struct likeness *b);
