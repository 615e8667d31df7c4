/* svc-ai/model/shape.c - read shapes, describe them to providers, and fit answers into them. */
#include "model/shape.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "facts/clean.h"
#include "jsonschema/validator.h"
#include "text/json.h"

enum type {
    TYPE_NULL = 1 << 0,
    TYPE_BOOLEAN = 1 << 1,
    TYPE_INTEGER = 1 << 2,
    TYPE_NUMBER = 1 << 3,
    TYPE_STRING = 1 << 4,
    TYPE_ARRAY = 1 << 5,
    TYPE_OBJECT = 1 << 6,
};

static const struct {
    const char *name;
    unsigned type;
} types[] = {
    { "null", TYPE_NULL },     { "boolean", TYPE_BOOLEAN }, { "integer", TYPE_INTEGER },
    { "number", TYPE_NUMBER }, { "string", TYPE_STRING },   { "array", TYPE_ARRAY },
    { "object", TYPE_OBJECT },
};

enum {
    PLACE_BYTES = 200,
    NUMBER_BYTES = 1000,
    TEXT_MAX_BYTES = 1 << 20,           /* an answer has at most 256 KiB, and NFC may triple it */
    CHECK_STEPS = 50 * VALIDATOR_STEPS, /* far more than such an answer needs */
};

struct shape {
    const cJSON *tree; /* the source, borrowed */
    cJSON *schema;     /* JSON Schema that an answer must match after fitting */
    struct validator *validator;
    struct subschema *rules;
};

/* ---- a shape's tree ---- */

static unsigned type_of_name(struct text name)
{
    for (size_t i = 0; i < countof(types); i++)
        if (text_is(name, types[i].name))
            return types[i].type;
    return 0;
}

static unsigned types_of(const cJSON *tree)
{
    const cJSON *node = json_get(tree, "type");
    const cJSON *item;
    unsigned found = type_of_name(json_text_of(node));
    cJSON_ArrayForEach(item, node)
        found |= type_of_name(json_text_of(item));
    if (node)
        return found;
    return json_get(tree, "properties") ? TYPE_OBJECT
           : json_get(tree, "items")    ? TYPE_ARRAY
           : json_get(tree, "enum")     ? TYPE_STRING
                                        : 0;
}

static double number_at(const cJSON *tree, const char *key, double absent)
{
    const cJSON *node = json_get(tree, key);
    return json_is(node, cJSON_Number) ? node->valuedouble : absent;
}

static size_t size_at(const cJSON *tree, const char *key, size_t absent)
{
    const cJSON *node = json_get(tree, key);
    return json_is_integer(node) && node->valuedouble >= 0 ? (size_t)node->valuedouble : absent;
}

/* ---- reading a shape ---- */

static bool reject_shape(struct err *err, const char *name, const char *key, const char *what)
{
    return err_set(err, ERR_INVALID_VALUE, "%s: %s %s", *name ? name : "the top", key, what);
}

static bool check_keys(const char *name, const cJSON *tree, struct err *err)
{
    static const struct {
        const char *name;
    } known[] = { { "type" },      { "description" }, { "enum" },     { "synonyms" },
                  { "default" },   { "minimum" },     { "maximum" },  { "minLength" },
                  { "maxLength" }, { "items" },       { "minItems" }, { "maxItems" },
                  { "properties" } };
    const cJSON *member;
    cJSON_ArrayForEach(member, tree)
        if (!TABLE_FIND(known, member->string))
            return reject_shape(err, name, member->string, "is not a known key");
    return true;
}

static bool check_choices(const char *name, const cJSON *tree, struct err *err)
{
    const cJSON *choices = json_get(tree, "enum");
    const cJSON *item;
    if (choices && (!json_is(choices, cJSON_Array) || json_size(choices) == 0))
        return reject_shape(err, name, "enum", "must be a list of texts");
    cJSON_ArrayForEach(item, choices)
        if (!json_is(item, cJSON_String))
            return reject_shape(err, name, "enum", "must be a list of texts");
    cJSON_ArrayForEach(item, json_get(tree, "synonyms"))
        if (!json_is(item, cJSON_String))
            return reject_shape(err, name, "synonyms", "must be texts");
    return true;
}

static bool check_tree(const char *name, const cJSON *tree, unsigned depth, struct err *err)
{
    const cJSON *properties = json_get(tree, "properties");
    const cJSON *items = json_get(tree, "items");
    const cJSON *property;
    if (!json_is(tree, cJSON_Object) || depth == SHAPE_DEPTH)
        return reject_shape(err, name, "it", "must be a mapping, at most 8 deep");
    if (types_of(tree) == 0)
        return reject_shape(err, name, "type", "must be one of JSON's");
    if (!check_keys(name, tree, err) || !check_choices(name, tree, err))
        return false;
    if (properties && !json_is(properties, cJSON_Object))
        return reject_shape(err, name, "properties", "must be a mapping");
    cJSON_ArrayForEach(property, properties)
        if (!check_tree(property->string, property, depth + 1, err))
            return false;
    if (!(types_of(tree) & TYPE_ARRAY))
        return true;
    return items ? check_tree("", items, depth + 1, err)
                 : reject_shape(err, name, "items", "must be there for an array");
}

/* ---- as JSON Schema: for providers, and for the validator ---- */

static cJSON *schema_of(const cJSON *tree, bool is_told);

static void add_types(unsigned wanted, cJSON *schema)
{
    cJSON *list = json_array();
    for (size_t i = 0; i < countof(types); i++)
        if (wanted & types[i].type)
            json_item_str(list, types[i].name);
    if (json_size(list) > 1) {
        json_add(schema, "type", list);
        return;
    }
    json_add(schema, "type", json_take_first(list));
    json_free(&list);
}

/* Add the bounds in words: the common subset of schemas has no keywords for them. */
static void add_description(const cJSON *tree, cJSON *schema)
{
    scoped(buf_free) struct buf text = BUF(4096);
    const char *description = json_text(tree, "/description");
    size_t max_length = size_at(tree, "maxLength", SIZE_MAX);
    size_t max_items = size_at(tree, "maxItems", SIZE_MAX);
    double minimum = number_at(tree, "minimum", -INFINITY);
    double maximum = number_at(tree, "maximum", INFINITY);
    buf_add_str(&text, description ? description : "");
    if (max_length != SIZE_MAX)
        buf_format(&text, "%sat most %zu characters", text.size ? "; " : "", max_length);
    if (max_items != SIZE_MAX)
        buf_format(&text, "%s%zu to %zu items", text.size ? "; " : "", size_at(tree, "minItems", 0),
                   max_items);
    if (isfinite(minimum) && isfinite(maximum))
        buf_format(&text, "%s%g to %g", text.size ? "; " : "", minimum, maximum);
    if (text.size)
        json_str(schema, "description", buf_str(&text));
}

/* Add the lower bounds. shape_fit() enforces the upper ones. */
static void add_bounds(const cJSON *tree, cJSON *schema)
{
    static const char *const names[] = { "minLength", "minItems" };
    for (size_t i = 0; i < countof(names); i++)
        if (size_at(tree, names[i], 0) > 0)
            json_add(schema, names[i], json_copy(json_get(tree, names[i])));
}

static void add_properties(const cJSON *tree, bool is_told, cJSON *schema)
{
    cJSON *properties = json_map(schema, "properties");
    cJSON *required = json_list(schema, "required");
    const cJSON *property;
    cJSON_ArrayForEach(property, json_get(tree, "properties")) {
        json_add(properties, property->string, schema_of(property, is_told));
        json_item_str(required, property->string);
    }
    json_bool(schema, "additionalProperties", false);
}

/* Add the enum, with null if the type allows it. */
static void add_choices(const cJSON *tree, cJSON *schema)
{
    cJSON *choices = json_copy(json_get(tree, "enum"));
    if (types_of(tree) & TYPE_NULL)
        json_item_str(choices, NULL);
    json_add(schema, "enum", choices);
}

/* is_told: for a provider, with bounds in words; otherwise for the validator, with keywords. */
static cJSON *schema_of(const cJSON *tree, bool is_told)
{
    cJSON *schema = json_object();
    unsigned wanted = types_of(tree);
    add_types(wanted, schema);
    (is_told ? add_description : add_bounds)(tree, schema);
    if (json_get(tree, "enum"))
        add_choices(tree, schema);
    if (wanted & TYPE_OBJECT)
        add_properties(tree, is_told, schema);
    if (wanted & TYPE_ARRAY)
        json_add(schema, "items", schema_of(json_get(tree, "items"), is_told));
    return schema;
}

cJSON *shape_schema(const struct shape *shape)
{
    return schema_of(shape->tree, true);
}

/* ---- a shape as a whole ---- */

void shape_free(struct shape **address)
{
    if (!*address)
        return;
    validator_free(&(*address)->validator);
    json_free(&(*address)->schema);
    mem_free(address);
}

bool shape_new(const cJSON *tree, struct shape **result, struct err *err)
{
    const struct validator_options options = { .tree = &tree_json, .dialect = SCHEMA_2020_12 };
    scoped(shape_free) struct shape *shape = mem_new(sizeof(*shape));
    if (!check_tree("", tree, 0, err))
        return false;
    if (types_of(tree) != TYPE_OBJECT)
        return reject_shape(err, "", "type", "must be object");
    shape->tree = tree;
    shape->schema = schema_of(tree, false);
    shape->validator = validator_new(&options);
    shape->rules = validator_add(shape->validator, TEXT(""), shape->schema);
    if (!validator_compile(shape->validator, err))
        return false;
    *result = take(shape);
    return true;
}

/* ---- fit an answer; what cannot be fitted stays for the validator ---- */

static cJSON *fit_node(const cJSON *tree, const cJSON *node);

/* "7", " 7.5 ": a number that a model put in quotes. */
static cJSON *fit_number(const cJSON *tree, const cJSON *node)
{
    scoped(json_free) cJSON *quoted = NULL;
    const cJSON *number = node;
    if (json_is(node, cJSON_String) &&
        json_parse(text_trim(json_text_of(node)), 1, &quoted, NULL) &&
        json_is(quoted, cJSON_Number))
        number = quoted;
    if (!json_is(number, cJSON_Number))
        return json_copy(node);
    double value = number->valuedouble;
    double nearest = MAX(number_at(tree, "minimum", -INFINITY),
                         MIN(number_at(tree, "maximum", INFINITY), value));
    bool is_whole = types_of(tree) & TYPE_NUMBER || value == floor(value);
    if (!isfinite(value))
        return json_new_text(TEXT("not finite"));
    bool is_plain = !(types_of(tree) & TYPE_NUMBER) && json_is_integer(number) &&
                    fabs(value) < (double)JSON_INTEGER_MAX; /* 7.0; 2^53 may be 2^53+1 */
    return (is_whole && nearest != value) || is_plain ? json_new_number(nearest)
                                                      : json_copy(number);
}

/* Compare letters and digits only: "Error Handling" equals error-handling. */
static bool is_same_word(const char *a, const char *b)
{
    static const char ignored[] = " -_/";
    for (;;) {
        a += strspn(a, ignored);
        b += strspn(b, ignored);
        if (ascii_lower(*a) != ascii_lower(*b))
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

static const cJSON *choice_of(const cJSON *tree, const char *word)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(tree, "enum"))
        if (is_same_word(item->valuestring, word))
            return item;
    return NULL;
}

static cJSON *fit_choice(const cJSON *tree, const struct buf *word)
{
    const cJSON *choice = choice_of(tree, buf_str(word));
    const cJSON *synonym;
    cJSON_ArrayForEach(synonym, json_get(tree, "synonyms"))
        if (!choice && is_same_word(synonym->string, buf_str(word)))
            choice = choice_of(tree, synonym->valuestring);
    choice = choice ? choice : json_get(tree, "default");
    return choice ? json_copy(choice) : json_new_text(buf_text(word));
}

static cJSON *fit_text(const cJSON *tree, struct text text)
{
    scoped(buf_free) struct buf clean = BUF(TEXT_MAX_BYTES);
    size_t max_length = size_at(tree, "maxLength", SIZE_MAX);
    clean_text(text, 0, &clean);
    if (json_get(tree, "enum"))
        return fit_choice(tree, &clean);
    if (max_length != SIZE_MAX)
        clean_cut(&clean, max_length, "…");
    return json_new_text(buf_text(&clean));
}

/* null becomes an empty text */
static cJSON *fit_string(const cJSON *tree, const cJSON *node)
{
    scoped(buf_free) struct buf number = BUF(NUMBER_BYTES);
    if (json_is(node, cJSON_String))
        return fit_text(tree, json_text_of(node));
    if (json_is(node, cJSON_Number))
        json_print(node, &number);
    return fit_text(tree, buf_text(&number));
}

static cJSON *fit_boolean(const cJSON *node)
{
    struct text text = json_text_of(node);
    bool is_true = text_is_any_case(text, "true");
    return is_true || text_is_any_case(text, "false") ? json_new_bool(is_true) : json_copy(node);
}

/* A single value becomes a list of one, null an empty list. */
static cJSON *fit_array(const cJSON *tree, const cJSON *node)
{
    cJSON *list = json_array();
    size_t max_items = size_at(tree, "maxItems", SIZE_MAX);
    bool is_list = json_is(node, cJSON_Array);
    const cJSON *item = is_list ? node->child : json_is(node, cJSON_NULL) ? NULL : node;
    for (size_t i = 0; item && i < max_items; i++, item = is_list ? item->next : NULL)
        json_item_add(list, fit_node(json_get(tree, "items"), item));
    return list;
}

/* NULL: the member is missing. */
static cJSON *fit_member(const cJSON *tree, const cJSON *member)
{
    static const cJSON null = { .type = cJSON_NULL };
    const cJSON *fallback = json_get(tree, "default");
    bool may_be_null = types_of(tree) & TYPE_NULL;
    if (fallback && (!member || (json_is(member, cJSON_NULL) && !may_be_null)))
        return json_copy(fallback);
    return member || may_be_null ? fit_node(tree, member ? member : &null) : NULL;
}

static cJSON *fit_object(const cJSON *tree, const cJSON *node)
{
    cJSON *object = json_object();
    const cJSON *property;
    cJSON_ArrayForEach(property, json_get(tree, "properties")) {
        cJSON *member = fit_member(property, json_get(node, property->string));
        if (member)
            json_add(object, property->string, member);
    }
    return object;
}

/* Convert to the first type that the value can have without a change of meaning. */
static cJSON *fit_node(const cJSON *tree, const cJSON *node)
{
    bool is_scalar = json_is(node, cJSON_String) || json_is(node, cJSON_Number);
    unsigned wanted = types_of(tree);
    if (json_is(node, cJSON_NULL) && (wanted & TYPE_NULL))
        return json_copy(node);
    if ((wanted & TYPE_STRING) && json_is(node, cJSON_String))
        return fit_string(tree, node);
    if ((wanted & (TYPE_INTEGER | TYPE_NUMBER)) && is_scalar)
        return fit_number(tree, node);
    if ((wanted & TYPE_OBJECT) && json_is(node, cJSON_Object))
        return fit_object(tree, node);
    if (wanted & TYPE_ARRAY)
        return fit_array(tree, node);
    if (wanted & TYPE_BOOLEAN)
        return fit_boolean(node);
    if ((wanted & TYPE_STRING) && (is_scalar || json_is(node, cJSON_NULL)))
        return fit_string(tree, node);
    return json_copy(node);
}

/* ---- complaints ---- */

static const char *complaint_of_type(const struct schema_error *error)
{
    unsigned wanted = types_of(error->schema);
    if (wanted & (TYPE_INTEGER | TYPE_NUMBER))
        return json_is(error->value, cJSON_Number) ? "must be a whole number" : "must be a number";
    return wanted & TYPE_BOOLEAN  ? "must be true or false"
           : wanted & TYPE_OBJECT ? "must be an object"
                                  : "is of another type";
}

static const char *complaint_of(const struct schema_error *error)
{
    if (strcmp(error->keyword, "type") == 0)
        return complaint_of_type(error);
    if (strcmp(error->keyword, "required") == 0)
        return "is missing";
    if (strcmp(error->keyword, "enum") == 0)
        return "must be one of the words of its enum";
    if (strcmp(error->keyword, "minItems") == 0)
        return "has too few items";
    return json_text_of(error->value).size == 0 ? "must not be empty" : "is too short";
}

/* Add one line for the model. */
static bool add_complaint(void *context, const struct schema_error *error)
{
    scoped(buf_free) struct buf path = BUF(PLACE_BYTES);
    const struct schema_place missing = { error->place, error->missing, 0 };
    schema_place_print(error->missing.size > 0 ? &missing : error->place, &path);
    buf_format(context, "- %s: %s\n", path.size > 0 ? buf_str(&path) : "the answer",
               complaint_of(error));
    return error->missing.size > 0;
}

cJSON *shape_fit(const struct shape *shape, const cJSON *answer, struct buf *complaint)
{
    scoped(json_free) cJSON *fitted = fit_node(shape->tree, answer);
    struct validation validation = {
        .tree = &tree_json,
        .steps_left = CHECK_STEPS,
        .context = complaint,
        .report = add_complaint,
        .wants_all = true,
    };
    enum schema_verdict verdict = validator_check(shape->rules, fitted, &validation);
    if (verdict == SCHEMA_UNDECIDED)
        buf_add_str(complaint, "- the answer: is too large\n");
    return verdict == SCHEMA_FITS ? take(fitted) : NULL;
}
