/* svc-ai/model/prompt.c - read and check the prompt files. */
#include "model/prompt.h"

#include <glob.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/shape.h"
#include "text/json.h"
#include "text/yaml.h"

enum { VERSION_MAX_BYTES = 40, SYSTEM_MAX_BYTES = 16 << 10, TOKENS_MAX = 4096 };

/* Report a key's problem to the operator, with the file's name. */
static bool reject_prompt(const char *file, const char *key, const char *what, struct err *err)
{
    return err_set(err, ERR_INVALID_VALUE, "%s: %s %s", file, key, what);
}

static bool check_keys(const char *file, const cJSON *document, struct err *err)
{
    static const char *const keys[] = { "version", "temperature", "max_tokens", "system", "shape" };
    const cJSON *member;
    if (!json_is(document, cJSON_Object))
        return reject_prompt(file, "it", "must be a mapping", err);
    cJSON_ArrayForEach(member, document) {
        size_t i = 0;
        while (i < countof(keys) && strcmp(keys[i], member->string) != 0)
            i++;
        if (i == countof(keys))
            return reject_prompt(file, member->string, "is not a known key", err);
    }
    return true;
}

static bool read_text(const char *file, const cJSON *document, const char *key, size_t max_bytes,
                      char **out, struct err *err)
{
    struct text text = json_text_of(json_get(document, key));
    if (text.size == 0 || text.size > max_bytes || memchr(text.bytes, '\0', text.size))
        return reject_prompt(file, key, "must be a text, not empty and not too long", err);
    *out = mem_dup(text.bytes, text.size);
    return true;
}

static bool read_numbers(const char *file, const cJSON *document, struct prompt *prompt,
                         struct err *err)
{
    const cJSON *temperature = json_get(document, "temperature");
    const cJSON *tokens = json_get(document, "max_tokens");
    prompt->temperature = json_is(temperature, cJSON_Number) ? temperature->valuedouble : 0.2;
    if (!(prompt->temperature >= 0 && prompt->temperature <= 2))
        return reject_prompt(file, "temperature", "must be 0 to 2", err);
    prompt->max_tokens = json_is_integer(tokens) ? (int64_t)tokens->valuedouble : 2048;
    if (prompt->max_tokens < 1 || prompt->max_tokens > TOKENS_MAX)
        return reject_prompt(file, "max_tokens", "must be 1 to 4096", err);
    return true;
}

static bool read_shape(const char *file, struct prompt *prompt, struct err *err)
{
    const cJSON *tree = json_get(prompt->document, "shape");
    struct err why = { 0 };
    if (!tree || shape_new(tree, &prompt->shape, &why))
        return true;
    return reject_prompt(file, "shape", why.message, err);
}

static char *name_of(const char *file)
{
    const char *end = strrchr(file, '/');
    const char *name = memrchr(file, '/', (size_t)(end - file));
    return mem_dup(name + 1, (size_t)(end - name - 1));
}

static bool load_prompts(const char *file, struct prompt *prompt, struct err *err)
{
    prompt->name = name_of(file);
    return yaml_load(file, &prompt->document, err) && check_keys(file, prompt->document, err) &&
           read_text(file, prompt->document, "version", VERSION_MAX_BYTES, &prompt->version, err) &&
           read_text(file, prompt->document, "system", SYSTEM_MAX_BYTES, &prompt->system, err) &&
           read_numbers(file, prompt->document, prompt, err) && read_shape(file, prompt, err);
}

bool prompts_load(const char *folder, struct prompts *result, struct err *err)
{
    scoped(mem_free) char *pattern = str_format("%s/*/prompt.yaml", folder);
    scoped(prompts_free) struct prompts prompts = { 0 };
    scoped(globfree) glob_t files = { 0 };
    if (glob(pattern, 0, NULL, &files) != 0 || files.gl_pathc > PROMPTS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%s: must hold 1 to %d prompts", folder,
                       PROMPTS_MAX);
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (!load_prompts(files.gl_pathv[i], &prompts.item[prompts.count++], err))
            return false;
    *result = prompts;
    prompts.count = 0;
    return true;
}

void prompts_free(struct prompts *prompts)
{
    for (size_t i = 0; i < prompts->count; i++) {
        struct prompt *prompt = &prompts->item[i];
        mem_free(&prompt->name);
        mem_free(&prompt->version);
        mem_free(&prompt->system);
        shape_free(&prompt->shape);
        json_free(&prompt->document);
    }
    *prompts = (struct prompts){ 0 };
}

const struct prompt *prompts_find(const struct prompts *prompts, const char *name)
{
    for (size_t i = 0; i < prompts->count; i++)
        if (strcmp(prompts->item[i].name, name) == 0)
            return &prompts->item[i];
    return NULL;
}
