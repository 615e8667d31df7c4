/*
 * svc-chat/findings/subject.h - for tools that check a JSON document of the caller's and go on
 * after each mistake: what they found, where in the document they are, and what a node is.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "issues.h"

/* Zero has found nothing. */
struct subject {
    struct issues errors;
    struct issues warnings;
};

void subject_free(struct subject *subject);

enum { PATH_BYTES = 200 };

/* A place in the document, by value: "embeds[0].fields[3].name"; zero is its root. */
struct path {
    char text[PATH_BYTES];
};

/* What stands below it; a path that grows too long is cut. */
struct path path_member(const struct path *path, const char *name);
struct path path_item(const struct path *path, size_t index);

bool node_is_bool(const cJSON *node); /* true or false; NULL is neither */

/* A text without White_Space at its ends. */
struct text trim_text(struct text text);

/* "must be …": the error wrong_type. */
void subject_wrong_type(struct subject *subject, const struct path *path, const char *wanted);

/* An integer from least to most, else wrong_type or `code` with the limit that was passed. */
bool subject_integer(struct subject *subject, const struct path *path, const cJSON *node,
                     const char *code, int64_t least, int64_t most);
