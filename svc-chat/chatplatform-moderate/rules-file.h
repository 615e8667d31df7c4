/*
 * svc-chat/chatplatform-moderate/rules-file.h - what the readers of rule files have in common. Each
 * problem is reported with the file and line.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "rule-model.h"

/* Rules, then classes, as files spell them. */
extern const char *const rules_group_names[GROUPS];

/* The current file, for messages to the operator. */
struct source {
    const char *file;
    const cJSON *tree;
    struct err *err;
};

bool rules_source_load(const char *file, cJSON **tree, struct source *source,
                       struct err *err) must_check;

/* at: the node that is invalid or lacks a member; NULL: the whole file. Returns false. */
bool rules_reject(const struct source *source, const cJSON *at, const char *where,
                  const char *what);

bool rules_is_list(const cJSON *node);
bool rules_is_text(const cJSON *node); /* not empty */

/* Is the node a mapping of known members only? */
bool rules_know_all(const struct source *source, const char *where, const cJSON *object,
                    const char *const *names, size_t count) must_check;

/* The index of a name; count if not found. */
size_t rules_find_name(const char *const *names, size_t count, const char *name);

/* A member of a mapping, or the mapping if it lacks that member. */
const cJSON *rules_place_of(const cJSON *mapping, const char *name);

/* A member of a mapping, from 0 to max. */
bool rules_read_integer(const struct source *source, const char *where, const cJSON *mapping,
                        const char *name, int64_t max, int64_t *value) must_check;

/* Add a word of a group, or of a part of scripts: GROUPS and the number of the part. */
void rules_add_word(struct moderation_rules *rules, struct text text, enum match_type type,
                    uint16_t group, bool is_rare);
