/* svc-security/subdomain-finder/sources.c - read the list of sources strictly. */
#include "sources.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "text/json.h"
#include "text/yaml.h"

#define DOMAIN_MARK "{domain}"

enum {
    NAME_MAX_BYTES = 40,
    URL_TEMPLATE_MAX_BYTES = 1000,
    HEADERS_MAX = 8,
    HEADER_MAX_BYTES = 1000
};

/* Location for error messages. */
struct place {
    const char *file;
    size_t number; /* number of the source, from 1 */
    struct err *err;
};

static bool reject_key(const struct place *place, const char *key, const char *what)
{
    return err_set(place->err, ERR_INVALID_VALUE, "%s: source %zu: %s %s", place->file,
                   place->number, key, what);
}

static bool is_printable(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < ' ' || text.bytes[i] > '~')
            return false;
    return true;
}

static bool read_name(const struct place *place, const cJSON *node,
                      const struct ct_sources *sources, char **name)
{
    struct text text = json_text_of(json_get(node, "name"));
    if (text.size == 0 || text.size > NAME_MAX_BYTES ||
        !text_is_made_of(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"))
        return reject_key(place, "name", "must be 1 to 40 letters, digits, dots and hyphens");
    for (size_t i = 0; i + 1 < sources->count; i++)
        if (text_is(text, sources->item[i].name))
            return reject_key(place, "name", "occurs twice");
    *name = mem_dup(text.bytes, text.size);
    return true;
}

static bool read_format(const struct place *place, const cJSON *node, const struct format **format)
{
    struct text text = json_text_of(json_get(node, "format"));
    *format = text.size > 0 ? format_of(text.bytes) : NULL;
    return *format ||
           reject_key(place, "format", "must be crtsh, certspotter, merklemap, names or lines");
}

static bool read_url(const struct place *place, const cJSON *node, char **url)
{
    struct text text = json_text_of(json_get(node, "url"));
    bool is_http = text.size > 0 && (strncmp(text.bytes, "https://", 8) == 0 ||
                                     strncmp(text.bytes, "http://", 7) == 0);
    if (!is_http || text.size > URL_TEMPLATE_MAX_BYTES || !is_printable(text) ||
        memchr(text.bytes, ' ', text.size))
        return reject_key(place, "url", "must begin with https:// or http:// and have no spaces");
    if (!strstr(text.bytes, DOMAIN_MARK))
        return reject_key(place, "url", "must contain {domain}");
    *url = mem_dup(text.bytes, text.size);
    return true;
}

static bool read_headers(const struct place *place, const cJSON *node, char ***headers)
{
    const cJSON *list = json_get(node, "headers");
    const cJSON *item;
    size_t count = 0;
    *headers = mem_array(HEADERS_MAX + 1, sizeof(**headers));
    if (list && (!json_is(list, cJSON_Object) || json_size(list) > HEADERS_MAX))
        return reject_key(place, "headers", "must be a mapping of at most 8 strings");
    cJSON_ArrayForEach(item, list) {
        struct text value = json_text_of(item);
        if (value.size == 0 || value.size > HEADER_MAX_BYTES || !is_printable(value) ||
            !is_printable(text_of(item->string)) || strpbrk(item->string, ": "))
            return reject_key(place, "headers", "must have names and values of visible ASCII");
        (*headers)[count++] = str_format("%s: %s", item->string, value.bytes);
    }
    return true;
}

static bool read_source(const struct place *place, const cJSON *node, struct ct_sources *sources)
{
    static const char *const keys[] = { "name", "format", "url", "headers" };
    struct ct_source *source = &sources->item[sources->count++];
    const cJSON *member;
    if (!json_is(node, cJSON_Object))
        return reject_key(place, "it", "must be a mapping");
    cJSON_ArrayForEach(member, node) {
        size_t i = 0;
        while (i < countof(keys) && strcmp(keys[i], member->string) != 0)
            i++;
        if (i == countof(keys))
            return reject_key(place, member->string, "is unknown");
    }
    return read_name(place, node, sources, &source->name) &&
           read_format(place, node, &source->format) && read_url(place, node, &source->url) &&
           read_headers(place, node, &source->headers);
}

bool ct_sources_load(const char *file, struct ct_sources **result, struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(ct_sources_free) struct ct_sources *sources = mem_new(sizeof(*sources));
    struct place place = { file, 1, err };
    const cJSON *node;
    if (!yaml_load(file, &tree, err))
        return false;
    if (!json_is(tree, cJSON_Array) || json_size(tree) == 0 || json_size(tree) > SOURCES_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%s: must be a list of 1 to %d sources", file,
                       SOURCES_MAX);
    cJSON_ArrayForEach(node, tree) {
        if (!read_source(&place, node, sources))
            return false;
        place.number++;
    }
    *result = take(sources);
    return true;
}

void ct_sources_free(struct ct_sources **address)
{
    struct ct_sources *sources = *address;
    if (!sources)
        return;
    for (size_t i = 0; i < sources->count; i++) {
        struct ct_source *source = &sources->item[i];
        for (size_t k = 0; source->headers && source->headers[k]; k++)
            mem_free(&source->headers[k]);
        mem_free(&source->headers);
        mem_free(&source->name);
        mem_free(&source->url);
    }
    mem_free(address);
}

char *ct_source_url(const struct ct_source *source, const char *domain)
{
    scoped(buf_free) struct buf url = BUF(URL_TEMPLATE_MAX_BYTES * 32);
    const char *rest = source->url;
    const char *mark;
    while ((mark = strstr(rest, DOMAIN_MARK))) {
        buf_add(&url, rest, (size_t)(mark - rest));
        buf_add_str(&url, domain);
        rest = mark + strlen(DOMAIN_MARK);
    }
    buf_add_str(&url, rest);
    return buf_take(&url);
}
