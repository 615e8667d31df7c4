/* svc-security/openapi-validate/check/formats.c - the supported formats of strings and numbers. */
#include <arpa/inet.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "evaluate.h"
#include "text/time/datetime.h"
#include "values.h"

static bool is_digits(struct text text, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++)
        if (i >= text.size || text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    return true;
}

static int64_t number_at(struct text text, size_t from, size_t count)
{
    int64_t number = 0;
    for (size_t i = from; i < from + count; i++)
        number = 10 * number + (text.bytes[i] - '0');
    return number;
}

/* RFC 3339 section 5.6: full-date */
static bool is_date(struct text text)
{
    if (text.size != 10 || !is_digits(text, 0, 4) || !is_digits(text, 5, 2) ||
        !is_digits(text, 8, 2) || text.bytes[4] != '-' || text.bytes[7] != '-')
        return false;
    int64_t month = number_at(text, 5, 2);
    int64_t day = number_at(text, 8, 2);
    return month >= 1 && month <= 12 && day >= 1 &&
           day <= date_month_days((int)number_at(text, 0, 4), (int)month);
}

static bool is_offset(struct text text)
{
    if (text.size == 1)
        return text.bytes[0] == 'Z' || text.bytes[0] == 'z';
    int32_t offset_s;
    return zone_offset_parse(text, &offset_s);
}

/* full-time; second 60 is a leap second */
static bool is_time(struct text text)
{
    if (text.size < 9 || !is_digits(text, 0, 2) || !is_digits(text, 3, 2) ||
        !is_digits(text, 6, 2) || text.bytes[2] != ':' || text.bytes[5] != ':')
        return false;
    size_t at = 8;
    if (text.bytes[at] == '.') {
        size_t fraction = strspn(text.bytes + at + 1, "0123456789");
        at += 1 + fraction;
        if (fraction == 0 || at >= text.size)
            return false;
    }
    return number_at(text, 0, 2) <= 23 && number_at(text, 3, 2) <= 59 &&
           number_at(text, 6, 2) <= 60 &&
           is_offset((struct text){ text.bytes + at, text.size - at });
}

static bool is_date_time(struct text text)
{
    if (text.size < 20 || (text.bytes[10] != 'T' && text.bytes[10] != 't'))
        return false;
    return is_date((struct text){ text.bytes, 10 }) &&
           is_time((struct text){ text.bytes + 11, text.size - 11 });
}

static bool is_uuid(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text.bytes[i] != '-' : hex_digit(text.bytes[i]) < 0)
            return false;
    }
    return text.size == 36;
}

static bool is_address(int family, struct text text)
{
    struct in6_addr address;
    bool has_nul = memchr(text.bytes, '\0', text.size) != NULL;
    return !has_nul && inet_pton(family, text.bytes, &address) == 1;
}

static bool is_ipv4(struct text text)
{
    return is_address(AF_INET, text);
}

static bool is_ipv6(struct text text)
{
    return is_address(AF_INET6, text);
}

/* RFC 1123 section 2.1 */
static bool is_hostname(struct text text)
{
    size_t label = 0;
    for (size_t i = 0; i <= text.size; i++) {
        char c = i < text.size ? text.bytes[i] : '.';
        bool is_end = c == '.';
        bool is_bad_dash =
            c == '-' && (label == 0 || i + 1 == text.size || text.bytes[i + 1] == '.');
        if (is_bad_dash || (is_end && (label == 0 || label > 63)))
            return false;
        if (!is_end && c != '-' && !is_component_name((struct text){ text.bytes + i, 1 }))
            return false;
        if (c == '_')
            return false;
        label = is_end ? 0 : label + 1;
    }
    return text.size <= 253;
}

static bool is_base64(struct text text)
{
    scoped(buf_free) struct buf bytes = BUF(text.size);
    return base64_decode(&bytes, text);
}

/* clang-format off */
static const struct {
    const char *name;
    bool (*fits)(struct text text);
} formats[] = {
    { "date-time", is_date_time },
    { "date",      is_date },
    { "time",      is_time },
    { "email",     is_email },
    { "uuid",      is_uuid },
    { "ipv4",      is_ipv4 },
    { "ipv6",      is_ipv6 },
    { "uri",       is_uri },
    { "hostname",  is_hostname },
    { "byte",      is_base64 },
};
/* clang-format on */

bool fits_text_format(struct text format, struct text text)
{
    for (size_t i = 0; i < countof(formats); i++)
        if (text_is(format, formats[i].name))
            return formats[i].fits(text);
    return true;
}

/* clang-format off */
static const struct {
    const char *name;
    const char *lowest;
    const char *highest;
} integers[] = {
    { "int32", "-2147483648",          "2147483647" },
    { "int64", "-9223372036854775808", "9223372036854775807" },
};
/* clang-format on */

const char *integer_limit(struct text format, bool is_upper)
{
    for (size_t i = 0; i < countof(integers); i++)
        if (text_is(format, integers[i].name))
            return is_upper ? integers[i].highest : integers[i].lowest;
    return NULL;
}

static int compare_with(const struct decimal *number, const char *limit)
{
    struct decimal other = { 0 };
    (void)!decimal_read(text_of(limit), &other);
    return decimal_compare(number, &other);
}

bool fits_number_format(struct text format, const struct decimal *number)
{
    const char *highest = integer_limit(format, true);
    const char *lowest = integer_limit(format, false);
    return !highest || (decimal_is_integer(number) && compare_with(number, lowest) >= 0 &&
                        compare_with(number, highest) <= 0);
}
