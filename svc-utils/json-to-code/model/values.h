/*
 * svc-utils/json-to-code/model/values.h - the different texts at one place, while they may be words
 * of an enum. Only for requests with `enums`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

enum {
    VALUES_MAX = 12, /* more different texts are data */
    VALUE_BYTES_MAX = 32,
    VALUES_REPEATED = 2, /* average occurrences of each text */
};

struct values {
    size_t seen;
    size_t count; /* different texts, in the order of the sample */
    bool is_data; /* too many, or not words: a letter, then letters, digits, - and _ */
    struct text item[VALUES_MAX];
};

/* The values of one text. */
struct values *values_new(struct arena *arena, struct text text);

/* Add the values of another place. */
void values_join(struct values *into, const struct values *from);

/* Are they words of an enum: 2 to VALUES_MAX different ones that repeat? */
bool values_are_enum(const struct values *values);
