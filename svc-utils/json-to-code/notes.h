/* svc-utils/json-to-code/notes.h - what the code cannot express or expresses in an unexpected
 * way. */
#pragma once

#include "json-to-code/model/model.h"

enum { NOTES_MAX = 200 };

/* Set the notes of a named model, in the order of its types; at most NOTES_MAX are kept. */
void take_notes(struct model *model);
