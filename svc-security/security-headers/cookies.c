/* svc-security/security-headers/cookies.c - the cookies that responses set in a browser. */
#include "cookies.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "text/time/datetime.h"
#include "words.h"

/* A parsed Set-Cookie line; texts are borrowed. */
struct line {
    struct text name;
    struct text value;
    struct text domain;
    struct text path;
    bool is_secure;
    bool is_http_only;
    bool is_expired;
    bool has_max_age;
    bool has_domain;
    bool is_partitioned;
    bool has_control; /* a control character other than tab */
    size_t pair_bytes;
    enum same_site same_site;
};

/* RFC 6265bis (draft 22, 2025-12) section 5.6: limit of name and value together. */
enum { PAIR_BYTES_MAX = 4096 };

/* ---- dates: RFC 6265 section 5.1.1 ---- */

static bool is_delimiter(char byte)
{
    unsigned char c = (unsigned char)byte;
    return c == 0x09 || (c >= 0x20 && c <= 0x2F) || (c >= 0x3B && c <= 0x40) ||
           (c >= 0x5B && c <= 0x60) || (c >= 0x7B && c <= 0x7E);
}

static bool next_token(struct text *rest, struct text *token)
{
    while (rest->size > 0 && is_delimiter(*rest->bytes))
        *rest = text_skip(*rest, 1);
    *token = (struct text){ rest->bytes, 0 };
    while (rest->size > 0 && !is_delimiter(*rest->bytes)) {
        token->size++;
        *rest = text_skip(*rest, 1);
    }
    return token->size > 0;
}

struct cookie_date {
    bool has_time, has_day, has_month, has_year;
    int64_t seconds; /* seconds of the day */
    struct date date;
};

/* The number of up to `digits` digits at the start, or -1. */
static int read_digits(struct text token, size_t digits, size_t *size)
{
    int value = 0;
    *size = 0;
    while (*size < MIN(token.size, digits) && token.bytes[*size] >= '0' &&
           token.bytes[*size] <= '9') {
        value = 10 * value + (token.bytes[*size] - '0');
        (*size)++;
    }
    return *size > 0 ? value : -1;
}

static bool read_time(struct text token, int64_t *seconds)
{
    static const int limits[] = { 23, 59, 59 };
    *seconds = 0;
    for (size_t i = 0; i < countof(limits); i++) {
        size_t size;
        int value = read_digits(token, 2, &size);
        if (value < 0 || value > limits[i])
            return false;
        *seconds = 60 * *seconds + value;
        token = text_skip(token, size);
        if (i + 1 < countof(limits) && (token.size == 0 || *token.bytes != ':'))
            return false;
        token = text_skip(token, token.size > 0);
    }
    return true;
}

static bool read_month(struct text token, int *month)
{
    static const char *const names[] = { "jan", "feb", "mar", "apr", "may", "jun",
                                         "jul", "aug", "sep", "oct", "nov", "dec" };
    for (size_t i = 0; i < countof(names); i++)
        if (text_begins_any_case(token, names[i])) {
            *month = (int)i + 1;
            return true;
        }
    return false;
}

static int full_year(int year)
{
    return year >= 70 && year <= 99 ? 1900 + year : year <= 69 ? 2000 + year : year;
}

static void read_date_token(struct text token, struct cookie_date *date)
{
    size_t size;
    int number = read_digits(token, 4, &size);
    if (!date->has_time && read_time(token, &date->seconds)) {
        date->has_time = true;
    } else if (!date->has_day && size >= 1 && size <= 2 && number >= 1 && number <= 31) {
        date->has_day = true;
        date->date.day = number;
    } else if (!date->has_month && read_month(token, &date->date.month)) {
        date->has_month = true;
    } else if (!date->has_year && size >= 2) {
        date->has_year = true;
        date->date.year = full_year(number);
    }
}

static bool read_date(struct text text, int64_t *seconds)
{
    struct cookie_date date = { 0 };
    struct text token;
    while (next_token(&text, &token))
        read_date_token(token, &date);
    if (!date.has_time || !date.has_day || !date.has_month || !date.has_year ||
        date.date.year < 1601 || date.date.day > date_month_days(date.date.year, date.date.month))
        return false;
    *seconds = date_to_days(date.date) * DAY_SECONDS + date.seconds;
    return true;
}

/* ---- attributes ---- */

static void read_max_age(struct text value, struct line *line)
{
    bool is_negative = value.size > 0 && *value.bytes == '-';
    int64_t age = 0;
    struct text digits = text_skip(value, is_negative);
    if (digits.size == 0 || digits.size != strspn(digits.bytes, "0123456789"))
        return;
    if (!num_parse(digits, INT32_MAX, &age))
        age = INT32_MAX;
    line->has_max_age = true;
    line->is_expired = is_negative || age == 0;
}

static enum same_site read_same_site(struct text value)
{
    return text_is_any_case(value, "lax")      ? SAME_SITE_LAX
           : text_is_any_case(value, "strict") ? SAME_SITE_STRICT
           : text_is_any_case(value, "none")   ? SAME_SITE_NONE
                                               : SAME_SITE_BAD;
}

static void read_attribute(struct text name, struct text value, int64_t now_s, struct line *line)
{
    int64_t expiry_s;
    if (text_is_any_case(name, "secure"))
        line->is_secure = true;
    else if (text_is_any_case(name, "httponly"))
        line->is_http_only = true;
    else if (text_is_any_case(name, "samesite"))
        line->same_site = read_same_site(value);
    else if (text_is_any_case(name, "path"))
        line->path = value;
    else if (text_is_any_case(name, "domain"))
        line->domain = value;
    else if (text_is_any_case(name, "partitioned"))
        line->is_partitioned = true;
    else if (text_is_any_case(name, "max-age"))
        read_max_age(value, line);
    else if (text_is_any_case(name, "expires") && !line->has_max_age && read_date(value, &expiry_s))
        line->is_expired = expiry_s <= now_s;
}

static bool has_control(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
            return true;
    }
    return false;
}

static bool read_line(struct text text, int64_t now_s, struct line *line)
{
    struct text pair;
    struct text attribute;
    *line = (struct line){ 0 };
    if (!word_cut(&text, ';', &pair))
        return false;
    line->has_control = has_control(pair);
    if (memchr(pair.bytes, '=', pair.size))
        word_cut(&pair, '=', &line->name);
    pair = text_trim(pair);
    line->pair_bytes = line->name.size + pair.size;
    line->value = pair;
    if (line->pair_bytes == 0)
        return false; /* a cookie needs a name or a value */
    while (word_cut(&text, ';', &attribute)) {
        struct text name = { 0 };
        word_cut(&attribute, '=', &name);
        read_attribute(name, text_trim(attribute), now_s, line);
    }
    if (line->domain.size > 0 && *line->domain.bytes == '.')
        line->domain = text_skip(line->domain, 1);
    line->has_domain = line->domain.size > 0;
    if (line->same_site == SAME_SITE_NONE && !line->is_secure)
        line->same_site = SAME_SITE_BAD;
    return true;
}

/* ---- the cookie jar ---- */

static void cookie_free(struct cookie *cookie)
{
    mem_free(&cookie->name);
    mem_free(&cookie->domain);
    mem_free(&cookie->path);
}

void cookies_free(struct cookies *cookies)
{
    for (size_t i = 0; i < cookies->count; i++)
        cookie_free(&cookies->item[i]);
    cookies->count = 0;
}

/* May this host set cookies for the domain: its own name, or a parent that is not a public
 * suffix? */
static bool may_set_domain(const struct host *host, const char *domain,
                           const struct public_suffixes *suffixes)
{
    size_t host_size = strlen(host->name);
    size_t size = strlen(domain);
    if (strcmp(host->name, domain) == 0)
        return true;
    return !host->is_address && size < host_size &&
           strcmp(host->name + host_size - size, domain) == 0 &&
           host->name[host_size - size - 1] == '.' && !public_suffix_is(suffixes, domain);
}

/* RFC 6265 section 5.1.4: the path up to its last slash, excluding it. */
static char *default_path(const char *path)
{
    size_t end = strcspn(path, "?");
    while (end > 0 && path[end - 1] != '/')
        end--;
    return end <= 1 ? str_dup("/") : mem_dup(path, end - 1);
}

/* RFC 6265bis section 4.1.3. The value of a nameless cookie must not begin with a prefix either,
 * because browsers send only the value. */
static bool breaks_prefix(const struct line *line, const struct cookie *cookie, bool is_https)
{
    bool is_good = cookie->is_secure && is_https;
    bool is_bound = is_good && !line->has_domain && text_is(line->path, "/");
    struct text name = line->name;
    if (name.size == 0)
        return text_begins_any_case(line->value, "__Secure-") ||
               text_begins_any_case(line->value, "__Host-") ||
               text_begins_any_case(line->value, "__Http-");
    if (text_begins_any_case(name, "__Host-Http-"))
        return !is_bound || !cookie->is_http_only;
    if (text_begins_any_case(name, "__Host-"))
        return !is_bound;
    if (text_begins_any_case(name, "__Http-"))
        return !is_good || !cookie->is_http_only;
    return text_begins_any_case(name, "__Secure-") && !is_good;
}

/* Why browsers reject the cookie, by RFC 6265bis section 5.7, or NULL. */
static const char *find_rejection(const struct line *line, const struct cookie *cookie,
                                  const struct target *target,
                                  const struct public_suffixes *suffixes)
{
    if (line->has_control)
        return "cookie-control-character";
    if (line->pair_bytes > PAIR_BYTES_MAX)
        return "cookie-too-large";
    if (!may_set_domain(&target->host, cookie->domain, suffixes))
        return "cookie-domain-rejected";
    if (breaks_prefix(line, cookie, target->is_https))
        return "cookie-prefix-violated";
    return line->is_partitioned && !line->is_secure ? "cookie-partitioned-without-secure" : NULL;
}

static size_t find_cookie(const struct cookies *cookies, const struct cookie *wanted)
{
    size_t i = 0;
    while (i < cookies->count && (!cookies->item[i].rejection != !wanted->rejection ||
                                  strcmp(cookies->item[i].name, wanted->name) != 0 ||
                                  strcmp(cookies->item[i].domain, wanted->domain) != 0 ||
                                  strcmp(cookies->item[i].path, wanted->path) != 0))
        i++;
    return i;
}

/* Store a cookie; it replaces one of the same name, domain and path. */
static void store_cookie(struct cookies *cookies, struct cookie *cookie, bool is_expired)
{
    size_t i = find_cookie(cookies, cookie);
    if (i < cookies->count) {
        cookie_free(&cookies->item[i]);
        if (is_expired) {
            memmove(&cookies->item[i], &cookies->item[i + 1],
                    (cookies->count - i - 1) * sizeof(*cookies->item));
            cookies->count--;
        }
    } else if (i < COOKIES_MAX && !is_expired) {
        cookies->count++;
    } else {
        cookies->is_cut |= !is_expired;
        is_expired = true;
    }
    if (is_expired)
        cookie_free(cookie);
    else
        cookies->item[i] = *cookie;
}

static void add_line(struct cookies *cookies, const struct fetch_hop *hop,
                     const struct public_suffixes *suffixes, struct text text, int64_t now_s)
{
    struct line line;
    if (!read_line(text, now_s, &line) || (line.is_secure && !hop->target.is_https))
        return;
    struct cookie cookie = {
        .name = mem_dup(line.name.bytes ? line.name.bytes : "", line.name.size),
        .domain = line.has_domain ? mem_dup(line.domain.bytes, line.domain.size)
                                  : str_dup(hop->target.host.name),
        .path = line.path.size > 0 && *line.path.bytes == '/'
                    ? mem_dup(line.path.bytes, line.path.size)
                    : default_path(hop->target.path),
        .is_secure = line.is_secure,
        .is_http_only = line.is_http_only,
        .same_site = line.same_site,
    };
    for (char *at = cookie.domain; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + ('a' - 'A') : *at);
    cookie.rejection = find_rejection(&line, &cookie, &hop->target, suffixes);
    store_cookie(cookies, &cookie, line.is_expired);
}

void cookies_add(struct cookies *cookies, const struct fetch *fetch,
                 const struct public_suffixes *suffixes, int64_t now_s)
{
    for (size_t i = 0; i < fetch->hop_count; i++) {
        const struct fetch_hop *hop = &fetch->hop[i];
        const char *value = fetch_header(hop, "Set-Cookie");
        for (; value; value = fetch_header_next(hop, "Set-Cookie", value))
            add_line(cookies, hop, suffixes, text_of(value), now_s);
    }
}

/* ---- findings of one policy ---- */

void cookie_mask(struct text line, struct buf *out)
{
    struct text pair = { 0 };
    struct text name = { 0 };
    word_cut(&line, ';', &pair);
    if (pair.size > 0 && memchr(pair.bytes, '=', pair.size)) {
        word_cut(&pair, '=', &name);
        buf_add(out, name.bytes, name.size);
        buf_add_byte(out, '=');
    }
    buf_add_str(out, "\xE2\x80\xA6");
    if (line.size > 0) {
        buf_add_byte(out, ';');
        buf_add(out, line.bytes, line.size);
    }
}

bool cookie_is_session(const struct cookie *cookie)
{
    return text_has_any_case(text_of(cookie->name), "login") ||
           text_has_any_case(text_of(cookie->name), "sess");
}

bool cookie_is_anti_csrf(const struct cookie *cookie)
{
    return text_has_any_case(text_of(cookie->name), "csrf");
}

const char *same_site_name(enum same_site same_site)
{
    static const char *const names[] = { "", "Lax", "Strict", "None", "invalid" };
    return names[same_site];
}
