/* portal/playground/fields.c - the kinds of form fields, from schemas to forms and back. */
#include "portal/playground/fields.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "portal/page/field.h"
#include "portal/public/schema-rows.h"
#include "portal/snippets/json-indent.h"
#include "text/json.h"

enum {
    AREA_CHARACTERS = 2100, /* longer texts get a high text area */
    HINT_BYTES = 2 << 10,
    VALUE_BYTES = REQUEST_MAX_BYTES,
};

enum kind { KIND_TEXT, KIND_CHOICE, KIND_BOOLEAN, KIND_NUMBER, KIND_LINES, KIND_JSON };

/* ---- kinds ---- */

static bool has_type(const cJSON *schema, const char *name)
{
    const cJSON *type = json_get(schema, "type");
    const cJSON *item;
    if (json_is(type, cJSON_String))
        return text_is(json_text_of(type), name);
    cJSON_ArrayForEach(item, type)
        if (text_is(json_text_of(item), name))
            return true;
    return false;
}

/* A property without a type accepts anything. */
static bool takes_text(const cJSON *schema)
{
    bool is_object = json_get(schema, "properties") != NULL;
    return has_type(schema, "string") || (!json_get(schema, "type") && !is_object);
}

static bool takes_structure(const cJSON *schema)
{
    return has_type(schema, "object") || has_type(schema, "array") || !json_get(schema, "type");
}

/* "integer or string": text that looks like a number becomes one. */
static bool is_number_first(const cJSON *schema)
{
    struct text first = json_text_of(json_at(schema, "/type/0"));
    return text_is(first, "integer") || text_is(first, "number");
}

/* The values to choose from: all, or the usual ones; NULL: any. */
static const cJSON *choices_of(const cJSON *schema)
{
    const cJSON *all = json_get(schema, "enum");
    return all ? all : json_get(schema, "choices");
}

static enum kind kind_of(const cJSON *schema)
{
    const char *of_items = json_text(schema, "/items/type");
    if (has_type(schema, "array") && of_items && strcmp(of_items, "string") == 0)
        return KIND_LINES;
    if (takes_structure(schema))
        return KIND_JSON;
    if (choices_of(schema))
        return KIND_CHOICE;
    if (has_type(schema, "string") && !is_number_first(schema))
        return KIND_TEXT;
    return has_type(schema, "boolean") ? KIND_BOOLEAN : KIND_NUMBER;
}

/* ---- values as text ---- */

static bool is_json(struct text text)
{
    return json_check(text, JSON_DEPTH, NULL);
}

static bool has_line_feed(const cJSON *texts)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, texts)
        if (text_has(json_text_of(item), "\n") || json_text_of(item).size == 0)
            return true;
    return false;
}

static void write_lines(const cJSON *texts, struct buf *out)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, texts) {
        struct text text = json_text_of(item);
        if (item != texts->child)
            buf_add_byte(out, '\n');
        buf_add(out, text.bytes, text.size);
    }
}

static void write_json(const cJSON *value, struct buf *out)
{
    scoped(buf_free) struct buf flat = BUF(VALUE_BYTES);
    json_print(value, &flat);
    json_indent(buf_text(&flat), out);
}

/* The value of an example, as a person would type it. */
static void write_typed(const cJSON *schema, const cJSON *value, struct buf *out)
{
    enum kind kind = kind_of(schema);
    struct text text = json_text_of(value);
    if (kind == KIND_BOOLEAN)
        buf_add_str(out, json_is(value, cJSON_True) ? "yes" : "no");
    else if (json_is(value, cJSON_String) && !(kind == KIND_JSON && is_json(text)))
        buf_add(out, text.bytes, text.size);
    else if (kind == KIND_LINES && json_is(value, cJSON_Array) && !has_line_feed(value))
        write_lines(value, out);
    else
        write_json(value, out);
}

/* ---- the form ---- */

void field_name_write(const char *property, char out[static FIELD_NAME_BYTES])
{
    snprintf(out, FIELD_NAME_BYTES, "v-%.70s", property);
}

static void write_default(const cJSON *value, struct buf *out)
{
    buf_add_str(out, "default: ");
    if (json_is(value, cJSON_True) || json_is(value, cJSON_False))
        buf_add_str(out, json_is(value, cJSON_True) ? "yes" : "no");
    else
        value_write(value, out);
}

static void add_choice(const cJSON *choice, const char *chosen, cJSON *options)
{
    scoped(buf_free) struct buf text = BUF(HINT_BYTES);
    value_write(choice, &text);
    option_add(options, buf_str(&text), buf_str(&text), chosen);
}

static bool has_option(const cJSON *options, const char *value)
{
    const cJSON *option;
    cJSON_ArrayForEach(option, options)
        if (text_is(json_text_of(json_get(option, "value")), value))
            return true;
    return false;
}

/* The first choice is empty: the tool's default. A value that is not among the choices stays: the
 * tool may know it under this name, or says what it knows. */
static void add_options(const cJSON *schema, enum kind kind, const char *chosen, cJSON *field)
{
    scoped(buf_free) struct buf fallback = BUF(HINT_BYTES);
    cJSON *options = json_list(field, "options");
    const cJSON *choice;
    const cJSON *given = json_get(schema, "default");
    if (given)
        write_default(given, &fallback);
    else
        buf_add_str(&fallback, "not set");
    option_add(options, "", buf_str(&fallback), chosen);
    if (kind == KIND_BOOLEAN) {
        option_add(options, "yes", "yes", chosen);
        option_add(options, "no", "no", chosen);
    }
    cJSON_ArrayForEach(choice, choices_of(schema))
        add_choice(choice, chosen, options);
    if (!has_option(options, chosen))
        option_add(options, chosen, chosen, chosen);
}

/* Lines of the text area; 0: an input of one line. */
static int64_t rows_of(const cJSON *schema, enum kind kind)
{
    const cJSON *longest = json_get(schema, "maxLength");
    if (kind == KIND_LINES)
        return 4;
    if (kind == KIND_JSON)
        return !json_get(schema, "type") ? 2 : takes_text(schema) ? 4 : 6;
    if (kind != KIND_TEXT || !json_is(json_get(schema, "multiline"), cJSON_True))
        return 0;
    if (!longest)
        return 4;
    return longest->valuedouble <= AREA_CHARACTERS ? 2 : 8;
}

static void add_hint(const cJSON *schema, enum kind kind, cJSON *field)
{
    scoped(buf_free) struct buf hint = BUF(HINT_BYTES);
    const char *about = json_text(schema, "/description");
    if (about)
        buf_add_str(&hint, about);
    if (kind == KIND_LINES)
        buf_format(&hint, "%sOne per line", hint.size > 0 ? ". " : "");
    else if (kind == KIND_JSON)
        buf_format(&hint, "%s%s", hint.size > 0 ? ". " : "",
                   takes_text(schema) ? "JSON or text" : "JSON");
    if (json_get(schema, "default") && kind != KIND_BOOLEAN && kind != KIND_CHOICE) {
        buf_format(&hint, "%sDefault: ", hint.size > 0 ? ". " : "");
        value_write(json_get(schema, "default"), &hint);
    }
    json_str(field, "hint", buf_str(&hint));
}

static void add_input(const cJSON *schema, enum kind kind, const char *value, cJSON *field)
{
    int64_t rows = rows_of(schema, kind);
    if (kind == KIND_BOOLEAN || kind == KIND_CHOICE) {
        json_bool(field, "is_select", true);
        add_options(schema, kind, value, field);
    } else if (rows > 0) {
        json_bool(field, "is_area", true);
        json_int(field, "rows", rows);
    } else {
        json_str(field, "type",
                 kind == KIND_NUMBER && !has_type(schema, "string") ? "number" : "text");
        json_str(field, "step", kind == KIND_NUMBER && !has_type(schema, "integer") ? "any" : NULL);
        json_str(field, "autocomplete", "off");
    }
    json_str(field, "value", value);
}

void playground_fields(const struct contract *contract, typed_value *value, const void *form,
                       cJSON *list)
{
    const cJSON *request = json_get(contract->document, "request");
    const cJSON *example = json_at(contract->document, "/examples/0/request");
    const cJSON *schema;
    cJSON_ArrayForEach(schema, json_get(request, "properties")) {
        char name[FIELD_NAME_BYTES];
        scoped(buf_free) struct buf typed = BUF(2 * VALUE_BYTES);
        const cJSON *shown = json_get(example, schema->string);
        cJSON *field = json_item(list);
        field_name_write(schema->string, name);
        const char *given = value ? value(form, name) : NULL;
        if (given)
            buf_add_str(&typed, given);
        else if (!value && shown)
            write_typed(schema, shown, &typed);
        json_str(field, "name", name);
        json_str(field, "label", schema->string);
        json_bool(field, "is_required", schema_requires(request, schema->string));
        json_bool(field, "is_first",
                  shown || schema_requires(request, schema->string) || typed.size > 0);
        add_input(schema, kind_of(schema), buf_str(&typed), field);
        add_hint(schema, kind_of(schema), field);
    }
}

/* ---- reading the form ---- */

/* Browsers send line feeds as CR LF (WHATWG HTML, 4.10.21.7). */
static void add_typed_text(const char *typed, struct buf *out)
{
    for (; *typed; typed++)
        if (!(typed[0] == '\r' && typed[1] == '\n'))
            buf_add_byte(out, *typed);
}

static cJSON *lines_of(struct text typed)
{
    cJSON *list = json_array();
    while (typed.size > 0) {
        struct text line = text_cut(&typed, '\n');
        if (line.size > 0)
            json_item_add(list, json_new_text(line));
    }
    return list;
}

static bool begins_structure(struct text typed)
{
    struct text text = text_trim(typed);
    return text.size > 0 && (text.bytes[0] == '{' || text.bytes[0] == '[');
}

static bool parse_json(const cJSON *schema, struct text typed, cJSON **value, struct err *err)
{
    bool has_repeats;
    if (json_parse_as_is(typed, JSON_DEPTH, value, &has_repeats, err))
        return true;
    if (!takes_text(schema) || begins_structure(typed))
        return false;
    *value = json_new_text(typed);
    return true;
}

/* A number keeps its digits. Other text is sent as it is, and the gateway reports the error. */
static cJSON *number_of(struct text typed)
{
    cJSON *value = NULL;
    bool has_repeats;
    if (json_parse_as_is(text_trim(typed), 1, &value, &has_repeats, NULL) &&
        json_is(value, cJSON_Number))
        return value;
    json_free(&value);
    return json_new_text(typed);
}

/* A choice is a value of the enum, which may be of any type. */
static cJSON *choice_of(const cJSON *schema, struct text typed)
{
    const cJSON *choice;
    cJSON_ArrayForEach(choice, json_get(schema, "enum")) {
        scoped(buf_free) struct buf text = BUF(HINT_BYTES);
        value_write(choice, &text);
        if (text_is(typed, buf_str(&text)))
            return json_copy(choice);
    }
    return json_new_text(typed);
}

static bool value_of(const cJSON *schema, struct text typed, cJSON **value, struct err *err)
{
    enum kind kind = kind_of(schema);
    if (kind == KIND_JSON || (kind == KIND_LINES && begins_structure(typed)))
        return parse_json(schema, typed, value, err);
    if (kind == KIND_LINES)
        *value = has_type(schema, "string") && !text_has(typed, "\n") ? json_new_text(typed)
                                                                      : lines_of(typed);
    else if (kind == KIND_BOOLEAN && (text_is(typed, "yes") || text_is(typed, "no")))
        *value = json_new_bool(text_is(typed, "yes"));
    else if (kind == KIND_NUMBER)
        *value = number_of(typed);
    else
        *value = choice_of(schema, typed);
    return true;
}

bool playground_request(const struct contract *contract, typed_value *value, const void *form,
                        cJSON **request, const char **wrong, struct err *err)
{
    scoped(json_free) cJSON *made = json_object();
    const cJSON *source = json_get(contract->document, "request");
    const cJSON *schema;
    cJSON_ArrayForEach(schema, json_get(source, "properties")) {
        char name[FIELD_NAME_BYTES];
        scoped(buf_free) struct buf typed = BUF(VALUE_BYTES);
        cJSON *item = NULL;
        field_name_write(schema->string, name);
        const char *given = value(form, name);
        bool may_be_empty = kind_of(schema) == KIND_TEXT && schema_requires(source, schema->string);
        if (!given || (!given[0] && !may_be_empty))
            continue;
        add_typed_text(given, &typed);
        if (!value_of(schema, buf_text(&typed), &item, err)) {
            *wrong = schema->string;
            return false;
        }
        json_add(made, schema->string, item);
    }
    *request = take(made);
    return true;
}

const char *playground_property_of(const struct contract *contract, const char *message)
{
    const cJSON *schema;
    cJSON_ArrayForEach(schema, json_at(contract->document, "/request/properties")) {
        size_t size = strlen(schema->string);
        if (strncmp(message, schema->string, size) == 0 && strchr(" .[:", message[size]) &&
            message[size])
            return schema->string;
    }
    return NULL;
}
