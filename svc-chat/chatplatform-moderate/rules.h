/*
 * svc-chat/chatplatform-moderate/rules.h - the rule files, which an operator may replace at run
 * time: rules.yaml, words-*.yaml and scripts-*.yaml (one per language), domains-*.yaml (domains to
 * block, none by default). The heads of those files describe their form.
 */
#pragma once

#include "base/err.h"
#include "rule-model.h"
#include "text/conf.h"

const char *category_name(enum category category);

/*
 * Read the files of chat.moderation_dir, by default <folder>/chatplatform-moderate/data. Errors:
 * ERR_INVALID_VALUE with the file, the line, the field and the problem. Both functions belong to
 * the data kind moderation_data, see svc/data.h.
 */
bool moderation_rules_load(const struct conf *conf, const char *folder, void **content,
                           struct err *err) must_check;
void moderation_rules_free(void *address_of_pointer);

/* As moderation_rules_load(), for this folder. */
bool moderation_rules_read(const char *folder, void **content, struct err *err) must_check;
