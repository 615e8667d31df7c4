/*
 * svc-chat/findings/issues.h - the issues that a checking tool finds: errors[] and warnings[] of a
 * result, each {path, code, message, limit?, actual?, suggestion?}.
 *
 *     scoped(issues_free) struct issues warnings = { 0 };
 *     issues_add(&warnings, "embeds[0].color", "color_zero", "0 shows as no color");
 *     issues_write(&warnings, result, "warnings");
 *
 * Tools check their document in order. Issues of one path are adjacent, at the position of the
 * first, sorted by code. At most ISSUES_MAX are kept; the issue issues_truncated counts the rest.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ISSUES_MAX = 200 };

struct issue {
    char *path; /* from the document's root, "embeds[0].fields[3].name"; "" is the whole document */
    const char *code;
    char *message;
    bool has_limit; /* limit and actual are set */
    int64_t limit;
    int64_t actual;
    char *suggestion; /* NULL: none */
};

/* Zero is an empty list. */
struct issues {
    struct issue *item;
    size_t count;   /* at most ISSUES_MAX */
    size_t dropped; /* issues above that number */
};

/* Add an issue. The memory of code must be static; everything else is copied. */
void issues_add(struct issues *issues, const char *path, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Add an issue about a limit, with the actual value. */
void issues_add_limit(struct issues *issues, const char *path, const char *code, int64_t limit,
                      int64_t actual, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Add an issue with a suggestion. */
void issues_add_hint(struct issues *issues, const char *path, const char *code,
                     const char *suggestion, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Write them as a member of a result. */
void issues_write(const struct issues *issues, cJSON *result, const char *name);

void issues_free(struct issues *issues);
