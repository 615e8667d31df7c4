/* common/text/passwords/feedback.h - a warning and suggestions for a password. */
#pragma once

#include <cjson/cJSON.h>

#include "text/passwords/estimate.h"

struct feedback {
    int score;     /* 0..4; no feedback from 3 */
    size_t length; /* of the whole password in code points */
    bool is_one_class;
};

/* Add "suggestions" and "warning" (may be empty) to the result. */
void feedback_add(cJSON *result, const struct phrase *phrase, const struct estimate *estimate,
                  const struct feedback *facts);
