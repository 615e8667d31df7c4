/*
 * common/text/passwords/judge.h - a password as it is judged everywhere: by the tool
 * password-strength, and by the portal before it takes one. Nothing here keeps or logs it.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

#include "text/passwords/estimate.h"
#include "text/passwords/user-inputs.h"

/* From this score on there is nothing to say against a password: it takes 10^8 guesses or more. */
enum { PASSWORD_GOOD_SCORE = 3 };

/* By value; judgement_free() wipes it. */
struct judgement {
    int score;     /* 0..4: below 10^3, 10^6, 10^8, 10^10 guesses, or not */
    size_t length; /* of the whole password in code points */
    size_t lower, upper, digits, symbols, unicode; /* how many of each class; ASCII but the last */
    struct estimate estimate;
    struct phrase phrase; /* into points and inputs, so a judgement stays where it was made */
    uint32_t points[ESTIMATE_POINTS_MAX];
    struct user_inputs inputs;
};

/*
 * Judge a password, valid UTF-8 of any length. user_inputs is a list of strings that make it worse
 * where it holds them, as user_inputs_read() takes it; NULL: none. now_ms says which years are
 * recent. *judgement is zero before.
 */
void password_judge(struct text password, const cJSON *user_inputs, int64_t now_ms,
                    struct judgement *judgement);
void judgement_free(struct judgement *judgement);

/* Add "suggestions", a list, and "warning", "" when there is none, to a result: what would make it
 * better. Neither holds anything of the password. */
void judgement_explain(const struct judgement *judgement, cJSON *result);
