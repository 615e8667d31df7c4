/*
 * common/text/passwords/judge.h - rates a password, for the tool password-strength and for the
 * portal. It never stores or logs the password.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

#include "text/passwords/estimate.h"
#include "text/passwords/user-inputs.h"

/* From this score on a password is good: it takes 10^8 guesses or more. */
enum { PASSWORD_GOOD_SCORE = 3 };

/* By value; judgement_free() wipes it. */
struct judgement {
    int score;     /* 0..4: below 10^3, 10^6, 10^8, 10^10 guesses, or above */
    size_t length; /* of the whole password in code points */
    size_t lower, upper, digits, symbols,
        unicode; /* characters per class; all but the last are ASCII */
    struct estimate estimate;
    struct phrase phrase; /* points into points and inputs, so a judgement must not be moved */
    uint32_t points[ESTIMATE_POINTS_MAX];
    struct user_inputs inputs;
};

/*
 * Rate a password, valid UTF-8 of any length. user_inputs is a list of strings that weaken it if it
 * contains them, as for user_inputs_read(); NULL: none. now_ms decides which years are recent.
 * *judgement must be zero.
 */
void password_judge(struct text password, const cJSON *user_inputs, int64_t now_ms,
                    struct judgement *judgement);
void judgement_free(struct judgement *judgement);

/* Add "suggestions", a list, and "warning", which may be "", to a result. Neither contains
 * parts of the password. */
void judgement_explain(const struct judgement *judgement, cJSON *result);
