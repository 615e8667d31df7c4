/* svc-security/security-headers/markup.c - security-relevant markup of a page. */
#include "markup.h"

#include <ctype.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/num.h"
#include "base/text.h"
#include "probe/page.h"

enum {
    SCRIPTS_MAX = 5000, /* scripts with src; more are ignored */
    VALUES_BYTES = 16 << 10,
    DIGEST_BYTES_MAX = 128,
};

struct reading {
    const struct fetch_hop *hop;
    const struct public_suffixes *suffixes;
    struct markup *markup;
    struct csp *csp;
    bool base_is_own;   /* the base URL is on this site */
    bool base_is_https; /* the base URL is https */
    size_t scripts;
};

/* ---- meta ---- */

static void add_value(struct buf *list, bool *has_any, struct text value)
{
    if (*has_any)
        buf_add_str(list, ", ");
    buf_add(list, value.bytes, value.size);
    *has_any = true;
}

/* HTML standard, section 4.2.5.3: http-equiv replaces only one of the rated headers; browsers
 * ignore Referrer-Policy and Cross-Origin-Resource-Policy there. */
static void read_meta(struct reading *reading, const struct page_token *token)
{
    const struct text *content = page_attribute(token, "content");
    const struct text *name = page_attribute(token, "name");
    const struct text *header = page_attribute(token, "http-equiv");
    struct markup *markup = reading->markup;
    if (!content)
        return;
    if (name && text_is_any_case(*name, "referrer"))
        add_value(&markup->referrer, &markup->has_referrer, *content);
    if (header && text_is_any_case(*header, "content-security-policy") && token->in_head)
        csp_add(reading->csp, *content, true);
}

/* ---- scripts ---- */

static const struct digest {
    const char *prefix;
    size_t bytes;
} digests[] = { { "sha256-", 32 }, { "sha384-", 48 }, { "sha512-", 64 } };

/* A word of an integrity attribute: a Base64 digest with optional ?options. */
static bool is_digest(struct text word)
{
    for (size_t i = 0; i < countof(digests); i++) {
        size_t size = strlen(digests[i].prefix);
        scoped(buf_free) struct buf bytes = BUF(DIGEST_BYTES_MAX);
        if (!text_begins_any_case(word, digests[i].prefix))
            continue;
        const char *options = memchr(word.bytes, '?', word.size);
        size_t end = options ? (size_t)(options - word.bytes) : word.size;
        struct text text = { word.bytes + size, end - size };
        return base64_decode(&bytes, text) && bytes.size == digests[i].bytes;
    }
    return false;
}

static bool has_integrity(const struct page_token *token)
{
    const struct text *integrity = page_attribute(token, "integrity");
    struct text rest = integrity ? *integrity : TEXT("");
    struct text word;
    while (page_word(&rest, &word))
        if (is_digest(word))
            return true;
    return false;
}

static bool is_same_site(const struct reading *reading, const struct host *host)
{
    const struct host *own = &reading->hop->target.host;
    return strcmp(own->name, host->name) == 0 ||
           (!own->is_address && !host->is_address &&
            public_suffix_same_owner(reading->suffixes, own->name, host->name));
}

/* The scheme, such as "https:" or "data:"; empty without one. */
static struct text scheme_of(struct text url)
{
    for (size_t i = 0; i < url.size; i++) {
        unsigned char byte = (unsigned char)url.bytes[i];
        bool may_follow = isdigit(byte) || byte == '+' || byte == '-' || byte == '.';
        if (byte == ':')
            return (struct text){ url.bytes, i + 1 };
        if (!isalpha(byte) && !(i > 0 && may_follow))
            break;
    }
    return TEXT("");
}

static void note_script(struct scripts *scripts, bool is_own, bool is_https, bool is_checked)
{
    scripts->has_any = true;
    scripts->has_external |= !is_own;
    scripts->has_own_checked |= is_own && is_https && is_checked;
    scripts->lacks_integrity |= !is_own && is_https && !is_checked;
    scripts->lacks_https |= !is_own && !is_https && is_checked;
    scripts->lacks_both |= !is_own && !is_https && !is_checked;
}

/* Browsers treat a backslash like a slash. */
static bool is_slash(char byte)
{
    return byte == '/' || byte == '\\';
}

/* Does the URL have a host? Browsers also load hosts that the egress guard rejects, such as
 * "https://localhost/". */
static bool has_host(struct text url, struct text scheme)
{
    struct text rest = text_skip(url, scheme.size);
    size_t size = 0;
    while (rest.size > 0 && is_slash(*rest.bytes))
        rest = text_skip(rest, 1);
    while (size < rest.size && !strchr("/\\?#@ \t\r\n", rest.bytes[size]))
        size++;
    return size > 0 && *rest.bytes != ':' &&
           (size == rest.size || !strchr("@ \t\r\n", rest.bytes[size]));
}

static void read_script(struct reading *reading, const struct page_token *token)
{
    const struct text *src = page_attribute(token, "src");
    struct scripts *scripts = &reading->markup->scripts;
    struct text url = src ? page_trim(*src) : TEXT("");
    struct text scheme = scheme_of(url);
    if (url.size == 0)
        return;
    bool is_checked = has_integrity(token);
    bool is_protocol_relative = url.size >= 2 && is_slash(url.bytes[0]) && is_slash(url.bytes[1]);
    if (scheme.size == 0 && !is_protocol_relative) {
        note_script(scripts, reading->base_is_own, reading->base_is_https, is_checked);
        return;
    }
    scoped(target_free) struct target target = { 0 };
    if (reading->scripts++ >= SCRIPTS_MAX ||
        (scheme.size > 0 && !text_is_any_case(scheme, "http:") &&
         !text_is_any_case(scheme, "https:")))
        return; /* data:, blob: */
    bool is_ours = target_join(&reading->hop->target, url, &target, NULL) &&
                   is_same_site(reading, &target.host);
    bool is_https = text_is_any_case(scheme, "https:");
    if (target.url || has_host(url, scheme))
        note_script(scripts, is_https && is_ours, is_https, is_checked);
}

/* ---- the page ---- */

static void read_tokens(struct reading *reading, const struct page *page)
{
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    while (page_next(reader, &token)) {
        if (token.in_template)
            continue;
        if (page_opens(&token, "meta"))
            read_meta(reading, &token);
        else if (page_opens(&token, "script"))
            read_script(reading, &token);
    }
}

static void set_base(struct reading *reading, const struct page *page)
{
    const struct target *own = &reading->hop->target;
    scoped(target_free) struct target base = { 0 };
    struct text href;
    bool has_base = page_base(page, &href) && target_join(own, href, &base, NULL);
    reading->base_is_own = !has_base || is_same_site(reading, &base.host);
    reading->base_is_https = has_base ? base.is_https : own->is_https;
}

void markup_read(const struct fetch *fetch, const struct public_suffixes *suffixes,
                 struct markup *markup, struct csp *csp)
{
    const struct fetch_hop *hop = fetch_last(fetch);
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(fetch, type);
    *markup = (struct markup){ .referrer = BUF(VALUES_BYTES) };
    markup->is_html = strcmp(type, "text/html") == 0 || strcmp(type, "application/xhtml+xml") == 0;
    markup->is_broken = markup->is_html && fetch->end == FETCH_BROKEN;
    if (!markup->is_html)
        return;
    struct reading reading = { .hop = hop, .suffixes = suffixes, .markup = markup, .csp = csp };
    scoped(page_free) struct page *page =
        page_new(buf_text(&fetch->body), fetch_header(hop, "Content-Type"));
    set_base(&reading, page);
    read_tokens(&reading, page);
}

void markup_free(struct markup *markup)
{
    buf_free(&markup->referrer);
}
