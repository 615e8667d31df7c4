/* svc-ai/model/providers.c - read and check the list of providers. */
#include "model/providers.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/file.h"
#include "base/text.h"
#include "model/provider/budget.h"
#include "model/provider/state.h"
#include "model/wire/wire.h"
#include "text/json.h"
#include "text/yaml.h"

enum { PRICE_MAX = 100000000 };
enum { KEY_MAX_BYTES = 4096, NAME_MAX_BYTES = 32, TEXT_MAX_BYTES = 500 };

/* Where in which file, for error messages to the operator. */
struct place {
    const char *file;
    const char *name; /* name of the provider or tool; "": the top */
    struct err *err;
};

static bool reject_key(const struct place *place, const char *key, const char *what)
{
    return err_set(place->err, ERR_INVALID_VALUE, "%s: %s%s%s %s", place->file, place->name,
                   *place->name ? ": " : "", key, what);
}

static bool check_keys(const struct place *place, const cJSON *node, const char *const *known)
{
    const cJSON *member;
    if (!json_is(node, cJSON_Object))
        return reject_key(place, "it", "must be a mapping");
    cJSON_ArrayForEach(member, node) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], member->string) != 0)
            i++;
        if (!known[i])
            return reject_key(place, member->string, "is not a known key");
    }
    return true;
}

/* Visible ASCII and blanks: safe in a header line and in a log line. */
static bool is_printable(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < ' ' || text.bytes[i] > '~')
            return false;
    return true;
}

static bool read_text(const struct place *place, const cJSON *node, const char *key,
                      bool is_required, const char **out)
{
    const cJSON *member = json_get(node, key);
    struct text text = json_text_of(member);
    if (!member && !is_required)
        return true;
    if (text.size == 0 || text.size > TEXT_MAX_BYTES || !is_printable(text))
        return reject_key(place, key, "must be a string of visible ASCII characters");
    *out = text.bytes;
    return true;
}

static bool read_number(const struct place *place, const cJSON *node, const char *key, int64_t min,
                        int64_t max, int64_t *out)
{
    const cJSON *member = json_get(node, key);
    if (!member)
        return true;
    if (!json_is_integer(member) || member->valuedouble < (double)min ||
        member->valuedouble > (double)max)
        return err_set(place->err, ERR_INVALID_VALUE, "%s: %s%s%s must be %lld to %lld",
                       place->file, place->name, *place->name ? ": " : "", key, (long long)min,
                       (long long)max);
    *out = (int64_t)member->valuedouble;
    return true;
}

/* ---- one provider ---- */

static bool read_name(struct place *place, const cJSON *node, const struct providers *providers,
                      const char **name)
{
    struct text text = json_text_of(json_get(node, "name"));
    place->name = "a provider";
    if (text.size == 0 || text.size > NAME_MAX_BYTES ||
        !text_is_made_of(text, "abcdefghijklmnopqrstuvwxyz0123456789_-"))
        return reject_key(place, "name", "must have 1 to 32 characters of a-z, 0-9, _ and -");
    for (size_t i = 0; i < providers->count; i++)
        if (text_is(text, providers->item[i].name))
            return reject_key(place, "name", "is a duplicate");
    place->name = *name = text.bytes;
    return true;
}

static bool read_wire(const struct place *place, const cJSON *node, const struct wire **wire)
{
    static const struct wire *const wires[] = { &wire_openai, &wire_anthropic };
    struct text type = json_text_of(json_get(node, "type"));
    for (size_t i = 0; i < countof(wires); i++)
        if (text_is(type, wires[i]->name)) {
            *wire = wires[i];
            return true;
        }
    return reject_key(place, "type", "must be openai or anthropic");
}

static bool read_base_url(const struct place *place, const cJSON *node, char **out)
{
    struct text url = json_text_of(json_get(node, "base_url"));
    const char *text;
    if (!read_text(place, node, "base_url", true, &text))
        return false;
    bool is_http = text_begins(url, "https://") || text_begins(url, "http://");
    if (!is_http || text_has(url, " ") || text_has(url, "@") || text_has(url, "?"))
        return reject_key(place, "base_url",
                          "must begin with https:// or http://, without user name, blank or query");
    *out = mem_dup(url.bytes, url.size - (url.bytes[url.size - 1] == '/'));
    return true;
}

static bool read_names(const struct place *place, const cJSON *node, const char *key, int type,
                       const cJSON **out)
{
    const cJSON *list = json_get(node, key);
    const cJSON *item;
    if (list && !json_is(list, type))
        return reject_key(place, key, type == cJSON_Array ? "must be a list" : "must be a mapping");
    cJSON_ArrayForEach(item, list)
        if (json_text_of(item).size == 0)
            return reject_key(place, key, "must be strings");
    *out = list;
    return true;
}

static bool read_structured(const struct place *place, const cJSON *node, const char **out)
{
    static const char *const known[] = { "auto", "json_schema", "json_object", "tool", "prompt" };
    *out = known[0];
    if (!read_text(place, node, "structured", false, out))
        return false;
    for (size_t i = 0; i < countof(known); i++)
        if (strcmp(*out, known[i]) == 0)
            return true;
    return reject_key(place, "structured",
                      "must be auto, json_schema, json_object, tool or prompt");
}

static bool read_limits(const struct place *place, const cJSON *node, struct provider *provider)
{
    provider->max_output_tokens = 4096;
    provider->connect_timeout_ms = 5000;
    provider->timeout_ms = 30000;
    provider->max_concurrency = 16;
    return read_number(place, node, "max_output_tokens", 16, 32768, &provider->max_output_tokens) &&
           read_number(place, node, "connect_timeout_ms", 100, 60000,
                       &provider->connect_timeout_ms) &&
           read_number(place, node, "timeout_ms", 100, 280000, &provider->timeout_ms) &&
           read_number(place, node, "max_concurrency", 1, 256, &provider->max_concurrency);
}

static bool read_amount(const struct place *place, const cJSON *node, const char *key,
                        double *amount)
{
    const cJSON *member = json_get(node, key);
    if (member && (!json_is(member, cJSON_Number) || !(member->valuedouble >= 0) ||
                   member->valuedouble > PRICE_MAX))
        return reject_key(place, key, "must be 0 to 100000000");
    *amount = member ? member->valuedouble : 0;
    return true;
}

/* A price per million tokens is one of millionths per token. */
static bool read_price(const struct place *place, const cJSON *node, struct provider_price *price)
{
    static const char *const known[] = { "input_per_1m", "output_per_1m", "image", "currency",
                                         NULL };
    const cJSON *currency = json_get(node, "currency");
    if (!node)
        return true;
    if (!check_keys(place, node, known) ||
        !read_amount(place, node, "input_per_1m", &price->input) ||
        !read_amount(place, node, "output_per_1m", &price->output) ||
        !read_amount(place, node, "image", &price->image))
        return false;
    if (json_text_of(currency).size != 3 ||
        !text_is_made_of(json_text_of(currency), "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        return reject_key(place, "currency", "must be a code of three capital letters, as USD");
    price->image *= 1e6;
    price->currency = currency->valuestring;
    return true;
}

/* The first currency of the file; NULL: no price yet. */
static const char *currency_of(const struct providers *providers)
{
    for (size_t i = 0; i < providers->count; i++)
        if (providers->item[i].price.currency)
            return providers->item[i].price.currency;
    return NULL;
}

static bool read_costs(const struct place *place, const cJSON *node,
                       const struct providers *providers, struct provider *provider)
{
    const char *other = currency_of(providers);
    double amount = 0;
    if (!read_price(place, json_get(node, "price"), &provider->price) ||
        !read_amount(place, node, "daily_budget", &amount))
        return false;
    const char *currency = provider->price.currency;
    if (currency && other && strcmp(currency, other) != 0)
        return reject_key(place, "currency", "must be the same for all providers");
    if (!json_get(node, "daily_budget"))
        return true;
    if (!currency || amount <= 0)
        return reject_key(place, "daily_budget", "must be above 0, and needs a price");
    provider->budget_micros = llround(amount * 1e6);
    provider->budget = budget_new();
    return true;
}

static bool read_models(const struct place *place, const cJSON *node, struct provider *provider)
{
    const char **skilled = provider->skilled_model;
    bool ok = read_text(place, node, "model", true, &provider->model) &&
              read_text(place, node, "vision_model", false, &skilled[MODEL_VISION]) &&
              read_text(place, node, "moderation_model", false, &skilled[MODEL_MODERATION]) &&
              read_text(place, node, "image_model", false, &skilled[MODEL_IMAGE_GENERATION]);
    skilled[MODEL_CHAT] = provider->model;
    if (ok && !provider->wire->has_images_api &&
        (skilled[MODEL_MODERATION] || skilled[MODEL_IMAGE_GENERATION]))
        return reject_key(place, "type", "has neither a moderation_model nor an image_model");
    return ok;
}

/* Read a key: one line of visible ASCII, because it goes into a header. Returns false if the file
 * has no such line. */
static bool read_key(const char *file, char **key)
{
    scoped(buf_free) struct buf content = BUF(KEY_MAX_BYTES);
    bool ok = file_read(file, &content, NULL);
    struct text text = text_trim(buf_text(&content));
    ok = ok && text.size > 0 && is_printable(text) && !text_has(text, " ");
    if (ok)
        *key = mem_dup(text.bytes, text.size);
    if (content.bytes)
        explicit_bzero(content.bytes, content.capacity);
    return ok;
}

static void release_provider(struct provider *provider)
{
    if (provider->key)
        explicit_bzero(provider->key, strlen(provider->key));
    mem_free(&provider->key);
    mem_free(&provider->base_url);
    provider_state_free(&provider->state);
    budget_drop(&provider->budget);
}

static bool read_provider(struct place *place, const cJSON *node, struct providers *providers)
{
    /* clang-format off */
    static const char *const known[] = {
        "name", "type", "base_url", "api_key_file", "model", "models", "vision_model",
        "moderation_model", "image_model", "structured", "max_output_tokens", "connect_timeout_ms",
        "timeout_ms", "max_concurrency", "tools", "finish_ok", "price", "daily_budget", NULL,
    };
    /* clang-format on */
    struct provider *provider = &providers->item[providers->count];
    const char *key_file = NULL;
    place->name = "a provider";
    *provider = (struct provider){ 0 };
    if (!check_keys(place, node, known) || !read_name(place, node, providers, &provider->name) ||
        !read_wire(place, node, &provider->wire) ||
        !read_base_url(place, node, &provider->base_url) || !read_models(place, node, provider) ||
        !read_names(place, node, "models", cJSON_Object, &provider->models) ||
        !read_names(place, node, "tools", cJSON_Array, &provider->tools) ||
        !read_names(place, node, "finish_ok", cJSON_Array, &provider->finish_ok) ||
        !read_structured(place, node, &provider->structured) ||
        !read_limits(place, node, provider) || !read_costs(place, node, providers, provider) ||
        !read_text(place, node, "api_key_file", false, &key_file))
        return false;
    if (key_file && !read_key(key_file, &provider->key)) {
        mem_free(&providers->lack);
        providers->lack = str_format("provider %s is ignored: its api_key_file cannot be read "
                                     "or is empty",
                                     provider->name);
        release_provider(provider);
        return true;
    }
    provider->state = provider_state_new((size_t)provider->max_concurrency);
    providers->count++;
    return true;
}

/* ---- the whole file ---- */

static bool read_tools(struct place *place, const cJSON *tree, struct providers *providers)
{
    static const char *const known[] = { "timeout_ms", "deadline_ms", NULL };
    const cJSON *node;
    cJSON_ArrayForEach(node, tree) {
        struct tool_limit *limit = &providers->limit[providers->limit_count];
        place->name = node->string ? node->string : "tools";
        if (providers->limit_count++ == TOOL_LIMITS_MAX)
            return reject_key(place, "tools", "are too many");
        limit->tool = place->name;
        if (!check_keys(place, node, known) ||
            !read_number(place, node, "timeout_ms", 100, 280000, &limit->timeout_ms) ||
            !read_number(place, node, "deadline_ms", 1000, 290000, &limit->deadline_ms))
            return false;
    }
    return true;
}

static bool read_list(struct place *place, const cJSON *tree, struct providers *providers)
{
    const cJSON *list = json_get(tree, "providers");
    const cJSON *node;
    if (!json_is(list, cJSON_Array) || json_size(list) > PROVIDERS_MAX)
        return reject_key(place, "providers", "must be a list of at most 16");
    cJSON_ArrayForEach(node, list)
        if (!read_provider(place, node, providers))
            return false;
    return true;
}

static bool read_file(const char *file, struct providers *providers, struct err *err)
{
    static const char *const known[] = { "deadline_ms", "max_calls", "cooldown_ms",
                                         "providers",   "tools",     NULL };
    struct place place = { file, "", err };
    if (!yaml_load(file, &providers->document, err))
        return false;
    const cJSON *tree = providers->document;
    return check_keys(&place, tree, known) &&
           read_number(&place, tree, "deadline_ms", 1000, 290000, &providers->deadline_ms) &&
           read_number(&place, tree, "max_calls", 1, 10, &providers->max_calls) &&
           read_number(&place, tree, "cooldown_ms", 0, 3600000, &providers->cooldown_ms) &&
           read_tools(&place, json_get(tree, "tools"), providers) &&
           read_list(&place, tree, providers);
}

bool providers_load(const char *file, struct providers *result, struct err *err)
{
    scoped(providers_free) struct providers providers = { .deadline_ms = 45000,
                                                          .max_calls = 3,
                                                          .cooldown_ms = 60000 };
    if (*file && !read_file(file, &providers, err))
        return false;
    if (!*file)
        providers.lack = str_dup("no language model is available: ai.providers_file is not set");
    else if (providers.count == 0 && !providers.lack)
        providers.lack =
            str_dup("no language model is available: ai.providers_file names no provider");
    *result = providers;
    providers = (struct providers){ 0 };
    return true;
}

void providers_free(struct providers *providers)
{
    for (size_t i = 0; i < PROVIDERS_MAX; i++) /* a partly read provider is after the others */
        release_provider(&providers->item[i]);
    mem_free(&providers->lack);
    json_free(&providers->document);
    *providers = (struct providers){ 0 };
}

static void inherit_budget(struct provider *provider, const struct provider *before)
{
    if (!provider->budget || !before->budget || strcmp(provider->name, before->name) != 0 ||
        strcmp(provider->price.currency, before->price.currency) != 0)
        return;
    budget_drop(&provider->budget);
    provider->budget = budget_hold(before->budget);
}

void providers_inherit(struct providers *providers, const struct providers *before)
{
    for (size_t i = 0; i < providers->count; i++)
        for (size_t k = 0; k < before->count; k++)
            inherit_budget(&providers->item[i], &before->item[k]);
}

/* ---- limits and models ---- */

static bool is_for(const struct provider *provider, const char *tool)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, provider->tools)
        if (text_is(json_text_of(item), tool) || text_is(json_text_of(item), "all"))
            return true;
    return !provider->tools;
}

const char *provider_model(const struct provider *provider, const char *tool,
                           enum model_skill skill)
{
    const cJSON *own = json_get(provider->models, tool);
    if (!is_for(provider, tool) || !provider->skilled_model[skill])
        return NULL;
    return own ? own->valuestring : provider->skilled_model[skill];
}

void provider_count(const struct provider *provider, struct metrics *metrics)
{
    provider_state_count(provider->state, provider->name, provider->price.currency, metrics);
    if (provider->budget)
        budget_count(provider->budget, provider->name, provider->price.currency,
                     provider->budget_micros, metrics);
}

int64_t provider_cost_micros(const struct provider *provider, const struct usage *usage)
{
    const struct provider_price *price = &provider->price;
    return llround((double)MAX(usage->input_tokens, 0) * price->input +
                   (double)MAX(usage->output_tokens, 0) * price->output +
                   (double)usage->images * price->image);
}

static const struct tool_limit *find_limit(const struct tool_limit *limits, size_t count,
                                           const char *tool)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(limits[i].tool, tool) == 0)
            return &limits[i];
    return NULL;
}

/* Generating an image takes longer than text, so it does not get the default limits. */
static const struct tool_limit *limit_of(const struct providers *providers, const char *tool)
{
    static const struct tool_limit usual[] = { { "ai-image-generate", 120000, 150000 } };
    static const struct tool_limit none;
    const struct tool_limit *limit = find_limit(providers->limit, providers->limit_count, tool);
    if (!limit)
        limit = find_limit(usual, countof(usual), tool);
    return limit ? limit : &none;
}

int64_t providers_timeout_ms(const struct providers *providers, const struct provider *provider,
                             const char *tool)
{
    const struct tool_limit *limit = limit_of(providers, tool);
    return limit->timeout_ms ? limit->timeout_ms : provider->timeout_ms;
}

int64_t providers_deadline_ms(const struct providers *providers, const char *tool)
{
    const struct tool_limit *limit = limit_of(providers, tool);
    return limit->deadline_ms ? limit->deadline_ms : providers->deadline_ms;
}
