/* svc-email/senders/providers.c */
#include "senders/providers.h"

#include "base/mem.h"
#include "dns/domain.h"
#include "senders/data-file.h"
#include "text/json.h"
#include "text/yaml.h"

static bool add_domains(const struct source *source, struct providers *providers, size_t which)
{
    const struct provider *provider = &providers->item[which];
    const cJSON *item;
    cJSON_ArrayForEach(item, provider->domains) {
        struct text domain = json_text_of(item);
        size_t count = providers->domains.count;
        if (!names_add(&providers->domains, 0, domain))
            return source_reject(source, domain.bytes, "is a duplicate");
        providers->domain_provider =
            mem_resize(providers->domain_provider, (count + 1) * sizeof(size_t));
        providers->domain_provider[count] = which;
        if (provider->has_many) {
            bool is_new = names_add(&providers->labels, 0, text_cut(&domain, '.'));
            (void)is_new; /* the same label may occur again */
        }
    }
    return true;
}

static bool read_provider(const struct source *source, const cJSON *node,
                          struct providers *providers)
{
    static const char *const keys[] = { "name", "domains", "mx",      "many",    "rare",
                                        "tag",  "dots",    "same_as", "numbers", "local" };
    size_t which = providers->count++;
    struct provider *provider = &providers->item[which];
    struct text local = json_text_of(json_get(node, "local"));
    struct text tag = json_text_of(json_get(node, "tag"));
    struct err why;
    if (!source_knows_keys(source, node, keys, countof(keys)))
        return false;
    *provider = (struct provider){
        .name = json_text(node, "/name"),
        .domains = json_get(node, "domains"),
        .mx = json_get(node, "mx"),
        .has_many = json_is(json_get(node, "many"), cJSON_True),
        .is_rare = json_is(json_get(node, "rare"), cJSON_True),
        .tag = tag.size == 1 ? tag.bytes[0] : '\0',
        .ignores_dots = text_is(json_text_of(json_get(node, "dots")), "ignored"),
        .same_as = json_text(node, "/same_as"),
        .has_numbers = json_is(json_get(node, "numbers"), cJSON_True),
    };
    if (!provider->name)
        return source_reject(source, "name", "must be a text");
    if (local.size > 0 && !regex_new(local.bytes, &provider->local, &why))
        return source_reject(source, provider->name, why.message);
    return source_is_list(source, provider->name, provider->domains) &&
           (!provider->mx || source_is_list(source, provider->name, provider->mx)) &&
           add_domains(source, providers, which);
}

bool providers_load(const char *folder, struct providers **result, struct err *err)
{
    scoped(providers_free) struct providers *providers = mem_new(sizeof(*providers));
    scoped(mem_free) char *file = str_format("%s/senders/providers.yaml", folder);
    struct source source = { file, NULL, err };
    const cJSON *node;
    if (!yaml_load(file, &providers->tree, err))
        return false;
    if (!json_is(providers->tree, cJSON_Array))
        return source_reject(&source, "it", "must be a list");
    providers->item = mem_array(json_size(providers->tree) + 1, sizeof(*providers->item));
    cJSON_ArrayForEach(node, providers->tree)
        if (!read_provider(&source, node, providers))
            return false;
    *result = take(providers);
    return true;
}

void providers_free(struct providers **address)
{
    struct providers *providers = *address;
    if (!providers)
        return;
    for (size_t i = 0; i < providers->count; i++)
        regex_free(&providers->item[i].local);
    mem_free(&providers->item);
    mem_free(&providers->domain_provider);
    names_free(&providers->domains);
    names_free(&providers->labels);
    json_free(&providers->tree);
    mem_free(address);
}

const struct provider *providers_find(const struct providers *providers, const char *domain)
{
    uint32_t index;
    if (!names_find(&providers->domains, text_of(domain), &index))
        return NULL;
    return &providers->item[providers->domain_provider[index]];
}

bool provider_has_mx(const struct provider *provider, const char *host)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, provider->mx)
        if (name_is_within(host, json_text_of(item).bytes))
            return true;
    return false;
}
