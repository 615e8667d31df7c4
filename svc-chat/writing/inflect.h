/* svc-chat/writing/inflect.h - inflected forms of English words, as spelled in chats. */
#pragma once

#include "base/text.h"

/* Receives each form; its text is valid only during the call. */
typedef void inflect_each(struct text form, void *argument);

/*
 * Both call each() with every form of a word except the word itself. The word must not be empty and
 * must end in a NUL.
 */

/* The plural, with an s and with a z: bitches, bitchez. */
void inflect_noun(struct text noun, inflect_each *each, void *argument);

/* Verb forms and the agent noun: rapes, raped, raping, rapin, raper, rapers. */
void inflect_verb(struct text verb, inflect_each *each, void *argument);
