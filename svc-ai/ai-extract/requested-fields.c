/* svc-ai/ai-extract/requested-fields.c - read the requested fields into one schema. */
#include "ai-extract/requested-fields.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/table.h"
#include "schema/subset.h"
#include "svc/args.h"
#include "text/json.h"

/* Field types in addition to those of JSON Schema. */
/* clang-format off */
static const struct kind {
    const char *name;
    const char *type;
    const char *format; /* NULL: none */
} kinds[] = {
    { "date",     "string", "date" },
    { "datetime", "string", "date-time" },
    { "email",    "string", "email" },
    { "url",      "string", "uri" },
    { "phone",    "string", NULL },
};

/* name:type, with ! if required, [] for a list, {} for an object. The fields are our choice. */
static const struct preset {
    const char *name;
    const char *fields;
} presets[] = {
    { "contact", "name:string email:email phone:phone company:string job_title:string address:string website:url" },
    { "invoice", "invoice_number:string! issue_date:date due_date:date seller:string buyer:string subtotal:currency "
                 "tax:currency total:currency! line_items:{description:string! quantity:number unit_price:number "
                 "total:number}[]" },
    { "receipt", "merchant:string! date:date payment_method:string tax:currency tip:currency total:currency! "
                 "items:{name:string! quantity:number price:number}[]" },
    { "event", "title:string! start:datetime end:datetime date:date location:string organizer:string price:currency "
               "url:url" },
    { "product", "name:string! brand:string sku:string price:currency category:string color:string size:string "
                 "weight:string features:string[]" },
    { "resume", "name:string! email:email phone:phone location:string summary:string skills:string[] "
                "languages:string[] experience:{title:string company:string start:string end:string}[] "
                "education:{degree:string school:string year:string}[]" },
    { "address", "recipient:string street:string house_number:string city:string! region:string postal_code:string "
                 "country:string" },
    { "job_posting", "title:string! company:string location:string remote:boolean employment_type:string "
                     "salary_min:currency salary_max:currency requirements:string[] apply_by:date url:url" },
    { "recipe", "title:string! servings:integer prep_minutes:integer cook_minutes:integer "
                "ingredients:{name:string! amount:string}[] steps:string[]" },
};
/* clang-format on */

const char *requested_fields_kind(const cJSON *schema)
{
    return json_text(schema, "/kind");
}

/* ---- types ---- */

static cJSON *currency_schema(void)
{
    cJSON *schema = json_object();
    json_str(schema, "type", "object");
    json_str(schema, "kind", "currency");
    cJSON *properties = json_map(schema, "properties");
    json_str(json_map(properties, "amount"), "type", "number");
    cJSON *currency = json_map(properties, "currency");
    json_str(currency, "type", "string");
    json_str(currency, "description", "ISO 4217 code of three capital letters");
    cJSON *required = json_list(schema, "required");
    json_item_str(required, "amount");
    json_item_str(required, "currency");
    return schema;
}

static cJSON *schema_of_type(const char *type)
{
    if (strcmp(type, "currency") == 0)
        return currency_schema();
    cJSON *schema = json_object();
    const struct kind *kind = TABLE_FIND(kinds, type);
    json_str(schema, "type", kind ? kind->type : type);
    if (kind)
        json_str(schema, "kind", kind->name);
    if (kind && kind->format)
        json_str(schema, "format", kind->format);
    return schema;
}

static cJSON *list_of(cJSON *items)
{
    cJSON *schema = json_object();
    json_str(schema, "type", "array");
    json_add(schema, "items", items);
    return schema;
}

/* ---- presets ---- */

static struct text read_word(struct text *rest)
{
    struct text word = *rest;
    size_t size = 0;
    while (size < rest->size && (ascii_is_alnum(rest->bytes[size]) || rest->bytes[size] == '_'))
        size++;
    word.size = size;
    *rest = text_skip(*rest, size);
    return word;
}

static cJSON *read_object(struct text *rest);

/* "string", "string[]", "{name:string}[]" */
static cJSON *read_type(struct text *rest)
{
    cJSON *schema;
    if (text_take_byte(rest, "{")) {
        schema = read_object(rest);
    } else {
        struct text word = read_word(rest);
        scoped(mem_free) char *name = mem_dup(word.bytes, word.size);
        schema = schema_of_type(name);
    }
    if (text_begins(*rest, "[]")) {
        *rest = text_skip(*rest, 2);
        schema = list_of(schema);
    }
    return schema;
}

/* Read up to the end or the closing brace. */
static cJSON *read_object(struct text *rest)
{
    cJSON *object = json_object();
    json_str(object, "type", "object");
    cJSON *properties = json_map(object, "properties");
    cJSON *required = json_list(object, "required");
    while (rest->size > 0 && !text_take_byte(rest, "}")) {
        struct text word = read_word(rest);
        scoped(mem_free) char *name = mem_dup(word.bytes, word.size);
        text_take_byte(rest, ":");
        json_add(properties, name, read_type(rest));
        if (text_take_byte(rest, "!"))
            json_item_str(required, name);
        text_take_byte(rest, " ");
    }
    return object;
}

static cJSON *schema_of_preset(const char *name)
{
    const struct preset *preset = TABLE_FIND(presets, name);
    struct text rest = text_of(preset->fields);
    return read_object(&rest);
}

/* ---- fields ---- */

static bool check_field(const cJSON *field, const cJSON *properties, struct err *err)
{
    const char *name = json_text(field, "/name");
    const char *type = json_text(field, "/type");
    if (json_get(properties, name))
        return err_set(err, ERR_INVALID_SCHEMA, "fields must not have %.64s twice", name);
    if (json_get(field, "items") && strcmp(type, "array") != 0)
        return err_set(err, ERR_INVALID_SCHEMA, "items of field %.64s requires type array", name);
    return !json_get(field, "enum") || strcmp(type, "string") == 0 ||
           err_set(err, ERR_INVALID_SCHEMA, "enum of field %.64s requires type string", name);
}

static cJSON *schema_of_field(const cJSON *field)
{
    const char *items = json_text(field, "/items");
    const char *type = json_text(field, "/type");
    cJSON *schema = strcmp(type, "array") == 0 ? list_of(schema_of_type(items ? items : "string"))
                                               : schema_of_type(type);
    if (json_get(field, "description"))
        json_str(schema, "description", json_text(field, "/description"));
    if (json_get(field, "enum"))
        json_add(schema, "enum", json_copy(json_get(field, "enum")));
    return schema;
}

static bool schema_of_fields(const cJSON *fields, cJSON **schema, struct err *err)
{
    scoped(json_free) cJSON *object = json_object();
    cJSON *required;
    cJSON *properties;
    const cJSON *field;
    json_str(object, "type", "object");
    properties = json_map(object, "properties");
    required = json_list(object, "required");
    cJSON_ArrayForEach(field, fields) {
        if (!check_field(field, properties, err))
            return false;
        json_add(properties, json_text(field, "/name"), schema_of_field(field));
        if (json_is(json_get(field, "required"), cJSON_True))
            json_item_str(required, json_text(field, "/name"));
    }
    *schema = take(object);
    return true;
}

/* ---- the request ---- */

static bool schema_of_schema(const cJSON *given, cJSON *ignored, cJSON **schema, struct err *err)
{
    scoped(json_free) cJSON *read = NULL;
    if (!subset_read(given, "schema", ignored, &read, err))
        return false;
    *schema = subset_object(read);
    return true;
}

bool requested_fields_read(const struct job *job, cJSON *ignored, cJSON **schema,
                           const char **source, struct err *err)
{
    static const char *const names[] = { "schema", "fields", "preset" };
    size_t count = 0;
    for (size_t i = 0; i < countof(names); i++)
        if (arg_has(job, names[i])) {
            *source = names[i];
            count++;
        }
    if (count != 1)
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "exactly one of schema, fields and preset must be given");
    if (strcmp(*source, "schema") == 0)
        return schema_of_schema(arg_any(job, "schema"), ignored, schema, err);
    if (strcmp(*source, "fields") == 0)
        return schema_of_fields(arg_any(job, "fields"), schema, err);
    *schema = schema_of_preset(arg_str(job, "preset"));
    return true;
}
