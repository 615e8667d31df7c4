/*
 * svc-utils/json-to-code/model/values.h - the texts seen at one place, as long as they may be the
 * words of an enum: for requests that ask for those.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

enum {
    VALUES_MAX = 12, /* more different ones are data */
    VALUE_BYTES_MAX = 32,
    VALUES_REPEATED = 2, /* so often each was seen, on average */
};

struct values {
    size_t seen;
    size_t count; /* different ones, in the order of the sample */
    bool is_data; /* too many, or no words: a letter, then letters, digits, - and _ */
    struct text item[VALUES_MAX];
};

/* The values of one text. */
struct values *values_new(struct arena *arena, struct text text);

/* Add others to them. */
void values_join(struct values *into, const struct values *from);

/* Are they words of an enum: 2 to VALUES_MAX different ones, each seen again? */
bool values_are_enum(const struct values *values);
