/* svc-chat/platform/bits.c - reads and writes bit fields. */
#include "bits.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/writing/nearest.h"
#include "findings/subject.h"
#include "svc/args.h"
#include "text/json.h"

/* Digits in a base from 2 to 16, within 0..max. */
static bool parse_digits(const char *digits, unsigned base, uint64_t max, uint64_t *value)
{
    uint64_t sum = 0;
    if (*digits == '\0')
        return false;
    for (; *digits; digits++) {
        int digit = hex_digit(*digits);
        if (digit < 0 || (unsigned)digit >= base || (uint64_t)digit > max ||
            sum > (max - (uint64_t)digit) / base)
            return false;
        sum = sum * base + (uint64_t)digit;
    }
    *value = sum;
    return true;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return parse_digits(text + 2, 16, max, value);
    if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        return parse_digits(text + 2, 2, max, value);
    return parse_digits(text, 10, max, value);
}

static bool reject_value(const struct bit_vocabulary *vocabulary, const char *field,
                         struct err *err)
{
    return err_set(err, ERR_INVALID_BITFIELD,
                   "%s must be a %s name or a number from 0 to %" PRIu64
                   ", decimal or after 0x or 0b",
                   field, vocabulary->kind, vocabulary->max);
}

static bool reject_word(const struct bit_vocabulary *vocabulary, const char *field,
                        const char *word, struct err *err)
{
    const char *nearest =
        nearest_name(vocabulary->words, vocabulary->word_count, sizeof(vocabulary->words[0]), word);
    if (nearest)
        return err_set(err, vocabulary->unknown, "%s: unknown %s %.40s; did you mean %s?", field,
                       vocabulary->kind, word, nearest);
    return err_set(err, vocabulary->unknown, "%s: unknown %s %.40s", field, vocabulary->kind, word);
}

/*
 * Remove a library's prefix: PermissionFlagsBits.BanMembers, discord.Intents.guilds,
 * Permissions::BAN_MEMBERS.
 */
static const char *without_prefix(const char *word)
{
    const char *dot = strrchr(word, '.');
    const char *colon = strrchr(word, ':');
    const char *last = dot > colon ? dot : colon;
    return last && isalpha((unsigned char)last[1]) ? last + 1 : word;
}

static const struct bit_word *find_word(const struct bit_vocabulary *vocabulary, const char *word)
{
    return table_find_loose(vocabulary->words, vocabulary->word_count, sizeof(vocabulary->words[0]),
                            word);
}

/* Go libraries put the kind before the name: PermissionBanMembers, IntentsGuildMessages. */
static const struct bit_word *find_word_of_kind(const struct bit_vocabulary *vocabulary,
                                                const char *word)
{
    size_t kind = strlen(vocabulary->kind);
    if (strncasecmp(word, vocabulary->kind, kind) != 0)
        return NULL;
    const struct bit_word *found = find_word(vocabulary, word + kind);
    bool is_plural = word[kind] == 's' || word[kind] == 'S';
    return found || !is_plural ? found : find_word(vocabulary, word + kind + 1);
}

/* One name or number; blanks around it are ignored. */
static bool read_word(const struct bit_vocabulary *vocabulary, const char *field, struct text given,
                      uint64_t *bits, struct err *err)
{
    struct text trimmed = trim_text(given);
    scoped(mem_free) char *word = mem_dup(trimmed.bytes, trimmed.size);
    const char *text = without_prefix(word);

    if (!isalpha((unsigned char)text[0]))
        return parse_number(text, vocabulary->max, bits) || reject_value(vocabulary, field, err);
    const struct bit_word *found = find_word(vocabulary, text);
    if (!found)
        found = find_word_of_kind(vocabulary, text);
    if (!found)
        return reject_word(vocabulary, field, text, err);
    *bits = found->mask;
    return true;
}

/* Several, separated by commas, bars, semicolons or plus signs: "BAN_MEMBERS | KICK_MEMBERS". */
static bool read_text(const struct bit_vocabulary *vocabulary, const char *field, const char *text,
                      uint64_t *bits, struct err *err)
{
    static const char separators[] = ",|;+";
    uint64_t all = 0;
    for (;;) {
        size_t size = strcspn(text, separators);
        uint64_t one = 0;
        if (!read_word(vocabulary, field, (struct text){ text, size }, &one, err))
            return false;
        all |= one;
        if (text[size] == '\0')
            break;
        text += size + 1;
        text += strspn(text, separators); /* "||" */
    }
    *bits = all;
    return true;
}

static bool read_number(const struct bit_vocabulary *vocabulary, const char *field, double number,
                        uint64_t *bits, struct err *err)
{
    if (number >= (double)JSON_INTEGER_MAX)
        return err_set(
            err, ERR_PRECISION_LOSS,
            "%s must be sent as a string: JSON numbers above 9007199254740991 lose digits", field);
    if (number < 0 || floor(number) != number || number > (double)vocabulary->max)
        return reject_value(vocabulary, field, err);
    *bits = (uint64_t)number;
    return true;
}

static bool read_one(const struct bit_vocabulary *vocabulary, const char *field, const cJSON *value,
                     uint64_t *bits, struct err *err)
{
    if (json_is(value, cJSON_Number))
        return read_number(vocabulary, field, value->valuedouble, bits, err);
    return read_text(vocabulary, field, json_text(value, ""), bits, err);
}

bool bits_read(const struct bit_vocabulary *vocabulary, const char *field, const cJSON *value,
               uint64_t *bits, struct err *err)
{
    const cJSON *item;
    uint64_t all = 0;
    uint64_t one;

    if (!json_is(value, cJSON_Array))
        return read_one(vocabulary, field, value, bits, err);
    cJSON_ArrayForEach(item, value) {
        if (!read_one(vocabulary, field, item, &one, err))
            return false;
        all |= one;
    }
    *bits = all;
    return true;
}

bool bits_arg(const struct job *job, const char *field, const struct bit_vocabulary *vocabulary,
              uint64_t *bits, struct err *err)
{
    const cJSON *value = arg_any(job, field);
    *bits = 0;
    return !value || bits_read(vocabulary, field, value, bits, err);
}

void bits_add_hex(cJSON *object, const char *name, uint64_t bits)
{
    char text[2 + 16 + 1];
    snprintf(text, sizeof(text), "0x%" PRIx64, bits);
    json_str(object, name, text);
}

void bits_add_binary(cJSON *object, const char *name, uint64_t bits)
{
    char text[2 + 64 + 1] = "0b";
    char *at = text + 2;
    int top = 63;
    while (top > 0 && !(bits & BIT(top)))
        top--;
    for (int i = top; i >= 0; i--)
        *at++ = bits & BIT(i) ? '1' : '0';
    *at = '\0';
    json_str(object, name, text);
}

void bits_add_numbers(cJSON *object, const char *name, uint64_t bits)
{
    cJSON *list = json_list(object, name);
    for (int i = 0; i < 64; i++)
        if (bits & BIT(i))
            json_item_int(list, i);
}
