/* svc-security/exposed-files/exposures.c - read paths.yaml strictly: a misspelled condition would
 * make a fingerprint match too much. */
#include "exposures.h"

#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "text/json.h"
#include "text/regex.h"
#include "text/yaml.h"

enum {
    ITEMS_MAX = 100, /* of each list */
    LINES_MAX = 20,
    PATH_MAX_BYTES = 200,
    CONTENT_MAX_BYTES = 64 << 10,
};

static const char *const severity_names[SEVERITIES] = {
    [SEVERITY_CRITICAL] = "critical",
    [SEVERITY_HIGH] = "high",
    [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_LOW] = "low",
};

const char *severity_name(enum severity severity)
{
    return severity_names[severity];
}

/* Location for error messages. */
struct source {
    const char *file;
    const char *where; /* the path or fingerprint */
    struct err *err;
};

static bool reject_key(const struct source *source, const char *key, const char *what)
{
    return err_set(source->err, ERR_INVALID_VALUE, "%s: %s: %s %s", source->file, source->where,
                   key, what);
}

/* ---- values ---- */

static bool check_keys(const struct source *source, const cJSON *object, const char *const *keys,
                       size_t count)
{
    const cJSON *member;
    if (!json_is(object, cJSON_Object))
        return reject_key(source, "it", "must be a mapping");
    cJSON_ArrayForEach(member, object) {
        size_t i = 0;
        while (i < count && strcmp(keys[i], member->string) != 0)
            i++;
        if (i == count)
            return reject_key(source, member->string, "is unknown");
    }
    return true;
}

static bool read_text(const struct source *source, const cJSON *object, const char *key,
                      char **text)
{
    struct text read = json_text_of(json_get(object, key));
    if (read.size == 0 || strlen(read.bytes) != read.size)
        return reject_key(source, key, "must be a string");
    *text = mem_dup(read.bytes, read.size);
    return true;
}

static bool read_severity(const struct source *source, const cJSON *object, enum severity *severity)
{
    for (size_t i = 0; i < SEVERITIES; i++)
        if (text_is(json_text_of(json_get(object, "severity")), severity_names[i])) {
            *severity = (enum severity)i;
            return true;
        }
    return reject_key(source, "severity", "must be critical, high, medium or low");
}

/* Read a number of at least 1; without the key, *size keeps its value. */
static bool read_size(const struct source *source, const cJSON *object, const char *key, size_t max,
                      size_t *size)
{
    const cJSON *node = json_get(object, key);
    if (!node)
        return true;
    if (!json_is_integer(node) || node->valuedouble < 1 || node->valuedouble > (double)max)
        return reject_key(source, key, "must be an integer in its range");
    *size = (size_t)node->valuedouble;
    return true;
}

static bool read_bool(const struct source *source, const cJSON *object, const char *key,
                      bool *value)
{
    const cJSON *node = json_get(object, key);
    *value = json_is(node, cJSON_True);
    return !node || *value || json_is(node, cJSON_False) ||
           reject_key(source, key, "must be true or false");
}

static bool read_pattern(const struct source *source, const char *key, const cJSON *node,
                         struct regex **regex)
{
    struct text text = json_text_of(node);
    struct err why;
    if (text.size == 0)
        return reject_key(source, key, "must be a pattern");
    return regex_new(text.bytes, regex, &why) || reject_key(source, key, why.message);
}

/* Count the items of a list; a missing list is empty. Returns false for an invalid list. */
static bool count_items(const struct source *source, const cJSON *object, const char *key,
                        size_t *count)
{
    const cJSON *list = json_get(object, key);
    *count = json_size(list);
    return !list || (json_is(list, cJSON_Array) && *count > 0 && *count <= ITEMS_MAX) ||
           reject_key(source, key, "must be a list, not empty and not too long");
}

static bool read_patterns(const struct source *source, const cJSON *object, const char *key,
                          struct patterns *patterns)
{
    const cJSON *item;
    size_t count;
    if (!count_items(source, object, key, &count))
        return false;
    patterns->item = mem_array(count + 1, sizeof(*patterns->item));
    cJSON_ArrayForEach(item, json_get(object, key))
        if (!read_pattern(source, key, item, &patterns->item[patterns->count++]))
            return false;
    return true;
}

static bool read_words(const struct source *source, const cJSON *object, const char *key,
                       struct words *words)
{
    const cJSON *item;
    size_t count;
    if (!count_items(source, object, key, &count))
        return false;
    words->item = mem_array(count + 1, sizeof(*words->item));
    cJSON_ArrayForEach(item, json_get(object, key)) {
        struct text text = json_text_of(item);
        if (text.size == 0)
            return reject_key(source, key, "must be strings");
        words->item[words->count++] = mem_dup(text.bytes, text.size);
    }
    return true;
}

static bool read_magics(const struct source *source, const cJSON *object, struct magics *magics)
{
    const cJSON *item;
    size_t count;
    if (!count_items(source, object, "magic", &count))
        return false;
    magics->item = mem_array(count + 1, sizeof(*magics->item));
    cJSON_ArrayForEach(item, json_get(object, "magic")) {
        struct buf *bytes = &magics->item[magics->count++];
        *bytes = (struct buf)BUF(64);
        if (!hex_decode(bytes, json_text_of(item)) || bytes->size == 0)
            return reject_key(source, "magic",
                              "must be bytes in hexadecimal; put digits in quotes");
    }
    return true;
}

/* ---- fingerprints ---- */

static bool read_worse(const struct source *source, const cJSON *node,
                       struct fingerprint *fingerprint)
{
    static const char *const keys[] = { "severity", "any", "evidence" };
    if (!node)
        return true;
    return check_keys(source, node, keys, countof(keys)) &&
           read_severity(source, node, &fingerprint->worse_severity) &&
           read_patterns(source, node, "any", &fingerprint->worse) &&
           (fingerprint->worse.count > 0 || reject_key(source, "worse", "must have patterns")) &&
           read_text(source, node, "evidence", &fingerprint->worse_evidence);
}

static bool read_confidence(const struct source *source, const cJSON *node, bool *is_weak)
{
    struct text text = json_text_of(json_get(node, "confidence"));
    *is_weak = text_is(text, "medium");
    return !json_get(node, "confidence") || *is_weak || text_is(text, "high") ||
           reject_key(source, "confidence", "must be high or medium");
}

static bool read_lines(const struct source *source, const cJSON *node,
                       struct fingerprint *fingerprint)
{
    const cJSON *pattern = json_get(node, "each_line");
    fingerprint->lines_min = 1;
    fingerprint->lines_max = LINES_MAX;
    return read_size(source, node, "lines_min", CONTENT_MAX_BYTES, &fingerprint->lines_min) &&
           read_size(source, node, "lines_max", CONTENT_MAX_BYTES, &fingerprint->lines_max) &&
           (!pattern || read_pattern(source, "each_line", pattern, &fingerprint->each_line));
}

/* A fingerprint without conditions would match everything. */
static bool has_condition(const struct source *source, const struct fingerprint *fingerprint)
{
    bool has = fingerprint->magic.count + fingerprint->all.count + fingerprint->any.count +
                   fingerprint->json_all.count + fingerprint->json_any.count >
               0;
    return has || fingerprint->each_line || reject_key(source, "it", "must have a condition");
}

static bool read_fingerprint(const struct source *source, const cJSON *node,
                             struct fingerprint *fingerprint)
{
    static const char *const keys[] = { "magic",     "all",       "any",       "each_line",
                                        "lines_min", "lines_max", "json_all",  "json_any",
                                        "max_bytes", "html",      "evidence",  "confidence",
                                        "worse",     "quotes",    "json_loose" };
    fingerprint->name = str_dup(node->string);
    return check_keys(source, node, keys, countof(keys)) &&
           read_magics(source, node, &fingerprint->magic) &&
           read_patterns(source, node, "all", &fingerprint->all) &&
           read_patterns(source, node, "any", &fingerprint->any) &&
           read_lines(source, node, fingerprint) &&
           read_words(source, node, "json_all", &fingerprint->json_all) &&
           read_words(source, node, "json_any", &fingerprint->json_any) &&
           read_bool(source, node, "quotes", &fingerprint->joins_quotes) &&
           read_bool(source, node, "json_loose", &fingerprint->is_json_loose) &&
           read_size(source, node, "max_bytes", CONTENT_MAX_BYTES, &fingerprint->max_bytes) &&
           read_bool(source, node, "html", &fingerprint->may_be_page) &&
           read_text(source, node, "evidence", &fingerprint->evidence) &&
           read_confidence(source, node, &fingerprint->is_weak) &&
           read_worse(source, json_get(node, "worse"), fingerprint) &&
           has_condition(source, fingerprint);
}

static bool read_fingerprints(struct source *source, const cJSON *tree, struct exposures *exposures)
{
    const cJSON *list = json_get(tree, "fingerprints");
    const cJSON *node;
    if (!json_is(list, cJSON_Object))
        return reject_key(source, "fingerprints", "must be a mapping");
    exposures->fingerprint = mem_array(json_size(list) + 1, sizeof(*exposures->fingerprint));
    cJSON_ArrayForEach(node, list) {
        source->where = node->string;
        if (!read_fingerprint(source, node,
                              &exposures->fingerprint[exposures->fingerprint_count++]))
            return false;
    }
    return true;
}

/* ---- paths ---- */

static bool is_path(const char *path)
{
    for (const char *c = path; *c; c++)
        if (*c <= ' ' || *c > '~' || *c == '#' || *c == '\\')
            return false;
    return path[0] == '/' && path[1] && path[1] != '/' && strlen(path) <= PATH_MAX_BYTES;
}

static bool find_fingerprint(const struct source *source, const cJSON *node,
                             const struct exposures *exposures, const struct fingerprint **found)
{
    struct text name = json_text_of(json_get(node, "fingerprint"));
    for (size_t i = 0; i < exposures->fingerprint_count; i++)
        if (text_is(name, exposures->fingerprint[i].name)) {
            *found = &exposures->fingerprint[i];
            return true;
        }
    return reject_key(source, "fingerprint", "must be a fingerprint of the file");
}

static bool read_exposure(struct source *source, const cJSON *node, struct exposures *exposures)
{
    static const char *const keys[] = { "path", "severity", "type", "fingerprint" };
    struct exposure *exposure = &exposures->item[exposures->count++];
    source->where = "paths";
    if (!check_keys(source, node, keys, countof(keys)) ||
        !read_text(source, node, "path", &exposure->path))
        return false;
    source->where = exposure->path;
    if (!is_path(exposure->path))
        return reject_key(source, "path", "must begin with one slash and be ASCII without spaces");
    for (size_t i = 0; i + 1 < exposures->count; i++)
        if (strcmp(exposures->item[i].path, exposure->path) == 0)
            return reject_key(source, "path", "occurs twice");
    return read_severity(source, node, &exposure->severity) &&
           read_text(source, node, "type", &exposure->type) &&
           find_fingerprint(source, node, exposures, &exposure->fingerprint);
}

static bool read_paths(struct source *source, const cJSON *tree, struct exposures *exposures)
{
    const cJSON *list = json_get(tree, "paths");
    const cJSON *node;
    source->where = "paths";
    if (!json_is(list, cJSON_Array) || json_size(list) == 0 || json_size(list) > EXPOSURES_MAX)
        return reject_key(source, "it", "must be a list of 1 to 60 paths");
    exposures->item = mem_array(json_size(list), sizeof(*exposures->item));
    cJSON_ArrayForEach(node, list)
        if (!read_exposure(source, node, exposures))
            return false;
    return true;
}

bool exposures_load(const char *file, struct exposures **result, struct err *err)
{
    static const char *const keys[] = { "version", "source", "fingerprints", "paths" };
    scoped(json_free) cJSON *tree = NULL;
    scoped(exposures_free) struct exposures *exposures = mem_new(sizeof(*exposures));
    struct source source = { file, "the file", err };
    if (!yaml_load(file, &tree, err) || !check_keys(&source, tree, keys, countof(keys)) ||
        !read_fingerprints(&source, tree, exposures) || !read_paths(&source, tree, exposures))
        return false;
    *result = take(exposures);
    return true;
}

/* ---- freeing ---- */

static void free_patterns(struct patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        regex_free(&patterns->item[i]);
    mem_free(&patterns->item);
}

static void free_words(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        mem_free(&words->item[i]);
    mem_free(&words->item);
}

static void free_fingerprint(struct fingerprint *fingerprint)
{
    for (size_t i = 0; i < fingerprint->magic.count; i++)
        buf_free(&fingerprint->magic.item[i]);
    mem_free(&fingerprint->magic.item);
    free_patterns(&fingerprint->all);
    free_patterns(&fingerprint->any);
    free_patterns(&fingerprint->worse);
    free_words(&fingerprint->json_all);
    free_words(&fingerprint->json_any);
    regex_free(&fingerprint->each_line);
    mem_free(&fingerprint->name);
    mem_free(&fingerprint->evidence);
    mem_free(&fingerprint->worse_evidence);
}

void exposures_free(struct exposures **address)
{
    struct exposures *exposures = *address;
    if (!exposures)
        return;
    for (size_t i = 0; i < exposures->count; i++) {
        mem_free(&exposures->item[i].path);
        mem_free(&exposures->item[i].type);
    }
    for (size_t i = 0; i < exposures->fingerprint_count; i++)
        free_fingerprint(&exposures->fingerprint[i]);
    mem_free(&exposures->item);
    mem_free(&exposures->fingerprint);
    mem_free(address);
}
