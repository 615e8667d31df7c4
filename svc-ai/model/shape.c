/* svc-ai/model/shape.c - shapes: read, told to providers, and imposed on answers. */
#include "model/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "facts/clean.h"
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
    NUMBER_BYTES = 64,
    TEXT_MAX_BYTES =
        1 << 20, /* an answer has at most 256 KiB, and NFC may grow it to three times */
};

/* All texts and trees are borrowed from the source. */
struct shape {
    const char *name;
    unsigned types;
    const char *description;
    const cJSON *choices;
    const cJSON *synonyms;
    const cJSON *fallback;
    double minimum;
    double maximum;
    size_t min_length;
    size_t max_length;
    size_t min_items;
    size_t max_items;
    struct shape *items;
    struct shape *properties;
    size_t property_count;
};

/* ---- reading a shape ---- */

struct reading {
    unsigned depth;
    struct err *err;
};

static bool read_shape(struct reading *reading, const char *name, const cJSON *tree,
                       struct shape *shape);

static bool refuse(const struct reading *reading, const char *name, const char *key,
                   const char *what)
{
    return err_set(reading->err, ERR_INVALID_VALUE, "%s: %s %s", *name ? name : "the top", key,
                   what);
}

static unsigned type_of_name(struct text name)
{
    for (size_t i = 0; i < countof(types); i++)
        if (text_is(name, types[i].name))
            return types[i].type;
    return 0;
}

static unsigned read_types(const cJSON *tree)
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

static bool check_keys(const struct reading *reading, const char *name, const cJSON *tree)
{
    static const char *const known[] = { "type",      "description", "enum",     "synonyms",
                                         "default",   "minimum",     "maximum",  "minLength",
                                         "maxLength", "items",       "minItems", "maxItems",
                                         "properties" };
    const cJSON *member;
    cJSON_ArrayForEach(member, tree) {
        size_t i = 0;
        while (i < countof(known) && strcmp(known[i], member->string) != 0)
            i++;
        if (i == countof(known))
            return refuse(reading, name, member->string, "is not known here");
    }
    return true;
}

static bool check_choices(const struct reading *reading, const struct shape *shape)
{
    const cJSON *item;
    if (shape->choices && (!json_is(shape->choices, cJSON_Array) || json_size(shape->choices) == 0))
        return refuse(reading, shape->name, "enum", "must be a list of texts");
    cJSON_ArrayForEach(item, shape->choices)
        if (!json_is(item, cJSON_String))
            return refuse(reading, shape->name, "enum", "must be a list of texts");
    cJSON_ArrayForEach(item, shape->synonyms)
        if (!json_is(item, cJSON_String))
            return refuse(reading, shape->name, "synonyms", "must be texts");
    return true;
}

static double read_number(const cJSON *tree, const char *key, double absent)
{
    const cJSON *node = json_get(tree, key);
    return json_is(node, cJSON_Number) ? node->valuedouble : absent;
}

static size_t read_size(const cJSON *tree, const char *key, size_t absent)
{
    const cJSON *node = json_get(tree, key);
    return json_is_integer(node) && node->valuedouble >= 0 ? (size_t)node->valuedouble : absent;
}

static bool read_properties(struct reading *reading, const cJSON *tree, struct shape *shape)
{
    const cJSON *list = json_get(tree, "properties");
    const cJSON *member;
    if (!list)
        return true;
    if (!json_is(list, cJSON_Object))
        return refuse(reading, shape->name, "properties", "must be a mapping");
    shape->properties = mem_array(MAX(json_size(list), 1), sizeof(*shape->properties));
    cJSON_ArrayForEach(member, list)
        if (!read_shape(reading, member->string, member,
                        &shape->properties[shape->property_count++]))
            return false;
    return true;
}

static bool read_items(struct reading *reading, const cJSON *tree, struct shape *shape)
{
    const cJSON *items = json_get(tree, "items");
    if (!(shape->types & TYPE_ARRAY))
        return true;
    if (!items)
        return refuse(reading, shape->name, "items", "must be there for an array");
    shape->items = mem_new(sizeof(*shape->items));
    return read_shape(reading, "", items, shape->items);
}

static bool read_shape(struct reading *reading, const char *name, const cJSON *tree,
                       struct shape *shape)
{
    shape->name = name;
    if (!json_is(tree, cJSON_Object) || reading->depth == SHAPE_DEPTH)
        return refuse(reading, name, "it", "must be a mapping, at most 8 deep");
    *shape = (struct shape){
        .name = name,
        .types = read_types(tree),
        .description = json_text_of(json_get(tree, "description")).bytes,
        .choices = json_get(tree, "enum"),
        .synonyms = json_get(tree, "synonyms"),
        .fallback = json_get(tree, "default"),
        .minimum = read_number(tree, "minimum", -INFINITY),
        .maximum = read_number(tree, "maximum", INFINITY),
        .min_length = read_size(tree, "minLength", 0),
        .max_length = read_size(tree, "maxLength", SIZE_MAX),
        .min_items = read_size(tree, "minItems", 0),
        .max_items = read_size(tree, "maxItems", SIZE_MAX),
    };
    if (shape->types == 0)
        return refuse(reading, name, "type", "must be one of JSON's");
    reading->depth++;
    bool ok = check_keys(reading, name, tree) && check_choices(reading, shape) &&
              read_properties(reading, tree, shape) && read_items(reading, tree, shape);
    reading->depth--;
    return ok;
}

static void release(struct shape *shape)
{
    for (size_t i = 0; i < shape->property_count; i++)
        release(&shape->properties[i]);
    mem_free(&shape->properties);
    if (shape->items)
        release(shape->items);
    mem_free(&shape->items);
}

void shape_free(struct shape **address)
{
    if (*address)
        release(*address);
    mem_free(address);
}

bool shape_new(const cJSON *tree, struct shape **result, struct err *err)
{
    scoped(shape_free) struct shape *shape = mem_new(sizeof(*shape));
    struct reading reading = { .err = err };
    if (!read_shape(&reading, "", tree, shape))
        return false;
    if (shape->types != TYPE_OBJECT)
        return refuse(&reading, "", "type", "must be object");
    *result = take(shape);
    return true;
}

/* ---- telling it to a provider ---- */

static cJSON *make_schema(const struct shape *shape);

static void add_types(const struct shape *shape, cJSON *schema)
{
    cJSON *list = json_array();
    for (size_t i = 0; i < countof(types); i++)
        if (shape->types & types[i].type)
            json_item_str(list, types[i].name);
    if (json_size(list) > 1) {
        json_add(schema, "type", list);
        return;
    }
    json_add(schema, "type", json_take_first(list));
    json_free(&list);
}

/* Bounds in words: the common subset of schemas has none. */
static void add_description(const struct shape *shape, cJSON *schema)
{
    scoped(buf_free) struct buf text = BUF(4096);
    buf_add_str(&text, shape->description ? shape->description : "");
    if (shape->max_length != SIZE_MAX)
        buf_format(&text, "%sat most %zu characters", text.size ? "; " : "", shape->max_length);
    if (shape->max_items != SIZE_MAX)
        buf_format(&text, "%s%zu to %zu items", text.size ? "; " : "", shape->min_items,
                   shape->max_items);
    if (isfinite(shape->minimum) && isfinite(shape->maximum))
        buf_format(&text, "%s%g to %g", text.size ? "; " : "", shape->minimum, shape->maximum);
    if (text.size)
        json_str(schema, "description", buf_str(&text));
}

static void add_properties(const struct shape *shape, cJSON *schema)
{
    cJSON *properties = json_map(schema, "properties");
    cJSON *required = json_list(schema, "required");
    for (size_t i = 0; i < shape->property_count; i++) {
        json_add(properties, shape->properties[i].name, make_schema(&shape->properties[i]));
        json_item_str(required, shape->properties[i].name);
    }
    json_bool(schema, "additionalProperties", false);
}

/* A choice that may be null: null is a choice, too. */
static void add_choices(const struct shape *shape, cJSON *schema)
{
    cJSON *choices = json_copy(shape->choices);
    if (shape->types & TYPE_NULL) {
        cJSON *null = json_object();
        json_null(null, "null");
        json_item_add(choices, json_take(null, "null"));
        json_free(&null);
    }
    json_add(schema, "enum", choices);
}

static cJSON *make_schema(const struct shape *shape)
{
    cJSON *schema = json_object();
    add_types(shape, schema);
    add_description(shape, schema);
    if (shape->choices)
        add_choices(shape, schema);
    if (shape->types & TYPE_OBJECT)
        add_properties(shape, schema);
    if (shape->items)
        json_add(schema, "items", make_schema(shape->items));
    return schema;
}

cJSON *shape_schema(const struct shape *shape)
{
    return make_schema(shape);
}

/* ---- imposing it on an answer ---- */

/* Where in the answer we are; complaints are lines for the model. */
struct fitting {
    struct buf place;
    struct buf *complaint;
};

static cJSON *fit(struct fitting *fitting, const struct shape *shape, const cJSON *node);

static cJSON *complain(struct fitting *fitting, const char *what)
{
    buf_format(fitting->complaint, "- %s: %s\n",
               fitting->place.size ? buf_str(&fitting->place) : "the answer", what);
    return NULL;
}

/* "7", " 7.5 ": what a model puts into quotes. */
static bool number_in(struct text text, double *value)
{
    scoped(json_free) cJSON *tree = NULL;
    if (!json_parse(text_trim(text), 1, &tree, NULL) || !json_is(tree, cJSON_Number))
        return false;
    *value = tree->valuedouble;
    return true;
}

static cJSON *fit_number(struct fitting *fitting, const struct shape *shape, const cJSON *node)
{
    double value = node->valuedouble;
    if (json_is(node, cJSON_String) && !number_in(json_text_of(node), &value))
        return complain(fitting, "must be a number");
    if (!isfinite(value))
        return complain(fitting, "must be a finite number");
    if (!(shape->types & TYPE_NUMBER) && value != floor(value))
        return complain(fitting, "must be a whole number");
    return json_new_number(MAX(shape->minimum, MIN(shape->maximum, value)));
}

/* Letters and digits alone count: "Error Handling" is error-handling. */
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

static const cJSON *choice_of(const struct shape *shape, const char *word)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, shape->choices)
        if (is_same_word(item->valuestring, word))
            return item;
    return NULL;
}

static cJSON *fit_choice(struct fitting *fitting, const struct shape *shape, const char *word)
{
    const cJSON *choice = choice_of(shape, word);
    const cJSON *synonym;
    cJSON_ArrayForEach(synonym, shape->synonyms)
        if (!choice && is_same_word(synonym->string, word))
            choice = choice_of(shape, synonym->valuestring);
    if (choice)
        return json_copy(choice);
    return shape->fallback ? json_copy(shape->fallback)
                           : complain(fitting, "must be one of the words of its enum");
}

static cJSON *fit_text(struct fitting *fitting, const struct shape *shape, struct text text)
{
    scoped(buf_free) struct buf clean = BUF(TEXT_MAX_BYTES);
    clean_text(text, 0, &clean);
    if (shape->choices)
        return fit_choice(fitting, shape, buf_str(&clean));
    if (shape->max_length != SIZE_MAX)
        clean_cut(&clean, shape->max_length, "…");
    if (utf8_length(buf_text(&clean)) < shape->min_length)
        return complain(fitting, shape->min_length == 1 ? "must not be empty" : "is too short");
    return json_new_text(buf_text(&clean));
}

static cJSON *fit_string(struct fitting *fitting, const struct shape *shape, const cJSON *node)
{
    scoped(buf_free) struct buf number = BUF(NUMBER_BYTES);
    if (json_is(node, cJSON_String))
        return fit_text(fitting, shape, json_text_of(node));
    if (json_is(node, cJSON_Number))
        json_print(node, &number);
    return fit_text(fitting, shape, buf_text(&number));
}

static cJSON *fit_boolean(struct fitting *fitting, const cJSON *node)
{
    struct text text = json_text_of(node);
    bool is_true = json_is(node, cJSON_True) || text_is_any_case(text, "true");
    if (!is_true && !json_is(node, cJSON_False) && !text_is_any_case(text, "false"))
        return complain(fitting, "must be true or false");
    return json_new_bool(is_true);
}

/* Fit what is inside a member (name) or an item (index) of where we are. */
static cJSON *fit_inside(struct fitting *fitting, const struct shape *shape, const cJSON *node,
                         const char *name, size_t index)
{
    struct buf *place = &fitting->place;
    size_t before = place->size;
    if (name)
        buf_format(place, "%s%s", before ? "." : "", name);
    else
        buf_format(place, "[%zu]", index);
    cJSON *fitted = fit(fitting, shape, node);
    place->size = MIN(before, place->size);
    place->full = false;
    if (place->bytes)
        place->bytes[place->size] = '\0';
    return fitted;
}

/* One value is taken for a list of it, null for an empty one. */
static cJSON *fit_array(struct fitting *fitting, const struct shape *shape, const cJSON *node)
{
    scoped(json_free) cJSON *list = json_array();
    bool is_list = json_is(node, cJSON_Array);
    const cJSON *item = is_list ? node->child : json_is(node, cJSON_NULL) ? NULL : node;
    bool ok = true;
    for (size_t i = 0; item && i < shape->max_items; i++, item = is_list ? item->next : NULL) {
        cJSON *fitted = fit_inside(fitting, shape->items, item, NULL, i);
        if (fitted)
            json_item_add(list, fitted);
        ok = ok && fitted;
    }
    if (!ok)
        return NULL;
    if (json_size(list) < shape->min_items)
        return complain(fitting, "has too few items");
    return take(list);
}

static bool is_missing(const struct shape *shape, const cJSON *member)
{
    return !member ||
           (json_is(member, cJSON_NULL) && shape->fallback && !(shape->types & TYPE_NULL));
}

static cJSON *fit_member(struct fitting *fitting, const struct shape *shape, const cJSON *member)
{
    static const cJSON null = { .type = cJSON_NULL };
    if (is_missing(shape, member) && shape->fallback)
        return json_copy(shape->fallback);
    if (!member && !(shape->types & TYPE_NULL)) {
        buf_format(fitting->complaint, "- %s%s%s: is missing\n", buf_str(&fitting->place),
                   fitting->place.size ? "." : "", shape->name);
        return NULL;
    }
    return fit_inside(fitting, shape, member ? member : &null, shape->name, 0);
}

static cJSON *fit_object(struct fitting *fitting, const struct shape *shape, const cJSON *node)
{
    scoped(json_free) cJSON *object = json_object();
    bool ok = true;
    if (!json_is(node, cJSON_Object))
        return complain(fitting, "must be an object");
    for (size_t i = 0; i < shape->property_count; i++) {
        const struct shape *property = &shape->properties[i];
        cJSON *fitted = fit_member(fitting, property, json_get(node, property->name));
        if (fitted)
            json_add(object, property->name, fitted);
        ok = ok && fitted;
    }
    return ok ? take(object) : NULL;
}

/* The first of the shape's types that the value can become without a change of meaning. */
static cJSON *fit(struct fitting *fitting, const struct shape *shape, const cJSON *node)
{
    bool is_scalar = json_is(node, cJSON_String) || json_is(node, cJSON_Number);
    unsigned wanted = shape->types;
    if (json_is(node, cJSON_NULL) && (wanted & TYPE_NULL))
        return json_copy(node);
    if ((wanted & TYPE_STRING) && json_is(node, cJSON_String))
        return fit_string(fitting, shape, node);
    if ((wanted & (TYPE_INTEGER | TYPE_NUMBER)) && is_scalar)
        return fit_number(fitting, shape, node);
    if ((wanted & TYPE_OBJECT) && json_is(node, cJSON_Object))
        return fit_object(fitting, shape, node);
    if (wanted & TYPE_ARRAY)
        return fit_array(fitting, shape, node);
    if (wanted & TYPE_BOOLEAN)
        return fit_boolean(fitting, node);
    if ((wanted & TYPE_STRING) && (is_scalar || json_is(node, cJSON_NULL)))
        return fit_string(fitting, shape, node);
    return wanted & TYPE_OBJECT ? fit_object(fitting, shape, node)
                                : complain(fitting, "is of another type");
}

cJSON *shape_fit(const struct shape *shape, const cJSON *answer, struct buf *complaint)
{
    scoped(buf_free) struct buf place = BUF(PLACE_BYTES);
    struct fitting fitting = { .place = place, .complaint = complaint };
    cJSON *fitted = fit(&fitting, shape, answer);
    buf_free(&fitting.place);
    return fitted;
}
