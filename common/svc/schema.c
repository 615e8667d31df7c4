/* common/svc/schema.c - checks a value against a compiled schema, and normalizes a request
 * for it. */
#include "svc/schema.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/codec/utf8.h"
#include "base/table.h"
#include "base/writing/nearest.h"
#include "jsonschema/validator.h"
#include "text/json.h"

enum { PLACE_BYTES = 120, WORDS_BYTES = 160 };

static const double integer_max = 9007199254740991.0; /* above it, doubles skip integers */

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

/* The types of a value; a whole number has two. */
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

/* "a string", "an integer or null": for expected and actual types. */
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

/* ---- error messages ---- */

struct judging {
    const struct schema *top;
    const char *name; /* of the value */
    struct errs *errs;
};

/* One error: a schema, and the place of a value that violates it. */
struct wrong {
    const struct schema *schema;
    const cJSON *value;
    const char *path;
    struct errs *errs;
};

static bool report_error(const struct wrong *wrong, enum err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Report an error at a place: "items[3].name", then the message. */
static bool report_error(const struct wrong *wrong, enum err_kind kind, const char *format, ...)
{
    char complaint[ERR_MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(complaint, sizeof(complaint), format, args);
    va_end(args);
    return errs_add(wrong->errs, kind, "%s %s", *wrong->path ? wrong->path : "the value",
                    complaint);
}

static bool report_type(const struct wrong *wrong)
{
    scoped(buf_free) struct buf wanted = BUF(WORDS_BYTES);
    scoped(buf_free) struct buf given = BUF(WORDS_BYTES);
    unsigned types = types_of(wrong->value);

    if (types == SCHEMA_NUMERIC)
        types = SCHEMA_NUMBER;
    return report_error(wrong, ERR_INVALID_TYPE, "must be %s, not %s",
                        types_in_words(wrong->schema->types, &wanted),
                        types_in_words(types, &given));
}

static bool report_constant(const struct wrong *wrong)
{
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);
    json_print(wrong->schema->constant, &words);
    return report_error(wrong, ERR_INVALID_VALUE, "must be %s", buf_str(&words));
}

static bool report_choice(const struct wrong *wrong)
{
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);
    const cJSON *choice;
    cJSON_ArrayForEach(choice, wrong->schema->choices) {
        buf_add_str(&words, words.size > 0 ? ", " : "");
        json_print(choice, &words);
    }
    return report_error(wrong, ERR_INVALID_VALUE, "must be one of %s", buf_str(&words));
}

/*
 * A number or a U+0000 that check_own_rules() rejects. If an integer may have lost digits and the
 * field also accepts text, the message suggests text, as for 64-bit ids.
 */
static bool report_own(const struct wrong *wrong)
{
    if (!json_is(wrong->value, cJSON_Number))
        return report_error(wrong, ERR_INVALID_VALUE, "must not contain U+0000");
    if (wrong->schema->types & SCHEMA_STRING)
        return report_error(wrong, ERR_PRECISION_LOSS,
                            "must be sent as a string: JSON numbers above %.16g lose digits",
                            integer_max);
    return report_error(wrong, ERR_INVALID_VALUE, "must be within +-%.16g", integer_max);
}

static bool report_number(const struct wrong *wrong)
{
    double minimum = wrong->schema->minimum;
    double maximum = wrong->schema->maximum;
    if (isinf(maximum))
        return report_error(wrong, ERR_INVALID_VALUE, "must be at least %.16g", minimum);
    if (isinf(minimum))
        return report_error(wrong, ERR_INVALID_VALUE, "must be at most %.16g", maximum);
    return report_error(wrong, ERR_INVALID_VALUE, "must be from %.16g to %.16g", minimum, maximum);
}

static const char *characters_of(size_t count)
{
    return count == 1 ? "character" : "characters";
}

static const char *items_of(size_t count)
{
    return count == 1 ? "item" : "items";
}

static bool report_long(const struct wrong *wrong)
{
    return report_error(wrong, ERR_TOO_LONG, "must have at most %zu %s; it has %zu",
                        wrong->schema->max_length, characters_of(wrong->schema->max_length),
                        utf8_length(json_text_of(wrong->value)));
}

static bool report_short(const struct wrong *wrong)
{
    return report_error(wrong, ERR_TOO_SHORT, "must have at least %zu %s; it has %zu",
                        wrong->schema->min_length, characters_of(wrong->schema->min_length),
                        utf8_length(json_text_of(wrong->value)));
}

static bool report_form(const struct wrong *wrong)
{
    const char *description = wrong->schema->description;
    if (!description)
        return report_error(wrong, ERR_INVALID_VALUE, "does not have the required format");
    return report_error(wrong, ERR_INVALID_VALUE, "must have this form: %s", description);
}

static bool report_many(const struct wrong *wrong)
{
    return report_error(wrong, ERR_TOO_MANY_ITEMS, "must have at most %zu %s; it has %zu",
                        wrong->schema->max_items, items_of(wrong->schema->max_items),
                        json_size(wrong->value));
}

static bool report_few(const struct wrong *wrong)
{
    return report_error(wrong, ERR_TOO_FEW_ITEMS, "must have at least %zu %s; it has %zu",
                        wrong->schema->min_items, items_of(wrong->schema->min_items),
                        json_size(wrong->value));
}

static bool report_missing(const struct wrong *wrong)
{
    return report_error(wrong, ERR_MISSING_FIELD, "is required");
}

static bool report_none_of(const struct wrong *wrong)
{
    const struct schema_names *names = &wrong->schema->one_of_required;
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);

    for (size_t i = 0; i < names->count; i++)
        buf_format(&words, "%s%s", i > 0 ? ", " : "", names->name[i]);
    if (!*wrong->path)
        return errs_add(wrong->errs, ERR_MISSING_FIELD, "one of %s is required", buf_str(&words));
    return report_error(wrong, ERR_MISSING_FIELD, "must have one of %s", buf_str(&words));
}

static const struct {
    const char *name; /* of the keyword */
    bool (*refuse)(const struct wrong *wrong);
} complaints[] = {
    { "type", report_type },      { "const", report_constant },  { "enum", report_choice },
    { "own", report_own },        { "maximum", report_number },  { "minimum", report_number },
    { "maxLength", report_long }, { "minLength", report_short }, { "pattern", report_form },
    { "maxItems", report_many },  { "minItems", report_few },    { "required", report_missing },
    { "anyOf", report_none_of },
};

/* ---- checking ---- */

/* The schema of a source; used only for errors. */
static const struct schema *schema_of(const struct schema *schema, const void *source)
{
    const struct schema *found = schema->source == source ? schema : NULL;
    for (size_t i = 0; i < schema->property_count && !found; i++)
        found = schema_of(&schema->properties[i], source);
    return found || !schema->items ? found : schema_of(schema->items, source);
}

/* One message per value. */
static bool report_schema_error(void *context, const struct schema_error *error)
{
    const struct judging *judging = context;
    scoped(buf_free) struct buf path = BUF(PLACE_BYTES);
    const struct schema_place missing = { error->place, error->missing, 0 };

    if (judging->errs->count == ERRS_MAX)
        return false;
    buf_add_str(&path, judging->name);
    schema_place_print(error->missing.size > 0 ? &missing : error->place, &path);
    struct wrong wrong = { schema_of(judging->top, error->schema), error->value, buf_str(&path),
                           judging->errs };
    (void)!TABLE_FIND(complaints, error->keyword)->refuse(&wrong);
    return error->missing.size > 0;
}

/* Does any text in a value contain U+0000? */
static bool has_nul(const cJSON *value)
{
    struct text text = json_text_of(value);
    const cJSON *child;
    if (text.size > 0 && memchr(text.bytes, '\0', text.size))
        return true;
    cJSON_ArrayForEach(child, value)
        if (has_nul(child))
            return true;
    return false;
}

/*
 * Rules of contracts in addition to JSON Schema: integers must fit a double, and U+0000 is not
 * allowed in parts without their own schema.
 */
static bool check_own_rules(void *context, const void *schema, const void *value)
{
    const cJSON *node = value;
    const cJSON *type = json_get(schema, "type");
    const struct judging *judging = context;
    if (json_is(node, cJSON_Number))
        return fabs(node->valuedouble) <= integer_max || !type ||
               schema_of(judging->top, schema)->types & SCHEMA_NUMBER;
    bool is_described =
        (json_is(node, cJSON_Object) && json_size(json_get(schema, "properties")) > 0) ||
        (json_is(node, cJSON_Array) && json_get(schema, "items"));
    return is_described || json_is(json_get(schema, "allow_nul"), cJSON_True) || !has_nul(node);
}

bool schema_check(const struct schema *schema, const char *name, const cJSON *value,
                  struct errs *errs)
{
    struct judging judging = { schema, name, errs };
    struct validation validation = {
        .tree = &tree_json,
        .steps_left = SIZE_MAX, /* contracts are trusted */
        .context = &judging,
        .own = check_own_rules,
        .report = report_schema_error,
        .wants_all = true,
    };
    const struct wrong wrong = { schema, value, *name ? name : "", errs };
    if (!(types_of(value) & schema->types))
        return report_type(&wrong);
    enum schema_verdict verdict = validator_check(schema->rules, value, &validation);
    if (verdict == SCHEMA_UNDECIDED) /* a pattern would take too many steps; all patterns compile */
        return errs_add(errs, ERR_INVALID_VALUE,
                        "%s has a text that is too long to check its form: shorten it",
                        *name ? name : "the value");
    return verdict == SCHEMA_FITS;
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

/* ---- unknown fields ---- */

static const char token_mark[] = "tg_"; /* in tokens of all kinds */

/* May the name be repeated in a header, a response and a log? */
static bool is_shown(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if (name[i] < ' ' || name[i] > '~')
            return false;
    return size > 0 && size <= UNKNOWN_NAME_BYTES && !strcasestr(name, token_mark);
}

static const char *find_meant(const struct schema *schema, const char *name)
{
    struct did_you_mean meant = did_you_mean(name);
    for (size_t i = 0; i < schema->property_count; i++) {
        const struct schema *property = &schema->properties[i];
        did_you_mean_offer(&meant, property->name, property->name);
        for (size_t at = 0; at < property->aliases.count; at++)
            did_you_mean_offer(&meant, property->aliases.name[at], property->name);
    }
    return meant.shown;
}

static void write_path(const struct place *place, char path[static UNKNOWN_PATH_BYTES])
{
    scoped(buf_free) struct buf text = BUF(UNKNOWN_PATH_BYTES - 1);
    place_write(place, &text);
    snprintf(path, UNKNOWN_PATH_BYTES, "%s", text.full ? "?" : buf_str(&text));
}

static bool is_allowed(const struct unknown_fields *unknown, const struct place *place,
                       const char *name)
{
    for (size_t i = 0; !place->outer && i < unknown->allowed_count; i++)
        if (strcmp(unknown->allowed[i], name) == 0)
            return true;
    return false;
}

void unknown_fields_add(struct unknown_fields *unknown, const struct schema *schema,
                        const struct place *place, const char *name)
{
    if (is_allowed(unknown, place, name))
        return;
    if (unknown->count < UNKNOWN_FIELDS_MAX) {
        struct unknown_field *field = &unknown->item[unknown->count];
        const struct place shown = { place, is_shown(name) ? name : "?", 0 };
        write_path(&shown, field->path);
        bool is_short = strlen(name) <= UNKNOWN_NAME_BYTES;
        field->did_you_mean =
            is_short && unknown->count < UNKNOWN_SUGGESTED_MAX ? find_meant(schema, name) : NULL;
        unknown->count++;
    }
    unknown->total++;
}

/* ---- normalizing a request ---- */

/* Remove a member and return it; NULL if it is absent, or null counts as absent. */
static cJSON *take_member(const struct schema *property, cJSON *object, const char *name)
{
    scoped(json_free) cJSON *member = json_take(object, name);
    if (!member || !(types_of(member) & (property->types | ~SCHEMA_NULL)))
        return NULL;
    return take(member);
}

struct settling {
    bool fill;
    struct unknown_fields *unknown; /* NULL: not wanted */
};

static void settle(const struct schema *schema, cJSON *value, const struct place *place,
                   const struct settling *settling);

/* False: the object has no such property, and gets none. */
static bool settle_property(const struct schema *property, cJSON *object, const struct place *outer,
                            const struct settling *settling)
{
    const struct place place = { outer, property->name, 0 };
    cJSON *value = take_member(property, object, property->name);
    for (size_t i = 0; i < property->aliases.count; i++) {
        scoped(json_free) cJSON *other = take_member(property, object, property->aliases.name[i]);
        if (!value)
            value = take(other);
    }
    if (!value && settling->fill && property->fallback)
        value = json_copy(property->fallback);
    if (!value)
        return false;
    settle(property, value, &place, settling);
    json_add(object, property->name, value);
    return true;
}

/* settle_property() moves each property to the end, so unknown members come first. */
static void settle_object(const struct schema *schema, cJSON *object, const struct place *place,
                          const struct settling *settling)
{
    size_t known = 0;
    for (size_t i = 0; i < schema->property_count; i++)
        known += settle_property(&schema->properties[i], object, place, settling);
    if (!settling->unknown || schema->property_count == 0)
        return;
    const cJSON *member = object->child;
    for (size_t left = json_size(object) - known; left > 0; left--, member = member->next)
        unknown_fields_add(settling->unknown, schema, place, member->string);
}

static void settle(const struct schema *schema, cJSON *value, const struct place *place,
                   const struct settling *settling)
{
    unsigned types = types_of(value);
    struct place item_place = { place, NULL, 0 };
    cJSON *item;

    if (types & SCHEMA_OBJECT)
        settle_object(schema, value, place, settling);
    if (!(types & SCHEMA_ARRAY) || !schema->items)
        return;
    cJSON_ArrayForEach(item, value) {
        settle(schema->items, item, &item_place, settling);
        item_place.index++;
    }
}

void schema_settle(const struct schema *schema, cJSON *value, bool fill,
                   struct unknown_fields *unknown)
{
    const struct settling settling = { fill, unknown };
    const struct place top = { NULL, "", 0 };
    settle(schema, value, &top, &settling);
}
