/*
 * portal/public/json-indent.h - JSON as people read it: the same tokens, indented.
 */
#pragma once

#include "base/buf.h"

/*
 * Append valid JSON with a line for each member and item, two blanks a level. Strings and numbers
 * are copied as they stand: 1.10 stays 1.10, and no digit of a large id is lost. What is no valid
 * JSON comes out in some form of about its size, but for the blanks: levels above 64 are not
 * indented any further. False when it does not fit into out.
 */
bool json_indent(struct text json, struct buf *out);
