/*
 * svc-chat/findings/issues.h - what a checking tool found, all of it: the errors[] and warnings[]
 * inside a result, each {path, code, message, limit?, actual?, suggestion?}.
 *
 *     scoped(issues_free) struct issues warnings = { 0 };
 *     issues_add(&warnings, "embeds[0].color", "color_zero", "0 shows as no colour");
 *     issues_write(&warnings, result, "warnings");
 *
 * Tools walk their subject in document order. Issues of one path stand together, where the first
 * of them was added, sorted by code. At most ISSUES_MAX are kept; the rest is one more issue,
 * issues_truncated, that counts them.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ISSUES_MAX = 200 };

struct issue {
    char *path; /* from the subject's root, "embeds[0].fields[3].name"; "" is the whole of it */
    const char *code;
    char *message;
    bool has_limit; /* then limit and actual are meant */
    int64_t limit;
    int64_t actual;
    char *suggestion; /* NULL: none */
};

/* Zero is an empty list. */
struct issues {
    struct issue *item;
    size_t count;   /* kept, at most ISSUES_MAX */
    size_t dropped; /* beyond them */
};

/* Add one; the code's memory must be static, everything else is copied. */
void issues_add(struct issues *issues, const char *path, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Add one about a limit and what there was instead. */
void issues_add_limit(struct issues *issues, const char *path, const char *code, int64_t limit,
                      int64_t actual, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Add one with a way out. */
void issues_add_hint(struct issues *issues, const char *path, const char *code,
                     const char *suggestion, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Write them as a member of a result. */
void issues_write(const struct issues *issues, cJSON *result, const char *name);

void issues_free(struct issues *issues);
