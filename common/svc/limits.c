/* common/svc/limits.c - reads limits.yaml strictly. */
#include "svc/limits.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "text/json.h"
#include "text/yaml.h"

enum { DAILY_MAX = 1000000 };

/* A number in the file, and the field for it. */
struct key {
    const char *name;
    size_t offset;
    unsigned max;
    bool required;
};

/* clang-format off */
static const struct key top_keys[] = {
    { "global_per_minute",  offsetof(struct limits, global_per_minute),  LIMITS_ACCOUNT_MAX, true },
    { "address_per_minute", offsetof(struct limits, address_per_minute), LIMITS_ADDRESS_MAX,   true },
};

static const struct key class_keys[] = {
    { "endpoint_per_minute", offsetof(struct rate_class, endpoint_per_minute), LIMITS_ACCOUNT_MAX },
    { "class_per_minute",    offsetof(struct rate_class, class_per_minute),    LIMITS_ACCOUNT_MAX },
    { "daily_per_tool",      offsetof(struct rate_class, daily_per_tool),      DAILY_MAX },
};
/* clang-format on */

static bool is_object(const cJSON *node)
{
    return node && (node->type & 0xff) == cJSON_Object;
}

static bool is_key(const struct key *keys, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(keys[i].name, name) == 0)
            return true;
    return false;
}

/* Fill target with the numbers of one object; the key `nested`, if it is not NULL, is also
 * allowed. */
static bool read_numbers(const char *where, const cJSON *object, const struct key *keys,
                         size_t count, const char *nested, void *target, struct err *err)
{
    const cJSON *member;

    if (!is_object(object))
        return err_set(err, ERR_INVALID_VALUE, "%s must be a map", where);
    cJSON_ArrayForEach(member, object)
        if (!is_key(keys, count, member->string) &&
            !(nested && strcmp(member->string, nested) == 0))
            return err_set(err, ERR_INVALID_VALUE, "%s: unknown key %.40s", where, member->string);
    for (size_t i = 0; i < count; i++) {
        const cJSON *number = json_get(object, keys[i].name);
        if (!number && !keys[i].required)
            continue;
        if (!number || !json_is_integer(number) || number->valuedouble < 1 ||
            number->valuedouble > keys[i].max)
            return err_set(err, ERR_INVALID_VALUE, "%s: %s must be a whole number from 1 to %u",
                           where, keys[i].name, keys[i].max);
        *(unsigned *)(void *)((char *)target + keys[i].offset) = (unsigned)number->valuedouble;
    }
    return true;
}

static size_t count_members(const cJSON *object)
{
    size_t count = 0;
    const cJSON *member;
    cJSON_ArrayForEach(member, object)
        count++;
    return count;
}

static bool read_classes(const char *path, const cJSON *classes, struct limits *limits,
                         struct err *err)
{
    const cJSON *member;

    if (!is_object(classes))
        return err_set(err, ERR_INVALID_VALUE, "%s: classes must be a map", path);
    limits->classes = mem_array(count_members(classes), sizeof(*limits->classes));
    cJSON_ArrayForEach(member, classes) {
        struct rate_class *class = &limits->classes[limits->class_count++];
        scoped(mem_free) char *where = str_format("%s: classes.%.40s", path, member->string);
        class->name = str_dup(member->string);
        if (!read_numbers(where, member, class_keys, countof(class_keys), NULL, class, err))
            return false;
    }
    return true;
}

bool limits_load(const char *path, struct limits **limits, struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(limits_free) struct limits *loaded = mem_new(sizeof(*loaded));

    if (!yaml_load(path, &tree, err) ||
        !read_numbers(path, tree, top_keys, countof(top_keys), "classes", loaded, err) ||
        !read_classes(path, json_get(tree, "classes"), loaded, err))
        return false;
    *limits = take(loaded);
    return true;
}

void limits_free(struct limits **address_of_limits)
{
    struct limits *limits = *address_of_limits;
    if (!limits)
        return;
    for (size_t i = 0; i < limits->class_count; i++)
        mem_free(&limits->classes[i].name);
    mem_free(&limits->classes);
    mem_free(address_of_limits);
}

const struct rate_class *limits_class(const struct limits *limits, const char *name)
{
    for (size_t i = 0; i < limits->class_count; i++)
        if (strcmp(limits->classes[i].name, name) == 0)
            return &limits->classes[i];
    return NULL;
}
