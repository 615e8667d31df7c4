/* svc-ai/ai-extract/coerce-fields.c - convert a model's values to the types of the schema. */
#include "ai-extract/coerce-fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ai-extract/requested-fields.h"
#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/table.h"
#include "facts/clean.h"
#include "schema/subset.h"
#include "text/json.h"
#include "text/time/datetime.h"

enum {
    TEXT_MAX = 4000, /* characters of a value: the whole input */
    DIGITS_MAX = 40,
    E164_MIN = 7, /* digits of a number with its country code, ITU-T E.164 */
    E164_MAX = 15,
    FREE_DEPTH = 4, /* depth of an object without properties */
    FAULTS_MAX = 50,
};

/* ---- numbers ---- */

static bool is_digit_at(struct text text, size_t at)
{
    return at < text.size && ascii_is_digit(text.bytes[at]);
}

/* The decimal sign, . or , or 0. If both occur, it is the last one. If one occurs, it is that one,
 * except if it occurs twice, or is a comma with three digits after it as in 1,250. */
static char decimal_sign(struct text text)
{
    size_t commas = 0, points = 0;
    size_t last = 0;
    for (size_t i = 0; i < text.size; i++) {
        commas += text.bytes[i] == ',';
        points += text.bytes[i] == '.';
        last = text.bytes[i] == ',' || text.bytes[i] == '.' ? i : last;
    }
    char sign = commas + points > 0 ? text.bytes[last] : 0;
    size_t count = sign == ',' ? commas : points;
    bool is_alone = commas == 0 || points == 0;
    bool is_thousands = sign == ',' && is_alone && text.size - last == 4 && text.bytes[0] != '0';
    return count > 1 || is_thousands ? 0 : sign;
}

/* The digits in JSON's form, without zeros before them. */
static cJSON *new_number(const char *digits)
{
    cJSON *node = NULL;
    const char *sign = *digits == '-' ? "-" : "";
    digits += strspn(digits, "+-");
    while (digits[0] == '0' && ascii_is_digit(digits[1]))
        digits++;
    scoped(mem_free) char *lexeme = str_format("%s%s%s", sign, *digits == '.' ? "0" : "", digits);
    return json_parse(text_of(lexeme), 1, &node, NULL) ? node : NULL;
}

cJSON *coerce_number(struct text text)
{
    char digits[DIGITS_MAX];
    size_t size = 0;
    text = text_trim(text);
    char decimal = decimal_sign(text);
    bool has_digit = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        bool is_apart =
            c == ' ' || c == '\'' || c == '_' || ((c == '.' || c == ',') && c != decimal);
        if (is_apart && is_digit_at(text, i + 1) && i > 0)
            continue;
        bool is_sign = (c == '-' || c == '+') && i == 0;
        if ((!ascii_is_digit(c) && c != decimal && !is_sign) || c == '\0' ||
            size == sizeof(digits) - 1)
            return NULL;
        has_digit |= ascii_is_digit(c);
        digits[size++] = c == decimal ? '.' : c;
    }
    digits[size] = '\0';
    return has_digit ? new_number(digits) : NULL;
}

/* ---- texts ---- */

/* What models write instead of null. */
static bool means_null(struct text text)
{
    static const struct {
        const char *name;
    } words[] = { { "null" },    { "none" },          { "n/a" },           { "na" },
                  { "nil" },     { "unknown" },       { "undefined" },     { "not specified" },
                  { "missing" }, { "not mentioned" }, { "not available" }, { "not provided" } };
    for (size_t i = 0; i < countof(words); i++)
        if (text_is_any_case(text, words[i].name))
            return true;
    return !clean_says_something(text);
}

static cJSON *new_text(const char *text)
{
    return json_new_text(text_of(text));
}

static cJSON *new_null(void)
{
    scoped(json_free) cJSON *object = json_object();
    json_null(object, "null");
    return json_take(object, "null");
}

static cJSON *new_bool(bool is_true)
{
    scoped(json_free) cJSON *object = json_object();
    json_bool(object, "bool", is_true);
    return json_take(object, "bool");
}

/* ---- kinds ---- */

static int number_of(struct text digits)
{
    int number = 0;
    for (size_t i = 0; i < digits.size && i < 4; i++)
        number = 10 * number + (digits.bytes[i] - '0');
    return number;
}

/* Three numbers separated by -, / or dots: year first, or day first with dots. */
static cJSON *coerce_date(struct text text)
{
    char out[32];
    struct text part[3] = { 0 };
    struct text rest = { text.bytes, strcspn(text.bytes, "T ") };
    char sign = text_has(rest, ".") ? '.' : text_has(rest, "/") ? '/' : '-';
    for (size_t i = 0; i < 3; i++) {
        part[i] = text_cut(&rest, sign);
        if (!text_is_digits(part[i]))
            return new_text(text.bytes);
    }
    bool is_year_first = part[0].size == 4;
    if (rest.size > 0 || (!is_year_first && (sign != '.' || part[2].size != 4)))
        return new_text(text.bytes);
    snprintf(out, sizeof(out), "%04d-%02d-%02d", number_of(part[is_year_first ? 0 : 2]),
             number_of(part[1]), number_of(part[is_year_first ? 2 : 0]));
    return new_text(out);
}

static cJSON *coerce_datetime(struct text text)
{
    struct datetime datetime;
    scoped(buf_free) struct buf out = BUF(64);
    if (!datetime_parse(text, &datetime))
        return new_text(text.bytes);
    datetime_format(&out, datetime.local_ms / 1000, datetime.has_offset ? datetime.offset_s : 0);
    return new_text(buf_str(&out));
}

/* A number with + or 00 has a country code. */
static cJSON *coerce_phone(struct text text)
{
    scoped(buf_free) struct buf digits = BUF(text.size + 2);
    bool has_country = text_begins(text, "+") || text_begins(text, "00");
    for (size_t i = 0; i < text.size; i++) {
        bool is_zero_in_brackets = text_begins(text_skip(text, i), "(0)");
        if (is_zero_in_brackets && has_country)
            i += 2;
        else if (ascii_is_digit(text.bytes[i]))
            buf_add_byte(&digits, text.bytes[i]);
    }
    size_t zeros = text_begins(text, "00") ? 2 : 0;
    if (!has_country || digits.size < zeros + E164_MIN || digits.size > zeros + E164_MAX)
        return new_text(text.bytes);
    scoped(mem_free) char *number = str_format("+%s", buf_str(&digits) + zeros);
    return new_text(number);
}

static cJSON *coerce_email(struct text text)
{
    while (text_begins_any_case(text, "mailto:"))
        text = text_trim(text_skip(text, strlen("mailto:")));
    return means_null(text) ? new_null() : new_text(text.bytes);
}

static cJSON *coerce_url(struct text text)
{
    if (text_has(text, ":") || !text_has(text, "."))
        return new_text(text.bytes);
    scoped(mem_free) char *url = str_format("https://%s", text.bytes);
    return new_text(url);
}

static const struct {
    const char *name;
    cJSON *(*coerce)(struct text text); /* text is followed by a NUL */
} text_kinds[] = {
    { "date", coerce_date },   { "datetime", coerce_datetime }, { "date-time", coerce_datetime },
    { "phone", coerce_phone }, { "email", coerce_email },       { "url", coerce_url },
    { "uri", coerce_url }
};

/* Symbols of a single currency; ISO 4217. */
static const struct {
    const char *sign, *code;
} currencies[] = {
    { "€", "EUR" }, { "£", "GBP" }, { "₹", "INR" }, { "₽", "RUB" }, { "₩", "KRW" },
    { "₺", "TRY" }, { "₴", "UAH" }, { "₪", "ILS" }, { "₫", "VND" },   { "zł", "PLN" }
};

/* Three letters or a symbol; "" for anything else. */
static void read_code(struct text text, char code[static 4])
{
    code[0] = '\0';
    text = text_trim(text);
    for (size_t i = 0; i < countof(currencies); i++)
        if (text_is(text, currencies[i].sign))
            memcpy(code, currencies[i].code, 4);
    if (text.size != 3)
        return;
    for (size_t i = 0; i < 3; i++)
        if (!ascii_is_letter(text.bytes[i]))
            return;
    for (size_t i = 0; i < 3; i++)
        code[i] = (char)(text.bytes[i] & ~0x20);
    code[3] = '\0';
}

/* Takes amount over. */
static cJSON *new_currency(cJSON *amount, const char *code)
{
    cJSON *currency = json_object();
    json_add(currency, "amount", amount);
    json_str(currency, "currency", code);
    return currency;
}

/* "1,250.00 EUR", "€ 5" */
static cJSON *currency_of_text(struct text text)
{
    char code[4];
    size_t first = 0;
    size_t end = text.size;
    while (first < end && !ascii_is_digit(text.bytes[first]) && text.bytes[first] != '-')
        first++;
    while (end > first && !ascii_is_digit(text.bytes[end - 1]))
        end--;
    read_code((struct text){ text.bytes, first }, code);
    if (!*code)
        read_code(text_skip(text, end), code);
    cJSON *amount = *code ? coerce_number((struct text){ text.bytes + first, end - first }) : NULL;
    return amount ? new_currency(amount, code) : NULL;
}

/* A copy of a number, or the number of a string; NULL: neither. */
static cJSON *read_number(const cJSON *value)
{
    if (json_is(value, cJSON_String))
        return coerce_number(json_text_of(value));
    return json_is(value, cJSON_Number) && isfinite(value->valuedouble) ? json_copy(value) : NULL;
}

static cJSON *coerce_currency(const cJSON *value)
{
    char code[4];
    if (json_is(value, cJSON_String))
        return currency_of_text(json_text_of(value));
    read_code(json_text_of(json_get(value, "currency")), code);
    cJSON *amount = *code ? read_number(json_get(value, "amount")) : NULL;
    return amount ? new_currency(amount, code) : NULL;
}

/* ---- types ---- */

/* The text of a string or number, where a string is requested. */
static char *text_of_value(const cJSON *value)
{
    scoped(buf_free) struct buf printed = BUF(TEXT_MAX);
    if (json_is(value, cJSON_String))
        return clean_new(json_text_of(value), 0, TEXT_MAX, "");
    if (!json_is(value, cJSON_Number) || !json_print(value, &printed))
        return NULL;
    return buf_take(&printed);
}

/* Is it an integer that a double holds? The double of 2^53 may be that of 2^53+1. */
static bool is_exact(const cJSON *number)
{
    return json_is_integer(number) && fabs(number->valuedouble) < (double)JSON_INTEGER_MAX;
}

static bool is_choice(const cJSON *choice, const cJSON *value, const char *text)
{
    scoped(buf_free) struct buf printed = BUF(TEXT_MAX);
    bool is_large =
        json_is(value, cJSON_Number) && fabs(value->valuedouble) >= (double)JSON_INTEGER_MAX;
    if (!is_large)
        return json_equal(choice, value) || (text && json_is(choice, cJSON_String) &&
                                             text_is_any_case(json_text_of(choice), text));
    json_print(choice, &printed);
    return text_is(buf_text(&printed), text);
}

/* For a schema without a type: the value of enum or const that equals this one, else NULL. */
static const cJSON *untyped_choice(const cJSON *schema, const cJSON *value)
{
    const cJSON *constant = json_get(schema, "const");
    const cJSON *choice;
    scoped(mem_free) char *text = text_of_value(value);
    if (json_get(schema, "type"))
        return NULL;
    cJSON_ArrayForEach(choice, json_get(schema, "enum"))
        if (is_choice(choice, value, text))
            return choice;
    return constant && is_choice(constant, value, text) ? constant : NULL;
}

static cJSON *coerce_text(const cJSON *schema, const cJSON *value)
{
    const char *kind = requested_fields_kind(schema) ? requested_fields_kind(schema)
                                                     : json_text(schema, "/format");
    const cJSON *choice;
    scoped(mem_free) char *text = text_of_value(value);
    if (!text)
        return NULL;
    cJSON_ArrayForEach(choice, json_get(schema, "enum"))
        if (is_choice(choice, value, text))
            return json_copy(choice);
    if (means_null(text_of(text)))
        return new_null();
    for (size_t i = 0; i < countof(text_kinds); i++)
        if (kind && strcmp(text_kinds[i].name, kind) == 0)
            return text_kinds[i].coerce(text_of(text));
    return new_text(text);
}

static cJSON *coerce_numeric(const cJSON *schema, const cJSON *value)
{
    scoped(json_free) cJSON *number = read_number(value);
    if (!number || subset_has_type(schema, "number"))
        return take(number);
    if (is_exact(number)) /* 7.0 */
        return json_new_number(number->valuedouble);
    return fabs(number->valuedouble) >= (double)JSON_INTEGER_MAX ? take(number) : NULL;
}

static cJSON *coerce_boolean(const cJSON *value)
{
    struct text text = json_text_of(value);
    if (json_is(value, cJSON_True) || json_is(value, cJSON_False))
        return json_copy(value);
    if (text_is_any_case(text, "true") || text_is_any_case(text, "yes"))
        return new_bool(true);
    return text_is_any_case(text, "false") || text_is_any_case(text, "no") ? new_bool(false) : NULL;
}

/* The plain values of an object without properties, cleaned. */
static cJSON *coerce_free(const cJSON *value, unsigned depth)
{
    const cJSON *member;
    scoped(mem_free) char *text = json_is(value, cJSON_String) ? text_of_value(value) : NULL;
    if (text)
        return new_text(text);
    if (!json_is(value, cJSON_Object) && !json_is(value, cJSON_Array))
        return json_copy(value);
    cJSON *copy = json_is(value, cJSON_Object) ? json_object() : json_array();
    cJSON_ArrayForEach(member, value) {
        if (depth == FREE_DEPTH || json_size(copy) == COERCE_ITEMS_MAX)
            break;
        cJSON *fresh = coerce_free(member, depth + 1);
        if (!member->string) {
            json_item_add(copy, fresh);
            continue;
        }
        scoped(mem_free) char *name = clean_new(text_of(member->string), CLEAN_LINE, 64, "");
        if (json_get(copy, name))
            json_free(&fresh);
        else
            json_add(copy, name, fresh);
    }
    return copy;
}

/* ---- paths ---- */

struct coercion {
    struct buf path;
    cJSON *faults;
};

static cJSON *coerce_value(struct coercion *coercion, const cJSON *schema, const cJSON *value);

static void path_truncate(struct buf *path, size_t size)
{
    path->size = size;
    path->full = false;
    if (path->bytes)
        path->bytes[size] = '\0';
}

static cJSON *coerce_object(struct coercion *coercion, const cJSON *schema, const cJSON *value)
{
    const cJSON *properties = json_get(schema, "properties");
    const cJSON *property;
    if (requested_fields_kind(schema))
        return coerce_currency(value);
    if (!json_is(value, cJSON_Object))
        return NULL;
    if (json_size(properties) == 0)
        return coerce_free(value, 0);
    cJSON *object = json_object();
    cJSON_ArrayForEach(property, properties) {
        size_t size = coercion->path.size;
        buf_format(&coercion->path, size > 0 ? ".%s" : "%s", property->string);
        json_add(object, property->string,
                 coerce_value(coercion, property, json_get(value, property->string)));
        path_truncate(&coercion->path, size);
    }
    return object;
}

static cJSON *coerce_list(struct coercion *coercion, const cJSON *schema, const cJSON *value)
{
    cJSON *list = json_array();
    const cJSON *items = json_get(schema, "items");
    const cJSON *item = json_is(value, cJSON_Array) ? value->child : value;
    for (; item && json_size(list) < COERCE_ITEMS_MAX;
         item = json_is(value, cJSON_Array) ? item->next : NULL) {
        size_t size = coercion->path.size;
        buf_format(&coercion->path, "[%zu]", json_size(list));
        cJSON *fresh = coerce_value(coercion, items, item);
        path_truncate(&coercion->path, size);
        if (json_is(fresh, cJSON_NULL) && !subset_has_type(items, "null"))
            json_free(&fresh);
        else
            json_item_add(list, fresh);
    }
    return list;
}

/* Convert by the value's own type if the schema allows it, otherwise to the first type of the
 * schema. */
static cJSON *coerce_typed(struct coercion *coercion, const cJSON *schema, const cJSON *value)
{
    bool has_number = subset_has_type(schema, "number") || subset_has_type(schema, "integer");
    bool has_text = subset_has_type(schema, "string") || json_get(schema, "enum");
    if (subset_has_type(schema, "object"))
        return coerce_object(coercion, schema, value);
    if (subset_has_type(schema, "array"))
        return coerce_list(coercion, schema, value);
    if (has_text && json_is(value, cJSON_String))
        return coerce_text(schema, value);
    if (has_number && !json_is(value, cJSON_True) && !json_is(value, cJSON_False))
        return coerce_numeric(schema, value);
    return subset_has_type(schema, "boolean") ? coerce_boolean(value) : coerce_text(schema, value);
}

static cJSON *coerce_value(struct coercion *coercion, const cJSON *schema, const cJSON *value)
{
    const cJSON *choice = value ? untyped_choice(schema, value) : NULL;
    if (choice)
        return json_copy(choice);
    if (!value || json_is(value, cJSON_NULL))
        return new_null();
    if (json_is(value, cJSON_String) && !subset_has_type(schema, "string") &&
        means_null(json_text_of(value)))
        return new_null();
    cJSON *fresh = coerce_typed(coercion, schema, value);
    if (fresh)
        return fresh;
    if (json_size(coercion->faults) < FAULTS_MAX) {
        cJSON *fault = json_item(coercion->faults);
        json_str(fault, "path", buf_str(&coercion->path));
        json_str(fault, "message", "has another type");
    }
    return new_null();
}

cJSON *coerce_fields(const cJSON *schema, const cJSON *value, cJSON *faults)
{
    struct coercion coercion = { .path = BUF(SUBSET_PATH_BYTES), .faults = faults };
    cJSON *fresh = coerce_value(&coercion, schema, value);
    buf_free(&coercion.path);
    return fresh;
}
