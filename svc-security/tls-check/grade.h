/*
 * svc-security/tls-check/grade.h - score and grade by the published SSL Labs rating guide, revision
 * 2009r (Qualys), as applied by testssl.sh.
 */
#pragma once

#include <cjson/cJSON.h>

#include "issues.h"
#include "tls-check/scan/facts.h"

enum { LIMITS_MAX = 48 };

/* An issue that limits the grade. */
struct limit {
    const char *letter;
    enum issue issue;
};

struct grade {
    int score; /* 0 to 100, and its parts */
    int protocol;
    int key_exchange;
    int cipher;
    const char *letter;            /* A+ to F, T or M */
    const char *letter_if_trusted; /* without T and M */
    size_t limit_count;
    struct limit limit[LIMITS_MAX];
};

/* The grade of the worst of the server's certificates; there is one of the facts for each. Requires
 * the issues of all rules. */
void grade(const struct facts *const *facts, size_t count, const struct issues *issues,
           struct grade *result);
