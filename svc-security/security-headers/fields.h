/*
 * svc-security/security-headers/fields.h - structured field values (RFC 9651): what headers since
 * about 2020 are written in.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* An item that is a token; its parameters are checked and passed over. False for anything else. */
bool field_read_token(struct text text, struct text *token);

/* Called for each item of each member of a dictionary, as it is written; once, with an empty item,
 * for a member without any. */
typedef void field_visit(struct text key, struct text item, void *context);

/* Is it a dictionary? Members before a mistake have been visited. */
bool field_read_dictionary(struct text text, field_visit *visit, void *context);
