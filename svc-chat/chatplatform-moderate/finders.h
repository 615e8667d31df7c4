/*
 * svc-chat/chatplatform-moderate/finders.h - the finders: each notes what it finds in a text with
 * finding_add(). Links come before words, which want to know whether there are any.
 */
#ifndef SVC_CHAT_MODERATE_FINDERS_H
#define SVC_CHAT_MODERATE_FINDERS_H

#include "moderation.h"

void find_links(struct moderation *moderation);
void find_words(struct moderation *moderation);
void find_noise(struct moderation *moderation);
void find_secrets(struct moderation *moderation);

#endif
