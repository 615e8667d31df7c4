/*
 * svc-chat/findings/subject.h - for tools that check a JSON document and continue after each error:
 * issues, paths and node types.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "issues.h"

/* Zero has no issues. */
struct subject {
    struct issues errors;
    struct issues warnings;
};

void subject_free(struct subject *subject);

enum { PATH_BYTES = 200 };

/* A position in the document, by value: "embeds[0].fields[3].name"; zero is its root. */
struct path {
    char text[PATH_BYTES];
};

/* The path of a child. A path that gets too long is cut. */
struct path path_member(const struct path *path, const char *name);
struct path path_item(const struct path *path, size_t index);

bool node_is_bool(const cJSON *node); /* true or false; NULL is not */

/* The text without White_Space at its ends. */
struct text trim_text(struct text text);

/* Add the error wrong_type, "must be …". */
void subject_wrong_type(struct subject *subject, const struct path *path, const char *wanted);

/* An integer from least to most; else the error wrong_type, or `code` with the violated limit. */
bool subject_integer(struct subject *subject, const struct path *path, const cJSON *node,
                     const char *code, int64_t least, int64_t most);
