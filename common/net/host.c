/* common/net/host.c - hosts and domains in one canonical form. */
#include "net/host.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/text.h"
#include "text/idn.h"

enum {
    NAME_MAX_OCTETS = 253,
    LABEL_MAX_OCTETS = 63,
    RAW_MAX_BYTES = 1024, /* no common spelling of a 253-octet name is longer */
};

static const char must_be_a_name[] = "must name a host, such as example.com";

/* ---- IPv4 in every notation: WHATWG URL, "IPv4 parser" ---- */

/*
 * The value of digits in base 10, 8 (0…) or 16 (0x…, also without digits); false if it is not a
 * number or exceeds 32 bits.
 */
static bool read_number(struct text part, uint64_t *value)
{
    unsigned base = 10;
    uint64_t sum = 0;
    if (part.size == 0)
        return false;
    if (part.size >= 2 && part.bytes[0] == '0' && (part.bytes[1] | 0x20) == 'x') {
        base = 16;
        part = text_skip(part, 2);
    } else if (part.size >= 2 && part.bytes[0] == '0') {
        base = 8;
    }
    for (size_t i = 0; i < part.size; i++) {
        int digit = hex_digit(part.bytes[i]);
        if (digit < 0 || (unsigned)digit >= base)
            return false;
        sum = sum * base + (unsigned)digit;
        if (sum > UINT32_MAX)
            return false;
    }
    *value = sum;
    return true;
}

static struct text last_label(const char *name)
{
    const char *dot = strrchr(name, '.');
    return text_of(dot ? dot + 1 : name);
}

/* WHATWG URL, "ends in a number": then it must be an IPv4 address. */
static bool ends_in_number(const char *name)
{
    struct text label = last_label(name);
    if (text_is_digits(label))
        return true;
    if (label.size < 2 || label.bytes[0] != '0' || (label.bytes[1] | 0x20) != 'x')
        return false;
    for (size_t i = 2; i < label.size; i++)
        if (hex_digit(label.bytes[i]) < 0)
            return false;
    return true;
}

enum { IPV4_PARTS = 4 };

static bool read_ipv4(const char *name, struct in6_addr *address)
{
    uint64_t part[IPV4_PARTS];
    size_t count = 0;
    for (;;) {
        size_t size = strcspn(name, ".");
        if (count == IPV4_PARTS || !read_number((struct text){ name, size }, &part[count]))
            return false;
        count++;
        if (!name[size])
            break;
        name += size + 1;
    }
    uint64_t sum = part[count - 1]; /* fills the remaining bytes */
    if (sum >> (8 * (IPV4_PARTS + 1 - count)))
        return false;
    for (size_t i = 0; i + 1 < count; i++) {
        if (part[i] > UINT8_MAX)
            return false;
        sum += part[i] << (8 * (IPV4_PARTS - 1 - i));
    }
    *address = address_of_ipv4((struct in_addr){ htonl((uint32_t)sum) });
    return true;
}

/* ---- names ---- */

static bool is_name_byte(char c, bool has_underscore)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           (c == '_' && has_underscore);
}

static const char *check_label(const char *label, size_t size, bool has_underscore)
{
    if (size == 0)
        return "must not have an empty label";
    if (size > LABEL_MAX_OCTETS)
        return "must have labels of at most 63 octets";
    if (label[0] == '-' || label[size - 1] == '-')
        return "must not have a label that begins or ends with a hyphen";
    for (size_t i = 0; i < size; i++)
        if (!is_name_byte(label[i], has_underscore))
            return "must have only letters, digits, hyphens and dots";
    return NULL;
}

static const char *check_labels(const char *name, bool has_underscore)
{
    if (strlen(name) > NAME_MAX_OCTETS)
        return "must be at most 253 octets long";
    for (;;) {
        size_t size = strcspn(name, ".");
        const char *problem = check_label(name, size, has_underscore);
        if (problem || !name[size])
            return problem;
        name += size + 1;
    }
}

/* A-labels in lowercase without a final dot. */
static const char *read_name(struct text raw, bool has_underscore, char name[static HOST_BYTES])
{
    scoped(buf_free) struct buf ascii = BUF(RAW_MAX_BYTES);
    if (raw.size == 0)
        return must_be_a_name;
    if (raw.size > RAW_MAX_BYTES)
        return "must be at most 253 octets long";
    if (!idn_to_ascii(raw, &ascii))
        return "must have labels that are valid internationalized names";
    if (ascii.size > 0 && ascii.bytes[ascii.size - 1] == '.')
        ascii.bytes[--ascii.size] = '\0';
    if (ascii.size == 0)
        return must_be_a_name;
    const char *problem = check_labels(buf_str(&ascii), has_underscore);
    if (!problem)
        snprintf(name, HOST_BYTES, "%s", buf_str(&ascii));
    return problem;
}

void host_of_address(const struct in6_addr *address, struct host *host)
{
    *host = (struct host){ .is_address = true, .address = *address };
    address_format(host->name, address);
}

static const char *read_ipv6(struct text digits, struct host *host)
{
    struct in6_addr address;
    if (!memchr(digits.bytes, ':', digits.size) || !address_parse(digits, &address))
        return "must have a valid IPv6 address, without zone, in its brackets";
    host_of_address(&address, host);
    return NULL;
}

const char *host_read(struct text raw, struct host *host)
{
    struct host read = { 0 };
    struct in6_addr ipv4;
    if (raw.size >= 2 && raw.bytes[0] == '[' && raw.bytes[raw.size - 1] == ']')
        return read_ipv6((struct text){ raw.bytes + 1, raw.size - 2 }, host);
    const char *problem = read_name(raw, true, read.name);
    if (problem)
        return problem;
    if (ends_in_number(read.name)) {
        if (!read_ipv4(read.name, &ipv4))
            return "must not end in a number unless it is an IPv4 address";
        host_of_address(&ipv4, host);
        return NULL;
    }
    if (!strchr(read.name, '.'))
        return "must have at least two labels, such as example.com";
    *host = read;
    return NULL;
}

/* ---- fields ---- */

static bool has_byte(struct text text, char byte)
{
    return text.size > 0 && memchr(text.bytes, byte, text.size);
}

static size_t count_bytes(struct text text, char byte)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.bytes[i] == byte;
    return count;
}

/* Detects input that is a URL. */
static const char *find_url_part(struct text text)
{
    if (has_byte(text, '/') || has_byte(text, '\\'))
        return "must be only a host, without scheme and path";
    if (has_byte(text, '@'))
        return "must be only a host, without user";
    if (count_bytes(text, ':') == 1)
        return "must not have a port; send it in port";
    return NULL;
}

bool host_parse(struct text text, struct host *host, struct err *err)
{
    struct in6_addr address;
    text = text_trim(text);
    const char *problem = find_url_part(text);
    if (!problem && has_byte(text, ':') && !has_byte(text, '[')) {
        if (address_parse(text, &address)) {
            host_of_address(&address, host);
            return true;
        }
        problem = "must be a name, an IPv4 or an IPv6 address";
    }
    if (!problem && text.size > 0 && text.bytes[0] == '[' && text.bytes[text.size - 1] != ']')
        problem = "must not have a port; send it in port";
    if (!problem)
        problem = host_read(text, host);
    return !problem || err_set(err, ERR_INVALID_HOST, "host %s", problem);
}

static const char *find_no_domain(struct text text)
{
    struct in6_addr address;
    if (has_byte(text, '[') || address_parse(text, &address))
        return "must be a name, not an IP address; reverse lookup is not supported";
    if (has_byte(text, '/') || has_byte(text, '@') || has_byte(text, ':') || has_byte(text, '\\'))
        return "must be only a name, without scheme, user, port and path";
    if (has_byte(text, '*'))
        return "must be one name, without wildcard";
    if (has_byte(text, ' '))
        return "must not have blanks inside";
    return NULL;
}

bool domain_parse(struct text text, unsigned rules, char name[static HOST_BYTES], struct err *err)
{
    char read[HOST_BYTES];
    text = text_trim(text);
    if ((rules & DOMAIN_TOP) && text_is(text, ".")) {
        snprintf(name, HOST_BYTES, ".");
        return true;
    }
    const char *problem = find_no_domain(text);
    if (!problem)
        problem = read_name(text, rules & DOMAIN_UNDERSCORE, read);
    if (!problem && ends_in_number(read))
        problem = "must be a name, not an IP address; reverse lookup is not supported";
    if (!problem && !(rules & DOMAIN_TOP) && !strchr(read, '.'))
        problem = "must have at least two labels, such as example.com";
    if (problem)
        return err_set(err, ERR_INVALID_DOMAIN, "domain %s", problem);
    snprintf(name, HOST_BYTES, "%s", read);
    return true;
}

void host_authority(const struct host *host, uint16_t port, char out[static AUTHORITY_BYTES])
{
    bool has_brackets = host->is_address && strchr(host->name, ':');
    int size = snprintf(out, AUTHORITY_BYTES, has_brackets ? "[%s]" : "%s", host->name);
    if (port)
        snprintf(out + size, AUTHORITY_BYTES - (size_t)size, ":%u", port);
}
