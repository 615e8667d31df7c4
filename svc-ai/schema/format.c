/* svc-ai/schema/format.c - check texts against `format` of a schema. */
#include "schema/format.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/cidr.h"
#include "base/codec/uuid.h"
#include "base/table.h"
#include "net/host.h"
#include "net/target.h"
#include "text/time/datetime.h"

enum { DATE_BYTES = 10, LOCAL_PART_MAX = 64, TIME_BYTES = 64 };

static bool is_date(struct text text)
{
    struct datetime datetime;
    return text.size == DATE_BYTES && datetime_parse(text, &datetime);
}

static bool is_datetime(struct text text)
{
    struct datetime datetime;
    return text.size > DATE_BYTES && (text.bytes[DATE_BYTES] | 0x20) == 't' &&
           datetime_parse(text, &datetime) && datetime.has_offset;
}

static bool is_time(struct text text)
{
    char whole[TIME_BYTES] = "2000-01-01T";
    size_t at = strlen(whole);
    struct datetime datetime;
    if (text.size >= sizeof(whole) - at)
        return false;
    memcpy(whole + at, text.bytes, text.size);
    return datetime_parse((struct text){ whole, at + text.size }, &datetime);
}

/* RFC 5321 section 4.1.2: Dot-string. */
static bool is_local_part(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        bool is_dot = c == '.' && i > 0 && i + 1 < text.size && text.bytes[i + 1] != '.';
        if (!is_dot && c < 0x80 && !ascii_is_alnum(c) &&
            (c == '.' || !strchr("!#$%&'*+-/=?^_`{|}~", c)))
            return false;
    }
    return text.size > 0 && text.size <= LOCAL_PART_MAX;
}

static bool is_email(struct text text)
{
    char domain[HOST_BYTES];
    const char *at = text.bytes ? memrchr(text.bytes, '@', text.size) : NULL;
    if (!at)
        return false;
    struct text local = { text.bytes, (size_t)(at - text.bytes) };
    struct text rest = text_skip(text, local.size + 1);
    return is_local_part(local) && rest.size > 0 && !ascii_is_space(rest.bytes[0]) &&
           !ascii_is_space(rest.bytes[rest.size - 1]) &&
           domain_parse(rest, DOMAIN_PLAIN, domain, NULL);
}

static bool is_uri(struct text text)
{
    scoped(target_free) struct target target = { 0 };
    size_t scheme = 0;
    if (text_begins_any_case(text, "http:") || text_begins_any_case(text, "https:"))
        return target_parse_url(text, &target, NULL);
    while (scheme < text.size &&
           (ascii_is_alnum(text.bytes[scheme]) || strchr("+-.", text.bytes[scheme])))
        scheme++;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.bytes[i] <= ' ' || strchr("<>\"\\^`{|}", text.bytes[i]))
            return false;
    return scheme > 0 && ascii_is_letter(text.bytes[0]) && scheme + 1 < text.size &&
           text.bytes[scheme] == ':';
}

static bool is_uuid(struct text text)
{
    struct uuid uuid;
    return uuid_parse(text, &uuid);
}

static bool is_ipv4(struct text text)
{
    struct in6_addr address;
    return !memchr(text.bytes ? text.bytes : "", ':', text.size) && address_parse(text, &address);
}

static bool is_ipv6(struct text text)
{
    struct in6_addr address;
    return text.size > 0 && memchr(text.bytes, ':', text.size) && address_parse(text, &address);
}

static const struct format {
    const char *name;
    bool (*fits)(struct text text);
} formats[] = {
    { "date", is_date }, { "date-time", is_datetime }, { "time", is_time }, { "email", is_email },
    { "uri", is_uri },   { "uuid", is_uuid },          { "ipv4", is_ipv4 }, { "ipv6", is_ipv6 },
};

bool format_is_known(const char *format)
{
    return TABLE_FIND(formats, format) != NULL;
}

bool format_fits(const char *format, struct text text)
{
    const struct format *row = TABLE_FIND(formats, format);
    return row && row->fits(text);
}
