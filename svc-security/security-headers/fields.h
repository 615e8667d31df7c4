/*
 * svc-security/security-headers/fields.h - structured field values (RFC 9651), the syntax of
 * headers since about 2020.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Read an item that is a token; its parameters are checked and ignored. Returns false for anything
 * else. */
bool field_read_token(struct text text, struct text *token);

/* Called for each item of each member of a dictionary, as written; for a member without items once,
 * with an empty item. */
typedef void field_visit(struct text key, struct text item, void *context);

/* Read a dictionary. Returns false for invalid syntax, after visiting the members before it. */
bool field_read_dictionary(struct text text, field_visit *visit, void *context);
