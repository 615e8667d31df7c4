/*
 * portal/snippets/json-indent.h - indents JSON for people.
 */
#pragma once

#include "base/buf.h"

/*
 * Append valid JSON with a line for each member and item, and two spaces per level, up to 64
 * levels. Strings and numbers are copied unchanged: 1.10 stays 1.10, and large ids keep their
 * digits. Invalid JSON gives some output of similar size. False: it does not fit into out.
 */
bool json_indent(struct text json, struct buf *out);
