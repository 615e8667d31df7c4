/* common/svc/limits.c - reads limits.yaml and files of plans strictly. */
#include "svc/limits.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "text/json.h"
#include "text/yaml.h"

enum { DAILY_MAX = 1000000, PLAN_NAME_MAX = 40 };

/* A number in the file, and the field for it. */
struct key {
    const char *name;
    size_t offset;
    unsigned max;
    bool required;
};

/* An object of the file. */
struct grammar {
    const struct key *keys;
    size_t key_count;
    unsigned min;              /* of each number */
    const char *const *others; /* other keys that are allowed, up to NULL; or NULL */
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

static const struct key plan_keys[] = {
    { "global_per_minute",  offsetof(struct limits, global_per_minute),  LIMITS_ACCOUNT_MAX, true },
};
/* clang-format on */

static const char *const top_others[] = { "classes", NULL };
static const char *const plan_others[] = { "classes", "address_exempt", "is_public", NULL };
static const struct grammar top_grammar = { top_keys, countof(top_keys), 1, top_others };
static const struct grammar class_grammar = { class_keys, countof(class_keys), 1, NULL };
static const struct grammar plan_grammar = { plan_keys, countof(plan_keys), 1, plan_others };
static const struct grammar plan_class_grammar = { class_keys, countof(class_keys), 0, NULL };

static bool is_object(const cJSON *node)
{
    return node && (node->type & 0xff) == cJSON_Object;
}

static bool is_key(const struct grammar *grammar, const char *name)
{
    for (size_t i = 0; i < grammar->key_count; i++)
        if (strcmp(grammar->keys[i].name, name) == 0)
            return true;
    for (const char *const *other = grammar->others; other && *other; other++)
        if (strcmp(*other, name) == 0)
            return true;
    return false;
}

/* Fill target with the numbers of one object; NULL: only check them. */
static bool read_numbers(const char *where, const cJSON *object, const struct grammar *grammar,
                         void *target, struct err *err)
{
    const cJSON *member;

    if (!is_object(object))
        return err_set(err, ERR_INVALID_VALUE, "%s must be a map", where);
    cJSON_ArrayForEach(member, object)
        if (!is_key(grammar, member->string))
            return err_set(err, ERR_INVALID_VALUE, "%s: unknown key %.40s", where, member->string);
    for (size_t i = 0; i < grammar->key_count; i++) {
        const struct key *key = &grammar->keys[i];
        const cJSON *number = json_get(object, key->name);
        if (!number && !key->required)
            continue;
        if (!number || !json_is_integer(number) || number->valuedouble < grammar->min ||
            number->valuedouble > key->max)
            return err_set(err, ERR_INVALID_VALUE, "%s: %s must be a whole number from %u to %u",
                           where, key->name, grammar->min, key->max);
        if (target)
            *(unsigned *)(void *)((char *)target + key->offset) = (unsigned)number->valuedouble;
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
        if (!read_numbers(where, member, &class_grammar, class, err))
            return false;
    }
    return true;
}

bool limits_load(const char *path, struct limits **limits, struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(limits_free) struct limits *loaded = mem_new(sizeof(*loaded));

    if (!yaml_load(path, &tree, err) || !read_numbers(path, tree, &top_grammar, loaded, err) ||
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

/* ---- plans ---- */

static bool check_plan_name(const char *path, const char *name, struct err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t size = strspn(name, letters);
    bool is_word = size > 0 && size <= PLAN_NAME_MAX && name[size] == '\0' && name[0] >= 'a';
    return (is_word && strcmp(name, "none") != 0) ||
           err_set(
               err, ERR_INVALID_VALUE,
               "%s: the plan name %.60s must begin with a letter and have at most %d lower-case "
               "letters, digits and hyphens; the name none means no plan",
               path, name, PLAN_NAME_MAX);
}

static bool check_flag(const char *where, const cJSON *plan, const char *name, struct err *err)
{
    const cJSON *flag = json_get(plan, name);
    return !flag || json_is(flag, cJSON_True) || json_is(flag, cJSON_False) ||
           err_set(err, ERR_INVALID_VALUE, "%s: %s must be true or false", where, name);
}

static bool check_plan_classes(const char *where, const cJSON *classes, struct err *err)
{
    const cJSON *class;
    if (classes && !is_object(classes))
        return err_set(err, ERR_INVALID_VALUE, "%s: classes must be a map", where);
    cJSON_ArrayForEach(class, classes) {
        scoped(mem_free) char *of = str_format("%s: classes.%.40s", where, class->string);
        if (!read_numbers(of, class, &plan_class_grammar, NULL, err))
            return false;
    }
    return true;
}

static bool check_plan(const char *path, const cJSON *plan, struct err *err)
{
    scoped(mem_free) char *where = str_format("%s: plans.%.40s", path, plan->string);
    return check_plan_name(path, plan->string, err) &&
           read_numbers(where, plan, &plan_grammar, NULL, err) &&
           check_flag(where, plan, "address_exempt", err) &&
           check_flag(where, plan, "is_public", err) &&
           check_plan_classes(where, json_get(plan, "classes"), err);
}

bool plans_load(const char *path, cJSON **plans, struct err *err)
{
    static const char *const others[] = { "plans", NULL };
    static const struct grammar grammar = { .others = others };
    scoped(json_free) cJSON *tree = NULL;
    const cJSON *plan;

    if (!yaml_load(path, &tree, err) || !read_numbers(path, tree, &grammar, NULL, err))
        return false;
    if (!is_object(json_get(tree, "plans")))
        return err_set(err, ERR_INVALID_VALUE, "%s: plans must be a map", path);
    cJSON_ArrayForEach(plan, json_get(tree, "plans"))
        if (!check_plan(path, plan, err))
            return false;
    *plans = json_take(tree, "plans");
    return true;
}

/* ---- the limits of one account ---- */

struct limits *limits_copy(const struct limits *limits)
{
    struct limits *copy = mem_new(sizeof(*copy));
    *copy = *limits;
    copy->classes = mem_array(limits->class_count, sizeof(*copy->classes));
    for (size_t i = 0; i < limits->class_count; i++) {
        copy->classes[i] = limits->classes[i];
        copy->classes[i].name = str_dup(limits->classes[i].name);
    }
    return copy;
}

static void replace_number(unsigned *number, int64_t by)
{
    if (by >= 0)
        *number = (unsigned)by;
}

void limits_replace(struct limits *limits, const char *name, int64_t endpoint_per_minute,
                    int64_t class_per_minute, int64_t daily_per_tool)
{
    for (size_t i = 0; i < limits->class_count; i++) {
        struct rate_class *class = &limits->classes[i];
        if (strcmp(class->name, name) != 0)
            continue;
        replace_number(&class->endpoint_per_minute, endpoint_per_minute);
        replace_number(&class->class_per_minute, class_per_minute);
        replace_number(&class->daily_per_tool, daily_per_tool);
    }
}

const struct rate_class *limits_class(const struct limits *limits, const char *name)
{
    for (size_t i = 0; i < limits->class_count; i++)
        if (strcmp(limits->classes[i].name, name) == 0)
            return &limits->classes[i];
    return NULL;
}
