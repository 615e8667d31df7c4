/* svc-utils/json-to-code/model/format.c - RFC 3339 times, addresses, URIs. */
#include "format.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/num.h"
#include "base/text.h"

enum {
    LABEL_MAX = 63, /* RFC 1035 section 2.3.4 */
    DOMAIN_MAX = 253,
    LOCAL_PART_MAX = 64, /* RFC 5321 section 4.5.3.1.1 */
    URI_MAX = 2000,
};

/* ---- reading step by step: each function strips what it recognizes from the front ---- */

static bool take_digits(struct text *text, size_t count, int64_t min, int64_t max, int64_t *value)
{
    if (text->size < count || !num_parse((struct text){ text->bytes, count }, max, value) ||
        *value < min)
        return false;
    *text = text_skip(*text, count);
    return true;
}

static bool is_one_of(char c, const char *characters)
{
    return ascii_is_alnum(c) || (c != '\0' && strchr(characters, c));
}

/* ---- RFC 3339 section 5.6 ---- */

static int64_t days_of(int64_t year, int64_t month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

static bool take_date(struct text *text)
{
    int64_t year, month, day;
    return take_digits(text, 4, 1, 9999, &year) && text_take_byte(text, "-") &&
           take_digits(text, 2, 1, 12, &month) && text_take_byte(text, "-") &&
           take_digits(text, 2, 1, days_of(year, month), &day);
}

static bool take_fraction(struct text *text)
{
    if (!text_take_byte(text, "."))
        return true;
    if (!text_take_byte(text, "0123456789"))
        return false;
    while (text_take_byte(text, "0123456789"))
        ;
    return true;
}

static bool take_offset(struct text *text)
{
    int64_t number;
    if (text_take_byte(text, "Zz"))
        return true;
    return text_take_byte(text, "+-") && take_digits(text, 2, 0, 23, &number) &&
           text_take_byte(text, ":") && take_digits(text, 2, 0, 59, &number);
}

/* Leap seconds do not count: most parsers reject them. */
static bool take_time(struct text *text)
{
    int64_t number;
    return take_digits(text, 2, 0, 23, &number) && text_take_byte(text, ":") &&
           take_digits(text, 2, 0, 59, &number) && text_take_byte(text, ":") &&
           take_digits(text, 2, 0, 59, &number) && take_fraction(text) && take_offset(text);
}

static bool is_date_time(struct text text)
{
    return take_date(&text) && text_take_byte(&text, "Tt") && take_time(&text) && text.size == 0;
}

/* RFC 3339 allows times that java.time (offsets), Go (lowercase) or Python (nanoseconds) reject. */
static bool is_plain_time(struct text text)
{
    enum { MICROSECONDS = 6, HOURS_MAX = 18 };
    int64_t hours = 0;
    if (!is_date_time(text) || memchr(text.bytes, 't', text.size) ||
        memchr(text.bytes, 'z', text.size))
        return false;
    const char *point = memchr(text.bytes, '.', text.size);
    if (text.bytes[text.size - 1] != 'Z') {
        enum { OFFSET_BYTES = 6 };
        struct text left = { text.bytes + text.size - OFFSET_BYTES + 1, 2 };
        (void)num_parse(left, 99, &hours);
        text.size -= OFFSET_BYTES - 1;
    }
    size_t fraction = point ? (size_t)(text.bytes + text.size - 1 - point) - 1 : 0;
    return hours < HOURS_MAX && fraction <= MICROSECONDS;
}

static bool is_date(struct text text)
{
    return take_date(&text) && text.size == 0;
}

static bool is_time(struct text text)
{
    return take_time(&text) && text.size == 0;
}

/* ---- addresses ---- */

static bool is_label(struct text label)
{
    if (label.size == 0 || label.size > LABEL_MAX || label.bytes[0] == '-' ||
        label.bytes[label.size - 1] == '-')
        return false;
    for (size_t i = 0; i < label.size; i++)
        if (!is_one_of(label.bytes[i], "-"))
            return false;
    return true;
}

/* At least two labels, the last one of letters. */
static bool is_domain(struct text name)
{
    size_t labels = 0;
    struct text label = { name.bytes, 0 };
    if (name.size > DOMAIN_MAX)
        return false;
    for (size_t i = 0; i <= name.size; i++) {
        if (i < name.size && name.bytes[i] != '.')
            continue;
        label.size = (size_t)(name.bytes + i - label.bytes);
        if (!is_label(label))
            return false;
        labels++;
        if (i < name.size)
            label.bytes = name.bytes + i + 1;
    }
    return labels >= 2 && ascii_is_letter(label.bytes[0]);
}

static bool is_email(struct text text)
{
    const char *at = memchr(text.bytes, '@', text.size);
    size_t local = at ? (size_t)(at - text.bytes) : 0;
    if (local == 0 || local > LOCAL_PART_MAX || text.bytes[0] == '.' || at[-1] == '.')
        return false;
    for (size_t i = 0; i < local; i++)
        if (!is_one_of(text.bytes[i], ".!#$%&'*+/=?^_`{|}~-") ||
            (text.bytes[i] == '.' && text.bytes[i + 1] == '.'))
            return false;
    return is_domain((struct text){ at + 1, text.size - local - 1 });
}

/* libc parses exactly RFC 4291 and four plain decimal numbers for IPv4. */
static bool is_address(int family, struct text text)
{
    char copy[INET6_ADDRSTRLEN];
    struct in6_addr address;
    if (text.size >= sizeof(copy) || memchr(text.bytes, '\0', text.size))
        return false;
    memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    return inet_pton(family, copy, &address) == 1;
}

static bool is_ipv4(struct text text)
{
    return is_address(AF_INET, text);
}

static bool is_ipv6(struct text text)
{
    return is_address(AF_INET6, text);
}

/* ---- RFC 3986, without bracketed hosts ---- */

static size_t span_until(struct text text, const char *stops)
{
    size_t size = 0;
    while (size < text.size && !(text.bytes[size] != '\0' && strchr(stops, text.bytes[size])))
        size++;
    return size;
}

static bool are_uri_characters(struct text text, const char *extra)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '%') {
            if (text.size - i < 3 || hex_digit(text.bytes[i + 1]) < 0 ||
                hex_digit(text.bytes[i + 2]) < 0)
                return false;
            i += 2;
        } else if (!is_one_of(text.bytes[i], "-._~!$&'()*+,;=:@") &&
                   !(text.bytes[i] != '\0' && strchr(extra, text.bytes[i]))) {
            return false;
        }
    }
    return true;
}

/* [userinfo "@"] host [":" port] */
static bool is_authority(struct text text)
{
    size_t user = span_until(text, "@");
    struct text host =
        user < text.size ? (struct text){ text.bytes + user + 1, text.size - user - 1 } : text;
    struct text port = host;
    host.size = span_until(host, ":");
    port = text_skip(port, host.size);
    while (text_take_byte(&port, ":0123456789"))
        ;
    return host.size > 0 && port.size == 0 && !memchr(host.bytes, '@', host.size) &&
           are_uri_characters(text, "");
}

static bool is_scheme(struct text scheme)
{
    if (scheme.size < 2 || !ascii_is_letter(scheme.bytes[0]))
        return false;
    for (size_t i = 0; i < scheme.size; i++)
        if (!is_one_of(scheme.bytes[i], "+-."))
            return false;
    return true;
}

static bool is_uri(struct text text)
{
    struct text scheme = { text.bytes, span_until(text, ":") };
    if (text.size > URI_MAX || scheme.size + 1 >= text.size || !is_scheme(scheme))
        return false;
    text = text_skip(text, scheme.size + 1);
    if (text.size >= 2 && memcmp(text.bytes, "//", 2) == 0) {
        text = text_skip(text, 2);
        struct text authority = { text.bytes, span_until(text, "/?#") };
        if (!is_authority(authority))
            return false;
        text = text_skip(text, authority.size);
    }
    size_t before = span_until(text, "#");
    struct text fragment = text_skip(text, before);
    text_take_byte(&fragment, "#");
    text.size = before;
    return are_uri_characters(text, "/?") && are_uri_characters(fragment, "/?");
}

/* ---- versions of packages ---- */

/* 1.2, 4.17.21-beta.1 */
static bool is_plain_version(struct text text)
{
    size_t digits = span_until(text, ".");
    int64_t major;
    if (digits == text.size || !num_parse((struct text){ text.bytes, digits }, INT64_MAX, &major))
        return false;
    for (size_t i = digits; i < text.size; i++)
        if (!is_one_of(text.bytes[i], ".-+"))
            return false;
    return true;
}

static bool is_version_range(struct text text)
{
    if (text_is(text, "*") || text_is(text, "latest") || text_is(text, "any"))
        return true;
    return is_plain_version(text) ||
           (text.size > 1 && text.bytes[0] != '\0' && strchr("^~<>=", text.bytes[0]) &&
            text.bytes[text.size - 1] != '\0' && is_one_of(text.bytes[text.size - 1], "*") &&
            span_until(text, "0123456789") < text.size);
}

/* ---- all formats ---- */

/* clang-format off */
static const struct format {
    const char *name; /* as Draft-07 spells it, section 7.3 of the validation part */
    bool (*fits)(struct text text);
} formats[] = {
    { "date-time", is_date_time },
    { "date",      is_date },
    { "time",      is_time },
    { "email",     is_email },
    { "ipv4",      is_ipv4 },
    { "ipv6",      is_ipv6 },
    { "uri",       is_uri },
    { NULL,        is_plain_time }, /* FORMAT_PLAIN_TIME; date-time comes first, so it is never named */
    { NULL,        is_version_range },
    { NULL,        is_plain_version },
};
/* clang-format on */

unsigned format_misfits(struct text text)
{
    unsigned misfits = 0;
    for (size_t i = 0; i < countof(formats); i++)
        if (!formats[i].fits(text))
            misfits |= 1U << i;
    return misfits;
}

const char *format_name(unsigned misfits)
{
    for (size_t i = 0; i < countof(formats); i++)
        if (!(misfits & 1U << i))
            return formats[i].name;
    return NULL;
}
