/* svc-ai/ai-image-generate/never.h - what is drawn for nobody, whatever a provider would do. */
#ifndef SVC_AI_IMAGE_GENERATE_NEVER_H
#define SVC_AI_IMAGE_GENERATE_NEVER_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * Does the prompt speak of children and of sex (never.def)? Words are found through capitals,
 * marks, compatibility forms, look-alikes, characters that nobody sees, and digits for letters. It
 * is a first line: a provider's own filter stands behind it.
 */
bool never_drawn(struct text prompt);

#endif
