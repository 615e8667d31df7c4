/*
 * common/text/yaml.h - YAML 1.1 with libyaml, as a JSON tree.
 *
 * Quoted scalars and keys are text. Plain scalars follow the words of YAML 1.2's core schema
 * (section 10.3) and JSON's numbers:
 *
 *     null        nothing at all, ~, null, Null, NULL
 *     true false  also True, TRUE, False, FALSE; `yes`, `no`, `on` and `off` stay text
 *     a number    a JSON number; 007, +1, .5, 0x10, 1_000 and .inf stay text, and so does an
 *                 integer beyond +-2^53 (an id, which a double would change) or beyond all doubles
 *
 * Tags, anchors and aliases are rejected, so a document is never larger than its bytes. The merge
 * key << has no special meaning.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The only document in input; null if the input is empty. Errors: ERR_INVALID_VALUE with line and
 * column for text that is not YAML or not UTF-8, nesting deeper than 64, a key that is repeated,
 * not a scalar or contains U+0000, a tag, an anchor, an alias or a second document.
 */
bool yaml_parse(struct text input, cJSON **tree, struct err *err) must_check;

/* The same from a file of at most 4 MiB; the error has the file's name. */
bool yaml_load(const char *path, cJSON **tree, struct err *err) must_check;

/*
 * For messages: the line of a node, or of its key, in the file that yaml_load() read. Reads the
 * file again. 0: the node is not in the tree, or the file is now shorter.
 */
size_t yaml_line(const char *path, const cJSON *tree, const cJSON *node);
