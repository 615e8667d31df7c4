/*
 * svc-security/security-headers/results.h - the outcomes of checks: the rows of results.def.
 */
#pragma once

#include <stdbool.h>

/* clang-format off */
enum check {
#define CHECK(id, name, run) CHECK_##id,
#include "results.def"
#undef CHECK
    CHECKS
};

enum result {
#define RESULT(check, id, name, modifier, description) check##_##id,
#include "results.def"
#undef RESULT
    RESULTS
};
/* clang-format on */

extern const struct result_row {
    const char *name;
    int modifier; /* points */
    const char *description;
} result_rows[RESULTS];

bool result_passes(enum result result);
