/*
 * svc-utils/password-strength/made-of.h - what an attacker who knows the person tries first, and
 * zxcvbn does not rate as such: their own words, names, a street, the same word again.
 */
#pragma once

#include "text/passwords/judge.h"

/*
 * The reason, for a password and its judgement with these user_inputs, why the score is at most 1:
 * user_inputs, names, street, repeat or common; NULL if the password has another part.
 */
const char *made_of(struct text password, const struct judgement *judgement,
                    const cJSON *user_inputs, int64_t now_ms);
