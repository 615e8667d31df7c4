/* svc-security/security-headers/knowledge.c - what the tool knows from files. */
#include "knowledge.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/file.h"
#include "base/text.h"
#include "text/json.h"
#include "text/yaml.h"
#include "words.h"

enum { PRELOAD_BYTES_MAX = 64 << 20 };

/* ---- sources that let bypasses in ---- */

struct place {
    struct text host; /* without a port */
    const char *path; /* "" when none is given */
};

/* "https://cdn.example.com:443/lib/" */
static struct place place_of(const char *source)
{
    const char *scheme = strstr(source, "://");
    const char *host = scheme ? scheme + 3 : source;
    size_t size = strcspn(host, ":/");
    return (struct place){ { host, size }, host + strcspn(host, "/") };
}

static bool is_same_host(struct text pattern, const char *host)
{
    if (!text_begins(pattern, "*."))
        return text_is(pattern, host);
    size_t size = strlen(host);
    size_t tail = pattern.size - 1; /* with the dot */
    return size > tail && memcmp(host + size - tail, pattern.bytes + 1, tail) == 0;
}

/* A path that ends in / stands for all below it; none, for all. */
static bool has_path(const char *wider, const char *narrower)
{
    size_t size = strlen(wider);
    if (size == 0)
        return true;
    return wider[size - 1] == '/' ? strncmp(wider, narrower, size) == 0
                                  : strcmp(wider, narrower) == 0;
}

bool bypasses_have(const struct bypasses *bypasses, const char *source)
{
    struct place place = place_of(source);
    for (size_t i = 0; i < bypasses->count; i++) {
        const struct bypass *bypass = &bypasses->item[i];
        if (is_same_host(place.host, bypass->host) &&
            (has_path(place.path, bypass->path) || has_path(bypass->path, place.path)))
            return true;
    }
    return false;
}

static bool read_bypass(const cJSON *node, struct bypass *bypass)
{
    struct text text = json_text_of(node);
    const char *slash = text.size > 0 ? memchr(text.bytes, '/', text.size) : NULL;
    if (!slash || slash == text.bytes)
        return false;
    bypass->host = mem_dup(text.bytes, (size_t)(slash - text.bytes));
    bypass->path = str_dup(slash);
    return true;
}

static bool read_bypasses(const cJSON *tree, const char *name, struct bypasses *bypasses,
                          struct err *err)
{
    const cJSON *list = json_get(tree, name);
    const cJSON *node;
    bypasses->item = mem_array(json_size(list) + 1, sizeof(*bypasses->item));
    cJSON_ArrayForEach(node, list) {
        if (!read_bypass(node, &bypasses->item[bypasses->count]))
            return err_set(err, ERR_INVALID_VALUE,
                           "bypasses.yaml: item %zu of %s must be host/path", bypasses->count + 1,
                           name);
        bypasses->count++;
    }
    if (bypasses->count == 0)
        return err_set(err, ERR_INVALID_VALUE, "bypasses.yaml: %s must be a list", name);
    return true;
}

static bool load_bypasses(struct knowledge *knowledge, const char *folder, struct err *err)
{
    scoped(mem_free) char *path = str_format("%s/security-headers/bypasses.yaml", folder);
    scoped(json_free) cJSON *tree = NULL;
    return yaml_load(path, &tree, err) &&
           read_bypasses(tree, "scripts", &knowledge->scripts, err) &&
           (!json_get(tree, "evals") || read_bypasses(tree, "evals", &knowledge->evals, err)) &&
           read_bypasses(tree, "objects", &knowledge->objects, err);
}

static void bypasses_free(struct bypasses *bypasses)
{
    for (size_t i = 0; i < bypasses->count; i++) {
        mem_free(&bypasses->item[i].host);
        mem_free(&bypasses->item[i].path);
    }
    mem_free(&bypasses->item);
}

/* ---- names that browsers know ---- */

static int by_name(const void *a, const void *b)
{
    const struct preload *one = a;
    const struct preload *other = b;
    return strcmp(one->name, other->name);
}

static const struct preload *find_preload(const struct knowledge *knowledge, const char *name)
{
    scoped(mem_free) char *copy = str_dup(name);
    const struct preload wanted = { .name = copy };
    return knowledge->preload_count == 0
               ? NULL
               : bsearch(&wanted, knowledge->preload, knowledge->preload_count,
                         sizeof(*knowledge->preload), by_name);
}

bool knowledge_preloads(const struct knowledge *knowledge, const char *host)
{
    const char *name = host;
    while (name) {
        const struct preload *preload = find_preload(knowledge, name);
        if (preload && (name == host || preload->has_subdomains))
            return true;
        const char *dot = strchr(name, '.');
        name = dot ? dot + 1 : NULL;
    }
    return false;
}

static void add_preload(struct knowledge *knowledge, struct text line, size_t *capacity)
{
    struct text name;
    if (line.size == 0 || line.bytes[0] == '#' || !word_cut(&line, ' ', &name))
        return;
    if (knowledge->preload_count == *capacity) {
        *capacity = MAX(1024, 2 * *capacity);
        knowledge->preload =
            mem_resize(knowledge->preload, *capacity * sizeof(*knowledge->preload));
    }
    knowledge->preload[knowledge->preload_count++] = (struct preload){
        .name = mem_dup(name.bytes, name.size),
        .has_subdomains = text_has_any_case(line, "include_subdomains"),
    };
}

static bool load_preloads(struct knowledge *knowledge, const char *path, struct err *err)
{
    scoped(buf_free) struct buf file = BUF(PRELOAD_BYTES_MAX);
    size_t capacity = 0;
    struct text line;
    if (!*path)
        return true;
    if (!file_read(path, &file, err))
        return false;
    struct text rest = buf_text(&file);
    while (word_cut(&rest, '\n', &line))
        add_preload(knowledge, line, &capacity);
    if (knowledge->preload_count > 0)
        qsort(knowledge->preload, knowledge->preload_count, sizeof(*knowledge->preload), by_name);
    return true;
}

/* ---- all of it ---- */

void knowledge_free(void *address_of_pointer)
{
    struct knowledge **address = address_of_pointer;
    struct knowledge *knowledge = *address;
    if (!knowledge)
        return;
    bypasses_free(&knowledge->scripts);
    bypasses_free(&knowledge->evals);
    bypasses_free(&knowledge->objects);
    for (size_t i = 0; i < knowledge->preload_count; i++)
        mem_free(&knowledge->preload[i].name);
    mem_free(&knowledge->preload);
    mem_free(address);
}

bool knowledge_load(const struct conf *conf, const char *folder, void **content, struct err *err)
{
    scoped(knowledge_free) struct knowledge *knowledge = mem_new(sizeof(*knowledge));
    if (!load_bypasses(knowledge, folder, err) ||
        !load_preloads(knowledge, conf_str(conf, "security.hsts_preload_file"), err))
        return false;
    *content = take(knowledge);
    return true;
}
