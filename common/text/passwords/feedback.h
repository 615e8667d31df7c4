/*
 * common/text/passwords/feedback.h - what to tell somebody about a password.
 */
#pragma once

#include <cjson/cJSON.h>

#include "text/passwords/estimate.h"

struct feedback {
    int score;     /* 0..4; from 3 on there is nothing to say */
    size_t length; /* of the whole password in code points */
    bool is_one_class;
};

/* Add "suggestions" and "warning" (empty when there is none) to the result. */
void feedback_add(cJSON *result, const struct phrase *phrase, const struct estimate *estimate,
                  const struct feedback *facts);
