/* svc-security/tech-detect/detect.c - collect the evidence in one response. One pass finds the
 * literals of all patterns; a pattern is tried only where its literal occurs. */
#include "detect.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "probe/page.h"

enum {
    HTML_BYTES = 512 << 10, /* of markup, for html patterns */
    VALUE_BYTES = 2048,     /* of an attribute or header */
    WINDOW_BYTES = 512,     /* before and after a literal, in longer texts */
    TRIES_MAX = 32,         /* per pattern; more rarely find a better version */
    MATCHES_MAX = 6000,     /* of all patterns; limits the time for a page */
    NAMED_MAX = 2000,       /* metas and references examined */
    EVIDENCE_SHOWN_BYTES = 120,
};

struct search {
    const struct signatures *signatures;
    const struct target *base; /* base URL of references */
    const struct target *page; /* URL of the page */
    const struct public_suffixes *suffixes;
    struct tally *tally; /* by technology */
    uint8_t *tries;      /* by evidence */
    bool *found;         /* by evidence */
    unsigned matches;
    unsigned named;
    bool is_cut;
    struct buf scratch;
    /* while a reference to another site is searched: */
    bool is_foreign;
    size_t path_at; /* where its path begins in the text; 0: it has no host, as written */
};

/* ---- texts ---- */

/* The text around an offset. */
static struct text text_around(struct text text, size_t at)
{
    size_t start = at > WINDOW_BYTES ? at - WINDOW_BYTES : 0;
    while (start > 0 && (text.bytes[start] & 0xC0) == 0x80)
        start--;
    struct text rest = { text.bytes + start, text.size - start };
    return utf8_cut(rest, at - start + WINDOW_BYTES);
}

/* ---- whose evidence it is ---- */

static bool is_same_site(const struct search *search, const struct host *host)
{
    const struct host *own = &search->page->host;
    if (host->is_address || own->is_address)
        return strcmp(host->name, own->name) == 0;
    return public_suffix_same_owner(search->suffixes, host->name, own->name);
}

static bool is_host_byte(char c)
{
    return ascii_is_alnum(c) || c == '.' || c == '-';
}

/* Can the byte be part of user:password@host:port (RFC 3986 section 3.2)? */
static bool is_authority_byte(char c)
{
    return c && !strchr("/?#\"'`<>\\ \t\r\n", c);
}

/* The host behind user@ or user:password@, which may look like a host. */
static const char *skip_user(const char *authority, const char *end)
{
    const char *host = authority;
    for (const char *at = authority; at < end && is_authority_byte(*at); at++)
        if (*at == '@')
            host = at + 1;
    return host;
}

/* Is // before the end, also as JSON may write it: \/\/? */
static bool has_slashes_before(struct text text, const char *end)
{
    size_t size = (size_t)(end - text.bytes);
    return (size >= 2 && memcmp(end - 2, "//", 2) == 0) ||
           (size >= 4 && memcmp(end - 4, "\\/\\/", 4) == 0);
}

/* The host behind //, in the match or where it begins; empty without one. */
static struct text host_in(struct text text, struct text seen)
{
    const char *end = text.bytes + text.size;
    const char *slashes = memmem(seen.bytes, seen.size, "//", 2);
    const char *host = slashes ? slashes + 2 : seen.bytes;
    if (!slashes && host > text.bytes && host[-1] == '\\')
        host--;
    while (!slashes && host > text.bytes && is_authority_byte(host[-1]))
        host--;
    if (!slashes && !has_slashes_before(text, host))
        return TEXT("");
    host = skip_user(host, end);
    const char *at = host;
    while (at < end && is_host_byte(*at))
        at++;
    return (struct text){ host, (size_t)(at - host) };
}

/* Does the text that matched name another site, as in //cdn.example.com/x.js? */
static bool names_other_site(const struct search *search, struct text text, struct text seen)
{
    struct text host = host_in(text, seen);
    scoped(target_free) struct target target = { 0 };
    return host.size > 0 && target_parse_url(host, &target, NULL) &&
           !is_same_site(search, &target.host);
}

static bool is_policy(const struct evidence *evidence)
{
    return evidence->kind == EVIDENCE_HEADER &&
           strncasecmp(evidence->key, "content-security-policy", 23) == 0;
}

static bool is_own_evidence(const struct search *search, const struct evidence *evidence,
                            struct text text, struct text seen)
{
    switch (evidence->kind) {
    case EVIDENCE_SCRIPT:
    case EVIDENCE_LINK:
        return !search->is_foreign;
    case EVIDENCE_ATTR:
    case EVIDENCE_INLINE:
    case EVIDENCE_HTML:
        return !names_other_site(search, text, seen);
    case EVIDENCE_HEADER:
        return !is_policy(evidence);
    case EVIDENCE_COOKIE:
    case EVIDENCE_META:
    case EVIDENCE_CLASS:
    case EVIDENCE_COMMENT:
    case EVIDENCE_URL:
    case EVIDENCE_MX:
    case EVIDENCE_KINDS:
        break;
    }
    return true;
}

/* Does the match begin with a path, so that the host before it says whose it is? */
static bool is_path(struct text seen)
{
    return text_begins(seen, "/") && !text_begins(seen, "//");
}

/* A path at another site shows what that site runs. */
static bool is_other_platform(const struct search *search, const struct evidence *evidence,
                              struct text text, struct text seen)
{
    bool is_reference = evidence->kind == EVIDENCE_SCRIPT || evidence->kind == EVIDENCE_LINK;
    if (!search->signatures->technology[evidence->technology].is_platform)
        return false;
    if (is_reference)
        return search->is_foreign && (size_t)(seen.bytes - text.bytes) >= search->path_at;
    return is_path(seen) && !is_own_evidence(search, evidence, text, seen);
}

/* ---- evidence ---- */

static void add_evidence_text(struct tally *tally, const struct evidence *evidence,
                              struct text seen)
{
    if (tally->shown_count == EVIDENCE_SHOWN_MAX)
        return;
    struct text part = utf8_cut(seen, EVIDENCE_SHOWN_BYTES);
    const char *kind = evidence_kind_name(evidence->kind);
    tally->shown[tally->shown_count++] =
        evidence->key ? str_format("%s:%s", kind, evidence->key)
                      : str_format("%s:%.*s%s", kind, (int)part.size, part.bytes,
                                   part.size < seen.size ? "…" : "");
}

/* In "swiper-8.4.5.js?ver=6.4.2", the version after ? is often that of the serving software. Use it
 * only without another one. */
static void offer_version(struct tally *tally, struct text text, struct text version)
{
    char fresh[VERSION_BYTES] = "";
    version_offer(fresh, version);
    if (!*fresh)
        return;
    bool is_own = !memchr(text.bytes, '?', (size_t)(version.bytes - text.bytes));
    if (!is_own && tally->is_version_own)
        return;
    if (is_own && !tally->is_version_own)
        tally->version[0] = '\0';
    tally->is_version_own |= is_own;
    version_offer(tally->version, version);
}

static void note_match(struct search *search, size_t id, struct text text, struct text seen,
                       struct text version)
{
    const struct evidence *evidence = &search->signatures->evidence[id];
    struct tally *tally = &search->tally[evidence->technology];
    tally->is_own = tally->is_own || is_own_evidence(search, evidence, text, seen);
    if (!search->found[id]) {
        search->found[id] = true;
        tally->confidence = MIN(tally->confidence + evidence->confidence, 100);
        add_evidence_text(tally, evidence, seen);
    }
    if (evidence->has_version && version.size > 0)
        offer_version(tally, text, version);
}

/* Try the pattern of an evidence whose literal or key is in the text. */
static void try_match(struct search *search, size_t id, struct text text)
{
    const struct evidence *evidence = &search->signatures->evidence[id];
    struct text groups[2] = { TEXT(""), TEXT("") };

    bool is_settled =
        search->found[id] && !evidence->has_version && search->tally[evidence->technology].is_own;
    if (is_settled || search->tries[id] == TRIES_MAX)
        return;
    search->is_cut |= search->matches == MATCHES_MAX;
    if (search->is_cut)
        return;
    search->tries[id]++;
    search->matches++;
    if ((!evidence->regex || regex_find(evidence->regex, text, groups, countof(groups))) &&
        !is_other_platform(search, evidence, text, groups[0]))
        note_match(search, id, text, groups[0], groups[1]);
}

/* Try all patterns of a kind in a text; in a long text only around the literals. */
static void search_text(struct search *search, enum evidence_kind kind, struct text text)
{
    struct literals_scan scan = { .text = text };
    uint32_t id;
    while (literals_next(search->signatures->literals[kind], &scan, &id))
        try_match(search, id, text_around(text, scan.at));
}

/* The same for values that are matched as a whole, because ^ and $ refer to their ends. */
static void search_value(struct search *search, enum evidence_kind kind, struct text value)
{
    struct literals_scan scan = { .text = utf8_cut(value, VALUE_BYTES) };
    uint32_t id;
    while (literals_next(search->signatures->literals[kind], &scan, &id))
        try_match(search, id, scan.text);
}

/* Try the evidence of a kind with this name. */
static void search_named(struct search *search, enum evidence_kind kind, struct text name,
                         struct text value)
{
    const struct signatures *signatures = search->signatures;
    for (size_t i = 0; i < signatures->keyed_count[kind]; i++) {
        uint32_t id = signatures->keyed[kind][i];
        if (evidence_key_fits(signatures->evidence[id].key, name))
            try_match(search, id, utf8_cut(value, VALUE_BYTES));
    }
}

/* ---- headers ---- */

static void search_cookie(struct search *search, struct text cookie)
{
    const char *end = memchr(cookie.bytes, ';', cookie.size);
    struct text pair = { cookie.bytes, end ? (size_t)(end - cookie.bytes) : cookie.size };
    const char *equals = memchr(pair.bytes, '=', pair.size);
    size_t name_size = equals ? (size_t)(equals - pair.bytes) : pair.size;
    size_t value_at = MIN(name_size + 1, pair.size);
    search_named(search, EVIDENCE_COOKIE, page_trim((struct text){ pair.bytes, name_size }),
                 (struct text){ pair.bytes + value_at, pair.size - value_at });
}

static void search_header(struct search *search, const struct fetch_header *header)
{
    scoped(mem_free) char *value = mem_dup(header->value.bytes, header->value.size);
    text_repair(value);
    search_named(search, EVIDENCE_HEADER, header->name, text_of(value));
    if (text_is_any_case(header->name, "set-cookie"))
        search_cookie(search, text_of(value));
}

/* ---- the page ---- */

/* Where the path of a reference begins; 0 if it is a path as written. */
static size_t path_of(struct text reference)
{
    const char *slashes = memmem(reference.bytes, reference.size, "//", 2);
    size_t at = slashes ? (size_t)(slashes - reference.bytes) + 2 : 0;
    if (!slashes || memchr(reference.bytes, '?', at))
        return 0;
    while (at < reference.size && !strchr("/?#", reference.bytes[at]))
        at++;
    return at;
}

/* As written, and as an absolute URL if that differs. A reference that cannot be resolved, such as
 * one with user information or backslashes, may name any host: it does not count as the site's. */
static void search_reference(struct search *search, enum evidence_kind kind, struct text reference)
{
    scoped(target_free) struct target target = { 0 };
    reference = page_trim(reference);
    if (search->named++ >= NAMED_MAX)
        return;
    bool ok = target_join(search->base, utf8_cut(reference, VALUE_BYTES), &target, NULL);
    search->is_foreign =
        ok ? !is_same_site(search, &target.host) : !text_begins_any_case(reference, "data:");
    search->path_at = path_of(reference);
    search_value(search, kind, reference);
    search->path_at = ok ? path_of(text_of(target.url)) : 0;
    if (ok && !text_is(reference, target.url))
        search_value(search, kind, text_of(target.url));
    search->is_foreign = false;
}

static void search_meta(struct search *search, const struct page_token *token)
{
    static const char *const names[] = { "name", "property", "http-equiv" };
    const struct text *content = page_attribute(token, "content");
    for (size_t i = 0; i < countof(names); i++) {
        const struct text *name = page_attribute(token, names[i]);
        if (name && content && search->named++ < NAMED_MAX)
            search_named(search, EVIDENCE_META, page_trim(*name), *content);
    }
}

static void search_attribute(struct search *search, const struct page_attribute *attribute)
{
    struct text value = utf8_cut(attribute->value, VALUE_BYTES);
    struct text name = utf8_cut(attribute->name, VALUE_BYTES);
    buf_clear(&search->scratch);
    buf_add(&search->scratch, name.bytes, name.size);
    buf_add_byte(&search->scratch, '=');
    buf_add(&search->scratch, value.bytes, value.size);
    search_value(search, EVIDENCE_ATTR, buf_text(&search->scratch));
    if (!text_is(attribute->name, "class"))
        return;
    struct text list = attribute->value;
    for (struct text word; page_word(&list, &word);)
        search_value(search, EVIDENCE_CLASS, word);
}

static void search_tag(struct search *search, const struct page_token *token)
{
    const struct text *src = page_opens(token, "script") ? page_attribute(token, "src") : NULL;
    const struct text *href = page_opens(token, "link") ? page_attribute(token, "href") : NULL;
    if (src)
        search_reference(search, EVIDENCE_SCRIPT, *src);
    if (href)
        search_reference(search, EVIDENCE_LINK, *href);
    if (page_opens(token, "meta"))
        search_meta(search, token);
    for (size_t i = 0; i < token->attribute_count; i++)
        search_attribute(search, &token->attributes[i]);
}

/* Search the markup between two offsets. */
static void search_markup(struct search *search, struct text markup, size_t start, size_t end)
{
    end = MIN(end, utf8_cut(markup, HTML_BYTES).size);
    if (start < end)
        search_text(search, EVIDENCE_HTML, (struct text){ markup.bytes + start, end - start });
}

static void search_page(struct search *search, const struct page *page)
{
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct text markup = page_markup(page);
    struct page_token token;
    size_t start = 0; /* start of the current run without comments */
    bool was_comment = false;
    bool has_src = false;

    while (page_next(reader, &token)) {
        if (was_comment)
            start = token.offset;
        was_comment = token.kind == PAGE_COMMENT;
        if (was_comment) {
            search_markup(search, markup, start, token.offset);
            search_text(search, EVIDENCE_COMMENT, token.text);
        } else if (token.kind == PAGE_OPEN) {
            has_src = page_attribute(&token, "src") != NULL;
            search_tag(search, &token);
        } else if (token.kind == PAGE_TEXT && text_is(token.name, "script") && !has_src) {
            search_text(search, EVIDENCE_INLINE, token.text);
        }
    }
    if (!was_comment)
        search_markup(search, markup, start, markup.size);
}

static void search_body(struct search *search, const struct response *response)
{
    const char *type = "";
    for (size_t i = 0; i < response->header_count; i++)
        if (text_is_any_case(response->header[i].name, "content-type"))
            type = response->header[i].value.bytes;
    scoped(page_free) struct page *page = page_new(response->body, type);
    scoped(target_free) struct target base = { 0 };
    struct text href;

    search->base = response->target;
    if (page_base(page, &href) && target_join(response->target, href, &base, NULL))
        search->base = &base;
    search_page(search, page);
    search->base = response->target;
}

void detect(const struct signatures *signatures, const struct response *response,
            struct detected *findings)
{
    scoped(mem_free) struct tally *tally = mem_array(signatures->technology_count, sizeof(*tally));
    scoped(mem_free) uint8_t *tries = mem_array(signatures->evidence_count, sizeof(*tries));
    scoped(mem_free) bool *found = mem_array(signatures->evidence_count, sizeof(*found));
    struct search search = {
        .signatures = signatures,
        .page = response->target,
        .suffixes = response->suffixes,
        .tally = tally,
        .tries = tries,
        .found = found,
        .scratch = BUF(2 * VALUE_BYTES + 1),
    };

    for (size_t i = 0; i < response->header_count; i++)
        search_header(&search, &response->header[i]);
    search_value(&search, EVIDENCE_URL, text_of(response->target->url));
    for (size_t i = 0; response->mx && i < response->mx->answer_count; i++)
        if (response->mx->answer[i].type == DNS_MX)
            search_value(&search, EVIDENCE_MX, text_of(response->mx->answer[i].target));
    if (response->body.size > 0)
        search_body(&search, response);
    buf_free(&search.scratch);
    findings->is_cut = search.is_cut;
    conclude(signatures, tally, findings);
}
