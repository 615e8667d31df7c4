/* svc-email/address/knowledge.c - read the data files strictly: a misspelled list must not pass for
 * an empty one. */
#include "address/knowledge.h"

#include "address/evidence-cache.h"
#include "base/mem.h"
#include "senders/data-file.h"
#include "text/json.h"
#include "text/yaml.h"

static bool read_names(const struct source *source, const char *key, const cJSON *list,
                       struct names *names)
{
    const cJSON *item;
    if (!source_is_list(source, key, list))
        return false;
    cJSON_ArrayForEach(item, list)
        if (!names_add(names, 0, json_text_of(item)))
            return source_reject(source, key, "has a duplicate text");
    return true;
}

/* ---- words.yaml ---- */

static bool read_roles(const struct source *source, const cJSON *words, struct names *roles)
{
    static const char *const keys[] = { "ordinary", "technical", "noreply" };
    const cJSON *node = json_get(words, "roles");
    return source_knows_keys(source, node, keys, countof(keys)) &&
           read_names(source, "ordinary", json_get(node, "ordinary"), &roles[ROLE_ORDINARY]) &&
           read_names(source, "technical", json_get(node, "technical"), &roles[ROLE_TECHNICAL]) &&
           read_names(source, "noreply", json_get(node, "noreply"), &roles[ROLE_NOREPLY]);
}

static bool read_words(const char *folder, struct knowledge *knowledge, struct err *err)
{
    static const char *const keys[] = {
        "roles",           "placeholders", "disposable_keywords",
        "disposable_mx",   "relays",       "parked_mx",
        "suspicious_tlds", "suffixes",     "suffix_slips",
    };
    scoped(mem_free) char *file = str_format("%s/address/words.yaml", folder);
    struct source source = { file, NULL, err };
    if (!yaml_load(file, &knowledge->words, err))
        return false;
    const cJSON *words = knowledge->words;
    knowledge->disposable_keywords = json_get(words, "disposable_keywords");
    return source_knows_keys(&source, words, keys, countof(keys)) &&
           read_roles(&source, words, knowledge->roles) &&
           read_names(&source, "placeholders", json_get(words, "placeholders"),
                      &knowledge->placeholders) &&
           source_is_list(&source, "disposable_keywords", knowledge->disposable_keywords) &&
           read_names(&source, "disposable_mx", json_get(words, "disposable_mx"),
                      &knowledge->disposable_mx) &&
           read_names(&source, "relays", json_get(words, "relays"), &knowledge->relays) &&
           read_names(&source, "parked_mx", json_get(words, "parked_mx"), &knowledge->parked_mx) &&
           read_names(&source, "suspicious_tlds", json_get(words, "suspicious_tlds"),
                      &knowledge->suspicious_tlds) &&
           read_names(&source, "suffixes", json_get(words, "suffixes"), &knowledge->suffixes) &&
           read_names(&source, "suffix_slips", json_get(words, "suffix_slips"),
                      &knowledge->suffix_slips);
}

/* ---- all files ---- */

bool knowledge_read(const char *folder, const char *disposable_file, const char *free_file,
                    struct knowledge **result, struct err *err)
{
    scoped(knowledge_free) struct knowledge *knowledge = mem_new(sizeof(*knowledge));
    knowledge->cache = evidence_cache_new();
    scoped(mem_free) char *operators = str_format("%s/senders/mail-providers.yaml", folder);
    scoped(mem_free) char *root_zone = str_format("%s/address/root-zone.txt", folder);
    if (!read_words(folder, knowledge, err) ||
        !domain_list_load(root_zone, &knowledge->root_zone, err) ||
        !providers_load(folder, &knowledge->providers, err) ||
        !mail_providers_load(operators, &knowledge->operators, err) ||
        !domain_list_load(disposable_file, &knowledge->disposable, err))
        return false;
    if (*free_file && !domain_list_load(free_file, &knowledge->free, err))
        return false;
    *result = take(knowledge);
    return true;
}

bool knowledge_load(const struct conf *conf, const char *folder, void **content, struct err *err)
{
    const char *configured = conf_str(conf, "data.disposable_file");
    scoped(mem_free) char *ours = str_format("%s/address/disposable-domains.txt", folder);
    struct knowledge *knowledge = NULL;
    if (!knowledge_read(folder, *configured ? configured : ours,
                        conf_str(conf, "email.free_providers_file"), &knowledge, err))
        return false;
    *content = knowledge;
    return true;
}

bool knowledge_has_top(const struct knowledge *knowledge, const char *label)
{
    return domain_list_match(knowledge->root_zone, label, label) == DOMAIN_LISTED;
}

void knowledge_free(void *address_of_pointer)
{
    struct knowledge **address = address_of_pointer;
    struct knowledge *knowledge = *address;
    if (!knowledge)
        return;
    providers_free(&knowledge->providers);
    mail_providers_free(&knowledge->operators);
    for (size_t i = 0; i < ROLES; i++)
        names_free(&knowledge->roles[i]);
    names_free(&knowledge->placeholders);
    names_free(&knowledge->suspicious_tlds);
    names_free(&knowledge->suffixes);
    names_free(&knowledge->suffix_slips);
    names_free(&knowledge->disposable_mx);
    names_free(&knowledge->relays);
    names_free(&knowledge->parked_mx);
    domain_list_free(&knowledge->root_zone);
    domain_list_free(&knowledge->disposable);
    domain_list_free(&knowledge->free);
    evidence_cache_free(&knowledge->cache);
    json_free(&knowledge->words);
    mem_free(address);
}
