/*
 * svc-ai/model/wire/turns.h - what goes to a model: turns of a conversation, and images.
 */
#pragma once

#include "base/text.h"

enum { MODEL_TURNS_MAX = 40, MODEL_STOPS_MAX = 4 };

enum model_role { MODEL_USER, MODEL_ASSISTANT };

struct model_turn {
    enum model_role role;
    struct text content;
};

struct model_image {
    const char *media_type; /* image/png, image/jpeg, image/gif or image/webp */
    struct text bytes;      /* sent inline; what the customer named is never handed on */
};
