/* svc-utils/token-counter/models.c - the table of models, and the spellings of their names. */
#include "models.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "text/json.h"
#include "text/yaml.h"

enum { NAME_BYTES = MODEL_NAME_BYTES, USD_MAX = 10000, CONTEXT_MAX = 1000 * 1000 * 1000 };

/* ---- the file ---- */

static int by_name(const void *a, const void *b)
{
    const struct model *left = a;
    const struct model *right = b;
    return strcmp(left->name, right->name);
}

static struct model *find_exact(const struct models *models, const char *name)
{
    struct model wanted = { .name = name };
    return bsearch(&wanted, models->model, models->count, sizeof(wanted), by_name);
}

/* "2026-08" */
static bool is_month(const char *text)
{
    for (size_t i = 0; text && i < 7; i++)
        if (i == 4 ? text[i] != '-' : !isdigit((unsigned char)text[i]))
            return false;
    return text && strlen(text) == 7;
}

static bool read_price(const cJSON *row, const char *name, double *usd)
{
    const cJSON *price = json_get(row, name);
    if (!price || (price->type & 0xFF) != cJSON_Number || price->valuedouble < 0 ||
        price->valuedouble > USD_MAX)
        return false;
    *usd = price->valuedouble;
    return true;
}

/* A whole number of tokens; optional. */
static bool read_context(const cJSON *row, int64_t *tokens)
{
    const cJSON *context = json_get(row, "context");
    if (!context)
        return true;
    if ((context->type & 0xFF) != cJSON_Number || context->valuedouble < 1 ||
        context->valuedouble > CONTEXT_MAX || context->valuedouble != floor(context->valuedouble))
        return false;
    *tokens = (int64_t)context->valuedouble;
    return true;
}

/* At least one source, each in `sources` with a title and a date. */
static bool has_sources(const cJSON *document, const cJSON *row)
{
    const cJSON *name;
    size_t count = 0;
    cJSON_ArrayForEach(name, json_get(row, "sources")) {
        const char *key = json_text(name, "");
        const cJSON *source = key ? json_get(json_get(document, "sources"), key) : NULL;
        if (!json_text(source, "/title") || !is_month(json_text(source, "/date")))
            return false;
        count++;
    }
    return count > 0;
}

static bool read_model(const cJSON *document, const cJSON *row, struct model *model,
                       struct err *err)
{
    const char *family = json_text(row, "/tokenizer");
    model->name = row->string;
    model->provider = json_text(row, "/provider");
    model->has_price = true;
    model->family = family ? token_family_find(family) : NULL;
    if (strlen(model->name) >= NAME_BYTES || !model->provider || !model->family ||
        !read_price(row, "input", &model->input_usd) ||
        !read_price(row, "output", &model->output_usd) || !has_sources(document, row))
        return err_set(err, ERR_INVALID_VALUE,
                       "models.%.60s must have provider, a known tokenizer, input and output from "
                       "0 to %d, and sources",
                       model->name, USD_MAX);
    if (!read_context(row, &model->context_tokens))
        return err_set(err, ERR_INVALID_VALUE, "models.%.60s: context must be 1 to %d tokens",
                       model->name, CONTEXT_MAX);
    return true;
}

static size_t count_items(const cJSON *list)
{
    size_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        count++;
    return count;
}

static bool read_models(struct models *models, struct err *err)
{
    const cJSON *rows = json_get(models->document, "models");
    const cJSON *row;
    models->as_of = json_text(models->document, "/as_of");
    if (!is_month(models->as_of) || !rows || (rows->type & 0xFF) != cJSON_Object)
        return err_set(err, ERR_INVALID_VALUE, "as_of must be YYYY-MM and models a map");
    models->model = mem_array(count_items(rows) + 1, sizeof(*models->model));
    cJSON_ArrayForEach(row, rows)
        if (!read_model(models->document, row, &models->model[models->count++], err))
            return false;
    qsort(models->model, models->count, sizeof(*models->model), by_name);
    return true;
}

static bool read_kinds(struct models *models, struct err *err)
{
    const cJSON *row;
    const cJSON *name;
    models->kind =
        mem_array(count_items(json_get(models->document, "kinds")) + 1, sizeof(*models->kind));
    cJSON_ArrayForEach(row, json_get(models->document, "kinds")) {
        const char *family = json_text(row, "/tokenizer");
        struct model_kind *kind = &models->kind[models->kind_count++];
        bool is_fine = json_size(json_get(row, "names")) > 0;
        kind->provider = json_text(row, "/provider");
        kind->family = family ? token_family_find(family) : NULL;
        kind->names = json_get(row, "names");
        cJSON_ArrayForEach(name, kind->names)
            is_fine &= json_is(name, cJSON_String);
        if (!is_fine || !kind->provider || !kind->family)
            return err_set(err, ERR_INVALID_VALUE,
                           "kinds: row %zu must have provider, a known tokenizer and names",
                           models->kind_count);
    }
    return true;
}

/* The models in a list; none is in both lists. */
static bool read_retirement(struct models *models, const char *list, enum retirement retirement,
                            struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(models->document, list)) {
        const char *name = json_text(item, "");
        struct model *model = name ? find_exact(models, name) : NULL;
        if (!model || model->retirement != RETIREMENT_UNKNOWN)
            return err_set(err, ERR_INVALID_VALUE, "%s: %.60s is not a model, or listed twice",
                           list, name ? name : "");
        model->retirement = retirement;
    }
    return true;
}

static bool read_names(struct models *models, struct err *err)
{
    const cJSON *defaults = json_get(models->document, "default");
    const cJSON *item;
    models->defaults = mem_array(count_items(defaults) + 1, sizeof(*models->defaults));
    cJSON_ArrayForEach(item, defaults) {
        const char *name = json_text(item, "");
        const struct model *model = name ? find_exact(models, name) : NULL;
        if (!model)
            return err_set(err, ERR_INVALID_VALUE, "default: %.60s is not a model",
                           name ? name : "");
        models->defaults[models->default_count++] = model;
    }
    if (!read_retirement(models, "deprecated", RETIREMENT_ANNOUNCED, err) ||
        !read_retirement(models, "current", RETIREMENT_NONE, err))
        return false;
    cJSON_ArrayForEach(item, json_get(models->document, "aliases")) {
        const char *name = json_text(item, "");
        if (!name || !find_exact(models, name))
            return err_set(err, ERR_INVALID_VALUE, "aliases.%.60s is not a model", item->string);
    }
    if (models->default_count == 0)
        return err_set(err, ERR_INVALID_VALUE, "default must name a model");
    return true;
}

bool models_read(cJSON *document, struct models **address, struct err *err)
{
    scoped(models_free) struct models *models = mem_new(sizeof(*models));
    models->document = document;
    if (!read_models(models, err) || !read_kinds(models, err) || !read_names(models, err))
        return false;
    *address = take(models);
    return true;
}

void models_free(struct models **address)
{
    struct models *models = *address;
    if (!models)
        return;
    mem_free(&models->defaults);
    mem_free(&models->model);
    mem_free(&models->kind);
    json_free(&models->document);
    mem_free(address);
}

bool models_load(const char *folder, struct models **models, struct err *err)
{
    scoped(mem_free) char *path = str_format("%s/models.yaml", folder);
    struct err why;
    cJSON *document = NULL;
    if (!yaml_load(path, &document, err))
        return false;
    if (!models_read(document, models, &why))
        return err_set(err, ERR_INVALID_VALUE, "%s: %s", path, why.message);
    return true;
}

/* ---- names ---- */

/* Lowercase, - for blanks and _, without leading and trailing blanks. */
static bool simplify_name(struct text name, char *out)
{
    size_t size = 0;
    name = text_trim(name);
    if (name.size >= NAME_BYTES || memchr(name.bytes, '\0', name.size))
        return false;
    for (; size < name.size; size++) {
        unsigned char byte = (unsigned char)name.bytes[size];
        out[size] = byte == '_' || byte == ' ' ? '-' : (char)tolower(byte);
    }
    out[size] = '\0';
    return true;
}

/* Prefixes that Bedrock and others put before a name, with a dot after them. */
static const struct vendor {
    const char *name;
} vendors[] = {
    { "us" },     { "eu" },      { "apac" },    { "jp" },       { "au" },        { "ca" },
    { "us-gov" }, { "global" },  { "amazon" },  { "cohere" },   { "anthropic" }, { "meta" },
    { "openai" }, { "qwen" },    { "mistral" }, { "deepseek" }, { "moonshot" },  { "moonshotai" },
    { "zai" },    { "minimax" }, { "google" },  { "nvidia" },
};

static void drop_prefixes(char *name)
{
    const char *slash = strrchr(name, '/');
    if (slash)
        memmove(name, slash + 1, strlen(slash + 1) + 1);
    for (char *dot; (dot = strchr(name, '.'));) {
        *dot = '\0';
        bool is_vendor = TABLE_FIND(vendors, name) != NULL;
        *dot = '.';
        if (!is_vendor)
            return;
        memmove(name, dot + 1, strlen(dot + 1) + 1);
    }
}

static bool is_digits(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isdigit((unsigned char)text[i]))
            return false;
    return true;
}

/* The length of "-20251001", "@20251001" or "-2025-10-01" at the end, or 0. */
static size_t date_bytes(const char *name, size_t size)
{
    const char *end = name + size;
    if (size > 9 && (end[-9] == '-' || end[-9] == '@') && is_digits(end - 8, 8))
        return 9;
    if (size > 11 && (end[-11] == '-' || end[-11] == '@') && is_digits(end - 10, 4) &&
        end[-6] == '-' && is_digits(end - 5, 2) && end[-3] == '-' && is_digits(end - 2, 2))
        return 11;
    return 0;
}

/* "-v1:0" at the end. */
static void drop_version(char *name)
{
    char *version = strrchr(name, '-');
    if (!version || version[1] != 'v')
        return;
    size_t major = strspn(version + 2, "0123456789");
    const char *rest = version + 2 + major;
    if (major > 0 && *rest == ':' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1))
        *version = '\0';
}

static bool drop_suffix(char *name)
{
    static const char latest[] = "-latest";
    size_t size = strlen(name);
    size_t dropped = date_bytes(name, size);
    if (dropped == 0 && size >= sizeof(latest) && strcmp(name + size - 7, latest) == 0)
        dropped = 7;
    name[size - dropped] = '\0';
    return dropped > 0;
}

/* claude-4-5-sonnet and claude-sonnet-4-5 are the same. */
static bool swap_claude(const char *name, char *out)
{
    const char *first = name + strlen("claude-");
    size_t digits = strspn(first, "0123456789-");
    if (digits > 1 && first[digits] != '\0') { /* numbers first, with a dash at the end */
        snprintf(out, NAME_BYTES, "claude-%s-%.*s", first + digits, (int)digits - 1, first);
        return true;
    }
    size_t letters = strcspn(first, "-");
    if (digits == 0 && first[letters] == '-') {
        snprintf(out, NAME_BYTES, "claude-%s-%.*s", first + letters + 1, (int)letters, first);
        return true;
    }
    return false;
}

static const struct model *find_alias(const struct models *models, const char *name)
{
    const struct model *model = find_exact(models, name);
    const char *alias = json_text(json_get(json_get(models->document, "aliases"), name), "");
    return model ? model : alias ? find_exact(models, alias) : NULL;
}

static const struct model *find_spelled(const struct models *models, const char *name)
{
    char plain[NAME_BYTES];
    char swapped[NAME_BYTES];
    const struct model *model = find_alias(models, name);
    if (model || strncmp(name, "claude-", 7) != 0)
        return model;
    snprintf(plain, sizeof(plain), "%s", name);
    for (char *dot = plain; (dot = strchr(dot, '.'));)
        *dot = '-';
    model = find_alias(models, plain);
    if (!model && swap_claude(plain, swapped))
        model = find_alias(models, swapped);
    return model;
}

const struct model *models_find(const struct models *models, struct text name)
{
    char simple[NAME_BYTES];
    if (!simplify_name(name, simple))
        return NULL;
    const struct model *model = find_spelled(models, simple);
    if (model)
        return model;
    drop_prefixes(simple);
    drop_version(simple);
    do {
        model = find_spelled(models, simple);
    } while (!model && drop_suffix(simple));
    return model;
}

/* ---- names without a row ---- */

static bool is_of(const struct model_kind *kind, const char *name)
{
    const cJSON *pattern;
    cJSON_ArrayForEach(pattern, kind->names)
        if (fnmatch(pattern->valuestring, name, 0) == 0)
            return true;
    return false;
}

/* "ft:gpt-4o-mini:org::id" is a fine-tuned model. */
static void drop_tuning(char *name)
{
    static const char before[] = "ft:";
    size_t size = strlen(name);
    size_t skipped = strlen(before);
    if (size >= skipped && memcmp(name, before, skipped) == 0)
        memmove(name, name + skipped, size - skipped + 1);
}

bool models_guess(const struct models *models, struct text name, char spelled[MODEL_NAME_BYTES],
                  struct model *model)
{
    if (!simplify_name(name, spelled))
        return false;
    drop_prefixes(spelled);
    drop_tuning(spelled);
    for (size_t i = 0; i < models->kind_count; i++)
        if (is_of(&models->kind[i], spelled)) {
            *model = (struct model){ .name = spelled,
                                     .provider = models->kind[i].provider,
                                     .family = models->kind[i].family };
            return true;
        }
    return false;
}
