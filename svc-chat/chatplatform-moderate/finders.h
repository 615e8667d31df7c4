/*
 * svc-chat/chatplatform-moderate/finders.h - the finders: each notes what it finds in a text with
 * finding_add(). Links come before words, which want to know whether there are any.
 */
#pragma once

#include "moderation.h"

void find_links(struct moderation *moderation);
void find_words(struct moderation *moderation);
void find_noise(struct moderation *moderation);
void find_secrets(struct moderation *moderation);
