/* common/jsonschema/arguments.c - reads the arguments of keywords into rules. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "jsonschema/compiled.h"
#include "jsonschema/pattern.h"

/* Each reader fills the rule, or returns that the value is malformed. */
typedef bool argument_reader(struct subschema *schema, const void *value, struct rule *rule);

/* If the schemas belong to the caller's customer, mistakes are ignored. */
static bool is_lenient(const struct subschema *schema)
{
    return schema->validator->options.resolve != NULL;
}

static bool is_kind(const struct subschema *schema, const void *value, unsigned kinds)
{
    return kinds & 1U << tree_of(schema)->kind(value);
}

static unsigned type_named(const struct subschema *schema, const void *node)
{
    static const struct {
        const char *name;
        unsigned types;
    } types[] = {
        { "null", IN_NULL },     { "boolean", IN_BOOLEAN }, { "integer", IN_INTEGER },
        { "number", IN_NUMBER }, { "string", IN_STRING },   { "array", IN_ARRAY },
        { "object", IN_OBJECT },
    };
    if (!is_kind(schema, node, IN_STRING))
        return 0;
    struct text name = tree_of(schema)->text(node);
    for (size_t i = 0; i < countof(types); i++)
        if (text_is(name, types[i].name))
            return types[i].types;
    return schema->resource->dialect == SCHEMA_SWAGGER_2_0 && text_is(name, "file") ? IN_ANY : 0;
}

static bool read_types(struct subschema *schema, const void *value, struct rule *rule)
{
    const struct tree *tree = tree_of(schema);
    rule->types = type_named(schema, value);
    if (!is_kind(schema, value, IN_ARRAY))
        return is_kind(schema, value, IN_STRING) && (rule->types || is_lenient(schema));
    const void *item = tree->first(value);
    bool is_good = item != NULL;
    for (; item; item = tree->next(item)) {
        unsigned type = type_named(schema, item);
        rule->types |= type;
        is_good = is_good && type;
    }
    return is_good || is_lenient(schema);
}

static bool read_value(struct subschema *schema, const void *value, struct rule *rule)
{
    (void)schema;
    (void)value;
    (void)rule;
    return true;
}

static bool read_values(struct subschema *schema, const void *value, struct rule *rule)
{
    (void)rule;
    return is_kind(schema, value, IN_ARRAY);
}

static bool read_flag(struct subschema *schema, const void *value, struct rule *rule)
{
    (void)rule;
    return is_kind(schema, value, IN_BOOLEAN);
}

static bool read_text(struct subschema *schema, const void *value, struct rule *rule)
{
    (void)rule;
    return is_kind(schema, value, IN_STRING);
}

static bool read_number(struct subschema *schema, const void *value, struct rule *rule)
{
    bool is_old = !(schema->resource->dialect & JSON_SCHEMA);
    char digits[DECIMAL_DOUBLE_BYTES];
    if (!is_kind(schema, value, IN_NUMBER))
        return false;
    tree_decimal(tree_of(schema), value, digits, &rule->number);
    if (rule->number.digits.bytes >= digits && rule->number.digits.bytes < digits + sizeof(digits))
        rule->number.digits.bytes = arena_copy(&schema->validator->arena, rule->number.digits);
    rule->is_exclusive =
        is_old && ((rule->keyword == KEYWORD_MAXIMUM && has_flag(schema, "exclusiveMaximum")) ||
                   (rule->keyword == KEYWORD_MINIMUM && has_flag(schema, "exclusiveMinimum")));
    return true;
}

static bool read_count(struct subschema *schema, const void *value, struct rule *rule)
{
    return read_number(schema, value, rule) &&
           (is_lenient(schema) || (!rule->number.is_negative && decimal_is_integer(&rule->number)));
}

static bool read_unit(struct subschema *schema, const void *value, struct rule *rule)
{
    return read_number(schema, value, rule) && rule->number.count > 0 && !rule->number.is_negative;
}

static bool compile_regex(struct subschema *schema, struct text text, struct regex **regex)
{
    struct validator *validator = schema->validator;
    enum pattern_verdict verdict = pattern_compile(text, regex);
    schema->steps += pattern_steps(text, *regex);
    if (verdict == PATTERN_GOOD) {
        struct pattern *pattern = arena_get(&validator->arena, sizeof(*pattern));
        *pattern = (struct pattern){ *regex, validator->patterns };
        validator->patterns = pattern;
    }
    return verdict != PATTERN_BAD;
}

static bool read_pattern(struct subschema *schema, const void *value, struct rule *rule)
{
    return is_kind(schema, value, IN_STRING) &&
           compile_regex(schema, tree_of(schema)->text(value), &rule->regex);
}

static bool are_names(const struct subschema *schema, const void *list)
{
    const struct tree *tree = tree_of(schema);
    const void *item = tree->first(list);
    while (item && is_kind(schema, item, IN_STRING))
        item = tree->next(item);
    return !item;
}

static bool read_names(struct subschema *schema, const void *value, struct rule *rule)
{
    (void)rule;
    return is_kind(schema, value, IN_ARRAY) && are_names(schema, value);
}

static bool read_schema(struct subschema *schema, const void *value, struct rule *rule)
{
    rule->schema = schema_at(schema->validator, value, schema->resource);
    return is_kind(schema, value, IN_OBJECT | IN_BOOLEAN);
}

/* Add a branch to the rule for each child of the value. */
static void add_branches(struct subschema *schema, const void *value, struct rule *rule)
{
    const struct tree *tree = tree_of(schema);
    struct arena *arena = &schema->validator->arena;
    rule->branches = arena_get(arena, (tree->size(value) + 1) * sizeof(*rule->branches));
    for (const void *child = tree->first(value); child; child = tree->next(child)) {
        struct branch *branch = &rule->branches[rule->count++];
        bool is_list = is_kind(schema, child, IN_ARRAY);
        branch->name = is_kind(schema, value, IN_OBJECT) ? tree->name(child) : TEXT("");
        branch->names = is_list ? child : NULL;
        branch->schema = is_list ? NULL : schema_at(schema->validator, child, schema->resource);
    }
    schema->steps += rule->count;
}

static bool are_schemas(const struct subschema *schema, const void *value, unsigned kinds)
{
    const struct tree *tree = tree_of(schema);
    const void *child = tree->first(value);
    while (child && is_kind(schema, child, kinds))
        child = tree->next(child);
    return !child || is_lenient(schema);
}

static bool read_schemas(struct subschema *schema, const void *value, struct rule *rule)
{
    if (!is_kind(schema, value, IN_ARRAY))
        return false;
    add_branches(schema, value, rule);
    return rule->count > 0 && are_schemas(schema, value, IN_OBJECT | IN_BOOLEAN);
}

static bool read_items(struct subschema *schema, const void *value, struct rule *rule)
{
    if (schema->resource->dialect == SCHEMA_DRAFT_7 && is_kind(schema, value, IN_ARRAY)) {
        add_branches(schema, value, rule);
        return are_schemas(schema, value, IN_OBJECT | IN_BOOLEAN);
    }
    return read_schema(schema, value, rule);
}

static int by_name(const void *a, const void *b)
{
    const struct branch *const *left = a;
    const struct branch *const *right = b;
    struct text one = (*left)->name;
    struct text other = (*right)->name;
    size_t shared = MIN(one.size, other.size);
    int order = shared > 0 ? memcmp(one.bytes, other.bytes, shared) : 0;
    return order != 0 ? order : (one.size > other.size) - (one.size < other.size);
}

static bool read_dependencies(struct subschema *schema, const void *value, struct rule *rule)
{
    unsigned kinds = rule->keyword == KEYWORD_DEPENDENT_REQUIRED ? IN_ARRAY
                     : rule->keyword == KEYWORD_DEPENDENT_SCHEMAS
                         ? IN_OBJECT | IN_BOOLEAN
                         : IN_ARRAY | IN_OBJECT | IN_BOOLEAN;
    if (!is_kind(schema, value, IN_OBJECT))
        return false;
    add_branches(schema, value, rule);
    for (size_t i = 0; i < rule->count; i++)
        if (rule->branches[i].names && !are_names(schema, rule->branches[i].names))
            return is_lenient(schema);
    return are_schemas(schema, value, kinds);
}

const struct branch *branch_named(const struct rule *rule, struct text name)
{
    const struct branch key = { .name = name };
    const struct branch *address = &key;
    struct branch **found =
        rule ? bsearch(&address, rule->by_name, rule->count, sizeof(*rule->by_name), by_name)
             : NULL;
    return found ? *found : NULL;
}

static void mark_required(const struct subschema *schema, struct rule *rule)
{
    const struct tree *tree = tree_of(schema);
    const void *required = tree->member(schema->source, TEXT("required"));
    if (!required || !is_kind(schema, required, IN_ARRAY))
        return;
    for (const void *name = tree->first(required); name; name = tree->next(name)) {
        const struct branch *branch =
            is_kind(schema, name, IN_STRING) ? branch_named(rule, tree->text(name)) : NULL;
        if (branch)
            rule->branches[branch - rule->branches].is_required = true;
    }
}

static bool read_schemas_by_name(struct subschema *schema, const void *value, struct rule *rule)
{
    if (!is_kind(schema, value, IN_OBJECT))
        return false;
    add_branches(schema, value, rule);
    rule->by_name =
        arena_get(&schema->validator->arena, (rule->count + 1) * sizeof(*rule->by_name));
    for (size_t i = 0; i < rule->count; i++)
        rule->by_name[i] = &rule->branches[i];
    qsort(rule->by_name, rule->count, sizeof(*rule->by_name), by_name);
    if (rule->keyword == KEYWORD_PROPERTIES)
        mark_required(schema, rule);
    return are_schemas(schema, value, IN_OBJECT | IN_BOOLEAN);
}

static bool read_schemas_by_pattern(struct subschema *schema, const void *value, struct rule *rule)
{
    bool is_good = is_kind(schema, value, IN_OBJECT);
    if (!is_good)
        return false;
    add_branches(schema, value, rule);
    for (size_t i = 0; i < rule->count; i++)
        if (!compile_regex(schema, rule->branches[i].name, &rule->branches[i].regex))
            is_good = false;
    return is_good && are_schemas(schema, value, IN_OBJECT | IN_BOOLEAN);
}

static bool read_reference(struct subschema *schema, const void *value, struct rule *rule)
{
    struct validator *validator = schema->validator;
    if (!is_kind(schema, value, IN_STRING))
        return false;
    if (validator->options.resolve) {
        const void *target =
            rule->keyword == KEYWORD_REF ? validator->options.resolve(schema->source) : NULL;
        rule->schema = target ? schema_at(validator, target, schema->resource) : NULL;
        return true;
    }
    struct link *link = arena_get(&validator->arena, sizeof(*link));
    *link = (struct link){ schema, rule, validator->links };
    validator->links = link;
    return true;
}

/* clang-format off */
static const struct {
    argument_reader *read;
    const char *wants;
} arguments[] = {
    [ARGUMENT_TYPES] =              { read_types,      "must be a type's name or a list of them" },
    [ARGUMENT_VALUE] =              { read_value,      "must be a value" },
    [ARGUMENT_VALUES] =             { read_values,     "must be a list" },
    [ARGUMENT_FLAG] =               { read_flag,       "must be true or false" },
    [ARGUMENT_TEXT] =               { read_text,       "must be a text" },
    [ARGUMENT_NUMBER] =             { read_number,     "must be a number" },
    [ARGUMENT_COUNT] =              { read_count,      "must be a whole number of 0 or more" },
    [ARGUMENT_UNIT] =               { read_unit,       "must be a number above 0" },
    [ARGUMENT_PATTERN] =            { read_pattern,    "must be a regular expression" },
    [ARGUMENT_NAMES] =              { read_names,      "must be a list of names" },
    [ARGUMENT_SCHEMA] =             { read_schema,     "must be a schema" },
    [ARGUMENT_SCHEMAS] =            { read_schemas,    "must be a list of schemas" },
    [ARGUMENT_ITEMS] =              { read_items,      "must be a schema" },
    [ARGUMENT_DEPENDENCIES] =       { read_dependencies, "must be schemas or lists of names" },
    [ARGUMENT_SCHEMAS_BY_NAME] =    { read_schemas_by_name, "must be schemas by name" },
    [ARGUMENT_SCHEMAS_BY_PATTERN] = { read_schemas_by_pattern, "must be schemas by pattern" },
    [ARGUMENT_REFERENCE] =          { read_reference,  "must be a URI" },
};
/* clang-format on */

const char *read_argument(enum argument argument, struct subschema *schema, struct rule *rule)
{
    bool is_good = arguments[argument].read(schema, rule->value, rule);
    return is_good ? NULL : arguments[argument].wants;
}
