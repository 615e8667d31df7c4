/* svc-email/senders/mail-providers.c - mail providers, looked up by suffix. */
#include "senders/mail-providers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "dns/domain.h"
#include "text/json.h"
#include "text/yaml.h"

enum { ROLES = MAIL_DKIM + 1, SUFFIXES_MAX = 2000 };

/* A name and its owner. */
struct suffix {
    const char *name;
    const struct mail_provider *provider;
};

struct mail_providers {
    cJSON *tree; /* what the others point into */
    struct mail_provider *item;
    struct {
        size_t count;
        struct suffix *item; /* by name */
    } role[ROLES];
};

static const char *const role_names[ROLES] = { "mx", "spf", "dkim" };

static int by_name(const void *a, const void *b)
{
    return strcasecmp(((const struct suffix *)a)->name, ((const struct suffix *)b)->name);
}

static bool read_role(const cJSON *node, const struct mail_provider *provider, enum mail_role role,
                      struct mail_providers *providers)
{
    const cJSON *name;
    cJSON_ArrayForEach(name, json_get(node, role_names[role])) {
        struct text text = json_text_of(name);
        size_t *count = &providers->role[role].count;
        if (text.size == 0 || *count == SUFFIXES_MAX)
            return false;
        providers->role[role].item[(*count)++] = (struct suffix){ text.bytes, provider };
    }
    return true;
}

static bool read_selectors(const cJSON *node, struct mail_provider *provider)
{
    const cJSON *name;
    cJSON_ArrayForEach(name, json_get(node, "selectors")) {
        struct text text = json_text_of(name);
        if (text.size == 0 || provider->selectors == MAIL_SELECTORS_MAX)
            return false;
        provider->selector[provider->selectors++] = text.bytes;
    }
    return true;
}

static bool read_provider(const cJSON *node, struct mail_provider *provider,
                          struct mail_providers *providers)
{
    provider->name = json_text(node, "/name");
    provider->is_business = json_is(json_get(node, "business"), cJSON_True);
    provider->has_random_selectors = json_is(json_get(node, "random"), cJSON_True);
    bool ok = provider->name != NULL && read_selectors(node, provider);
    for (unsigned role = 0; ok && role < ROLES; role++)
        ok = read_role(node, provider, (enum mail_role)role, providers);
    return ok;
}

bool mail_providers_load(const char *file, struct mail_providers **result, struct err *err)
{
    scoped(mail_providers_free) struct mail_providers *providers = mem_new(sizeof(*providers));
    const cJSON *node;
    size_t number = 0;
    if (!yaml_load(file, &providers->tree, err))
        return false;
    providers->item = mem_array(json_size(providers->tree) + 1, sizeof(*providers->item));
    for (unsigned role = 0; role < ROLES; role++)
        providers->role[role].item = mem_array(SUFFIXES_MAX, sizeof(struct suffix));
    cJSON_ArrayForEach(node, providers->tree) {
        struct mail_provider *provider = &providers->item[number++];
        if (!read_provider(node, provider, providers))
            return err_set(
                err, ERR_INVALID_VALUE,
                "%s: provider %zu must have a name, names in lists mx, spf and dkim, and "
                "at most %d selectors",
                file, number, MAIL_SELECTORS_MAX);
    }
    if (number == 0)
        return err_set(err, ERR_INVALID_VALUE, "%s: must be a list of providers", file);
    for (unsigned role = 0; role < ROLES; role++)
        qsort(providers->role[role].item, providers->role[role].count, sizeof(struct suffix),
              by_name);
    *result = take(providers);
    return true;
}

void mail_providers_free(void *address_of_pointer)
{
    struct mail_providers **address = address_of_pointer;
    struct mail_providers *providers = *address;
    if (!providers)
        return;
    for (unsigned role = 0; role < ROLES; role++)
        mem_free(&providers->role[role].item);
    mem_free(&providers->item);
    json_free(&providers->tree);
    mem_free(address);
}

const struct mail_provider *mail_providers_find(const struct mail_providers *providers,
                                                enum mail_role role, const char *name)
{
    for (const char *rest = name; rest; rest = name_parent(rest)) {
        const struct suffix wanted = { rest, NULL };
        const struct suffix *found = bsearch(&wanted, providers->role[role].item,
                                             providers->role[role].count, sizeof(wanted), by_name);
        if (found)
            return found->provider;
    }
    return NULL;
}

const char *mail_provider_of(const struct mail_providers *providers, enum mail_role role,
                             const char *name)
{
    const struct mail_provider *provider = mail_providers_find(providers, role, name);
    return provider ? provider->name : NULL;
}
