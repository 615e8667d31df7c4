/*
 * svc-utils/jwt-decode/disclosures.h - the parts after the ~ of an SD-JWT (RFC 9901): disclosures,
 * and a token that binds them to their holder's key.
 */
#pragma once

#include "jwt-decode/token/token.h"
#include "warnings.h"

/* Warn of disclosures that cannot be read, or whose digest is not in the token. */
void rules_disclosures(const struct token *token, struct warnings *warnings);

/* Add "disclosures" and "key_binding" to the result of an SD-JWT. */
void add_disclosures(cJSON *result, const struct token *token);
