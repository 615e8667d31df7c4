/*
 * svc-utils/jwt-decode/rules.h - checks of a token that need no key. Each function adds the
 * warnings of its subject.
 */
#pragma once

#include "jwt-decode/token/algorithm.h"
#include "jwt-decode/token/token.h"
#include "profile.h"
#include "warnings.h"

void rules_form(const struct token *token, struct warnings *warnings);

/* algorithm is the header's; NULL if it is unknown. */
void rules_algorithm(const struct token *token, const struct algorithm *algorithm,
                     struct warnings *warnings);
void rules_signature(const struct token *token, const struct algorithm *algorithm,
                     struct warnings *warnings);
void rules_header(const struct token *token, const struct profile *profile,
                  struct warnings *warnings);

/* Checks of the payload; at is the current time in Unix seconds. */
void rules_time(const cJSON *payload, const struct profile *profile, double at,
                struct warnings *warnings);
void rules_claims(const cJSON *payload, const struct profile *profile, struct warnings *warnings);

/* Names and values that do not belong in a token, four levels deep. */
void rules_sensitive(const cJSON *payload, struct warnings *warnings);

/* Is the time of a claim (Unix seconds) in the years 1 to 9999? */
bool time_is_printable(double seconds);
