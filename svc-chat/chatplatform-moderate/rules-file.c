/* svc-chat/chatplatform-moderate/rules-file.c - reads single values of a rule file, and adds words.
 */
#include "rules-file.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "reading/views.h"
#include "text/json.h"
#include "text/yaml.h"

const char *const rules_group_names[GROUPS] = {
#define RULE(id, name, source) [RULE_##id] = (name),
#define CLASS(id, name)        [CLASS_##id] = (name),
#include "rules.def"
};

const char *rule_name(enum rule_id rule)
{
    return rules_group_names[rule];
}

/* The index of a name; count if not found. */
size_t rules_find_name(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* ---- one file ---- */

/* at: the node that is invalid or lacks a member; NULL: the whole file. */
bool rules_reject(const struct source *source, const cJSON *at, const char *where, const char *what)
{
    return err_set(source->err, ERR_INVALID_VALUE, "%s: line %zu: %s %s", source->file,
                   yaml_line(source->file, source->tree, at ? at : source->tree), where, what);
}

bool rules_source_load(const char *file, cJSON **tree, struct source *source, struct err *err)
{
    if (!yaml_load(file, tree, err))
        return false;
    *source = (struct source){ file, *tree, err };
    return true;
}

bool rules_is_list(const cJSON *node)
{
    return json_is(node, cJSON_Array);
}

bool rules_is_text(const cJSON *node)
{
    return json_text_of(node).size > 0;
}

/* A member of a mapping, or the mapping if it lacks that member. */
const cJSON *rules_place_of(const cJSON *mapping, const char *name)
{
    const cJSON *member = json_get(mapping, name);
    return member ? member : mapping;
}

/* Check that every member is known. */
bool rules_know_all(const struct source *source, const char *where, const cJSON *object,
                    const char *const *names, size_t count)
{
    const cJSON *member;
    if (!json_is(object, cJSON_Object))
        return rules_reject(source, object, where, "must be a mapping");
    cJSON_ArrayForEach(member, object)
        if (rules_find_name(names, count, member->string) == count)
            return rules_reject(source, member, member->string, "is not known here");
    return true;
}

/* A member of a mapping, from 0 to max. */
bool rules_read_integer(const struct source *source, const char *where, const cJSON *mapping,
                        const char *name, int64_t max, int64_t *value)
{
    const cJSON *node = json_get(mapping, name);
    if (!json_is_integer(node) || node->valuedouble < 0 || node->valuedouble > (double)max)
        return rules_reject(source, rules_place_of(mapping, name), where,
                            "must be a whole number in its range");
    *value = (int64_t)node->valuedouble;
    return true;
}

/* ---- words ---- */

enum { JOINED_LETTERS_MIN = 7 /* of a phrase: "cum in" is also a spice */ };

/*
 * Phrases that are also written without blanks, in names and after a #. Lures and goods are
 * excluded: paths of shop links are full of giftcards, and an ammonoid is not "ammo, no id".
 */
static bool may_be_joined(const struct moderation_rules *rules, enum match_type type,
                          uint16_t group)
{
    if (type != MATCH_WORD || group >= RULES)
        return false;
    enum category category = rules->rule[group].category;
    return category != CATEGORY_SCAM && category != CATEGORY_ILLEGAL_GOODS;
}

/* Short words are hidden in too many other words. */
static bool may_guess(const struct moderation_rules *rules, const struct pattern *pattern)
{
    return pattern->group < RULES && rules->rule[pattern->group].guess && pattern->length >= 4;
}

/*
 * How many letters of a pattern may be hidden: all but the first of a word, half of a prefix, fewer
 * of a rare word, because any name could be a b****t.
 */
static size_t holes_max(const struct pattern *pattern, bool is_rare)
{
    if (is_rare)
        return (pattern->length - 1) / 2;
    return pattern->type == MATCH_PREFIX ? pattern->length / 2 : pattern->length - 1;
}

/* Allow hidden letters in the pattern that was added last. */
static void allow_guess(struct moderation_rules *rules, bool is_rare)
{
    size_t last = matcher_count(rules->words) - 1;
    const struct pattern *pattern = matcher_pattern(rules->words, last);
    size_t count = rules->guess_count;
    if (!may_guess(rules, pattern))
        return;
    if ((count & (count - 1)) == 0) /* full at each power of two */
        rules->guesses = mem_resize(rules->guesses, MAX(1, 2 * count) * sizeof(*rules->guesses));
    rules->guesses[rules->guess_count++] = (struct guess){ last, holes_max(pattern, is_rare) };
}

void rules_add_word(struct moderation_rules *rules, struct text text, enum match_type type,
                    uint16_t group, bool is_rare)
{
    bool has_marks;
    scoped(view_free) struct view view = view_of_pattern(text, &has_marks);
    scoped(mem_free) uint32_t *code = mem_array(view.count + 1, sizeof(*code));
    size_t letters = 0;

    for (size_t i = 0; i < view.count; i++)
        if (i > 0 || view.at[i].code != ' ') /* a gesture has one in front */
            code[letters++] = view.at[i].code;
    matcher_add(rules->words, code, letters, type, group, has_marks);
    if (letters > 0)
        allow_guess(rules, is_rare);
    letters = 0;
    if (!may_be_joined(rules, type, group))
        return;
    for (size_t i = 0; i < view.count; i++)
        if (view.at[i].code != ' ')
            code[letters++] = view.at[i].code;
    if (letters < view.count && letters >= JOINED_LETTERS_MIN) {
        matcher_add(rules->words, code, letters, type, group, has_marks);
        allow_guess(rules, true);
    }
}
