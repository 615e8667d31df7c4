/* svc-utils/json-to-code/model/sample.h - builds the model's shape from the events of a JSON
 * value. */
#pragma once

#include "base/err.h"
#include "model.h"
#include "text/json.h"

/*
 * Read the whole value that starts with the given event into an empty model. A string that begins
 * with { or [ is read as JSON. Of repeated names the last one wins. Errors: ERR_INVALID_SAMPLE with
 * line and column if such a string is not valid JSON; ERR_TOO_DEEP.
 */
bool sample_read(struct model *model, struct json_reader *reader, const struct json_event *first,
                 struct err *err) must_check;
