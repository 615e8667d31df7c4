/*
 * svc-security/tls-check/grade.h - the score and the letter, by the published SSL Labs rating
 * guide, revision 2009r (Qualys), as testssl.sh applies it.
 */
#pragma once

#include <cjson/cJSON.h>

#include "issues.h"
#include "tls-check/scan/facts.h"

enum { LIMITS_MAX = 48 };

/* What keeps a letter from being better. */
struct limit {
    const char *letter;
    enum issue issue;
};

struct grade {
    int score; /* 0..100, and its parts */
    int protocol;
    int key_exchange;
    int cipher;
    const char *letter;            /* A+ to F, T or M */
    const char *letter_if_trusted; /* without T and M */
    size_t limit_count;
    struct limit limit[LIMITS_MAX];
};

/* The issues must be those of all rules. */
void grade(const struct facts *facts, const struct issues *issues, struct grade *result);
