/*
 * svc-utils/json-to-code/model/sample.h - from the events of a JSON value to the shape of the
 * model.
 */
#pragma once

#include "base/err.h"
#include "model.h"
#include "text/json.h"

/*
 * Read the value whose first event is given, and all of it, into an empty model. A string that
 * begins with { or [ is JSON itself and is read instead, with the last of repeated names winning.
 * Errors: ERR_INVALID_SAMPLE with line and column of what is no JSON in such a string;
 * ERR_TOO_DEEP.
 */
bool sample_read(struct model *model, struct json_reader *reader, const struct json_event *first,
                 struct err *err) must_check;
