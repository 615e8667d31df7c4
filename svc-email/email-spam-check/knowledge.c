/* svc-email/email-spam-check/knowledge.c */
#include "email-spam-check/knowledge.h"

#include "base/mem.h"
#include "text/json.h"
#include "text/yaml.h"

static const char *const set_names[] = {
#define SET(id, name) name,
#include "email-spam-check/sets.def"
};

static const char *const list_names[] = {
#define LIST(id, name) name,
#include "email-spam-check/sets.def"
};

static bool read_set(const char *file, const cJSON *node, uint16_t set, struct phrases *phrases,
                     struct err *err)
{
    const cJSON *item;
    struct err why = { 0 };
    if (!json_is(node, cJSON_Array))
        return err_set(err, ERR_INVALID_VALUE, "%s: set %s must be a list", file, set_names[set]);
    cJSON_ArrayForEach(item, node) {
        if (!phrases_add(phrases, json_text_of(item), set, &why))
            return err_set(err, ERR_INVALID_VALUE, "%s: set %s: %.200s", file, set_names[set],
                           why.message);
    }
    return true;
}

static bool read_phrases(const char *file, const cJSON *tree, struct spam_knowledge *knowledge,
                         struct err *err)
{
    const cJSON *sets = json_get(tree, "sets");
    const cJSON *lists = json_get(tree, "lists");
    if (json_size(sets) != SETS || json_size(lists) != LISTS)
        return err_set(err, ERR_INVALID_VALUE, "%s: must have all sets and lists and no others",
                       file);
    for (int i = 0; i < SETS; i++)
        if (!read_set(file, json_get(sets, set_names[i]), (uint16_t)i, knowledge->phrases, err))
            return false;
    for (size_t i = 0; i < LISTS; i++)
        if (!json_get(lists, list_names[i]) ||
            !names_read_lower(json_get(lists, list_names[i]), &knowledge->arena,
                              &knowledge->list[i]))
            return err_set(err, ERR_INVALID_VALUE, "%s: list %s must be a list of texts", file,
                           list_names[i]);
    return true;
}

bool spam_knowledge_load(const char *folder, const char *suffixes_path,
                         struct spam_knowledge **result, struct err *err)
{
    scoped(spam_knowledge_free) struct spam_knowledge *knowledge = mem_new(sizeof(*knowledge));
    scoped(mem_free) char *file = str_format("%s/email-spam-check/phrases.yaml", folder);
    scoped(json_free) cJSON *tree = NULL;

    knowledge->phrases = phrases_new();
    if (!yaml_load(file, &tree, err) || !read_phrases(file, tree, knowledge, err) ||
        !senders_load(folder, suffixes_path, &knowledge->senders, err))
        return false;
    phrases_finish(knowledge->phrases);
    *result = take(knowledge);
    return true;
}

void spam_knowledge_free(void *address_of_pointer)
{
    struct spam_knowledge **address = address_of_pointer;
    struct spam_knowledge *knowledge = *address;
    if (!knowledge)
        return;
    phrases_free(&knowledge->phrases);
    for (size_t i = 0; i < LISTS; i++)
        names_free(&knowledge->list[i]);
    senders_free(&knowledge->senders);
    arena_free(&knowledge->arena);
    mem_free(address);
}
