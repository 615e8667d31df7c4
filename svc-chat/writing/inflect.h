/*
 * svc-chat/writing/inflect.h - what English words become, as chats spell it.
 */
#pragma once

#include "base/text.h"

/* Gets each form; its text is lent for the call. */
typedef void inflect_each(struct text form, void *argument);

/* Both call each() with every form of a word but itself. A word is not empty and ends in a NUL. */

/* The plural, with an s and with a z: bitches, bitchez. */
void inflect_noun(struct text noun, inflect_each *each, void *argument);

/* What it becomes, and who does it: rapes, raped, raping, rapin, raper, rapers. */
void inflect_verb(struct text verb, inflect_each *each, void *argument);
