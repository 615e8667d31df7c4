/*
 * svc-utils/jwt-decode/warnings.h - what the rules find, and how it is told.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum severity { SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITY_INFO };

enum warning_id {
#define WARNING(id, severity, code, message) WARN_##id,
#include "warnings.def"
#undef WARNING
    WARN_COUNT
};

enum { WARNINGS_PER_CODE = 20, WARNINGS_MAX = WARN_COUNT * WARNINGS_PER_CODE };

struct warning {
    enum warning_id id;
    enum severity severity;
    char *claim;   /* NULL: none in particular */
    char *message; /* NULL: the row's */
};

/* Zero is an empty list. Of one code there are at most WARNINGS_PER_CODE. */
struct warnings {
    size_t count;
    size_t capacity;
    struct warning *item;
    size_t count_of[WARN_COUNT];
    bool is_truncated; /* there were more */
};

/* Add a warning with the severity of its row. claim may be NULL. */
void warnings_add(struct warnings *warnings, enum warning_id id, const char *claim);

/* The same with a lower severity than that of the row. */
void warnings_add_as(struct warnings *warnings, enum warning_id id, enum severity severity,
                     const char *claim);

/* The same with a sentence of its own, taken over. */
void warnings_add_with(struct warnings *warnings, enum warning_id id, char *message,
                       const char *claim);

/* Add "warnings" to the result, sorted by severity, then code; then "risk", and "truncated" when
 * some were left out. */
void warnings_print(struct warnings *warnings, cJSON *result);

void warnings_free(struct warnings *warnings);
