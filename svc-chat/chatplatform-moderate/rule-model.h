/* svc-chat/chatplatform-moderate/rule-model.h - rules, words and scripts as the finders use them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chatplatform-moderate/strings.h"
#include "reading/matcher.h"

enum category {
#define CATEGORY(id, name) CATEGORY_##id,
#include "rules.def"
    CATEGORIES
};

/* Groups of words: rules, then classes. */
enum rule_id {
#define RULE(id, name, source) RULE_##id,
#include "rules.def"
    RULES,
    CLASS_FIRST = RULES - 1,
#define CLASS(id, name) CLASS_##id,
#include "rules.def"
    GROUPS
};

enum limit {
#define LIMIT(id, name) LIMIT_##id,
#include "rules.def"
    LIMITS
};

enum list {
#define LIST(id, name) LIST_##id,
#include "rules.def"
    LISTS
};

struct rule {
    enum category category;
    int64_t points;
    bool guess; /* its words also match if signs hide letters */
};

/* A secret's prefix, and what may follow. */
struct key_form {
    char *prefix;
    bool upper_only; /* uppercase letters and digits; else letters, digits, - and _ */
    char *also;      /* additional characters */
    int64_t min;
    int64_t max;
};

/* A word that f*** may hide. */
struct guess {
    size_t pattern;   /* its index */
    size_t holes_max; /* with more of them it is not considered */
};

enum { SCRIPT_PARTS_MAX = 4, PARTS_MAX = 64 };

/* Parts that together are one deed, in any order. */
struct script {
    enum rule_id rule;
    uint8_t all[SCRIPT_PARTS_MAX]; /* numbers of parts */
    size_t count;
    uint64_t none;   /* bit i: part i makes it a warning or a quote */
    bool needs_link; /* to a host that is not allowed or official */
};

struct moderation_rules {
    char *version;
    double weight[CATEGORIES];
    struct rule rule[RULES];
    int64_t limit[LIMITS];
    struct strings list[LISTS];
    struct key_form *key;
    size_t key_count;
    struct strings parts; /* names, in the order of their numbers */
    struct script *script;
    size_t script_count;
    struct matcher *words;
    struct guess *guesses; /* by length and first letter */
    size_t guess_count;
};

const char *rule_name(enum rule_id rule);
