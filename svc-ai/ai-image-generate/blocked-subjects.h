/* svc-ai/ai-image-generate/blocked-subjects.h - what is drawn for nobody, whatever a provider would
 * do. */
#pragma once

#include "base/text.h"

/*
 * Why a prompt is drawn for nobody, as a sentence for whoever sent it; NULL when it may be drawn.
 * It is refused for children and sex together, for a threat to a person, and for a key or token
 * (blocked-subjects.def). Words are found through capitals, marks, compatibility forms,
 * look-alikes, characters that nobody sees, and digits for letters. It is a first line: a
 * provider's own filter stands behind it.
 */
const char *blocked_subject_reason(struct text prompt);
