/*
 * svc-ai/model/prompt-injection.h - does a text seem to give instructions to the model that
 * processes it? The result is a hint for the customer and the prompt, and misses most attacks: the
 * marks around the text protect, model/question.h. It rejects nothing: reviewing a prompt's source
 * is legitimate.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Sees through case, white space, invisible characters, full-width and look-alike letters, Base64
 * and hexadecimal. */
bool prompt_injection_suspected(struct text text);
