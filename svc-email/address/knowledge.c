/* svc-email/address/knowledge.c - read the files, strictly: a list that is misspelled would be one
 * that nothing is in. */
#include "address/knowledge.h"

#include <string.h>

#include "address/evidence-cache.h"
#include "base/mem.h"
#include "text/json.h"
#include "text/yaml.h"

enum { PATH_BYTES = 4096 };

struct source {
    const char *file;
    struct err *err;
};

static bool refuse(const struct source *source, const char *key, const char *what)
{
    return err_set(source->err, ERR_INVALID_VALUE, "%s: %s %s", source->file, key, what);
}

static bool knows_keys(const struct source *source, const cJSON *object, const char *const *keys,
                       size_t count)
{
    const cJSON *member;
    if (!json_is(object, cJSON_Object))
        return refuse(source, "it", "must be a mapping");
    cJSON_ArrayForEach(member, object) {
        size_t i = 0;
        while (i < count && strcmp(keys[i], member->string) != 0)
            i++;
        if (i == count)
            return refuse(source, member->string, "is not known here");
    }
    return true;
}

/* A list of one text or more, of which no one is empty. */
static bool is_list(const struct source *source, const char *key, const cJSON *list)
{
    const cJSON *item;
    if (!json_is(list, cJSON_Array) || json_size(list) == 0)
        return refuse(source, key, "must be a list of texts");
    cJSON_ArrayForEach(item, list)
        if (json_text_of(item).size == 0)
            return refuse(source, key,
                          "must be a list of texts, with quotes around null and numbers");
    return true;
}

static bool read_names(const struct source *source, const char *key, const cJSON *list,
                       struct names *names)
{
    const cJSON *item;
    if (!is_list(source, key, list))
        return false;
    cJSON_ArrayForEach(item, list)
        if (!names_add(names, 0, json_text_of(item)))
            return refuse(source, key, "has a text twice");
    return true;
}

/* ---- words.yaml ---- */

/* Add a list; NULL says each of itself. */
static bool add_suffixes(const struct source *source, const char *key, const cJSON *list,
                         const char *said, struct suffixes *suffixes)
{
    const cJSON *item;
    if (!is_list(source, key, list))
        return false;
    suffixes->said = mem_resize(suffixes->said, (suffixes->names.count + json_size(list)) *
                                                    sizeof(*suffixes->said));
    cJSON_ArrayForEach(item, list) {
        size_t which = suffixes->names.count;
        if (!names_add(&suffixes->names, 0, json_text_of(item)))
            return refuse(source, key, "has a name twice");
        suffixes->said[which] = said ? said : json_text_of(item).bytes;
    }
    return true;
}

static bool read_suffixes(const struct source *source, const cJSON *words, const char *key,
                          struct suffixes *suffixes)
{
    return add_suffixes(source, key, json_get(words, key), NULL, suffixes);
}

static bool read_business(const struct source *source, const cJSON *words,
                          struct suffixes *suffixes)
{
    const cJSON *list;
    if (!json_is(json_get(words, "business_mx"), cJSON_Object))
        return refuse(source, "business_mx", "must be a mapping of lists");
    cJSON_ArrayForEach(list, json_get(words, "business_mx"))
        if (!add_suffixes(source, "business_mx", list, list->string, suffixes))
            return false;
    return true;
}

static bool read_roles(const struct source *source, const cJSON *words, struct names *roles)
{
    static const char *const keys[] = { "ordinary", "technical", "noreply" };
    const cJSON *node = json_get(words, "roles");
    return knows_keys(source, node, keys, countof(keys)) &&
           read_names(source, "ordinary", json_get(node, "ordinary"), &roles[ROLE_ORDINARY]) &&
           read_names(source, "technical", json_get(node, "technical"), &roles[ROLE_TECHNICAL]) &&
           read_names(source, "noreply", json_get(node, "noreply"), &roles[ROLE_NOREPLY]);
}

static bool read_words(const char *folder, struct knowledge *knowledge, struct err *err)
{
    static const char *const keys[] = {
        "roles",     "placeholders", "disposable_keywords", "disposable_mx", "relays",
        "parked_mx", "business_mx",  "suspicious_tlds",     "suffixes",      "suffix_slips",
    };
    scoped(mem_free) char *file = str_format("%s/address/words.yaml", folder);
    struct source source = { file, err };
    if (!yaml_load(file, &knowledge->words, err))
        return false;
    const cJSON *words = knowledge->words;
    knowledge->disposable_keywords = json_get(words, "disposable_keywords");
    return knows_keys(&source, words, keys, countof(keys)) &&
           read_roles(&source, words, knowledge->roles) &&
           read_names(&source, "placeholders", json_get(words, "placeholders"),
                      &knowledge->placeholders) &&
           is_list(&source, "disposable_keywords", knowledge->disposable_keywords) &&
           read_suffixes(&source, words, "disposable_mx", &knowledge->disposable_mx) &&
           read_suffixes(&source, words, "relays", &knowledge->relays) &&
           read_suffixes(&source, words, "parked_mx", &knowledge->parked_mx) &&
           read_business(&source, words, &knowledge->business_mx) &&
           read_names(&source, "suspicious_tlds", json_get(words, "suspicious_tlds"),
                      &knowledge->suspicious_tlds) &&
           read_names(&source, "suffixes", json_get(words, "suffixes"), &knowledge->suffixes) &&
           read_names(&source, "suffix_slips", json_get(words, "suffix_slips"),
                      &knowledge->suffix_slips);
}

/* ---- providers.yaml ---- */

static bool add_domains(const struct source *source, struct knowledge *knowledge, size_t which)
{
    const struct provider *provider = &knowledge->provider[which];
    const cJSON *item;
    cJSON_ArrayForEach(item, provider->domains) {
        struct text domain = json_text_of(item);
        size_t count = knowledge->domains.count;
        if (!names_add(&knowledge->domains, 0, domain))
            return refuse(source, domain.bytes, "occurs twice");
        knowledge->domain_provider =
            mem_resize(knowledge->domain_provider, (count + 1) * sizeof(size_t));
        knowledge->domain_provider[count] = which;
        if (provider->has_many) {
            bool is_new = names_add(&knowledge->labels, 0, text_cut(&domain, '.'));
            (void)is_new; /* most begin as the one before them does */
        }
    }
    return true;
}

static bool read_provider(const struct source *source, const cJSON *node,
                          struct knowledge *knowledge)
{
    static const char *const keys[] = { "name", "domains", "mx",      "many", "tag",
                                        "dots", "same_as", "numbers", "local" };
    size_t which = knowledge->provider_count++;
    struct provider *provider = &knowledge->provider[which];
    struct text local = json_text_of(json_get(node, "local"));
    struct text tag = json_text_of(json_get(node, "tag"));
    struct err why;
    if (!knows_keys(source, node, keys, countof(keys)))
        return false;
    *provider = (struct provider){
        .name = json_text(node, "/name"),
        .domains = json_get(node, "domains"),
        .mx = json_get(node, "mx"),
        .has_many = json_is(json_get(node, "many"), cJSON_True),
        .tag = tag.size == 1 ? tag.bytes[0] : '\0',
        .ignores_dots = text_is(json_text_of(json_get(node, "dots")), "ignored"),
        .same_as = json_text(node, "/same_as"),
        .has_numbers = json_is(json_get(node, "numbers"), cJSON_True),
    };
    if (!provider->name)
        return refuse(source, "name", "must be a text");
    if (local.size > 0 && !regex_new(local.bytes, &provider->local, &why))
        return refuse(source, provider->name, why.message);
    return is_list(source, provider->name, provider->domains) &&
           is_list(source, provider->name, provider->mx) && add_domains(source, knowledge, which);
}

static bool read_providers(const char *folder, struct knowledge *knowledge, struct err *err)
{
    scoped(mem_free) char *file = str_format("%s/address/providers.yaml", folder);
    struct source source = { file, err };
    const cJSON *node;
    if (!yaml_load(file, &knowledge->provider_tree, err))
        return false;
    if (!json_is(knowledge->provider_tree, cJSON_Array))
        return refuse(&source, "it", "must be a list");
    knowledge->provider =
        mem_array(json_size(knowledge->provider_tree) + 1, sizeof(*knowledge->provider));
    cJSON_ArrayForEach(node, knowledge->provider_tree)
        if (!read_provider(&source, node, knowledge))
            return false;
    return true;
}

/* ---- all together ---- */

bool knowledge_read(const char *folder, const char *disposable_file, const char *free_file,
                    struct knowledge **result, struct err *err)
{
    scoped(knowledge_free) struct knowledge *knowledge = mem_new(sizeof(*knowledge));
    knowledge->cache = evidence_cache_new();
    if (!read_words(folder, knowledge, err) || !read_providers(folder, knowledge, err) ||
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

static void free_suffixes(struct suffixes *suffixes)
{
    names_free(&suffixes->names);
    mem_free(&suffixes->said);
}

void knowledge_free(void *address_of_pointer)
{
    struct knowledge **address = address_of_pointer;
    struct knowledge *knowledge = *address;
    if (!knowledge)
        return;
    for (size_t i = 0; i < knowledge->provider_count; i++)
        regex_free(&knowledge->provider[i].local);
    mem_free(&knowledge->provider);
    mem_free(&knowledge->domain_provider);
    names_free(&knowledge->domains);
    names_free(&knowledge->labels);
    for (size_t i = 0; i < ROLES; i++)
        names_free(&knowledge->roles[i]);
    names_free(&knowledge->placeholders);
    names_free(&knowledge->suspicious_tlds);
    names_free(&knowledge->suffixes);
    names_free(&knowledge->suffix_slips);
    free_suffixes(&knowledge->disposable_mx);
    free_suffixes(&knowledge->relays);
    free_suffixes(&knowledge->parked_mx);
    free_suffixes(&knowledge->business_mx);
    domain_list_free(&knowledge->disposable);
    domain_list_free(&knowledge->free);
    evidence_cache_free(&knowledge->cache);
    json_free(&knowledge->words);
    json_free(&knowledge->provider_tree);
    mem_free(address);
}

/* ---- questions ---- */

bool names_have(const struct names *names, struct text name)
{
    uint32_t index;
    return names_find(names, name, &index);
}

const struct provider *provider_of(const struct knowledge *knowledge, const char *domain)
{
    uint32_t index;
    if (!names_find(&knowledge->domains, text_of(domain), &index))
        return NULL;
    return &knowledge->provider[knowledge->domain_provider[index]];
}

bool name_is_within(const char *name, const char *parent)
{
    size_t size = strlen(name);
    size_t tail = strlen(parent);
    return size >= tail && strcmp(name + size - tail, parent) == 0 &&
           (size == tail || name[size - tail - 1] == '.');
}

bool provider_has_mx(const struct provider *provider, const char *host)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, provider->mx)
        if (name_is_within(host, json_text_of(item).bytes))
            return true;
    return false;
}

const char *suffixes_find(const struct suffixes *suffixes, const char *name)
{
    uint32_t index;
    for (const char *rest = name; rest; rest = strchr(rest, '.')) {
        rest += *rest == '.';
        if (names_find(&suffixes->names, text_of(rest), &index))
            return suffixes->said[index];
    }
    return NULL;
}
