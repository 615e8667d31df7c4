/*
 * svc-utils/json-to-code/model/likely-maps.c - names that are probably data: the values are alike,
 * or the container's name says that it is a table.
 */
#include "likely-maps.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/num.h"
#include "format.h"
#include "keys.h"

enum {
    ALIKE_MIN = 10, /* objects with the same fields under any names: fewer may be a record */
    ALIKE_ROOT_MIN = 3,
    COUNTRIES_MIN = 3,
    NAME_BYTES = 40,
};

/* ---- values ---- */

static bool has_name(const struct object *object, uint32_t key_number)
{
    for (const struct field *field = object->first; field; field = field->next)
        if (field->key_number == key_number)
            return true;
    return false;
}

/* The first value decides: the others must have most of its fields and few others. */
static bool is_similar(const struct object *a, const struct object *b)
{
    enum { FIELDS_MAX = 100 };
    size_t shared = 0;
    if (a == b)
        return true;
    if (a->field_count > FIELDS_MAX || b->field_count > FIELDS_MAX)
        return false;
    for (const struct field *field = b->first; field; field = field->next)
        shared += has_name(a, field->key_number);
    return shared > 0 && 2 * shared >= MAX(a->field_count, b->field_count);
}

static bool are_alike_objects(const struct object *object)
{
    const struct object *first = object->first ? shape_object(&object->first->shape) : NULL;
    if (!first || first->is_map)
        return false;
    for (const struct field *field = object->first; field; field = field->next) {
        const struct object *other = shape_object(&field->shape);
        if (!other || other->is_map || !is_similar(first, other))
            return false;
    }
    return true;
}

static unsigned seen_in_all(const struct object *object)
{
    unsigned seen = 0;
    for (const struct field *field = object->first; field; field = field->next)
        seen |= field->shape.seen;
    return seen;
}

/* Texts such as ^1.2.0, of which not all are plain versions. */
static bool are_version_ranges(unsigned seen)
{
    unsigned misfits = seen >> SEEN_MISFIT_SHIFT;
    return (seen & SEEN_STRING) && !(misfits & FORMAT_VERSION_RANGE) &&
           (misfits & FORMAT_PLAIN_VERSION);
}

static bool has_key(const struct object *object, const char *key)
{
    for (const struct field *field = object->first; field; field = field->next)
        if (text_is(field->key, key))
            return true;
    return false;
}

static size_t prefix_size(struct text key)
{
    size_t size = key.size;
    while (size > 0 && key.bytes[size - 1] >= '0' && key.bytes[size - 1] <= '9')
        size--;
    return size;
}

static bool have_one_prefix(const struct object *object)
{
    struct text first = object->first->key;
    size_t size = prefix_size(first);
    for (const struct field *field = object->first; field; field = field->next)
        if (prefix_size(field->key) != size || memcmp(field->key.bytes, first.bytes, size) != 0)
            return false;
    return true;
}

/* ---- names that records use for alike values ---- */

/* Small letters and digits only; "" if it is too long. */
static void plain_name(struct text name, char out[static NAME_BYTES])
{
    size_t size = 0;
    for (size_t i = 0; i < name.size && name.size < NAME_BYTES; i++)
        if (ascii_is_alnum(name.bytes[i]))
            out[size++] = ascii_lower(name.bytes[i]);
    out[size] = '\0';
}

static int by_name(const void *name, const void *item)
{
    return strcmp(name, *(const char *const *)item);
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    return bsearch(name, list, count, sizeof(*list), by_name) != NULL;
}

static const char *const roles[] = {
#include "role-word.def"
};

/* A name such as "self" or "billing" has a meaning to the program that reads it. A single letter
 * has one only next to another: x and y. */
static bool has_role(const struct object *object)
{
    char name[NAME_BYTES];
    size_t letters = 0;
    for (const struct field *field = object->first; field; field = field->next) {
        plain_name(field->key, name);
        if (!is_listed(name, roles, countof(roles)))
            continue;
        if (name[1] != '\0' || letters++ > 0)
            return true;
    }
    return false;
}

/* ---- containers ---- */

/* Ends of the names of tables of texts, numbers or truth values: whatever is in them, and unless a
 * name in them is a role. */
static const char *const tables[] = {
    "annotations", "balances",     "cookies",   "dependencies", "disttags", "emoji",
    "env",         "environment",  "headers",   "inventory",    "labels",   "params",
    "query",       "queryparams",  "replicas",  "require",      "requires", "scripts",
    "tags",        "translations", "variables", "vars",
};
static const char *const likely_tables[] = {
    "branches", "flags",     "hits",   "hours",   "languages", "letters", "logprobs", "rates",
    "ratings",  "reactions", "scores", "strings", "visits",    "votes",   "weights",
};

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name);
    size_t end_size = strlen(end);
    return size >= end_size && strcmp(name + size - end_size, end) == 0;
}

static bool is_named(struct text container, const char *const *ends, size_t count)
{
    char name[NAME_BYTES];
    plain_name(container, name);
    for (size_t i = 0; i < count; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

/* An English plural, by its last letters. */
static bool is_plural(struct text container)
{
    enum { PLURAL_MIN = 4 };
    char name[NAME_BYTES];
    plain_name(container, name);
    size_t size = strlen(name);
    return size >= PLURAL_MIN && name[size - 1] == 's' && !strchr("sui", name[size - 2]);
}

/* ---- names ---- */

static bool is_package_path(struct text key)
{
    const char *at = NULL;
    for (size_t i = 1; i + 1 < key.size && !at; i++)
        if ((key.bytes[i] == '.' || key.bytes[i] == '/') && key.bytes[i + 1] != ' ')
            at = key.bytes + i;
    return at != NULL && key.bytes[0] != '@';
}

static bool has_blank(struct text key)
{
    return memchr(key.bytes, ' ', key.size) != NULL;
}

/* A word with a capital: Texas, CostCenter. */
static bool is_capitalized(struct text key)
{
    return key.size > 1 && key.bytes[0] >= 'A' && key.bytes[0] <= 'Z' &&
           !(key.bytes[1] >= 'A' && key.bytes[1] <= 'Z');
}

static size_t count_names(const struct object *object, bool (*fits)(struct text key))
{
    size_t count = 0;
    for (const struct field *field = object->first; field; field = field->next)
        count += fits(field->key);
    return count;
}

static bool has_any(const struct object *object, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_key(object, names[i]))
            return true;
    return false;
}

/* ---- the verdict ---- */

static bool are_arrays(unsigned seen)
{
    return (seen & SEEN_ARRAY) && !(seen & ~(unsigned)(SEEN_NULL | SEEN_EMPTY | SEEN_ARRAY));
}

static bool is_by_class(const struct object *object, unsigned classes, bool are_alike)
{
    static const char *const large[] = { "us", "gb", "de", "fr", "jp", "cn" };
    static const char *const money[] = { "usd", "eur", "gbp", "jpy", "btc" };
    unsigned seen = seen_in_all(object);
    bool are_alike_or_plain = are_alike || !(seen & SEEN_OBJECT);

    if (classes & (KEY_CURRENCY | KEY_COUNTRY) && !has_key(object, "ID"))
        return are_alike_or_plain;
    if (classes & KEY_COIN && has_any(object, money, countof(money)))
        return are_alike_or_plain;
    if (classes & KEY_LANGUAGE && has_key(object, "en"))
        return are_alike_or_plain;
    if (classes & KEY_PROGRAMMING)
        return are_alike_or_plain;
    if (classes & (KEY_TICKER | KEY_PHRASE) && are_alike)
        return true;
    if (classes & KEY_PHRASE && are_arrays(seen))
        return true;
    if (classes & KEY_SMALL_COUNTRY && object->field_count >= COUNTRIES_MIN &&
        has_any(object, large, countof(large)))
        return are_alike_or_plain;
    if (classes & KEY_LONG_COUNTED && have_one_prefix(object))
        return are_alike_or_plain;
    if (classes & (KEY_COUNTED | KEY_NUMBERED) && have_one_prefix(object))
        return are_alike || are_arrays(seen);
    return classes & KEY_PACKAGE && are_version_ranges(seen);
}

/* At least half of the names are paths or dotted, as in "home.title", "src/main.c". */
static bool is_by_paths(const struct object *object, bool are_alike)
{
    return 2 * count_names(object, is_package_path) >= object->field_count &&
           (are_alike || !(seen_in_all(object) & SEEN_OBJECT));
}

/* "labels", "devDependencies" */
static bool is_in_table(const struct object *object, struct text container)
{
    return is_named(container, tables, countof(tables)) &&
           !(seen_in_all(object) & (SEEN_OBJECT | SEEN_ARRAY));
}

/* "scores", "count_by_user", "services"; or names with capitals in a container without. */
static bool is_by_container(const struct object *object, struct text container, bool are_alike)
{
    unsigned seen = seen_in_all(object);
    bool are_plain = !(seen & (SEEN_OBJECT | SEEN_ARRAY));
    bool are_phrases = 2 * count_names(object, has_blank) >= object->field_count;

    if (is_named(container, likely_tables, countof(likely_tables)) || text_has(container, "_by_"))
        return are_plain || are_alike;
    if (!is_plural(container))
        return false;
    if (are_alike || are_arrays(seen))
        return true;
    bool is_other_style = container.bytes[0] >= 'a' && container.bytes[0] <= 'z' &&
                          count_names(object, is_capitalized) == object->field_count;
    return are_plain && (is_other_style || (are_phrases && !(seen & SEEN_STRING)));
}

static bool is_by_number(const struct object *object, struct text container)
{
    return object->field_count >= ALIKE_MIN ||
           (!object->parent && container.size == 0 && object->field_count >= ALIKE_ROOT_MIN);
}

bool object_is_likely_map(const struct object *object, unsigned classes, struct text container)
{
    bool are_alike = are_alike_objects(object);
    if (is_by_class(object, classes, are_alike) || is_in_table(object, container))
        return true;
    if (has_role(object))
        return are_alike && object->field_count >= ALIKE_MIN;
    return is_by_paths(object, are_alike) || is_by_container(object, container, are_alike) ||
           (are_alike && is_by_number(object, container));
}
