/*
 * tests/bench/libraries/batches.h - the protocol of `make bench-tools`, for our side.
 *
 * Standard input has batches: a line with a count, then as many requests, one JSON object a line.
 * The reply to a batch is one line: the CPU time of this thread for all of them, in nanoseconds,
 * from the request's bytes to the response's. A request that fails ends the program. With --show,
 * each response is printed before that line.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"

enum { BATCH_MAX = 10000, REPLY_BYTES = 24 << 20 };

/* Do one request. Append the response to out; exit if it fails. */
typedef void answer_request(void *context, struct text request, struct buf *out);

static inline int64_t thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return INT64_C(1000000000) * now.tv_sec + now.tv_nsec;
}

static inline _Noreturn void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* Read one line without its end. Returns false at the end of the input. */
static inline bool read_line(char **line, size_t *room, struct text *text)
{
    ssize_t size = getline(line, room, stdin);
    if (size <= 0)
        return false;
    *text = (struct text){ *line, (size_t)size - ((*line)[size - 1] == '\n') };
    return true;
}

static inline void answer_batch(answer_request *answer, void *context, const struct text *request,
                                size_t count, bool shows)
{
    int64_t begin_ns = thread_cpu_ns();
    for (size_t i = 0; i < count; i++) {
        struct buf out = BUF(REPLY_BYTES);
        answer(context, request[i], &out);
        if (shows)
            printf("%s\n", buf_str(&out));
        buf_free(&out);
    }
    printf("%lld\n", (long long)(thread_cpu_ns() - begin_ns));
    fflush(stdout);
}

static inline void answer_batches(answer_request *answer, void *context, bool shows)
{
    static char *line[BATCH_MAX];
    static size_t room[BATCH_MAX];
    static struct text request[BATCH_MAX];
    struct text head;
    while (read_line(&line[0], &room[0], &head)) {
        size_t count = strtoul(head.bytes, NULL, 10);
        for (size_t i = 0; i < count; i++)
            if (count > BATCH_MAX || !read_line(&line[i], &room[i], &request[i]))
                give_up("batch", "it is incomplete or too large");
        answer_batch(answer, context, request, count, shows);
    }
    for (size_t i = 0; i < BATCH_MAX; i++)
        free(line[i]);
}
