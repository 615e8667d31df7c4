/*
 * svc-email/email-spam-check/knowledge.h - data files of the tool: phrases.yaml, and the senders of
 * svc-email/senders.
 */
#pragma once

#include "email-spam-check/phrases.h"
#include "senders/senders.h"

enum phrase_set {
#define SET(id, name) SET_##id,
#include "email-spam-check/sets.def"
    SETS
};

enum name_list {
#define LIST(id, name) LIST_##id,
#include "email-spam-check/sets.def"
    LISTS
};

struct spam_knowledge {
    struct phrases *phrases;
    struct names list[LISTS];
    struct senders *senders;
    struct arena arena; /* owns the lists */
};

/* Read <folder>/email-spam-check/phrases.yaml and the senders. Errors: ERR_INVALID_VALUE with the
 * file and the problem. */
bool spam_knowledge_load(const char *folder, const char *suffixes_path,
                         struct spam_knowledge **knowledge, struct err *err) must_check;
void spam_knowledge_free(void *address_of_pointer);
