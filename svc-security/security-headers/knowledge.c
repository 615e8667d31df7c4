/* svc-security/security-headers/knowledge.c - load the tool's data files. */
#include "knowledge.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/file.h"
#include "base/text.h"
#include "words.h"

enum { PRELOAD_BYTES_MAX = 64 << 20 };

/* ---- the preload list ---- */

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

/* ---- entry points ---- */

void knowledge_free(void *address_of_pointer)
{
    struct knowledge **address = address_of_pointer;
    struct knowledge *knowledge = *address;
    if (!knowledge)
        return;
    bypasses_free(&knowledge->bypasses);
    for (size_t i = 0; i < knowledge->preload_count; i++)
        mem_free(&knowledge->preload[i].name);
    mem_free(&knowledge->preload);
    mem_free(address);
}

bool knowledge_load(const struct conf *conf, const char *folder, void **content, struct err *err)
{
    scoped(knowledge_free) struct knowledge *knowledge = mem_new(sizeof(*knowledge));
    if (!bypasses_load(folder, &knowledge->bypasses, err) ||
        !load_preloads(knowledge, conf_str(conf, "security.hsts_preload_file"), err))
        return false;
    *content = take(knowledge);
    return true;
}
