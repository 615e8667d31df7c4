/* svc-ai/ai-image-generate/blocked-subjects.h - reject prompts with blocked subjects, whatever a
 * provider would accept. */
#pragma once

#include "base/text.h"

/*
 * Why a prompt is rejected, as a sentence for the customer; NULL if it is accepted. Blocked are
 * sexual content with children, threats to a person, and keys or tokens (blocked-subjects.def).
 * Capitals, marks, compatibility forms, look-alikes, invisible characters and digits for letters do
 * not hide a word. This is the first check; the provider's own filter is the second.
 */
const char *blocked_subject_reason(struct text prompt);
