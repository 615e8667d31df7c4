/* common/net/target.c - URLs in one canonical form, with libcurl's parser. */
#include "net/target.h"

#include <curl/curl.h>
#include <string.h>
#include <strings.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

/* scoped() for libcurl's URL handle. */
static void free_handle(CURLU **handle)
{
    curl_url_cleanup(*handle);
    *handle = NULL;
}

static void free_part(char **part)
{
    curl_free(*part);
    *part = NULL;
}

/* ---- errors that libcurl tolerates ---- */

static const char *check_bytes(struct text text, size_t max_bytes)
{
    if (text.size == 0)
        return "must not be empty";
    if (text.size > max_bytes)
        return "must be at most 2048 bytes long";
    if (!utf8_is_valid(text))
        return "must be UTF-8";
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (c <= ' ' || c == 0x7f)
            return "must not have blanks or control characters inside";
        if (c == '\\')
            return "must not have a backslash";
    }
    return memmem(text.bytes, text.size, "%00", 3) ? "must not have %00" : NULL;
}

/* Bytes of "https://" or another scheme at the start; 0: none. */
static size_t scheme_bytes(struct text text)
{
    size_t i = 0;
    while (i < text.size && strchr("+-.", text.bytes[i]) == NULL &&
           ((text.bytes[i] | 0x20) >= 'a' && (text.bytes[i] | 0x20) <= 'z'))
        i++;
    bool found = i > 0 && text.size - i >= 3 && memcmp(text.bytes + i, "://", 3) == 0;
    return found ? i + 3 : 0;
}

static struct text cut_at(struct text text, const char *ends)
{
    for (size_t i = 0; i < text.size; i++)
        if (strchr(ends, text.bytes[i]))
            return (struct text){ text.bytes, i };
    return text;
}

static const char *check_port(struct text digits)
{
    int64_t port;
    if (digits.size > 0 && digits.size <= 5 && num_parse(digits, UINT16_MAX, &port) && port > 0)
        return NULL;
    return "must have a port from 1 to 65535 after the colon";
}

/* Percent-encoded bytes of a host must be visible ASCII. */
static const char *check_encoding(struct text host)
{
    for (size_t i = 0; i < host.size; i++) {
        if (host.bytes[i] != '%')
            continue;
        int high = i + 2 < host.size ? hex_digit(host.bytes[i + 1]) : -1;
        int low = i + 2 < host.size ? hex_digit(host.bytes[i + 2]) : -1;
        int byte = high * 16 + low;
        if (high < 0 || low < 0 || byte <= ' ' || byte >= 0x7f || byte == '%' || byte == '@')
            return "must have a correctly encoded host";
        i += 2;
    }
    return NULL;
}

/* The part between "//" and the path. */
static const char *check_authority(struct text text)
{
    struct text authority = cut_at(text, "/?#");
    if (authority.size == 0)
        return "must have a host";
    if (memchr(authority.bytes, '@', authority.size))
        return "must not have a user or password";
    const char *bracket = memchr(authority.bytes, ']', authority.size);
    size_t host_bytes =
        bracket ? (size_t)(bracket - authority.bytes) + 1 : cut_at(authority, ":").size;
    struct text host = { authority.bytes, host_bytes };
    struct text rest = text_skip(authority, host_bytes);
    if (bracket && memchr(host.bytes, '%', host.size))
        return "must not have a zone in its address";
    const char *problem = check_encoding(host);
    if (problem || rest.size == 0)
        return problem;
    return check_port(text_skip(rest, 1));
}

/* ---- parts, by libcurl ---- */

static bool get_part(CURLU *handle, CURLUPart which, unsigned flags, char **part)
{
    return curl_url_get(handle, which, part, flags) == CURLUE_OK;
}

/* Percent-encode what browsers encode, except characters that servers accept in both forms. */
static void add_encoded(struct buf *out, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80 || *text == ' ')
            buf_format(out, "%%%02X", (unsigned char)*text);
        else
            buf_add_byte(out, *text);
}

static void add_path(CURLU *handle, struct buf *url)
{
    scoped(free_part) char *path = NULL;
    scoped(free_part) char *query = NULL;
    add_encoded(url, get_part(handle, CURLUPART_PATH, 0, &path) ? path : "/");
    if (!get_part(handle, CURLUPART_QUERY, 0, &query))
        return;
    buf_add_byte(url, '?');
    add_encoded(url, query);
}

static const char *read_port(CURLU *handle, struct target *target)
{
    scoped(free_part) char *digits = NULL;
    int64_t port;
    if (!get_part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT, &digits) ||
        !num_parse(text_of(digits), UINT16_MAX, &port) || port == 0)
        return "must have a port from 1 to 65535 after the colon";
    target->port = (uint16_t)port;
    target->has_other_port = port != (target->is_https ? 443 : 80);
    return NULL;
}

enum { CANONICAL_MAX_BYTES = 3 * REFERENCE_MAX_BYTES + HOST_BYTES };

static void write_url(struct target *target, const char *path)
{
    scoped(buf_free) struct buf url = BUF(CANONICAL_MAX_BYTES);
    char authority[AUTHORITY_BYTES];
    host_authority(&target->host, target->has_other_port ? target->port : 0, authority);
    buf_format(&url, "http%s://%s", target->is_https ? "s" : "", authority);
    size_t path_at = url.size;
    buf_add_str(&url, path);
    target->url = buf_take(&url);
    target->path = target->url + path_at;
}

static const char *read_target(CURLU *handle, struct target *target)
{
    scoped(free_part) char *scheme = NULL;
    scoped(free_part) char *host = NULL;
    scoped(free_part) char *user = NULL;
    scoped(buf_free) struct buf path = BUF(3 * REFERENCE_MAX_BYTES);
    struct target read = { 0 };
    if (!get_part(handle, CURLUPART_SCHEME, 0, &scheme) ||
        !get_part(handle, CURLUPART_HOST, 0, &host))
        return "must have a host";
    if (get_part(handle, CURLUPART_USER, 0, &user))
        return "must not have a user or password";
    read.is_https = strcasecmp(scheme, "https") == 0;
    if (!read.is_https && strcasecmp(scheme, "http") != 0)
        return "must begin with http:// or https://";
    const char *problem = host_read(text_of(host), &read.host);
    if (!problem)
        problem = read_port(handle, &read);
    if (problem)
        return problem;
    add_path(handle, &path);
    if (path.full)
        return "must be at most 2048 bytes long";
    write_url(&read, buf_str(&path));
    *target = read;
    return NULL;
}

/* A text that begins with "http://" or "https://". */
static const char *read_absolute(const char *url, size_t scheme, struct target *target)
{
    scoped(free_handle) CURLU *handle = curl_url();
    struct text behind = { url + scheme, strlen(url) - scheme };
    const char *problem = check_authority(behind);
    if (problem)
        return problem;
    if (curl_url_set(handle, CURLUPART_URL, url, 0) != CURLUE_OK)
        return "must be a valid URL";
    return read_target(handle, target);
}

static const char *parse_url(struct text text, size_t max_bytes, struct target *target)
{
    const char *problem = check_bytes(text, max_bytes);
    if (problem)
        return problem;
    size_t scheme = scheme_bytes(text);
    if (scheme && !text_begins_any_case(text, "http://") && !text_begins_any_case(text, "https://"))
        return "must begin with http:// or https://";
    scoped(mem_free) char *url =
        str_format("%s%.*s", scheme ? "" : "https://", (int)text.size, text.bytes);
    return read_absolute(url, scheme ? scheme : strlen("https://"), target);
}

bool target_parse_url(struct text text, struct target *target, struct err *err)
{
    const char *problem = parse_url(text_trim(text), URL_MAX_BYTES, target);
    return !problem || err_set(err, ERR_INVALID_URL, "url %s", problem);
}

/* ---- relative to another target ---- */

/*
 * A reference for libcurl: without fragment, with encoded blanks, and with encoded bytes outside
 * ASCII unless they may belong to a host.
 */
static void add_reference(struct buf *out, struct text reference)
{
    bool has_host = text_begins(reference, "//") || scheme_bytes(reference);
    reference = cut_at(reference, "#");
    for (size_t i = 0; i < reference.size; i++) {
        unsigned char c = (unsigned char)reference.bytes[i];
        if (c == ' ' || (c >= 0x80 && !has_host))
            buf_format(out, "%%%02X", c);
        else
            buf_add_byte(out, (char)c);
    }
}

static const char *join_reference(const struct target *base, struct text reference,
                                  struct target *target)
{
    scoped(free_handle) CURLU *handle = curl_url();
    scoped(buf_free) struct buf encoded = BUF(3 * REFERENCE_MAX_BYTES);
    scoped(free_part) char *url = NULL;
    if (reference.size > REFERENCE_MAX_BYTES)
        return "must be at most 8192 bytes long";
    add_reference(&encoded, reference);
    const char *problem = encoded.size ? check_bytes(buf_text(&encoded), SIZE_MAX) : NULL;
    if (problem)
        return problem;
    if (curl_url_set(handle, CURLUPART_URL, base->url, 0) != CURLUE_OK)
        return "must be relative to a valid URL";
    if (encoded.size > 0 && curl_url_set(handle, CURLUPART_URL, buf_str(&encoded), 0) != CURLUE_OK)
        return "must be a valid URL";
    if (!get_part(handle, CURLUPART_URL, 0, &url))
        return "must be a valid URL";
    return parse_url(text_of(url), 3 * REFERENCE_MAX_BYTES, target);
}

bool target_join(const struct target *base, struct text reference, struct target *target,
                 struct err *err)
{
    const char *problem = join_reference(base, text_trim(reference), target);
    return !problem || err_set(err, ERR_INVALID_URL, "url %s", problem);
}

void target_with_scheme(const struct target *from, bool is_https, struct target *target)
{
    struct target made = { .host = from->host, .is_https = is_https };
    made.port = is_https ? 443 : 80;
    write_url(&made, from->path);
    *target = made;
}

void target_with_path(const struct target *from, const char *path, struct target *target)
{
    struct target made = *from;
    write_url(&made, path);
    *target = made;
}

void target_free(struct target *target)
{
    mem_free(&target->url);
    *target = (struct target){ 0 };
}

bool target_same_origin(const struct target *a, const struct target *b)
{
    return a->is_https == b->is_https && a->port == b->port &&
           strcmp(a->host.name, b->host.name) == 0;
}
