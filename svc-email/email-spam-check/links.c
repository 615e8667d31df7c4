/* svc-email/email-spam-check/links.c - parse the links of markup and text, and their rules. */
#include <string.h>

#include "base/ascii.h"
#include "base/codec/cidr.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "dns/domain.h"
#include "email-spam-check/check.h"
#include "text/idn.h"
#include "text/names.h"

enum {
    MANY = 20,
    VERY_MANY = 50,
    MANY_DOMAINS = 10,
    FEW_WORDS = 20,
    DEEP_LABELS = 4,
    LONG_CHARS = 300,
    URL_MAX_BYTES_READ = 4096,
};

/* ---- parse ---- */

static bool is_scheme(struct text text, const char *scheme)
{
    return text_begins_any_case(text, scheme);
}

/* Remove characters that URLs cannot have and browsers drop. */
static struct text squeeze_url(struct text url, struct arena *arena)
{
    char *copy = arena_get(arena, url.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < url.size; i++)
        if (!strchr("\t\r\n", url.bytes[i]))
            copy[size++] = url.bytes[i];
    return text_trim((struct text){ copy, size });
}

static struct text scheme_of(struct text url)
{
    size_t end = 0;
    while (end < url.size && (ascii_is_alnum(url.bytes[end]) || strchr("+-.", url.bytes[end])))
        end++;
    bool has_one =
        end > 0 && end < url.size && url.bytes[end] == ':' && ascii_is_letter(url.bytes[0]);
    return (struct text){ url.bytes, has_one ? end : 0 };
}

static bool is_dotted(struct text host)
{
    struct in6_addr address;
    return address_parse(host, &address);
}

/* "user@host:port" */
static void read_authority(struct spam_link *link, struct text authority)
{
    const char *at = authority.size > 0 ? memrchr(authority.bytes, '@', authority.size) : NULL;
    if (at) {
        link->has_user = true;
        authority = text_skip(authority, (size_t)(at + 1 - authority.bytes));
    }
    bool is_bracketed = text_begins(authority, "[");
    size_t end = 0;
    while (end < authority.size &&
           (is_bracketed ? authority.bytes[end] != ']' : authority.bytes[end] != ':'))
        end++;
    end += is_bracketed && end < authority.size;
    link->raw_host = (struct text){ authority.bytes, end };
    int64_t port;
    if (end + 1 < authority.size && num_parse(text_skip(authority, end + 1), UINT16_MAX, &port))
        link->port = (int)port;
}

static bool read_url(struct spam_check *check, struct text url, struct spam_link *link)
{
    link->url = squeeze_url(url, &check->arena);
    link->scheme = scheme_of(link->url);
    bool is_web = text_is_any_case(link->scheme, "http") || text_is_any_case(link->scheme, "https");
    if (link->scheme.size > 0 && !is_web)
        return !is_scheme(link->url, "mailto:") && !is_scheme(link->url, "tel:") &&
               !is_scheme(link->url, "sms:") && !is_scheme(link->url, "cid:");
    struct text rest =
        link->scheme.size > 0 ? text_skip(link->url, link->scheme.size + 1) : link->url;
    if (!text_begins(rest, "//") && !is_web && !text_begins_any_case(rest, "www."))
        return false; /* relative: leads nowhere in mail */
    rest = text_strip(rest, "/\\", "");
    struct text authority = text_before(rest, "/?#\\");
    read_authority(link, authority);
    link->path = text_skip(rest, authority.size);
    if (link->raw_host.size == 0 || host_read(link->raw_host, &link->host) != NULL)
        return link->raw_host.size > 0;
    link->has_host = true;
    link->is_disguised =
        link->host.is_address && link->raw_host.bytes[0] != '[' && !is_dotted(link->raw_host);
    if (!link->host.is_address)
        link->owner = senders_owner(check->knowledge->senders, link->host.name);
    return true;
}

/* ---- collect ---- */

static void add_link(struct spam_check *check, struct names *seen, struct text url,
                     struct text shown)
{
    struct spam_link link = { .shown = text_trim(shown) };
    url.size = MIN(url.size, (size_t)URL_MAX_BYTES_READ);
    if (check->link_count == CHECK_LINKS_MAX || !read_url(check, url, &link) ||
        !names_add(seen, 0, link.url))
        return;
    struct spam_link *kept = &check->link[check->link_count++];
    *kept = link;
    if (link.owner)
        kept->owner = kept->host.name + (link.owner - link.host.name);
}

static size_t url_bytes(struct text text)
{
    size_t end = 0;
    while (end < text.size && (unsigned char)text.bytes[end] > ' ' &&
           !strchr("<>\"", text.bytes[end]))
        end++;
    while (end > 0 && strchr(".,;:!?)'*_]", text.bytes[end - 1]))
        end--;
    return end;
}

static void read_text_links(struct spam_check *check, struct text text, struct names *seen)
{
    bool at_word = true;
    while (text.size > 0) {
        char first = ascii_lower(text.bytes[0]);
        bool begins =
            at_word && (first == 'h' || first == 'w') &&
            (is_scheme(text, "http://") || is_scheme(text, "https://") || is_scheme(text, "www."));
        size_t bytes = begins ? MAX(url_bytes(text), 1) : 1;
        if (begins)
            add_link(check, seen, (struct text){ text.bytes, bytes }, (struct text){ "", 0 });
        at_word = !ascii_is_alnum(text.bytes[bytes - 1]);
        text = text_skip(text, bytes);
    }
}

static void count_domains(struct spam_check *check)
{
    struct names owners = { 0 };
    for (size_t i = 0; i < check->link_count; i++)
        if (check->link[i].owner)
            names_add(&owners, 0, text_of(check->link[i].owner));
    check->domain_count = owners.count;
    names_free(&owners);
}

void spam_links_read(struct spam_check *check)
{
    struct names seen = { 0 };
    struct text visible = { buf_str(&check->html.visible), check->html.visible.size };
    for (size_t i = 0; i < check->html.link_count; i++) {
        const struct html_link *link = &check->html.link[i];
        struct text shown = { visible.bytes + MIN(link->text_start, visible.size), 0 };
        if (link->text_end > link->text_start && link->text_end <= visible.size)
            shown.size = link->text_end - link->text_start;
        add_link(check, &seen, link->href, shown);
    }
    read_text_links(check, check->body.plain, &seen);
    names_free(&seen);
    count_domains(check);
}

/* ---- rules about one link ---- */

/* The host in a visible text that consists of a host or a URL only. */
static bool shown_host(struct spam_check *check, struct text shown, char host[static HOST_BYTES],
                       bool *is_https)
{
    struct spam_link read = { 0 };
    struct text trimmed = text_trim(shown);
    const char *dot = trimmed.size > 3 ? memchr(trimmed.bytes, '.', trimmed.size) : NULL;
    if (!dot || trimmed.size > HOST_BYTES || memchr(trimmed.bytes, ' ', trimmed.size) ||
        memchr(trimmed.bytes, '@', trimmed.size))
        return false;
    scoped(buf_free) struct buf url = BUF(HOST_BYTES + 16);
    *is_https = is_scheme(trimmed, "https://");
    buf_format(&url, "%s%.*s", memmem(trimmed.bytes, trimmed.size, "://", 3) ? "" : "http://",
               (int)trimmed.size, trimmed.bytes);
    if (!read_url(check, buf_text(&url), &read) || !read.has_host || read.host.is_address ||
        !strchr(read.host.name, '.'))
        return false;
    const char *top = strrchr(read.host.name, '.') + 1;
    if (strlen(top) < 2 || !read.owner || strcmp(read.owner, top) == 0)
        return false;
    memcpy(host, read.host.name, HOST_BYTES);
    return true;
}

static void judge_shown(struct spam_check *check, const struct spam_link *link)
{
    const struct senders *senders = check->knowledge->senders;
    char host[HOST_BYTES];
    bool is_https;
    if (link->shown.size == 0 || !link->has_host ||
        !shown_host(check, link->shown, host, &is_https))
        return;
    find_if(check, is_https && text_is_any_case(link->scheme, "http"), RULE_LINK_HTTP_BEHIND_HTTPS,
            link->shown);
    if (!link->host.is_address && senders_related(senders, host, link->host.name))
        return;
    const struct brand *brand = senders_brand_of(senders, host);
    bool is_brands = brand && !link->host.is_address && brand_owns(senders, brand, link->host.name);
    bool is_own = check->from.domain && senders_related(senders, host, check->from.domain);
    if (is_brands)
        return;
    /* A click tracker in front of the sender's own host is common. In front of a brand's host it is
     * not, except in the brand's mail. */
    bool is_brand_mail =
        brand && check->from.domain && brand_owns(senders, brand, check->from.domain);
    spam_find(check,
              brand && !is_brand_mail && !is_own ? RULE_LINK_TEXT_MISMATCH_BRAND
                                                 : RULE_LINK_TEXT_MISMATCH,
              1, 1, link->shown);
}

/* Labels that mix alphabets, or imitate a brand in another alphabet. */
static bool is_mixed_host(const struct spam_check *check, const char *name)
{
    scoped(buf_free) struct buf unicode = BUF(4 * HOST_BYTES);
    scoped(buf_free) struct buf folded = BUF(HOST_BYTES);
    struct text_signs signs;
    if (!strstr(name, "xn--"))
        return false;
    idn_to_unicode(name, &unicode);
    scoped(runes_free) struct runes runes = runes_of(buf_text(&unicode));
    text_signs_of(&runes, &signs);
    for (size_t i = 0; i < runes.count; i++) {
        char twin = char_confusable(runes.at[i].code);
        if (twin)
            buf_add_byte(&folded, ascii_lower(twin));
        else
            utf8_add(&folded, runes.at[i].code);
    }
    const char *skeleton = buf_str(&folded);
    return signs.mixed_words > 0 ||
           (text_is_ascii(buf_text(&folded)) && strcmp(skeleton, name) != 0 &&
            (senders_brand_of(check->knowledge->senders, skeleton) ||
             senders_brand_in_host(check->knowledge->senders, skeleton)));
}

static bool ends_in_file(const struct spam_check *check, const struct spam_link *link,
                         enum name_list list)
{
    struct text path = link->path;
    char extension[8] = "";
    size_t end = 0;
    size_t dot = 0; /* 1 + its offset in the last segment */
    while (end < path.size && !strchr("?#", path.bytes[end])) {
        if (path.bytes[end] == '/')
            dot = 0;
        else if (path.bytes[end] == '.')
            dot = end + 1;
        end++;
    }
    if (dot == 0 || end == dot || end - dot >= sizeof(extension))
        return false;
    for (size_t i = dot; i < end; i++)
        extension[i - dot] = ascii_lower(path.bytes[i]);
    return names_have(&check->knowledge->list[list], text_of(extension));
}

static size_t labels_before(const char *host, const char *owner)
{
    size_t labels = 0;
    for (const char *at = host; at < owner; at++)
        labels += *at == '.';
    return labels;
}

static bool has_hidden(struct text url)
{
    static const char *const hidden[] = { "\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8D",
                                          "\xE2\x81\xA0", "\xEF\xBB\xBF", "\xE2\x80\xAE",
                                          "\xE2\x80\xAD", "\xC2\xAD" };
    for (size_t i = 0; i < countof(hidden); i++)
        if (text_has(url, hidden[i]))
            return true;
    return false;
}

/* Whether the registrable domain itself imitates a brand, or the link leads to a sign-in. A product
 * in a subdomain alone is a reference to it. */
static bool poses_as_site(const struct spam_check *check, const struct spam_link *link)
{
    static const char *const words[] = { "login",   "signin", "sign-in", "verify",  "secure",
                                         "account", "update", "wallet",  "confirm", "password" };
    if (senders_brand_in_host(check->knowledge->senders, link->owner))
        return true;
    for (size_t i = 0; i < countof(words); i++)
        if (strstr(link->host.name, words[i]) || text_has_any_case(link->path, words[i]))
            return true;
    return false;
}

static void judge_brand(struct spam_check *check, const struct spam_link *link)
{
    const struct senders *senders = check->knowledge->senders;
    const char *host = link->host.name;
    if (!senders_brand_in_host(senders, host) ||
        names_have_within(&check->knowledge->list[LIST_FREE_HOSTS], link->owner) ||
        (check->from.domain && senders_related(senders, host, check->from.domain)))
        return;
    spam_find(check, RULE_LINK_BRAND_LOOKALIKE, 1, 1, text_of(host));
    check->found[RULE_LINK_BRAND_LOOKALIKE].is_strong |= poses_as_site(check, link);
}

static void judge_host(struct spam_check *check, const struct spam_link *link)
{
    const struct spam_knowledge *knowledge = check->knowledge;
    const struct host *host = &link->host;
    if (host->is_address) {
        spam_find(check, link->is_disguised ? RULE_LINK_IP_DISGUISED : RULE_LINK_IP, 1, 1,
                  link->url);
        return;
    }
    const char *top = strrchr(host->name, '.');
    judge_brand(check, link);
    find_if(check, is_mixed_host(check, host->name), RULE_LINK_MIXED_SCRIPT, link->url);
    find_if(check, strstr(host->name, "xn--"), RULE_LINK_IDN, link->url);
    find_if(check, names_have_within(&knowledge->list[LIST_SHORTENERS], host->name),
            RULE_LINK_SHORTENER, link->url);
    find_if(check, top && names_have(&knowledge->list[LIST_BAD_SUFFIXES], text_of(top + 1)),
            RULE_LINK_BAD_TLD, text_of(host->name));
    find_if(check, labels_before(host->name, link->owner) >= DEEP_LABELS, RULE_LINK_DEEP_SUBDOMAIN,
            text_of(host->name));
    if (names_have_within(&knowledge->list[LIST_IPFS_GATEWAYS], host->name))
        spam_find(check, RULE_LINK_FREE_HOSTING, 2, 1, text_of(host->name));
    else if (names_have_within(&knowledge->list[LIST_FREE_HOSTS], host->name))
        spam_find(check, RULE_LINK_FREE_HOSTING, 1, 1, text_of(host->name));
}

static void judge_link(struct spam_check *check, const struct spam_link *link)
{
    static const int ports[] = { 0, 80, 443, 8080, 8443 };
    bool is_usual_port = false;
    if (is_scheme(link->url, "javascript:") || is_scheme(link->url, "vbscript:") ||
        is_scheme(link->url, "data:text")) {
        spam_find(check, RULE_LINK_SCRIPT, 1, 1, link->url);
        return;
    }
    if (link->raw_host.size == 0)
        return;
    for (size_t i = 0; i < countof(ports); i++)
        is_usual_port |= link->port == ports[i];
    find_if(check, !is_usual_port, RULE_LINK_ODD_PORT, link->url);
    find_if(check, link->has_user, RULE_LINK_CREDENTIALS, link->url);
    find_if(check, memchr(link->raw_host.bytes, '%', link->raw_host.size), RULE_LINK_ENCODED_HOST,
            link->url);
    find_if(check, has_hidden(link->url), RULE_LINK_ZERO_WIDTH, link->url);
    if (text_has_any_case(link->path, "http://") || text_has_any_case(link->path, "https://") ||
        text_has_any_case(link->path, "http%3a%2f%2f") ||
        text_has_any_case(link->path, "https%3a%2f%2f"))
        spam_find(check, RULE_LINK_REDIRECT_PARAM, 1, 1, link->url);
    find_if(check, ends_in_file(check, link, LIST_DANGEROUS_FILES), RULE_LINK_DANGEROUS_FILE,
            link->url);
    find_if(check, ends_in_file(check, link, LIST_ARCHIVES), RULE_LINK_ARCHIVE_FILE, link->url);
    find_if(check, text_is_any_case(link->scheme, "http"), RULE_LINK_PLAIN_HTTP, link->url);
    find_if(check, utf8_length(utf8_cut(link->url, utf8_valid_bytes(link->url))) > LONG_CHARS,
            RULE_LINK_LONG, link->url);
    if (link->has_host)
        judge_host(check, link);
    judge_shown(check, link);
}

void judge_links(struct spam_check *check)
{
    for (size_t i = 0; i < check->link_count; i++)
        judge_link(check, &check->link[i]);
    if (check->link_count > MANY)
        spam_find(check, RULE_LINK_MANY, check->link_count > VERY_MANY ? 2 : 1, check->link_count,
                  TEXT(""));
    count_if(check, check->domain_count > MANY_DOMAINS, RULE_LINK_MANY_DOMAINS,
             check->domain_count);
    if (check->link_count > 0 && check->body.word_count > 0 && check->body.word_count < FEW_WORDS)
        spam_find(check, RULE_LINK_ONLY, 1, check->body.word_count, check->link[0].url);
}
