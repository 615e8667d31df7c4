/* svc-security/tech-detect/signatures.c - read the signatures strictly: an ignored mistake would
 * hide a technology. */
#include "signatures.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"
#include "text/yaml.h"

enum { SURE = 100, NOT_FOUND = -1 };

static const char *const kind_names[EVIDENCE_KINDS] = {
    [EVIDENCE_HEADER] = "header", [EVIDENCE_COOKIE] = "cookie",   [EVIDENCE_META] = "meta",
    [EVIDENCE_SCRIPT] = "script", [EVIDENCE_LINK] = "link",       [EVIDENCE_ATTR] = "attr",
    [EVIDENCE_CLASS] = "class",   [EVIDENCE_HTML] = "html",       [EVIDENCE_INLINE] = "inline",
    [EVIDENCE_URL] = "url",       [EVIDENCE_COMMENT] = "comment", [EVIDENCE_MX] = "mx",
};

const char *evidence_kind_name(enum evidence_kind kind)
{
    return kind_names[kind];
}

bool evidence_key_fits(const char *key, struct text name)
{
    size_t size = strlen(key);
    bool is_prefix = size > 0 && key[size - 1] == '*';
    size -= is_prefix;
    return (is_prefix ? name.size >= size : name.size == size) &&
           strncasecmp(key, name.bytes, size) == 0;
}

/* ---- the file ---- */

/* Reader state, with the location for error messages. */
struct reading {
    const char *file;
    const char *technology;
    const cJSON *categories;
    const cJSON *platforms;
    const cJSON *shorthands;
    const cJSON *technologies;
    struct signatures *signatures;
    struct err *err;
};

static bool reject_key(const struct reading *reading, const char *what, const char *why)
{
    return err_set(reading->err, ERR_INVALID_VALUE, "%s: %s: %s %s", reading->file,
                   reading->technology, what, why);
}

static bool is_text(const cJSON *node)
{
    return json_is(node, cJSON_String);
}

static const char *chars_of(const cJSON *node)
{
    return json_text_of(node).bytes;
}

static size_t list_size(const cJSON *node)
{
    return json_is(node, cJSON_Array) ? json_size(node) : node ? 1 : 0;
}

/* Item of a list, or the node itself if it is not a list. */
static const cJSON *list_item(const cJSON *node, size_t index)
{
    const cJSON *item;
    if (!json_is(node, cJSON_Array))
        return node;
    cJSON_ArrayForEach(item, node)
        if (index-- == 0)
            return item;
    return NULL;
}

/* A string, or { match: string, confidence: 1 to 100 }. */
static bool read_match(const struct reading *reading, const char *what, const cJSON *node,
                       const char **match, unsigned *confidence)
{
    const cJSON *number = json_get(node, "confidence");
    const cJSON *text = number ? json_get(node, "match") : node;
    if (!is_text(text) || (number && json_size(node) != 2))
        return reject_key(reading, what, "must be a string, or have match and confidence");
    if (number &&
        (!json_is_integer(number) || number->valuedouble < 1 || number->valuedouble > SURE))
        return reject_key(reading, what, "must have a confidence from 1 to 100");
    *match = chars_of(text);
    *confidence = number ? (unsigned)number->valuedouble : SURE;
    return true;
}

/* ---- evidence ---- */

/* Does the pattern have a capturing group? */
static bool has_group(const char *pattern)
{
    for (const char *at = pattern; *at; at++) {
        if (*at == '(' && at[1] != '?')
            return true;
        at += *at == '\\' && at[1];
    }
    return false;
}

static void add_keyed(struct signatures *signatures, enum evidence_kind kind, uint32_t id)
{
    size_t count = signatures->keyed_count[kind]++;
    signatures->keyed[kind] =
        mem_resize(signatures->keyed[kind], (count + 1) * sizeof(*signatures->keyed[kind]));
    signatures->keyed[kind][count] = id;
}

static bool add_evidence(const struct reading *reading, struct evidence evidence,
                         const char *pattern)
{
    struct signatures *signatures = reading->signatures;
    const char *kind = kind_names[evidence.kind];
    scoped(mem_free) char *caseless = str_format("(?i)%s", pattern);
    scoped(mem_free) char *literal = signatures_literal(pattern);
    uint32_t id = (uint32_t)signatures->evidence_count;

    if (evidence.kind >= KEYED_KINDS && !literal)
        return reject_key(reading, kind,
                          "must have three consecutive literal characters in each pattern");
    if (*pattern && !regex_new(caseless, &evidence.regex, NULL))
        return reject_key(reading, kind, "must have valid patterns");
    if (evidence.kind >= KEYED_KINDS)
        literals_add(signatures->literals[evidence.kind], literal, id);
    else
        add_keyed(signatures, evidence.kind, id);
    evidence.has_version = has_group(pattern);
    signatures->evidence = mem_resize(signatures->evidence, (id + 1) * sizeof(evidence));
    signatures->evidence[id] = evidence;
    signatures->evidence_count++;
    return true;
}

/* Insert the name into a shorthand's pattern; without a name, copy the pattern. The caller frees
 * it. */
static char *spell_out(const char *pattern, const char *name)
{
    const char *place = name ? strstr(pattern, "NAME") : NULL;
    if (!place)
        return str_dup(pattern);
    return str_format("%.*s%s%s", (int)(place - pattern), pattern, name, place + strlen("NAME"));
}

/* Place of evidence: key is NULL for a kind without keys, name is NULL outside of shorthands. */
struct place {
    uint32_t technology;
    enum evidence_kind kind;
    const char *key;
    const char *name;
};

/* A pattern or a list of patterns. */
static bool read_patterns(const struct reading *reading, const struct place *place,
                          const cJSON *node)
{
    for (size_t i = 0; i < list_size(node); i++) {
        struct evidence evidence = { .technology = place->technology, .kind = place->kind };
        const char *match;
        if (!read_match(reading, kind_names[place->kind], list_item(node, i), &match,
                        &evidence.confidence))
            return false;
        scoped(mem_free) char *pattern = spell_out(match, place->name);
        evidence.key = str_dup(place->key);
        if (!add_evidence(reading, evidence, pattern)) {
            mem_free(&evidence.key);
            return false;
        }
    }
    return true;
}

static bool read_kind(const struct reading *reading, struct place place, const cJSON *node)
{
    const cJSON *member;
    if (place.kind >= KEYED_KINDS)
        return read_patterns(reading, &place, node);
    if (!json_is(node, cJSON_Object))
        return reject_key(reading, kind_names[place.kind], "must be a mapping");
    cJSON_ArrayForEach(member, node) {
        place.key = member->string;
        if (!read_patterns(reading, &place, member))
            return false;
    }
    return true;
}

static enum evidence_kind kind_of(const char *name)
{
    size_t kind = 0;
    while (kind < EVIDENCE_KINDS && strcmp(kind_names[kind], name) != 0)
        kind++;
    return (enum evidence_kind)kind;
}

/* A shorthand expands to patterns of several kinds, with the name inserted in each. */
static bool read_shorthand(const struct reading *reading, struct place place,
                           const cJSON *shorthand)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, shorthand) {
        place.kind = kind_of(member->string);
        if (place.kind == EVIDENCE_KINDS)
            return reject_key(reading, member->string, "is not a kind of evidence");
        if (!read_kind(reading, place, member))
            return false;
    }
    return true;
}

static bool read_names_of_shorthand(const struct reading *reading, uint32_t technology,
                                    const cJSON *shorthand, const cJSON *names)
{
    for (size_t i = 0; i < list_size(names); i++) {
        const cJSON *name = list_item(names, i);
        if (!is_text(name))
            return reject_key(reading, names->string, "must be a string or a list of strings");
        struct place place = { .technology = technology, .name = chars_of(name) };
        if (!read_shorthand(reading, place, shorthand))
            return false;
    }
    return true;
}

/* ---- technologies ---- */

static int index_of(const struct signatures *signatures, const char *name)
{
    for (size_t i = 0; i < signatures->technology_count; i++)
        if (strcmp(signatures->technology[i].name, name) == 0)
            return (int)i;
    return NOT_FOUND;
}

static bool read_edges(const struct reading *reading, const char *what, const cJSON *node,
                       struct edges *edges)
{
    edges->item = mem_array(list_size(node) + 1, sizeof(*edges->item));
    for (size_t i = 0; i < list_size(node); i++) {
        struct edge edge;
        const char *name;
        if (!read_match(reading, what, list_item(node, i), &name, &edge.confidence))
            return false;
        int index = index_of(reading->signatures, name);
        if (index == NOT_FOUND)
            return reject_key(reading, name, "is not a technology of this file");
        edge.technology = (uint32_t)index;
        edges->item[edges->count++] = edge;
    }
    return true;
}

static bool is_listed(const cJSON *list, const cJSON *node)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (json_equal(item, node))
            return true;
    return false;
}

static bool read_categories(const struct reading *reading, const cJSON *node,
                            struct technology *technology)
{
    size_t count = list_size(node);
    if (count == 0)
        return reject_key(reading, "category", "is missing");
    technology->category = mem_array(count, sizeof(*technology->category));
    for (size_t i = 0; i < count; i++) {
        const cJSON *category = list_item(node, i);
        if (!is_text(category) || !is_listed(reading->categories, category))
            return reject_key(reading, "category", "must be among categories");
        technology->category[technology->category_count++] = str_dup(chars_of(category));
    }
    return true;
}

/* Read a member except the categories, which are already known. */
static bool read_member(const struct reading *reading, uint32_t index, const cJSON *member)
{
    struct technology *technology = &reading->signatures->technology[index];
    const char *name = member->string;
    const cJSON *shorthand = json_get(reading->shorthands, name);
    struct place place = { .technology = index, .kind = kind_of(name) };

    if (strcmp(name, "category") == 0)
        return true;
    if (strcmp(name, "implies") == 0)
        return read_edges(reading, name, member, &technology->implies);
    if (strcmp(name, "requires") == 0)
        return read_edges(reading, name, member, &technology->required);
    if (strcmp(name, "excludes") == 0)
        return read_edges(reading, name, member, &technology->excludes);
    if (place.kind < EVIDENCE_KINDS)
        return read_kind(reading, place, member);
    if (shorthand)
        return read_names_of_shorthand(reading, index, shorthand, member);
    return reject_key(reading, name, "is unknown");
}

static int by_category_and_name(const void *a, const void *b)
{
    const struct technology *one = a;
    const struct technology *other = b;
    int order = strcasecmp(one->category[0], other->category[0]);
    if (order == 0)
        order = strcasecmp(one->name, other->name);
    return order ? order : strcmp(one->name, other->name);
}

/* Read names and categories first: they determine the order, and so all indexes. */
static bool read_names(struct reading *reading)
{
    struct signatures *signatures = reading->signatures;
    const cJSON *node;
    signatures->technology =
        mem_array(json_size(reading->technologies) + 1, sizeof(*signatures->technology));
    cJSON_ArrayForEach(node, reading->technologies) {
        struct technology *technology = &signatures->technology[signatures->technology_count++];
        technology->name = str_dup(node->string);
        reading->technology = node->string;
        if (!json_is(node, cJSON_Object))
            return reject_key(reading, "it", "must be a mapping");
        if (!read_categories(reading, json_get(node, "category"), technology))
            return false;
        technology->is_platform =
            is_listed(reading->platforms, list_item(json_get(node, "category"), 0)) &&
            !json_get(node, "library");
    }
    qsort(signatures->technology, signatures->technology_count, sizeof(*signatures->technology),
          by_category_and_name);
    return true;
}

static bool read_technologies(struct reading *reading)
{
    const struct signatures *signatures = reading->signatures;
    if (!read_names(reading))
        return false;
    for (size_t i = 0; i < signatures->technology_count; i++) {
        const cJSON *member;
        reading->technology = signatures->technology[i].name;
        cJSON_ArrayForEach(member, json_get(reading->technologies, reading->technology))
            if (!read_member(reading, (uint32_t)i, member))
                return false;
    }
    return true;
}

static bool read_file(const char *file, struct signatures *signatures, struct err *err)
{
    static const char *const keys[] = { "version",   "source",     "categories",
                                        "platforms", "shorthands", "technologies" };
    scoped(json_free) cJSON *tree = NULL;
    if (!yaml_load(file, &tree, err))
        return false;
    struct reading reading = {
        .file = file,
        .technology = "the file",
        .categories = json_get(tree, "categories"),
        .platforms = json_get(tree, "platforms"),
        .shorthands = json_get(tree, "shorthands"),
        .technologies = json_get(tree, "technologies"),
        .signatures = signatures,
        .err = err,
    };
    for (size_t i = 0; i < countof(keys); i++)
        if (!json_get(tree, keys[i]))
            return reject_key(&reading, keys[i], "is missing");
    if (json_size(tree) != countof(keys))
        return reject_key(&reading, "it", "has an unknown key");
    if (!is_text(json_get(tree, "version")))
        return reject_key(&reading, "version", "must be a string");
    if (!json_is(reading.categories, cJSON_Array) || json_size(reading.technologies) == 0 ||
        !json_is(reading.technologies, cJSON_Object))
        return reject_key(&reading, "it", "must have a list categories and a mapping technologies");
    signatures->version = str_dup(json_text(tree, "/version"));
    return read_technologies(&reading);
}

static struct releases *releases_of(void *context, const char *name)
{
    struct signatures *signatures = context;
    int index = index_of(signatures, name);
    return index == NOT_FOUND ? NULL : &signatures->technology[index].releases;
}

bool signatures_load(const char *folder, void **content, struct err *err)
{
    scoped(mem_free) char *file = str_format("%s/tech-detect/signatures.yaml", folder);
    scoped(mem_free) char *releases = str_format("%s/tech-detect/releases.yaml", folder);
    scoped(signatures_free) struct signatures *signatures = mem_new(sizeof(*signatures));

    for (size_t kind = KEYED_KINDS; kind < EVIDENCE_KINDS; kind++)
        signatures->literals[kind] = literals_new();
    if (!read_file(file, signatures, err) ||
        !releases_read(releases, releases_of, signatures, &signatures->releases_date, err))
        return false;
    for (size_t kind = KEYED_KINDS; kind < EVIDENCE_KINDS; kind++)
        literals_finish(signatures->literals[kind]);
    *content = take(signatures);
    return true;
}

static void free_technology(struct technology *technology)
{
    for (size_t i = 0; i < technology->category_count; i++)
        mem_free(&technology->category[i]);
    mem_free(&technology->category);
    mem_free(&technology->name);
    releases_free(&technology->releases);
    mem_free(&technology->implies.item);
    mem_free(&technology->required.item);
    mem_free(&technology->excludes.item);
}

void signatures_free(void *address_of_pointer)
{
    struct signatures **address = address_of_pointer;
    struct signatures *signatures = *address;
    if (!signatures)
        return;
    for (size_t i = 0; i < signatures->technology_count; i++)
        free_technology(&signatures->technology[i]);
    for (size_t i = 0; i < signatures->evidence_count; i++) {
        mem_free(&signatures->evidence[i].key);
        regex_free(&signatures->evidence[i].regex);
    }
    for (size_t kind = KEYED_KINDS; kind < EVIDENCE_KINDS; kind++)
        literals_free(&signatures->literals[kind]);
    for (size_t kind = 0; kind < KEYED_KINDS; kind++)
        mem_free(&signatures->keyed[kind]);
    mem_free(&signatures->technology);
    mem_free(&signatures->evidence);
    mem_free(&signatures->version);
    mem_free(&signatures->releases_date);
    mem_free(address);
}
