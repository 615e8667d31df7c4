/*
 * common/net/http/head.h - the head of an HTTP response, line by line, within limits. Lines that
 * are not headers are skipped, as in browsers; exceeding a limit ends the exchange.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "net/http/fetch-answer.h"

/* Zero is the start of a response. */
struct head {
    size_t lines;       /* including interim heads and trailers */
    size_t total_bytes; /* including interim heads and trailers */
    int status;         /* 0: none yet */
    const char *http_version;
    bool has_early_hints;
    bool is_complete; /* of the final response; further lines are trailers */
    struct buf bytes; /* "name\0value\0" repeated */
    size_t count;
};

/* Add one line, with or without its line end. False if the head is too large or not HTTP. */
bool head_add(struct head *head, struct text line) must_check;

/* Does it have a header of this name, in any case? */
bool head_has(const struct head *head, const char *name);

/* Is it complete, and a redirect? */
bool head_is_redirect(const struct head *head);

/* Move the headers to a hop, which must not have any. */
void head_take(struct head *head, struct fetch_hop *hop);

void head_free(struct head *head);
