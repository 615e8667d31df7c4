/*
 * svc-ai/model/suspicion.h - does a text look as if it gave orders to the model that is to work on
 * it? A hint for the result and for the prompt, not a refusal: a review of a prompt's source is
 * legitimate.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Looks through case, white space, invisible characters, full width and look-alike letters, and
 * into Base64 and hexadecimal. */
bool suspicion_of(struct text text);
