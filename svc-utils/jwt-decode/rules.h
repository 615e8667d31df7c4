/*
 * svc-utils/jwt-decode/rules.h - what can be said about a token without its key. Each function adds
 * the warnings of its subject.
 */
#pragma once

#include "algorithm.h"
#include "token.h"
#include "warnings.h"

void rules_form(const struct token *token, struct warnings *warnings);

/* algorithm is that of the header; NULL when it is unknown. */
void rules_algorithm(const struct token *token, const struct algorithm *algorithm,
                     struct warnings *warnings);
void rules_signature(const struct token *token, const struct algorithm *algorithm,
                     struct warnings *warnings);
void rules_header(const struct token *token, struct warnings *warnings);

/* Of the payload: at is the time that counts as now, in seconds since 1970. */
void rules_time(const cJSON *payload, double at, struct warnings *warnings);
void rules_claims(const cJSON *payload, struct warnings *warnings);

/* Names and values that should not be in a token, four levels deep. */
void rules_sensitive(const cJSON *payload, struct warnings *warnings);

/* Does the time of a claim (seconds since 1970) lie in the years 1 to 9999? */
bool time_is_printable(double seconds);
