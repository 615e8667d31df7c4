/*
 * svc-security/openapi-validate/witness/witness.h - counterexamples of breaking changes: a request
 * value that is valid only under the old document, or a response value valid only under the new.
 */
#pragma once

#include "openapi-validate/diff/changes.h"

/*
 * Set the witness of each breaking change, or why it has none, after diff_run(). A change of which
 * it proves that no value shows it becomes CHANGE_INFO. Time and memory are bounded: a part that
 * grows with the size of the documents, and at most WITNESS_STEPS_MAX steps in all.
 */
void witness_find(struct diff *diff);
