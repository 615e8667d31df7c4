/* svc-chat/chatplatform-moderate/secrets.c - finds keys, tokens and personal data. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "finders.h"

/*
 * The plain text as bytes, one per rune; 0x80 for anything that is not ASCII. Indexes are those of
 * plain.
 */
struct ascii {
    struct moderation *moderation;
    char *at;
    size_t count;
};

enum {
    NUMBER_RUNES_MAX = 40, /* of digits and the characters between them */
    TOKEN_PART_MAX = 1024, /* letters of one part of a token */
    EMAIL_RUNES_MAX = 254, /* RFC 5321, 4.5.3.1.3 */
    SECRET_MAX = 200,      /* letters of each part of a connection URL */
};

static char byte_at(const struct ascii *text, size_t index)
{
    return index < text->count ? text->at[index] : '\0';
}

static bool is_base64url(uint32_t c)
{
    return ascii_is_alnum(c) || c == '-' || c == '_';
}

static void add_secret(const struct ascii *text, enum rule_id rule, size_t start, size_t end)
{
    const struct rune *rune = text->moderation->plain.at;
    struct finding *finding =
        finding_add(text->moderation, rule, rune[start].start, rune[end - 1].end, 0);
    if (finding)
        finding->is_token = true;
}

static size_t run_length(const struct ascii *text, size_t from, bool (*fits)(uint32_t), size_t max)
{
    size_t end = from;
    while (end - from < max && fits(byte_at(text, end)))
        end++;
    return end - from;
}

/* ---- keys ---- */

static bool is_upper_or_digit(uint32_t c)
{
    return ascii_is_upper(c) || ascii_is_digit(c);
}

static size_t key_length(const struct ascii *text, size_t from, const struct key_form *key)
{
    bool (*fits)(uint32_t) = key->upper_only ? is_upper_or_digit : is_base64url;
    size_t end = from;
    while (end - from < (size_t)key->max && byte_at(text, end) != '\0' &&
           (fits(byte_at(text, end)) || strchr(key->also, byte_at(text, end))))
        end++;
    return end - from;
}

static size_t key_end(const struct ascii *text, size_t from)
{
    const struct moderation_rules *rules = text->moderation->rules;
    for (size_t i = 0; i < rules->key_count; i++) {
        const struct key_form *key = &rules->key[i];
        size_t prefix = strlen(key->prefix);
        if (from + prefix > text->count || memcmp(text->at + from, key->prefix, prefix) != 0)
            continue;
        size_t length = key_length(text, from + prefix, key);
        size_t end = from + prefix + length;
        if (length >= (size_t)key->min && !ascii_is_alnum(byte_at(text, end)))
            return end;
    }
    return 0;
}

/* ---- tokens in parts ---- */

/* Three parts of Base64 separated by dots; else false. */
static bool read_parts(const struct ascii *text, size_t from, struct text part[static 3])
{
    for (size_t i = 0; i < 3; i++) {
        size_t length = run_length(text, from, is_base64url, TOKEN_PART_MAX);
        part[i] = (struct text){ text->at + from, length };
        from += length;
        if (length == 0 || (i < 2 && byte_at(text, from++) != '.'))
            return false;
    }
    return true;
}

static bool is_id(struct text part)
{
    scoped(buf_free) struct buf id = BUF(64);
    return base64_decode(&id, part) && id.size >= 17 && id.size <= 20 &&
           text_is_digits(buf_text(&id));
}

/* Seconds since 2011, as in the platform's tokens, or Unix seconds; from 2015 on. */
static bool is_time(struct text part)
{
    const uint64_t from_2011 = 1293840000;
    const uint64_t year_2015 = 1420070400;
    scoped(buf_free) struct buf bytes = BUF(16);
    uint64_t seconds = 0;

    if (!base64_decode(&bytes, part) || bytes.size < 4 || bytes.size > 5)
        return false;
    for (size_t i = 0; i < bytes.size; i++)
        seconds = seconds << 8 | (unsigned char)bytes.bytes[i];
    return seconds + from_2011 >= year_2015 && seconds < UINT64_C(4102444800);
}

static size_t distinct_bytes(struct text part)
{
    bool seen[256] = { false };
    size_t count = 0;
    for (size_t i = 0; i < part.size; i++) {
        bool *one = &seen[(unsigned char)part.bytes[i]];
        count += !*one;
        *one = true;
    }
    return count;
}

/* Does the text mix lowercase, uppercase and digits like random text? */
static bool looks_random(struct text part)
{
    bool lower = false, upper = false, digit = false;
    for (size_t i = 0; i < part.size; i++) {
        lower |= ascii_is_lower((unsigned char)part.bytes[i]);
        upper |= ascii_is_upper((unsigned char)part.bytes[i]);
        digit |= ascii_is_digit((unsigned char)part.bytes[i]);
    }
    return lower && upper && digit && distinct_bytes(part) >= 12;
}

/* By form alone: the Base64 of an id begins with M, N or O. */
static bool has_token_shape(const struct text part[static 3])
{
    return part[0].size >= 23 && part[0].size <= 28 && strchr("MNO", part[0].bytes[0]) &&
           part[1].size >= 6 && part[1].size <= 7 && part[2].size >= 27 && part[2].size <= 110 &&
           looks_random(part[0]) && looks_random(part[2]);
}

static bool is_bot_token(const struct text part[static 3])
{
    return has_token_shape(part) ||
           (part[0].size >= 22 && part[0].size <= 28 && part[2].size >= 27 && part[2].size <= 38 &&
            is_id(part[0]) && is_time(part[1]) && distinct_bytes(part[2]) > 3);
}

static bool is_jwt(const struct text part[static 3])
{
    return part[0].size >= 10 && memcmp(part[0].bytes, "eyJ", 3) == 0 && part[1].size >= 4;
}

static size_t token_end(const struct ascii *text, size_t from)
{
    struct text part[3];
    if (!read_parts(text, from, part))
        return 0;
    size_t end = (size_t)(part[2].bytes - text->at) + part[2].size;
    if (is_bot_token(part))
        add_secret(text, RULE_BOT_TOKEN, from, end);
    else if (is_jwt(part))
        add_secret(text, RULE_JWT, from, end);
    else
        return 0;
    return end;
}

/* ---- webhooks and private keys ---- */

static bool starts_with(const struct ascii *text, size_t from, const char *word)
{
    size_t size = strlen(word);
    return from + size <= text->count && memcmp(text->at + from, word, size) == 0;
}

static bool is_host(uint32_t c)
{
    return ascii_is_alnum(c) || c == '-' || c == '.';
}

static bool is_user(uint32_t c)
{
    return is_host(c) || c == '_' || c == '%' || c == '+';
}

static bool is_password(uint32_t c)
{
    return c > ' ' && c < 0x7F && c != '@' && c != '/' && c != '"';
}

static bool text_is_one(struct text text, const struct strings *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (text_is_any_case(text, words->at[i]))
            return true;
    return false;
}

/* `/api/webhooks/ID/TOKEN`, with a version or without. */
static size_t webhook_end(const struct ascii *text, size_t from)
{
    if (!starts_with(text, from, "/api/"))
        return 0;
    size_t next = from + strlen("/api/");
    if (byte_at(text, next) == 'v')
        next += 1 + run_length(text, next + 1, ascii_is_digit, 2) + 1;
    if (!starts_with(text, next, "webhooks/"))
        return 0;
    next += strlen("webhooks/");
    size_t id = run_length(text, next, ascii_is_digit, 20);
    next += id;
    if (id < 15 || byte_at(text, next++) != '/')
        return 0;
    size_t secret = run_length(text, next, is_base64url, 200);
    return secret >= 30 ? next + secret : 0;
}

/*
 * The end of `scheme://user:password@host` for a server; `from` is at the colon. A placeholder
 * instead of the password does not count.
 */
static size_t connection_end(const struct ascii *text, size_t from, size_t *start)
{
    const struct strings *list = text->moderation->rules->list;
    size_t begin = from;
    while (begin > 0 && from - begin < 10 && ascii_is_alnum(text->at[begin - 1]))
        begin--;
    struct text scheme = { text->at + begin, from - begin };
    if (!starts_with(text, from, "://") || !text_is_one(scheme, &list[LIST_CONNECTION_SCHEMES]))
        return 0;
    size_t user = from + 3;
    size_t colon = user + run_length(text, user, is_user, SECRET_MAX);
    size_t secret =
        byte_at(text, colon) == ':' ? run_length(text, colon + 1, is_password, SECRET_MAX) : 0;
    size_t end = colon + 1 + secret;
    struct text word = { text->at + colon + 1, secret };
    if (secret < 3 || byte_at(text, end) != '@' || strchr("<${[*", word.bytes[0]) ||
        text_is_one(word, &list[LIST_PLACEHOLDERS]))
        return 0;
    *start = begin;
    return end + 1 + run_length(text, end + 1, is_host, SECRET_MAX);
}

/* The start of the host before a path, with its scheme. */
static size_t link_start(const struct ascii *text, size_t path)
{
    while (path > 0 && (ascii_is_alnum(text->at[path - 1]) || strchr(":/.-", text->at[path - 1])))
        path--;
    return path;
}

static size_t private_key_end(const struct ascii *text, size_t from)
{
    static const char tail[] = "PRIVATE KEY";
    if (!starts_with(text, from, "-----BEGIN "))
        return 0;
    for (size_t i = from; i < MIN(text->count, from + 60) && byte_at(text, i) != '\n'; i++)
        if (starts_with(text, i, tail))
            return i + sizeof(tail) - 1;
    return 0;
}

/* ---- numbers ---- */

struct digits {
    char digit[NUMBER_RUNES_MAX + 1];
    size_t count;
    char groups[NUMBER_RUNES_MAX + 1]; /* lengths of the groups as digits: "334" */
    size_t end;                        /* after the last digit */
    bool is_international;
};

/* Digits with single blanks, dashes, dots and brackets between them. */
static void read_digits(const struct ascii *text, size_t from, struct digits *digits)
{
    *digits = (struct digits){ .is_international = byte_at(text, from) == '+', .end = from };
    size_t group = 0;
    size_t gap = 0;
    for (size_t i = from + digits->is_international; i < from + NUMBER_RUNES_MAX; i++) {
        char c = byte_at(text, i);
        if (ascii_is_digit(c)) {
            digits->digit[digits->count++] = c;
            group += gap > 0;
            digits->groups[group] = (char)(MAX(digits->groups[group], '0') + 1);
            digits->end = i + 1;
            gap = 0;
        } else if (c != '\0' && strchr(" -.()/", c) && gap < 2) {
            gap++;
        } else {
            break;
        }
    }
}

/* ISO/IEC 7812-1, annex B. */
static bool passes_luhn(const struct digits *digits)
{
    int sum = 0;
    for (size_t i = 0; i < digits->count; i++) {
        int digit = digits->digit[digits->count - 1 - i] - '0';
        int twice = 2 * digit;
        sum += i % 2 ? twice / 10 + twice % 10 : digit;
    }
    return sum % 10 == 0;
}

/* Issuers: 34 and 37, 35, 30, 36 and 38, 4, 51 to 55 and 2221 to 2720, 6. */
static bool is_card(const struct digits *digits)
{
    if (digits->count < 13 || digits->count > 19 || !strchr("23456", digits->digit[0]))
        return false;
    int two = (digits->digit[0] - '0') * 10 + digits->digit[1] - '0';
    bool issued = two / 10 == 4 || two / 10 == 6 || (two >= 51 && two <= 55) ||
                  (two >= 22 && two <= 27) || (two >= 30 && two <= 38);
    return issued && passes_luhn(digits);
}

/* ddd-dd-dddd without numbers that are never issued. */
static bool is_ssn(const struct ascii *text, size_t from, const struct digits *digits)
{
    if (digits->count != 9 || digits->end - from != 11 || byte_at(text, from + 3) != '-' ||
        byte_at(text, from + 6) != '-')
        return false;
    return memcmp(digits->digit, "000", 3) != 0 && memcmp(digits->digit, "666", 3) != 0 &&
           digits->digit[0] != '9' && memcmp(digits->digit + 3, "00", 2) != 0 &&
           memcmp(digits->digit + 5, "0000", 4) != 0;
}

/*
 * With a country code, or in national groups: from 0 on, or three, three and three or four digits.
 * Other numbers are rarely phone numbers.
 */
static bool is_phone(const struct digits *digits)
{
    if (digits->is_international)
        return digits->count >= 8 && digits->count <= 15;
    bool is_grouped = strcmp(digits->groups, "333") == 0 || strcmp(digits->groups, "334") == 0 ||
                      (digits->digit[0] == '0' && strlen(digits->groups) >= 3);
    return is_grouped && digits->count >= 9 && digits->count <= 15;
}

/* a.b.c.d with a public address. */
static size_t public_ip_end(const struct ascii *text, size_t from)
{
    int64_t part[4];
    if (from >= 2 && text->at[from - 1] == '.' && ascii_is_digit(text->at[from - 2]))
        return 0; /* a version number, or its rest */
    for (size_t i = 0; i < 4; i++) {
        size_t length = run_length(text, from, ascii_is_digit, 3);
        if (!num_parse((struct text){ text->at + from, length }, 255, &part[i]))
            return 0;
        from += length;
        if (i < 3 && byte_at(text, from++) != '.')
            return 0;
    }
    bool is_private = part[0] == 0 || part[0] == 10 || part[0] == 127 || part[0] >= 224 ||
                      (part[0] == 192 && part[1] == 168) || (part[0] == 169 && part[1] == 254) ||
                      (part[0] == 172 && part[1] >= 16 && part[1] < 32) ||
                      (part[0] == 100 && part[1] >= 64 && part[1] < 128);
    bool goes_on = ascii_is_digit(byte_at(text, from)) ||
                   (byte_at(text, from) == '.' && ascii_is_digit(byte_at(text, from + 1)));
    return is_private || goes_on ? 0 : from;
}

static size_t number_end(const struct ascii *text, size_t from)
{
    struct digits digits;
    size_t ip = public_ip_end(text, from);

    if (ip > 0) {
        add_secret(text, RULE_PUBLIC_IP, from, ip);
        return ip;
    }
    if (from > 0 && text->at[from - 1] == '.')
        return 0; /* the rest of a dotted text */
    read_digits(text, from, &digits);
    enum rule_id rule = is_card(&digits)              ? RULE_CARD
                        : is_ssn(text, from, &digits) ? RULE_SSN
                        : is_phone(&digits)           ? RULE_PHONE
                                                      : RULES;
    if (rule == RULES || ascii_is_alnum(byte_at(text, digits.end)))
        return 0;
    add_secret(text, rule, from, digits.end);
    return digits.end;
}

/* ISO 13616: the number made from letters and digits has the remainder 1 modulo 97. */
static size_t iban_end(const struct ascii *text, size_t from)
{
    char letters[34];
    size_t count = 0;
    size_t end = from;

    for (size_t i = from; count < sizeof(letters); i++) {
        char c = byte_at(text, i);
        if (is_upper_or_digit(c)) {
            letters[count++] = c;
            end = i + 1;
        } else if (c != ' ' || !is_upper_or_digit(byte_at(text, i + 1)) || count < 4) {
            break;
        }
    }
    if (count < 15 || !ascii_is_upper(letters[0]) || !ascii_is_upper(letters[1]) ||
        !ascii_is_digit(letters[2]) || !ascii_is_digit(letters[3]))
        return 0;
    unsigned remainder = 0;
    for (size_t i = 0; i < count; i++) {
        char c = letters[(i + 4) % count];
        remainder = ascii_is_digit(c) ? remainder * 10 + (unsigned)(c - '0')
                                      : remainder * 100 + (unsigned)(c - 'A') + 10;
        remainder %= 97;
    }
    return remainder == 1 ? end : 0;
}

/* ---- addresses ---- */

static bool is_local_part(char c)
{
    return ascii_is_alnum(c) || (c != '\0' && strchr(".!#$%&'*+-/=?^_`{|}~", c));
}

/* An email address around the @ at `from`. */
static void find_email(const struct ascii *text, size_t from)
{
    size_t start = from;
    while (start > 0 && from - start < 64 && is_local_part(text->at[start - 1]))
        start--;
    size_t end = from + 1 + run_length(text, from + 1, is_host, EMAIL_RUNES_MAX);
    while (end > from && !ascii_is_alnum(text->at[end - 1]))
        end--;
    const char *host = text->at + from + 1;
    size_t size = end > from ? end - from - 1 : 0;
    const char *dot = size > 0 ? memrchr(host, '.', size) : NULL;
    if (start < from && dot && dot > host && host + size - dot > 2 && !ascii_is_digit(dot[1]))
        add_secret(text, RULE_EMAIL, start, end);
}

/* ---- all of these ---- */

/* The end of a secret that begins at the start of a word; 0 if not found. */
static size_t read_word(const struct ascii *text, size_t from)
{
    size_t end = key_end(text, from);
    if (end > 0) {
        add_secret(text, RULE_API_KEY, from, end);
        return end;
    }
    end = iban_end(text, from);
    if (end > 0) {
        add_secret(text, RULE_IBAN, from, end);
        return end;
    }
    end = token_end(text, from);
    return end == 0 && ascii_is_digit(byte_at(text, from)) ? number_end(text, from) : end;
}

static size_t read_one(const struct ascii *text, size_t from)
{
    char c = text->at[from];
    size_t end = 0;

    if (ascii_is_alnum(c) && (from == 0 || !is_base64url(text->at[from - 1])))
        return read_word(text, from);
    if (c == '+' && ascii_is_digit(byte_at(text, from + 1)))
        return number_end(text, from);
    size_t start;
    if (c == ':' && (end = connection_end(text, from, &start)) > 0)
        add_secret(text, RULE_CONNECTION, start, end);
    if (c == '@')
        find_email(text, from);
    if (c == '/' && (end = webhook_end(text, from)) > 0)
        add_secret(text, RULE_WEBHOOK, link_start(text, from), end);
    if (c == '-' && (end = private_key_end(text, from)) > 0)
        add_secret(text, RULE_PRIVATE_KEY, from, end);
    return end;
}

void find_secrets(struct moderation *moderation)
{
    const struct runes *plain = &moderation->plain;
    scoped(mem_free) char *bytes = mem_resize(NULL, plain->count + 1);
    struct ascii text = { moderation, bytes, plain->count };

    for (size_t i = 0; i < plain->count; i++)
        bytes[i] = (char)MIN(plain->at[i].code, 0x80U);
    bytes[plain->count] = '\0';
    for (size_t i = 0; i < moderation->tokens.count; i++) {
        const struct token *token = &moderation->tokens.at[i]; /* ids are not phone numbers */
        if (token->kind != TOKEN_LINK)
            memset(bytes + token->start, 0x80, token->end - token->start);
        for (size_t j = token->start; j < token->end;
             j++) /* users in links are not email addresses */
            bytes[j] = bytes[j] == '@' ? (char)0x80 : bytes[j];
    }
    for (size_t i = 0; i < text.count;) {
        size_t end = read_one(&text, i);
        i = end > i ? end : i + 1;
    }
}
