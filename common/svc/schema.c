/* common/svc/schema.c - judge a value by a compiled schema, and settle a request for it. */
#include "svc/schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "text/json.h"
#include "text/regex.h"

enum { PLACE_BYTES = 120, WORDS_BYTES = 160 };

static const double integer_max = 9007199254740991.0; /* above it, doubles leave integers out */

void place_write(const struct place *place, struct buf *out)
{
    if (place->outer)
        place_write(place->outer, out);
    if (!place->name)
        buf_format(out, "[%zu]", place->index);
    else if (place->name[0] && out->size > 0)
        buf_format(out, ".%s", place->name);
    else
        buf_add_str(out, place->name);
}

/* ---- types ---- */

/* The types that a value has; a whole number has two. */
static unsigned types_of(const cJSON *value)
{
    switch (value->type & 0xFF) {
    case cJSON_NULL:
        return SCHEMA_NULL;
    case cJSON_True:
    case cJSON_False:
        return SCHEMA_BOOLEAN;
    case cJSON_Number:
        return floor(value->valuedouble) == value->valuedouble ? SCHEMA_NUMERIC : SCHEMA_NUMBER;
    case cJSON_String:
        return SCHEMA_STRING;
    case cJSON_Array:
        return SCHEMA_ARRAY;
    default:
        return SCHEMA_OBJECT;
    }
}

/* "a string", "an integer or null": for what was wanted and for what came. */
static const char *types_in_words(unsigned types, struct buf *out)
{
    static const char *const words[] = { "null",     "a boolean", "an integer", "a number",
                                         "a string", "a list",    "an object" };
    for (size_t i = 0; i < countof(words); i++) {
        if (types & 1U << i)
            buf_format(out, "%s%s", out->size > 0 ? " or " : "", words[i]);
    }
    return buf_str(out);
}

/* ---- judging ---- */

/* Report what is wrong at a place: "items[3].name" and then the complaint. */
static bool refuse(struct errs *errs, const struct place *place, enum err_kind kind,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool refuse(struct errs *errs, const struct place *place, enum err_kind kind,
                   const char *format, ...)
{
    char complaint[ERR_MESSAGE_BYTES];
    scoped(buf_free) struct buf path = BUF(PLACE_BYTES);
    va_list args;

    va_start(args, format);
    vsnprintf(complaint, sizeof(complaint), format, args);
    va_end(args);
    place_write(place, &path);
    return errs_add(errs, kind, "%s %s", path.size > 0 ? buf_str(&path) : "the value", complaint);
}

static bool refuse_type(const struct schema *schema, const struct place *place, unsigned types,
                        struct errs *errs)
{
    scoped(buf_free) struct buf wanted = BUF(WORDS_BYTES);
    scoped(buf_free) struct buf given = BUF(WORDS_BYTES);

    if (types == SCHEMA_NUMERIC)
        types = SCHEMA_NUMBER;
    return refuse(errs, place, ERR_INVALID_TYPE, "must be %s, not %s",
                  types_in_words(schema->types, &wanted), types_in_words(types, &given));
}

static bool check_constant(const struct schema *schema, const struct place *place,
                           const cJSON *value, struct errs *errs)
{
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);
    if (!schema->constant || json_equal(schema->constant, value))
        return true;
    json_print(schema->constant, &words);
    return refuse(errs, place, ERR_INVALID_VALUE, "must be %s", buf_str(&words));
}

static bool is_choice(const cJSON *choices, const cJSON *value)
{
    const cJSON *choice;
    cJSON_ArrayForEach(choice, choices)
        if (json_equal(choice, value))
            return true;
    return false;
}

static bool check_choice(const struct schema *schema, const struct place *place, const cJSON *value,
                         struct errs *errs)
{
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);
    const cJSON *choice;

    if (!schema->choices || is_choice(schema->choices, value))
        return true;
    cJSON_ArrayForEach(choice, schema->choices) {
        buf_add_str(&words, words.size > 0 ? ", " : "");
        json_print(choice, &words);
    }
    return refuse(errs, place, ERR_INVALID_VALUE, "must be one of %s", buf_str(&words));
}

/* An integer that may have lost digits. Where text is taken too, that is the way out: 64-bit ids.
 */
static bool refuse_large(const struct schema *schema, const struct place *place, struct errs *errs)
{
    if (schema->types & SCHEMA_STRING)
        return refuse(errs, place, ERR_PRECISION_LOSS,
                      "must be sent as a string: JSON numbers above %.16g lose digits",
                      integer_max);
    return refuse(errs, place, ERR_INVALID_VALUE, "must be within +-%.16g", integer_max);
}

static bool check_number(const struct schema *schema, const struct place *place, double number,
                         struct errs *errs)
{
    if (!(schema->types & SCHEMA_NUMBER) && fabs(number) > integer_max)
        return refuse_large(schema, place, errs);
    if (number >= schema->minimum && number <= schema->maximum)
        return true;
    if (isinf(schema->maximum))
        return refuse(errs, place, ERR_INVALID_VALUE, "must be at least %.16g", schema->minimum);
    if (isinf(schema->minimum))
        return refuse(errs, place, ERR_INVALID_VALUE, "must be at most %.16g", schema->maximum);
    return refuse(errs, place, ERR_INVALID_VALUE, "must be from %.16g to %.16g", schema->minimum,
                  schema->maximum);
}

static bool check_nul(const struct schema *schema, const struct place *place, struct text text,
                      struct errs *errs)
{
    if (schema->allow_nul || !memchr(text.bytes, '\0', text.size))
        return true;
    return refuse(errs, place, ERR_INVALID_VALUE, "may not contain U+0000");
}

static bool check_length(const struct schema *schema, const struct place *place, struct text text,
                         struct errs *errs)
{
    if (text.size <= schema->max_length && schema->min_length == 0)
        return true; /* a text has no more characters than bytes */
    size_t length = utf8_length(text);
    if (length > schema->max_length)
        return refuse(errs, place, ERR_TOO_LONG, "may have at most %zu characters, not %zu",
                      schema->max_length, length);
    if (length < schema->min_length)
        return refuse(errs, place, ERR_TOO_SHORT, "must have at least %zu characters, not %zu",
                      schema->min_length, length);
    return true;
}

static bool check_pattern(const struct schema *schema, const struct place *place, struct text text,
                          struct errs *errs)
{
    if (!schema->pattern || regex_matches(schema->pattern, text))
        return true;
    if (!schema->description)
        return refuse(errs, place, ERR_INVALID_VALUE, "does not have the form it must have");
    return refuse(errs, place, ERR_INVALID_VALUE, "does not have the form it must have (%s)",
                  schema->description);
}

static bool check_string(const struct schema *schema, const struct place *place, const cJSON *value,
                         struct errs *errs)
{
    struct text text = json_text_of(value);
    return check_nul(schema, place, text, errs) && check_length(schema, place, text, errs) &&
           check_pattern(schema, place, text, errs);
}

/* What is inside a value that its schema does not describe: anything but U+0000. */
static bool check_inside(const struct schema *schema, const struct place *place, const cJSON *value,
                         struct errs *errs)
{
    const cJSON *child;
    if (schema->allow_nul)
        return true;
    cJSON_ArrayForEach(child, value) {
        if (!check_nul(schema, place, json_text_of(child), errs) ||
            !check_inside(schema, place, child, errs))
            return false;
    }
    return true;
}

static bool check_value(const struct schema *schema, const struct place *place, const cJSON *value,
                        struct errs *errs);

static bool check_items(const struct schema *schema, const struct place *place, const cJSON *list,
                        struct errs *errs)
{
    struct place here = { place, NULL, 0 };
    bool ok = true;
    const cJSON *item;

    cJSON_ArrayForEach(item, list) {
        ok &= check_value(schema, &here, item, errs);
        here.index++;
        if (errs->count == ERRS_MAX)
            break;
    }
    return ok;
}

static bool check_list(const struct schema *schema, const struct place *place, const cJSON *list,
                       struct errs *errs)
{
    const cJSON *item;
    size_t count = 0;

    cJSON_ArrayForEach(item, list)
        count++;
    if (count > schema->max_items)
        return refuse(errs, place, ERR_TOO_MANY_ITEMS, "may have at most %zu items, not %zu",
                      schema->max_items, count);
    if (count < schema->min_items)
        return refuse(errs, place, ERR_TOO_FEW_ITEMS, "must have at least %zu items, not %zu",
                      schema->min_items, count);
    return schema->items ? check_items(schema->items, place, list, errs)
                         : check_inside(schema, place, list, errs);
}

static bool check_one_of(const struct schema *schema, const struct place *place,
                         const cJSON *object, struct errs *errs)
{
    const struct schema_names *names = &schema->one_of_required;
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);

    for (size_t i = 0; i < names->count; i++) {
        if (json_get(object, names->name[i]))
            return true;
        buf_format(&words, "%s%s", i > 0 ? ", " : "", names->name[i]);
    }
    if (names->count == 0)
        return true;
    if (!place->outer && !place->name[0])
        return errs_add(errs, ERR_MISSING_FIELD, "one of %s is required", buf_str(&words));
    return refuse(errs, place, ERR_MISSING_FIELD, "must have one of %s", buf_str(&words));
}

static bool check_object(const struct schema *schema, const struct place *place,
                         const cJSON *object, struct errs *errs)
{
    bool ok = true;

    for (size_t i = 0; i < schema->property_count; i++) {
        const struct schema *property = &schema->properties[i];
        struct place here = { place, property->name, 0 };
        const cJSON *member = json_get(object, property->name);
        if (member)
            ok &= check_value(property, &here, member, errs);
        else if (property->required)
            ok = refuse(errs, &here, ERR_MISSING_FIELD, "is required");
    }
    if (schema->property_count == 0)
        ok = check_inside(schema, place, object, errs);
    return check_one_of(schema, place, object, errs) && ok;
}

static bool check_value(const struct schema *schema, const struct place *place, const cJSON *value,
                        struct errs *errs)
{
    unsigned types = types_of(value);
    if (!(types & schema->types))
        return refuse_type(schema, place, types, errs);
    if (!check_constant(schema, place, value, errs) || !check_choice(schema, place, value, errs))
        return false;
    if (types & SCHEMA_NUMBER)
        return check_number(schema, place, value->valuedouble, errs);
    if (types & SCHEMA_STRING)
        return check_string(schema, place, value, errs);
    if (types & SCHEMA_ARRAY)
        return check_list(schema, place, value, errs);
    if (types & SCHEMA_OBJECT)
        return check_object(schema, place, value, errs);
    return true;
}

bool schema_check(const struct schema *schema, const char *name, const cJSON *value,
                  struct errs *errs)
{
    struct place place = { NULL, name, 0 };
    return check_value(schema, &place, value, errs);
}

/* ---- properties and their aliases ---- */

const struct schema *schema_property(const struct schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->property_count; i++)
        if (strcmp(schema->properties[i].name, name) == 0)
            return &schema->properties[i];
    return NULL;
}

static bool has_name(const struct schema *property, const char *name, size_t *rank)
{
    const struct schema_names *aliases = &property->aliases;
    *rank = 0;
    if (strcmp(property->name, name) == 0)
        return true;
    while (*rank < aliases->count)
        if (strcmp(aliases->name[(*rank)++], name) == 0)
            return true;
    return false;
}

const struct schema *schema_property_or_alias(const struct schema *schema, const char *name,
                                              size_t *rank)
{
    for (size_t i = 0; i < schema->property_count; i++)
        if (has_name(&schema->properties[i], name, rank))
            return &schema->properties[i];
    return NULL;
}

/* ---- settling a request ---- */

/* Take a member out, unless there is none or only a null that counts as none. */
static cJSON *take_member(const struct schema *property, cJSON *object, const char *name)
{
    scoped(json_free) cJSON *member = json_take(object, name);
    if (!member || !(types_of(member) & (property->types | ~SCHEMA_NULL)))
        return NULL;
    return take(member);
}

static void settle_property(const struct schema *property, cJSON *object, bool fill)
{
    cJSON *value = take_member(property, object, property->name);
    for (size_t i = 0; i < property->aliases.count; i++) {
        scoped(json_free) cJSON *other = take_member(property, object, property->aliases.name[i]);
        if (!value)
            value = take(other);
    }
    if (!value && fill && property->fallback)
        value = json_copy(property->fallback);
    if (!value)
        return;
    schema_settle(property, value, fill);
    json_add(object, property->name, value);
}

void schema_settle(const struct schema *schema, cJSON *value, bool fill)
{
    unsigned types = types_of(value);
    cJSON *item;

    if (types & SCHEMA_OBJECT)
        for (size_t i = 0; i < schema->property_count; i++)
            settle_property(&schema->properties[i], value, fill);
    if (types & SCHEMA_ARRAY && schema->items)
        cJSON_ArrayForEach(item, value)
            schema_settle(schema->items, item, fill);
}
