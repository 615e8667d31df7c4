/*
 * svc-chat/chatplatform-moderate/finders.h - the finders. Each records matches with finding_add().
 * Links run before words, which depend on has_foreign_link.
 */
#pragma once

#include "moderation.h"

void find_links(struct moderation *moderation);
void find_words(struct moderation *moderation);
void find_noise(struct moderation *moderation);
void find_secrets(struct moderation *moderation);
