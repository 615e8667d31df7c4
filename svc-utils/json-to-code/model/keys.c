/* svc-utils/json-to-code/model/keys.c - forms of names, as patterns and short tests. */
#include "keys.h"

#include <stdlib.h>
#include <string.h>
#include <unictype.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"

enum {
    UUID_CHARS = 36,
    HEX_CHARS_MIN = 8,
    TOKEN_CHARS_MIN = 10,
    TOKEN_DIGITS_MIN = 2,
    TOKEN_CHANGES_MIN = 3, /* between letters and digits */
    TICKER_CHARS_MAX = 5,
    PAIR_CHARS_MAX = 12, /* of two tickers without a mark */
    LONG_COUNT_DIGITS = 3,
    CODE_BYTES = 20,
    CAPITAL_TOKEN_CHARS_MIN = 8,
    KEY_BYTES_MAX = 200,
};

/* ISO codes, each list in order. */
static const char *const countries[] = {
#include "country.def"
};
static const char *const currencies[] = {
#include "currency.def"
};
static const char *const languages[] = {
#include "language-code.def"
};
static const char *const programming[] = {
#include "programming-language.def"
};

static int by_text(const void *code, const void *item)
{
    return strcmp(code, *(const char *const *)item);
}

static bool is_code(struct text key, const char *const *list, size_t count)
{
    char code[CODE_BYTES];
    if (key.size >= sizeof(code) || memchr(key.bytes, '\0', key.size))
        return false;
    memcpy(code, key.bytes, key.size);
    code[key.size] = '\0';
    return bsearch(code, list, count, sizeof(*list), by_text) != NULL;
}

/*
 * Does a text have the form of a pattern? d is a digit, x a hexadecimal one, a and A a letter of
 * that case, other characters themselves.
 */
static bool has_form(struct text text, const char *form)
{
    if (text.size != strlen(form))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        int digit = hex_digit(c);
        bool fits = form[i] == 'x'   ? digit >= 0
                    : form[i] == 'd' ? digit >= 0 && digit < 10
                    : form[i] == 'a' ? c >= 'a' && c <= 'z'
                    : form[i] == 'A' ? c >= 'A' && c <= 'Z'
                                     : c == form[i];
        if (!fits)
            return false;
    }
    return true;
}

static size_t count_of(struct text text, const char *characters)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.bytes[i] != '\0' && strchr(characters, text.bytes[i]) != NULL;
    return count;
}

static size_t digits_at_end(struct text text)
{
    size_t count = 0;
    while (count < text.size && strchr("0123456789", text.bytes[text.size - 1 - count]) &&
           text.bytes[text.size - 1 - count])
        count++;
    return count;
}

static bool is_only(struct text text, const char *more)
{
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_alnum(text.bytes[i]) &&
            (text.bytes[i] == '\0' || !strchr(more, text.bytes[i])))
            return false;
    return text.size > 0;
}

/* ---- classes ---- */

static unsigned digit_classes(struct text key)
{
    text_take_byte(&key, "+"); /* of a phone number */
    unsigned classes = key.size > 0 ? KEY_DIGITS | KEY_HEX : 0;
    for (size_t i = 0; i < key.size && classes; i++) {
        int digit = hex_digit(key.bytes[i]);
        classes &= digit < 0 ? 0 : digit < 10 ? ~0U : KEY_HEX;
    }
    return key.size < HEX_CHARS_MIN ? classes & ~(unsigned)KEY_HEX : classes;
}

static bool is_date(struct text key)
{
    static const char *const days[] = { "dddd-dd-dd", "dddd/dd/dd", "dddd-dd", "dddd-Qd", "dd:dd" };
    for (size_t i = 0; i < countof(days); i++)
        if (has_form(key, days[i]))
            return true;
    return key.size >= 16 && has_form((struct text){ key.bytes, 10 }, days[0]) &&
           (key.bytes[10] == 'T' || key.bytes[10] == ' ') &&
           has_form((struct text){ key.bytes + 11, 5 }, "dd:dd");
}

/* 1.2, v1.2.3-beta.1 */
static bool is_version(struct text key)
{
    struct text rest = key;
    size_t dots = 0;
    text_take_byte(&rest, "v");
    if (rest.size == 0 || !strchr("0123456789", rest.bytes[0]) || rest.bytes[0] == '\0')
        return false;
    while (rest.size > 0 && rest.bytes[0] && strchr("0123456789.", rest.bytes[0])) {
        dots += rest.bytes[0] == '.';
        rest = text_skip(rest, 1);
    }
    return dots > 0 && (rest.size == 0 || (strchr("-+abr", rest.bytes[0]) && is_only(rest, "-+.")));
}

static bool is_host(struct text key)
{
    size_t dots = count_of(key, ".");
    if (dots == 0 || !is_only(key, ".-") || key.bytes[0] == '.')
        return false;
    struct text last = key;
    while (count_of(last, ".") > 0)
        last = text_skip(last, 1);
    bool is_ipv4 =
        dots == 3 && digits_at_end(key) > 0 && strspn(key.bytes, "0123456789.") >= key.size;
    static const char *const ends[] = { "com", "org", "net", "io", "dev", "example", "test",
                                        "edu", "gov", "app", "de", "uk",  "eu",      "co" };
    for (size_t i = 0; i < countof(ends); i++)
        if (text_is(last, ends[i]))
            return true;
    return is_ipv4;
}

static bool is_address(struct text key)
{
    size_t ats = count_of(key, "@");
    if ((key.size > 1 && key.bytes[0] == '/') || has_form(key, "xx:xx:xx:xx:xx:xx"))
        return true;
    if (key.size > 8 &&
        (memcmp(key.bytes, "http://", 7) == 0 || memcmp(key.bytes, "https://", 8) == 0))
        return true;
    if (ats == 1 && key.bytes[0] != '@') {
        const char *at = memchr(key.bytes, '@', key.size);
        size_t before = (size_t)(at - key.bytes);
        return count_of(text_skip(key, before), ".") > 0;
    }
    return is_host(key);
}

static bool is_capital_or_digit(struct text key)
{
    for (size_t i = 0; i < key.size; i++)
        if (!(key.bytes[i] >= 'A' && key.bytes[i] <= 'Z') &&
            !(key.bytes[i] >= '0' && key.bytes[i] <= '9'))
            return false;
    return true;
}

/* Letters and digits in turns, as ids have them and words do not. */
static bool is_token(struct text key)
{
    size_t least = is_capital_or_digit(key) ? CAPITAL_TOKEN_CHARS_MIN : TOKEN_CHARS_MIN;
    size_t digits = count_of(key, "0123456789");
    size_t changes = 0;
    if (key.size < least || digits < TOKEN_DIGITS_MIN || !is_only(key, "_-"))
        return false;
    for (size_t i = 1; i < key.size; i++) {
        bool is_digit = key.bytes[i] >= '0' && key.bytes[i] <= '9';
        bool was_digit = key.bytes[i - 1] >= '0' && key.bytes[i - 1] <= '9';
        changes += is_digit != was_digit;
    }
    return changes >= TOKEN_CHANGES_MIN;
}

static bool is_ticker(struct text key)
{
    size_t letters = 0;
    while (letters < key.size && key.bytes[letters] >= 'A' && key.bytes[letters] <= 'Z')
        letters++;
    struct text rest = text_skip(key, letters);
    if (letters == 0 || letters > PAIR_CHARS_MAX)
        return false;
    if (text_take_byte(&rest, "-./"))
        return rest.size > 0 && rest.size <= TICKER_CHARS_MAX && is_ticker(rest);
    return rest.size == 0;
}

/* user_1, node-17 */
static bool is_counted(struct text key)
{
    size_t digits = digits_at_end(key);
    if (digits == 0 || key.size < digits + 2)
        return false;
    char mark = key.bytes[key.size - digits - 1];
    return mark == '_' || mark == '-' || mark == ':' || mark == '#';
}

/* No letters, digits or marks of ASCII, but some character: emoji, arrows. */
static bool is_symbol(struct text key)
{
    bool is_wide = false;
    size_t bytes;
    for (; key.size > 0; key.bytes += bytes, key.size -= bytes) {
        uint32_t code_point = utf8_next(key, &bytes);
        if (code_point < 0x80 || uc_is_property_alphabetic(code_point))
            return false;
        is_wide = true;
    }
    return is_wide;
}

/* A region of a cloud, us-east-1, or a time zone, Europe/Berlin. */
static bool is_place(struct text key)
{
    static const char *const areas[] = { "Africa/",   "America/",  "Antarctica/", "Asia/",
                                         "Atlantic/", "Europe/",   "Indian/",     "Pacific/",
                                         "Arctic/",   "Australia/" };
    for (size_t i = 0; i < countof(areas); i++)
        if (text_begins(key, areas[i]))
            return true;
    return digits_at_end(key) == 1 && count_of(key, "-") == 2 && key.size >= 9 && key.size <= 16 &&
           has_form((struct text){ key.bytes, 3 }, "aa-") && key.bytes[key.size - 2] == '-' &&
           count_of(key, "abcdefghijklmnopqrstuvwxyz") == key.size - 3;
}

/* A code of a list of capital codes, in small letters. */
static bool is_small_code(struct text key, const char *const *list, size_t count)
{
    char code[CODE_BYTES];
    if (key.size == 0 || key.size >= sizeof(code))
        return false;
    for (size_t i = 0; i < key.size; i++) {
        if (key.bytes[i] < 'a' || key.bytes[i] > 'z')
            return false;
        code[i] = (char)(key.bytes[i] - 'a' + 'A');
    }
    return is_code((struct text){ code, key.size }, list, count);
}

static bool is_coin(struct text key)
{
    return is_small_code(key, currencies, countof(currencies));
}

static bool is_small_country(struct text key)
{
    return key.size == 2 && is_small_code(key, countries, countof(countries));
}

/* P31, Q42 */
static bool is_numbered(struct text key)
{
    size_t digits = digits_at_end(key);
    size_t letters = key.size - digits;
    return digits > 0 && letters >= 1 && letters <= 2 && is_capital_or_digit(key) &&
           count_of(key, "0123456789") == digits;
}

static bool is_long_counted(struct text key)
{
    return is_counted(key) && digits_at_end(key) >= LONG_COUNT_DIGITS;
}

static bool is_package(struct text key)
{
    return is_only(key, "@/-_.") && count_of(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") <= 2;
}

/* clang-format off */
static const struct {
    unsigned class;
    bool (*fits)(struct text key);
} tests[] = {
    { KEY_DATE, is_date },
    { KEY_VERSION, is_version },
    { KEY_ADDRESS, is_address },
    { KEY_TOKEN, is_token },
    { KEY_TICKER, is_ticker },
    { KEY_COUNTED, is_counted },
    { KEY_PACKAGE, is_package },
    { KEY_SYMBOL, is_symbol },
    { KEY_PLACE, is_place },
    { KEY_COIN, is_coin },
    { KEY_NUMBERED, is_numbered },
    { KEY_SMALL_COUNTRY, is_small_country },
    { KEY_LONG_COUNTED, is_long_counted },
};
/* clang-format on */

unsigned key_classes(struct text key)
{
    unsigned classes = digit_classes(key);
    if (key.size == 0 || key.size > KEY_BYTES_MAX)
        return classes;
    if (key.size == UUID_CHARS && has_form(key, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"))
        classes |= KEY_UUID;
    for (size_t i = 0; i < countof(tests); i++)
        if (tests[i].fits(key))
            classes |= tests[i].class;
    if (has_form(key, "aa-AA") || has_form(key, "aa_AA"))
        classes |= KEY_LOCALE;
    if (is_code(key, countries, countof(countries)))
        classes |= KEY_COUNTRY;
    if (is_code(key, currencies, countof(currencies)))
        classes |= KEY_CURRENCY;
    if (is_code(key, languages, countof(languages)))
        classes |= KEY_LANGUAGE;
    if (is_code(key, programming, countof(programming)))
        classes |= KEY_PROGRAMMING;
    if (count_of(key, " /") > 0)
        classes |= KEY_PHRASE;
    return classes;
}
