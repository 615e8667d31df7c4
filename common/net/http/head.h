/*
 * common/net/http/head.h - the head of an HTTP answer, line by line, within limits. What is no
 * header line is skipped, as browsers do; what is too much ends the exchange.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "net/http/fetch-answer.h"

/* Zero is the start of an answer. */
struct head {
    size_t lines;       /* of interim heads and trailers too */
    size_t total_bytes; /* likewise */
    int status;         /* 0: none yet */
    const char *http_version;
    bool has_early_hints;
    bool is_complete; /* of the final answer: what comes now are trailers */
    struct buf bytes; /* "name\0value\0" again and again */
    size_t count;
};

/* Take one line, with or without its line end. False when the head is too large or no HTTP. */
bool head_add(struct head *head, struct text line) must_check;

/* Is it complete, and does it send elsewhere? */
bool head_is_redirect(const struct head *head);

/* Hand what was collected over to a hop, which must not have any. */
void head_take(struct head *head, struct fetch_hop *hop);

void head_free(struct head *head);
