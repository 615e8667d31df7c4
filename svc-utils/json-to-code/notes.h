/*
 * svc-utils/json-to-code/notes.h - what the code cannot say, or says in another way than one would
 * expect.
 */
#pragma once

#include "json-to-code/model/model.h"

enum { NOTES_MAX = 200 };

/* Fill the notes of a named model, in the order of its types; beyond NOTES_MAX they are cut. */
void take_notes(struct model *model);
