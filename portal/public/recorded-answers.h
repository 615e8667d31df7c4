/*
 * portal/public/recorded-answers.h - responses of three tools for the home page, embedded when the
 * program is built: parts of the examples in docs/tools (portal/public/recorded-answers.py).
 */
#pragma once

#include <stddef.h>

struct recorded_answer {
    const char *tool;
    const char *request; /* JSON */
    const char *result;  /* JSON, with some of its fields */
};

extern const struct recorded_answer recorded_answers[];
extern const size_t recorded_answer_count;
