/* svc-chat/chatplatform-moderate/scripts.h - deeds that no single word gives away. */
#pragma once

#include "moderation.h"

/* A part of scripts at a position. */
struct part {
    size_t number;
    uint32_t word; /* number of the word */
    uint32_t start, end;
};

/* Record each script whose parts are near each other. Parts are in the order of the text. */
void find_scripts(struct moderation *moderation, const struct part *parts, size_t count);
