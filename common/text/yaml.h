/*
 * common/text/yaml.h - YAML 1.1 by libyaml, as a JSON tree.
 *
 * Quoted scalars and keys are text. Plain scalars become, by the words of YAML 1.2's core schema
 * (section 10.3) and the numbers of JSON:
 *
 *     null        nothing at all, ~, null, Null, NULL
 *     true false  also True, TRUE, False, FALSE; `yes`, `no`, `on` and `off` stay text
 *     a number    what JSON calls one; 007, +1, .5, 0x10, 1_000 and .inf stay text, and so does an
 *                 integer beyond +-2^53 (an id, which a double would change) or beyond all doubles
 *
 * Tags, anchors and aliases are refused, so a document is never larger than its bytes and means
 * what it says. The merge key << has no special meaning.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* The single document in input; null when there is none. Errors: ERR_INVALID_VALUE with line and
 * column for what is not YAML or not UTF-8, nested deeper than 64, a key that occurs twice or is
 * no scalar or holds U+0000, a tag, an anchor, an alias or a second document. */
bool yaml_parse(struct text input, cJSON **tree, struct err *err) must_check;

/* The same from a file of at most 4 MiB; the error names the file. */
bool yaml_load(const char *path, cJSON **tree, struct err *err) must_check;

/* For messages: the line of a node, or of its key, in the file that yaml_load() made the tree of.
 * The file is read again. 0: the node is not in the tree, or the file has become shorter. */
size_t yaml_line(const char *path, const cJSON *tree, const cJSON *node);
