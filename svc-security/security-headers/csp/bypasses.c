/* svc-security/security-headers/csp/bypasses.c - match sources against known bypasses. */
#include "bypasses.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "text/json.h"
#include "text/yaml.h"

struct place {
    struct text host; /* without port */
    const char *path; /* "" if missing */
};

/* Split a source such as "https://cdn.example.com:443/lib/". */
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
    size_t tail = pattern.size - 1; /* including the dot */
    return size > tail && memcmp(host + size - tail, pattern.bytes + 1, tail) == 0;
}

/* A path that ends in / includes everything below it; an empty path includes every path. */
static bool has_path(const char *wider, const char *narrower)
{
    size_t size = strlen(wider);
    if (size == 0)
        return true;
    return wider[size - 1] == '/' ? strncmp(wider, narrower, size) == 0
                                  : strcmp(wider, narrower) == 0;
}

bool bypasses_have(const struct bypass_list *list, const char *source)
{
    struct place place = place_of(source);
    for (size_t i = 0; i < list->count; i++) {
        const struct bypass *bypass = &list->item[i];
        if (is_same_host(place.host, bypass->host) &&
            (has_path(place.path, bypass->path) || has_path(bypass->path, place.path)))
            return true;
    }
    return false;
}

/* ---- the file ---- */

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

static bool read_list(const cJSON *tree, const char *name, struct bypass_list *list,
                      struct err *err)
{
    const cJSON *nodes = json_get(tree, name);
    const cJSON *node;
    list->item = mem_array(json_size(nodes) + 1, sizeof(*list->item));
    cJSON_ArrayForEach(node, nodes) {
        if (!read_bypass(node, &list->item[list->count]))
            return err_set(err, ERR_INVALID_VALUE,
                           "bypasses.yaml: item %zu of %s must be host/path", list->count + 1,
                           name);
        list->count++;
    }
    if (list->count == 0)
        return err_set(err, ERR_INVALID_VALUE, "bypasses.yaml: %s must be a list", name);
    return true;
}

bool bypasses_load(const char *folder, struct bypasses *bypasses, struct err *err)
{
    scoped(mem_free) char *path = str_format("%s/security-headers/bypasses.yaml", folder);
    scoped(json_free) cJSON *tree = NULL;
    return yaml_load(path, &tree, err) && read_list(tree, "scripts", &bypasses->scripts, err) &&
           (!json_get(tree, "evals") || read_list(tree, "evals", &bypasses->evals, err)) &&
           read_list(tree, "objects", &bypasses->objects, err);
}

static void free_list(struct bypass_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        mem_free(&list->item[i].host);
        mem_free(&list->item[i].path);
    }
    mem_free(&list->item);
}

void bypasses_free(struct bypasses *bypasses)
{
    free_list(&bypasses->scripts);
    free_list(&bypasses->evals);
    free_list(&bypasses->objects);
}
