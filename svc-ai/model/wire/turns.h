/*
 * svc-ai/model/wire/turns.h - input for a model: turns of a conversation, and images.
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
    struct text bytes;      /* sent inline; the customer's URL is never passed on */
};
