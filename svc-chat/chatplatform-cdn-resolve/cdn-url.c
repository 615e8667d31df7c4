/* svc-chat/chatplatform-cdn-resolve/cdn-url.c - parses URLs of the CDN. */
#include "cdn-url.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/codec/hex.h"
#include "base/num.h"
#include "base/text.h"
#include "platform/snowflake.h"

bool cdn_url_is_proxy(struct text host)
{
    static const char start[] = "images-ext-";
    static const char end[] = ".discordapp.net";
    size_t digits = 0;
    if (!text_begins_any_case(host, start))
        return false;
    host = text_skip(host, strlen(start));
    while (digits < host.size && isdigit((unsigned char)host.bytes[digits]))
        digits++;
    return digits > 0 && text_is_any_case(text_skip(host, digits), end);
}

bool cdn_url_split(const char *url, struct cdn_url *parts)
{
    bool is_https = strncasecmp(url, "https://", 8) == 0;
    if (!is_https && strncasecmp(url, "http://", 7) != 0)
        return false;
    url += is_https ? 8 : 7;
    parts->host = (struct text){ url, strcspn(url, "/?#") };
    url += parts->host.size;
    if (*url == '/')
        url++;
    parts->path = (struct text){ url, strcspn(url, "?#") };
    url += parts->path.size;
    if (*url == '?')
        url++;
    parts->query = (struct text){ url, strcspn(url, "#") };
    return parts->host.size > 0;
}

bool cdn_url_query(struct text query, const char *name, struct text *value)
{
    size_t name_size = strlen(name);
    while (query.size > 0) {
        const char *end = memchr(query.bytes, '&', query.size);
        size_t size = end ? (size_t)(end - query.bytes) : query.size;
        if (size > name_size && memcmp(query.bytes, name, name_size) == 0 &&
            query.bytes[name_size] == '=') {
            *value = (struct text){ query.bytes + name_size + 1, size - name_size - 1 };
            return true;
        }
        query.bytes += size + (end ? 1 : 0);
        query.size -= size + (end ? 1 : 0);
    }
    return false;
}

/* Unix seconds in hexadecimal, in a year that can be printed. */
static bool read_hex_time(struct text query, const char *name, int64_t *unix_ms)
{
    struct text digits;
    int64_t seconds = 0;
    if (!cdn_url_query(query, name, &digits) || digits.size == 0 || digits.size > 9)
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        int digit = hex_digit(digits.bytes[i]);
        if (digit < 0)
            return false;
        seconds = seconds * 16 + digit;
    }
    *unix_ms = seconds * 1000;
    return true;
}

void cdn_url_signature(struct text query, struct cdn_signature *signature)
{
    struct text hm;
    signature->is_there = read_hex_time(query, "ex", &signature->expires_ms);
    signature->has_issued = read_hex_time(query, "is", &signature->issued_ms);
    signature->has_hm = cdn_url_query(query, "hm", &hm) && hm.size > 0;
}

void cdn_url_take_extension(struct text *path, char out[static CDN_EXTENSION_BYTES + 1])
{
    size_t size = 0;
    size_t most = MIN(path->size, (size_t)CDN_EXTENSION_BYTES + 1);
    while (size < most && isalnum((unsigned char)path->bytes[path->size - 1 - size]))
        size++;
    if (size == 0 || size > CDN_EXTENSION_BYTES || size == path->size ||
        path->bytes[path->size - 1 - size] != '.')
        return;
    path->size -= size;
    for (size_t i = 0; i < size; i++)
        out[i] = (char)tolower((unsigned char)path->bytes[path->size + i]);
    out[size] = '\0';
    path->size--;
}

bool cdn_url_take_id(struct text *path, char *out)
{
    size_t size = 0;
    uint64_t id;
    while (size < path->size && isdigit((unsigned char)path->bytes[size]))
        size++;
    if (size == path->size || path->bytes[size] != '/' ||
        !snowflake_parse((struct text){ path->bytes, size }, &id))
        return false;
    snprintf(out, CDN_VALUE_BYTES, "%" PRIu64, id);
    path->bytes += size + 1;
    path->size -= size + 1;
    return true;
}

bool cdn_url_take(struct text *path, const char *prefix)
{
    if (!text_begins(*path, prefix))
        return false;
    *path = text_skip(*path, strlen(prefix));
    return true;
}
