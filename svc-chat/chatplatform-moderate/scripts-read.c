/* svc-chat/chatplatform-moderate/scripts-read.c - reads scripts-*.yaml. */
#include "scripts-read.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "rules-file.h"
#include "text/json.h"

/* The number of the part with this name; parts.count if the name is unknown. */
static size_t part_number(const struct moderation_rules *rules, const char *name)
{
    size_t i = 0;
    while (i < rules->parts.count && strcmp(rules->parts.at[i], name) != 0)
        i++;
    return i;
}

static bool read_part(const struct source *source, const cJSON *node,
                      struct moderation_rules *rules)
{
    const cJSON *item;
    size_t number = part_number(rules, node->string);
    if (number == PARTS_MAX)
        return rules_reject(source, node, node->string, "is one part too many");
    if (number == rules->parts.count)
        strings_add(&rules->parts, node->string);
    if (!rules_is_list(node))
        return rules_reject(source, node, node->string, "must be a list of words");
    cJSON_ArrayForEach(item, node) {
        if (!rules_is_text(item))
            return rules_reject(source, item, node->string,
                                "must contain texts, in quotes where YAML requires them");
        rules_add_word(rules, json_text_of(item), MATCH_WORD, (uint16_t)(GROUPS + number), false);
    }
    return true;
}

/* The numbers of the parts in a list; false if one is unknown. */
static bool read_names(const struct source *source, const cJSON *script, const char *key,
                       const struct moderation_rules *rules, uint8_t *numbers, size_t max,
                       size_t *count)
{
    const cJSON *list = json_get(script, key);
    const cJSON *item;
    *count = 0;
    if (list && !rules_is_list(list))
        return rules_reject(source, list, key, "must be a list of parts");
    cJSON_ArrayForEach(item, list) {
        size_t number =
            rules_is_text(item) ? part_number(rules, json_text_of(item).bytes) : rules->parts.count;
        if (number == rules->parts.count || *count == max)
            return rules_reject(source, item, key, "must name few parts, all of this file");
        numbers[(*count)++] = (uint8_t)number;
    }
    return true;
}

static bool read_script(const struct source *source, const cJSON *node,
                        struct moderation_rules *rules, struct script *script)
{
    static const char *const keys[] = { "rule", "all", "none", "link" };
    uint8_t none[SCRIPT_PARTS_MAX];
    size_t count;
    const cJSON *name = json_get(node, "rule");

    *script = (struct script){ .rule = RULES };
    if (!rules_know_all(source, "scripts", node, keys, countof(keys)))
        return false;
    for (size_t i = 0; i < RULES; i++)
        if (rules_is_text(name) &&
            strcmp(rule_name((enum rule_id)i), json_text_of(name).bytes) == 0)
            script->rule = (enum rule_id)i;
    if (script->rule == RULES)
        return rules_reject(source, node, "scripts", "must each have a known rule");
    if (!read_names(source, node, "all", rules, script->all, SCRIPT_PARTS_MAX, &script->count) ||
        !read_names(source, node, "none", rules, none, SCRIPT_PARTS_MAX, &count))
        return false;
    if (script->count == 0)
        return rules_reject(source, node, "scripts", "must each have parts");
    for (size_t i = 0; i < count; i++)
        script->none |= UINT64_C(1) << none[i];
    script->needs_link = json_is(json_get(node, "link"), cJSON_True);
    return true;
}

bool scripts_read_file(const char *file, struct moderation_rules *rules, struct err *err)
{
    static const char *const keys[] = { "language", "parts", "scripts" };
    struct source source;
    scoped(json_free) cJSON *tree = NULL;
    const cJSON *node;

    if (!rules_source_load(file, &tree, &source, err) ||
        !rules_know_all(&source, "the file", tree, keys, countof(keys)))
        return false;
    cJSON_ArrayForEach(node, json_get(tree, "parts"))
        if (!read_part(&source, node, rules))
            return false;
    cJSON_ArrayForEach(node, json_get(tree, "scripts")) {
        rules->script =
            mem_resize(rules->script, (rules->script_count + 1) * sizeof(*rules->script));
        if (!read_script(&source, node, rules, &rules->script[rules->script_count++]))
            return false;
    }
    return true;
}
