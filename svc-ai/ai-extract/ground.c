/* svc-ai/ai-extract/ground.c - check whether words of the text support a value. */
#include "ai-extract/ground.h"

#include <stdlib.h>
#include <string.h>
#include <unicase.h>

#include "ai-extract/coerce-fields.h"
#include "ai-extract/requested-fields.h"
#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "facts/clean.h"
#include "jsonschema/decimal.h"
#include "text/json.h"

enum { PHONE_DIGITS = 7, DIGITS_MAX = 64 };

/* ---- search for words ---- */

void ground_of(struct text text, struct ground *ground)
{
    struct text rest = text;
    bool is_parted = false;
    ground->text = text;
    ground->code = mem_array(text.size + 1, sizeof(*ground->code));
    ground->from = mem_array(text.size + 1, sizeof(*ground->from));
    for (size_t bytes; rest.size > 0; rest = text_skip(rest, bytes), ground->length++) {
        uint32_t code = utf8_next(rest, &bytes);
        if (char_is_space(code)) {
            is_parted = true;
            continue;
        }
        if (is_parted && ground->count > 0) {
            ground->code[ground->count] = ' ';
            ground->from[ground->count++] = (uint32_t)ground->length - 1;
        }
        is_parted = false;
        ground->code[ground->count] = uc_tolower((ucs4_t)code);
        ground->from[ground->count++] = (uint32_t)ground->length;
    }
}

void ground_free(struct ground *ground)
{
    mem_free(&ground->code);
    mem_free(&ground->from);
    *ground = (struct ground){ 0 };
}

bool ground_find(const struct ground *ground, struct text words, size_t *start, size_t *end)
{
    scoped(ground_free) struct ground wanted = { 0 };
    if (!clean_says_something(words))
        return false;
    ground_of(words, &wanted);
    for (size_t i = 0; i + wanted.count <= ground->count; i++) {
        if (memcmp(ground->code + i, wanted.code, wanted.count * sizeof(*wanted.code)) != 0)
            continue;
        *start = ground->from[i];
        *end = (size_t)ground->from[i + wanted.count - 1] + 1;
        return true;
    }
    return false;
}

/* ---- values ---- */

static bool has_text(struct text words, struct text value)
{
    scoped(ground_free) struct ground ground = { 0 };
    size_t start, end;
    ground_of(words, &ground);
    return ground_find(&ground, value, &start, &end);
}

/* The next run of digits with separators, removed from *rest; empty: none. */
static struct text next_number(struct text *rest)
{
    while (rest->size > 0 && !ascii_is_digit(rest->bytes[0]))
        *rest = text_skip(*rest, 1);
    size_t size = 0;
    while (size < rest->size && (ascii_is_digit(rest->bytes[size]) ||
                                 (strchr(".,' ", rest->bytes[size]) && rest->bytes[size] &&
                                  size + 1 < rest->size && ascii_is_digit(rest->bytes[size + 1]))))
        size++;
    struct text number = { rest->bytes, size };
    *rest = text_skip(*rest, size);
    return number;
}

static void read_decimal(const cJSON *number, char digits[DECIMAL_DOUBLE_BYTES],
                         struct decimal *decimal)
{
    if (!decimal_read(text_of(number->valuestring), decimal))
        decimal_of_double(number->valuedouble, digits, decimal);
    decimal->is_negative = false;
}

/* Compare all digits; the sign may be a word, as in a loss of 5. */
static bool is_number(struct text text, const cJSON *number)
{
    scoped(json_free) cJSON *read = coerce_number(text);
    char digits[2][DECIMAL_DOUBLE_BYTES];
    struct decimal decimals[2];
    if (!read)
        return false;
    read_decimal(read, digits[0], &decimals[0]);
    read_decimal(number, digits[1], &decimals[1]);
    return decimal_compare(&decimals[0], &decimals[1]) == 0;
}

/* Also finds "3" in "3 5", which may be two numbers. */
static bool has_number(struct text words, const cJSON *number)
{
    struct text found;
    while ((found = next_number(&words)).size > 0) {
        if (is_number(found, number))
            return true;
        for (struct text rest = found; rest.size > 0;)
            if (is_number(text_cut(&rest, ' '), number))
                return true;
    }
    return false;
}

static bool has_integer(struct text words, int64_t wanted)
{
    while (words.size > 0) {
        size_t size = 0;
        int64_t number;
        while (size < words.size && ascii_is_digit(words.bytes[size]))
            size++;
        struct text digits = { words.bytes, size };
        if (size > 0 && num_parse(digits, INT32_MAX, &number) && number == wanted)
            return true;
        words = text_skip(words, size > 0 ? size : 1);
    }
    return false;
}

/* Whether three letters in a row may be the name of a month. */
static bool has_name(struct text words)
{
    size_t letters = 0;
    for (size_t bytes; words.size > 0 && letters < 3; words = text_skip(words, bytes))
        letters = char_is_letter(utf8_next(words, &bytes)) ? letters + 1 : 0;
    return letters == 3;
}

/* date is YYYY-MM-DD…. In scripts without case the month must be a number. */
static bool has_date(struct text words, struct text date)
{
    int64_t year, month, day;
    if (date.size < 10 || !num_parse((struct text){ date.bytes, 4 }, 9999, &year) ||
        !num_parse((struct text){ date.bytes + 5, 2 }, 12, &month) ||
        !num_parse((struct text){ date.bytes + 8, 2 }, 31, &day))
        return false;
    return has_integer(words, day) &&
           (has_integer(words, year) || has_integer(words, year % 100)) &&
           (has_integer(words, month) || has_name(words));
}

static void add_digits(struct text text, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++)
        if (ascii_is_digit(text.bytes[i]))
            buf_add_byte(out, text.bytes[i]);
}

static bool has_phone(struct text words, struct text phone)
{
    scoped(buf_free) struct buf in_words = BUF(words.size + 1);
    scoped(buf_free) struct buf digits = BUF(phone.size + 1);
    add_digits(words, &in_words);
    add_digits(phone, &digits);
    struct text last = buf_text(&digits);
    if (last.size > PHONE_DIGITS)
        last = text_skip(last, last.size - PHONE_DIGITS);
    return last.size > 0 && text_has(buf_text(&in_words), last.bytes);
}

/* Compare without the scheme and the final slash. */
static bool has_url(struct text words, struct text url)
{
    const char *scheme = memmem(url.bytes, url.size, "://", 3);
    if (scheme)
        url = text_skip(url, (size_t)(scheme - url.bytes) + 3);
    while (url.size > 0 && url.bytes[url.size - 1] == '/')
        url.size--;
    return has_text(words, url);
}

static bool is_kind(const char *kind, const char *first, const char *second)
{
    return kind && (strcmp(kind, first) == 0 || strcmp(kind, second) == 0);
}

bool ground_follows(const cJSON *schema, const cJSON *value, struct text words)
{
    const char *kind = requested_fields_kind(schema) ? requested_fields_kind(schema)
                                                     : json_text(schema, "/format");
    struct text text = json_text_of(value);
    if (json_is(value, cJSON_Object))
        return has_number(words, json_get(value, "amount"));
    if (json_is(value, cJSON_Number))
        return has_number(words, value);
    if (!json_is(value, cJSON_String) || json_get(schema, "enum"))
        return clean_says_something(words);
    if (is_kind(kind, "date", "datetime") || is_kind(kind, "date-time", ""))
        return has_date(words, text);
    if (is_kind(kind, "phone", ""))
        return has_phone(words, text);
    if (is_kind(kind, "url", "uri"))
        return has_url(words, text);
    return has_text(words, text);
}
