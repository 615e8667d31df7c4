/*
 * svc-chat/chatplatform-moderate/rules.c - reads rules, words and domains. It is strict: a rule
 * with an unknown name would silently have no effect.
 */
#include "rules.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "reading/views.h"
#include "rules-file.h"
#include "scripts-read.h"
#include "text/json.h"
#include "text/yaml.h"
#include "writing/inflect.h"

static const char *const category_names[CATEGORIES] = {
#define CATEGORY(id, name) [CATEGORY_##id] = (name),
#include "rules.def"
};
static const char *const limit_names[LIMITS] = {
#define LIMIT(id, name) [LIMIT_##id] = (name),
#include "rules.def"
};
static const char *const list_names[LISTS] = {
#define LIST(id, name) [LIST_##id] = (name),
#include "rules.def"
};

/* Which groups the word files may name. */
enum { CODE, WORDS };
static const bool has_words[GROUPS] = {
#define RULE(id, name, source) [RULE_##id] = (source),
#define CLASS(id, name)        [CLASS_##id] = WORDS,
#include "rules.def"
};

const char *category_name(enum category category)
{
    return category_names[category];
}

static bool read_weights(const struct source *source, const cJSON *weights,
                         struct moderation_rules *rules)
{
    if (!rules_know_all(source, "weights", weights, category_names, CATEGORIES))
        return false;
    for (size_t i = 0; i < CATEGORIES; i++) {
        const cJSON *weight = json_get(weights, category_names[i]);
        if (!json_is(weight, cJSON_Number) || weight->valuedouble < 0 || weight->valuedouble > 1)
            return rules_reject(source, rules_place_of(weights, category_names[i]),
                                category_names[i], "must have a weight from 0 to 1");
        rules->weight[i] = weight->valuedouble;
    }
    return true;
}

static bool read_rule(const struct source *source, const cJSON *all, const char *name,
                      struct rule *rule)
{
    const cJSON *node = json_get(all, name);
    static const char *const keys[] = { "category", "points", "guess" };
    const cJSON *category = json_get(node, "category");
    const cJSON *guess = json_get(node, "guess");

    if (!node)
        return rules_reject(source, all, name, "is missing");
    if (!rules_know_all(source, name, node, keys, countof(keys)) ||
        !rules_read_integer(source, name, node, "points", 100, &rule->points))
        return false;
    size_t index = rules_is_text(category)
                       ? rules_find_name(category_names, CATEGORIES, json_text_of(category).bytes)
                       : CATEGORIES;
    if (index == CATEGORIES)
        return rules_reject(source, rules_place_of(node, "category"), name,
                            "must have a known category");
    rule->category = (enum category)index;
    rule->guess = json_is(guess, cJSON_True);
    return true;
}

static bool read_rules(const struct source *source, const cJSON *node,
                       struct moderation_rules *rules)
{
    if (!rules_know_all(source, "rules", node, rules_group_names, RULES))
        return false;
    for (size_t i = 0; i < RULES; i++)
        if (!read_rule(source, node, rules_group_names[i], &rules->rule[i]))
            return false;
    return true;
}

static bool read_limits(const struct source *source, const cJSON *node,
                        struct moderation_rules *rules)
{
    const int64_t max = 100000;
    if (!rules_know_all(source, "limits", node, limit_names, LIMITS))
        return false;
    for (size_t i = 0; i < LIMITS; i++)
        if (!rules_read_integer(source, limit_names[i], node, limit_names[i], max,
                                &rules->limit[i]))
            return false;
    return true;
}

/* place: of the list, or of the mapping that lacks it. */
static bool read_strings(const struct source *source, const char *where, const cJSON *place,
                         const cJSON *list, struct strings *strings)
{
    const cJSON *item;
    if (!rules_is_list(list))
        return rules_reject(source, place, where, "must be a list");
    cJSON_ArrayForEach(item, list) {
        if (!rules_is_text(item))
            return rules_reject(source, item, where, "must be a list of texts");
        strings_add(strings, json_text_of(item).bytes);
    }
    return true;
}

static bool read_lists(const struct source *source, const cJSON *node,
                       struct moderation_rules *rules)
{
    if (!rules_know_all(source, "lists", node, list_names, LISTS))
        return false;
    for (size_t i = 0; i < LISTS; i++) {
        if (i == LIST_BLOCKED_DOMAINS || i == LIST_PROTECTED_LABELS)
            continue;
        const char *name = list_names[i];
        if (!read_strings(source, name, rules_place_of(node, name), json_get(node, name),
                          &rules->list[i]))
            return false;
    }
    const struct strings *domains = &rules->list[LIST_PROTECTED_DOMAINS];
    for (size_t i = 0; i < domains->count; i++) {
        scoped(mem_free) char *label = str_dup(domains->at[i]);
        label[strcspn(label, ".")] = '\0';
        strings_add(&rules->list[LIST_PROTECTED_LABELS], label);
    }
    return true;
}

static bool read_key(const struct source *source, const cJSON *node, struct key_form *key)
{
    static const char *const keys[] = { "prefix", "upper_only", "also", "min", "max" };
    const int64_t max = 200;
    if (!rules_know_all(source, "keys", node, keys, countof(keys)))
        return false;
    if (!rules_is_text(json_get(node, "prefix")))
        return rules_reject(source, node, "keys", "must each have a prefix");
    if (!rules_read_integer(source, "keys", node, "min", max, &key->min) ||
        !rules_read_integer(source, "keys", node, "max", max, &key->max))
        return false;
    const cJSON *upper = json_get(node, "upper_only");
    key->upper_only = json_is(upper, cJSON_True);
    const cJSON *also = json_get(node, "also");
    key->also = str_dup(rules_is_text(also) ? json_text_of(also).bytes : "");
    key->prefix = str_dup(json_text_of(json_get(node, "prefix")).bytes);
    return true;
}

static bool read_keys(const struct source *source, const cJSON *node,
                      struct moderation_rules *rules)
{
    const cJSON *item;
    size_t count = 0;
    if (!rules_is_list(node))
        return rules_reject(source, node, "keys", "must be a list");
    cJSON_ArrayForEach(item, node)
        count++;
    rules->key = mem_array(count + 1, sizeof(*rules->key));
    cJSON_ArrayForEach(item, node)
        if (!read_key(source, item, &rules->key[rules->key_count++]))
            return false;
    return true;
}

static bool read_rules_file(const char *file, struct moderation_rules *rules, struct err *err)
{
    static const char *const keys[] = { "version", "weights", "rules", "limits", "lists", "keys" };
    struct source source;
    scoped(json_free) cJSON *tree = NULL;

    if (!rules_source_load(file, &tree, &source, err) ||
        !rules_know_all(&source, "the file", tree, keys, countof(keys)))
        return false;
    if (!rules_is_text(json_get(tree, "version")))
        return rules_reject(&source, rules_place_of(tree, "version"), "version", "must be a text");
    rules->version = str_dup(json_text(tree, "/version"));
    return read_weights(&source, json_get(tree, "weights"), rules) &&
           read_rules(&source, json_get(tree, "rules"), rules) &&
           read_limits(&source, json_get(tree, "limits"), rules) &&
           read_lists(&source, json_get(tree, "lists"), rules) &&
           read_keys(&source, json_get(tree, "keys"), rules);
}

/* ---- words ---- */

static bool read_words(const struct source *source, const cJSON *list, enum match_type type,
                       uint16_t group, bool is_rare, struct moderation_rules *rules)
{
    const cJSON *item;
    if (!list)
        return true;
    if (!rules_is_list(list))
        return rules_reject(source, list, rules_group_names[group], "must contain lists of words");
    cJSON_ArrayForEach(item, list) {
        if (!rules_is_text(item))
            return rules_reject(source, item, rules_group_names[group],
                                "must contain texts, in quotes where YAML requires them");
        rules_add_word(rules, json_text_of(item), type, group, is_rare);
    }
    return true;
}

/* The group to which the forms of a word are added. */
struct growth {
    struct moderation_rules *rules;
    uint16_t group;
};

static void add_form(struct text form, void *argument)
{
    const struct growth *growth = argument;
    rules_add_word(growth->rules, form, MATCH_WORD, growth->group, true);
}

typedef void inflect(struct text word, inflect_each *each, void *argument);

/* Words with all their inflected forms. */
static bool read_inflected(const struct source *source, const cJSON *list, inflect *forms,
                           uint16_t group, struct moderation_rules *rules)
{
    struct growth growth = { rules, group };
    const cJSON *item;
    if (!read_words(source, list, MATCH_WORD, group, true, rules))
        return false;
    cJSON_ArrayForEach(item, list)
        forms(json_text_of(item), add_form, &growth);
    return true;
}

/* Two lists of a group: each item of the first followed by each item of the second. */
static const struct pair {
    const char *first;
    const char *second;
    const char *between;
    enum match_type type;
} pairs[] = {
    { "first", "second", "", MATCH_PREFIX },
    { "before", "after", " ", MATCH_WORD },
};

static bool read_pair(const struct source *source, const cJSON *node, const struct pair *pair,
                      uint16_t group, struct moderation_rules *rules)
{
    const cJSON *firsts = json_get(node, pair->first);
    const cJSON *seconds = json_get(node, pair->second);
    const cJSON *first;
    const cJSON *second;

    if (!firsts && !seconds)
        return true;
    if (!rules_is_list(firsts) || !rules_is_list(seconds))
        return rules_reject(source, node, rules_group_names[group],
                            "must have both lists of a pair, or neither");
    cJSON_ArrayForEach(first, firsts)
        cJSON_ArrayForEach(second, seconds) {
            if (!rules_is_text(first) || !rules_is_text(second))
                return rules_reject(source, rules_is_text(first) ? second : first,
                                    rules_group_names[group], "must contain texts");
            scoped(mem_free) char *word = str_format("%s%s%s", json_text_of(first).bytes,
                                                     pair->between, json_text_of(second).bytes);
            rules_add_word(rules, text_of(word), pair->type, group, true);
        }
    return true;
}

static bool read_group(const struct source *source, const cJSON *node,
                       struct moderation_rules *rules)
{
    static const char *const types[MATCH_TYPES + 7] = {
        [MATCH_WORD] = "word",
        [MATCH_PREFIX] = "prefix",
        [MATCH_SUFFIX] = "suffix",
        [MATCH_SUBSTRING] = "substring",
        "rare",
        "noun",
        "verb",
        "first",
        "second",
        "before",
        "after",
    };
    size_t group = rules_find_name(rules_group_names, GROUPS, node->string);

    if (group == GROUPS || !has_words[group])
        return rules_reject(source, node, node->string, "is not a group of words");
    if (!rules_know_all(source, node->string, node, types, countof(types)))
        return false;
    for (size_t type = 0; type < MATCH_TYPES; type++)
        if (!read_words(source, json_get(node, types[type]), (enum match_type)type, (uint16_t)group,
                        false, rules))
            return false;
    for (size_t i = 0; i < countof(pairs); i++)
        if (!read_pair(source, node, &pairs[i], (uint16_t)group, rules))
            return false;
    return read_words(source, json_get(node, "rare"), MATCH_WORD, (uint16_t)group, true, rules) &&
           read_inflected(source, json_get(node, "noun"), inflect_noun, (uint16_t)group, rules) &&
           read_inflected(source, json_get(node, "verb"), inflect_verb, (uint16_t)group, rules);
}

static bool read_words_file(const char *file, struct moderation_rules *rules, struct err *err)
{
    static const char *const keys[] = { "language", "groups" };
    struct source source;
    scoped(json_free) cJSON *tree = NULL;
    const cJSON *group;

    if (!rules_source_load(file, &tree, &source, err) ||
        !rules_know_all(&source, "the file", tree, keys, countof(keys)))
        return false;
    if (!json_is(json_get(tree, "groups"), cJSON_Object))
        return rules_reject(&source, rules_place_of(tree, "groups"), "groups", "must be a mapping");
    cJSON_ArrayForEach(group, json_get(tree, "groups"))
        if (!read_group(&source, group, rules))
            return false;
    return true;
}

static bool read_domains_file(const char *file, struct moderation_rules *rules, struct err *err)
{
    struct source source;
    scoped(json_free) cJSON *tree = NULL;
    return rules_source_load(file, &tree, &source, err) &&
           read_strings(&source, "the file", tree, tree, &rules->list[LIST_BLOCKED_DOMAINS]);
}

/* ---- all files ---- */

typedef bool read_file(const char *file, struct moderation_rules *rules, struct err *err);

static bool read_each(const char *folder, const char *pattern, read_file *read_one,
                      struct moderation_rules *rules, struct err *err)
{
    scoped(mem_free) char *path = str_format("%s/%s", folder, pattern);
    scoped(globfree) glob_t files = { 0 };
    if (glob(path, 0, NULL, &files) != 0)
        return true;
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (!read_one(files.gl_pathv[i], rules, err))
            return false;
    return true;
}

static int by_length(const struct pattern *a, const struct pattern *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->code[0] < b->code[0] ? -1 : a->code[0] > b->code[0];
}

static int by_guess(const void *a, const void *b, void *words)
{
    const struct guess *one = a;
    const struct guess *other = b;
    return by_length(matcher_pattern(words, one->pattern), matcher_pattern(words, other->pattern));
}

bool moderation_rules_read(const char *folder, void **content, struct err *err)
{
    scoped(moderation_rules_free) struct moderation_rules *rules = mem_new(sizeof(*rules));
    scoped(mem_free) char *file = str_format("%s/rules.yaml", folder);

    rules->words = matcher_new();
    if (!read_rules_file(file, rules, err) ||
        !read_each(folder, "words-*.yaml", read_words_file, rules, err) ||
        !read_each(folder, "scripts-*.yaml", scripts_read_file, rules, err) ||
        !read_each(folder, "domains-*.yaml", read_domains_file, rules, err))
        return false;
    if (matcher_count(rules->words) == 0)
        return err_set(err, ERR_INVALID_VALUE, "there is no words-*.yaml in the folder of %s",
                       file);
    static const uint32_t person = VIEW_PERSON;
    matcher_add(rules->words, &person, 1, MATCH_WORD, CLASS_ADDRESSEE, false);
    matcher_finish(rules->words);
    if (rules->guess_count > 0)
        qsort_r(rules->guesses, rules->guess_count, sizeof(*rules->guesses), by_guess,
                rules->words);
    for (size_t i = 0; i < LISTS; i++)
        strings_sort(&rules->list[i]);
    *content = take(rules);
    return true;
}

bool moderation_rules_load(const struct conf *conf, const char *folder, void **content,
                           struct err *err)
{
    const char *configured = conf_str(conf, "chat.moderation_dir");
    scoped(mem_free) char *ours = str_format("%s/chatplatform-moderate/data", folder);
    return moderation_rules_read(*configured ? configured : ours, content, err);
}

void moderation_rules_free(void *address_of_pointer)
{
    struct moderation_rules **address = address_of_pointer;
    struct moderation_rules *rules = *address;
    if (!rules)
        return;
    mem_free(&rules->version);
    for (size_t i = 0; i < LISTS; i++)
        strings_free(&rules->list[i]);
    for (size_t i = 0; i < rules->key_count; i++) {
        mem_free(&rules->key[i].also);
        mem_free(&rules->key[i].prefix);
    }
    mem_free(&rules->key);
    strings_free(&rules->parts);
    mem_free(&rules->script);
    matcher_free(&rules->words);
    mem_free(&rules->guesses);
    mem_free(address);
}
