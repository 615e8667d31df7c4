/* svc-utils/jwt-decode/warnings.h - the list of warnings, and how it is written. */
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
    char *claim;   /* NULL: no particular claim */
    char *message; /* NULL: the text of the row */
};

/* Zero is an empty list. It keeps at most WARNINGS_PER_CODE of one code. */
struct warnings {
    size_t count;
    size_t capacity;
    struct warning *item;
    size_t count_of[WARN_COUNT];
    bool is_truncated; /* there were more */
};

/* Add a warning with the severity of its row. claim may be NULL. */
void warnings_add(struct warnings *warnings, enum warning_id id, const char *claim);

/* As warnings_add(), with a lower severity than the row's. */
void warnings_add_as(struct warnings *warnings, enum warning_id id, enum severity severity,
                     const char *claim);

/* As warnings_add(), with its own text, which the list takes over. */
void warnings_add_with(struct warnings *warnings, enum warning_id id, char *message,
                       const char *claim);

/*
 * Add "warnings" to the result, sorted by severity, then code; then "risk", and "truncated" if some
 * were dropped.
 */
void warnings_print(struct warnings *warnings, cJSON *result);

void warnings_free(struct warnings *warnings);
