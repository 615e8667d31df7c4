/* svc-security/security-headers/csp/csp.c - parse and merge Content Security Policies. */
#include "csp.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "untrusted-text.h"
#include "words.h"

/* The shortest directive is img-src; anything shorter by more than one character is not a
 * policy. */
enum { POLICY_BYTES_MIN = 6 };

static const char blanks[] = " \t\n\f\r";

static const struct known {
    const char *name;
    unsigned kind;
    const char *fallback;
} known[] = {
#define DIRECTIVE(name, kind, fallback) { name, kind, fallback },
#include "directives.def"
#undef DIRECTIVE
};

bool csp_kind(const char *name, unsigned *kind)
{
    const struct known *found = TABLE_FIND(known, name);
    *kind = found ? found->kind : 0;
    return found != NULL;
}

/* ---- sources ---- */

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

bool csp_is_nonce(const char *source)
{
    return begins_with(source, "'nonce-");
}

static bool is_hash(const char *source)
{
    return begins_with(source, "'sha256-") || begins_with(source, "'sha384-") ||
           begins_with(source, "'sha512-");
}

/* 1*( ALPHA / DIGIT / "+" / "/" / "-" / "_" )*2( "=" ), then the closing quote. */
static bool is_base64_value(const char *value)
{
    size_t size =
        strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_");
    size_t padding = strspn(value + size, "=");
    return size > 0 && padding <= 2 && strcmp(value + size + padding, "'") == 0;
}

bool csp_is_secret(const char *source)
{
    return (csp_is_nonce(source) || is_hash(source)) && is_base64_value(strchr(source, '-') + 1);
}

bool csp_is_quoted(const char *source)
{
    return *source == '\'';
}

bool csp_is_scheme(const char *source)
{
    size_t size = strspn(source, "abcdefghijklmnopqrstuvwxyz0123456789+-.");
    return size > 0 && source[size] == ':' && source[size + 1] == '\0';
}

bool csp_has(const struct csp_directive *directive, const char *source)
{
    for (size_t i = 0; i < directive->count; i++)
        if (strcmp(directive->source[i], source) == 0)
            return true;
    return false;
}

bool csp_is_ignored(const struct csp_directive *directive, const char *source, bool is_script)
{
    bool is_inline = strcmp(source, "'unsafe-inline'") == 0;
    bool is_place = !csp_is_quoted(source) || strcmp(source, "'self'") == 0;
    if (is_script && directive->is_strict && (is_inline || is_place))
        return true;
    return is_inline && directive->has_secret;
}

/* ---- reading ---- */

const struct csp_directive *csp_find(const struct csp_policy *policy, const char *name)
{
    for (size_t i = 0; i < policy->count; i++)
        if (strcmp(policy->directive[i].name, name) == 0)
            return &policy->directive[i];
    return NULL;
}

const struct csp_directive *csp_effective(const struct csp_policy *policy, const char *name)
{
    while (name) {
        const struct csp_directive *directive = csp_find(policy, name);
        const struct known *entry = TABLE_FIND(known, name);
        if (directive)
            return directive;
        name = entry ? entry->fallback : NULL;
    }
    return NULL;
}

static void policy_free(struct csp_policy *policy)
{
    mem_free(&policy->text);
    mem_free(&policy->words);
    mem_free(&policy->directive);
    mem_free(&policy->sources);
    policy->count = 0;
}

void csp_free(struct csp *csp)
{
    for (size_t i = 0; i < csp->count; i++)
        policy_free(&csp->policy[i]);
    for (size_t i = 0; i < csp->merged.count; i++)
        mem_free(&csp->merged.directive[i].source);
    policy_free(&csp->merged);
    *csp = (struct csp){ 0 };
}

/* Lower-case a word, except the case-sensitive part of nonces and hashes. */
static void lower_case(char *word)
{
    const char *end = NULL;
    if (*word == '\'' && strchr(word, '-')) {
        scoped(mem_free) char *copy = str_dup(word);
        for (char *at = copy; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        if (csp_is_nonce(copy) || is_hash(copy))
            end = strchr(word, '-');
    }
    for (; *word && word != end; word++)
        *word = (char)tolower((unsigned char)*word);
}

static bool is_source_list(const char *name)
{
    unsigned kind;
    size_t size = strlen(name);
    return (csp_kind(name, &kind) && (kind & CSP_SOURCE_LIST)) ||
           (size > 4 && strcmp(name + size - 4, "-src") == 0);
}

static void note_repeat(struct csp *csp, const char *name)
{
    if (strcmp(name, "report-uri") == 0 || strcmp(name, "report-to") == 0)
        csp->repeats_report = true;
    else
        csp->repeats_directive = true;
}

static void append_text(struct csp_directive *directive, const char *source)
{
    directive->source[directive->count++] = source;
    directive->has_secret |= csp_is_secret(source);
    directive->is_strict |= strcmp(source, "'strict-dynamic'") == 0;
}

static void add_source(struct csp *csp, struct csp_directive *directive, const char *source)
{
    if (csp->sources == CSP_SOURCES_MAX)
        return;
    append_text(directive, source);
    csp->sources++;
}

/* Parse one directive and append its sources to the policy's. */
static void read_directive(struct csp *csp, struct csp_policy *policy, char *text)
{
    unsigned kind;
    char *rest = text;
    char *name = NULL;
    char *word;
    while (!name && (word = strsep(&rest, blanks)))
        name = *word ? word : NULL;
    if (!name || csp->directives == CSP_DIRECTIVES_MAX)
        return;
    lower_case(name);
    csp_kind(name, &kind);
    if (policy->is_meta && (kind & CSP_NOT_IN_META))
        return;
    if (csp_find(policy, name)) {
        note_repeat(csp, name);
        return;
    }
    struct csp_directive *last = policy->count ? &policy->directive[policy->count - 1] : NULL;
    struct csp_directive *directive = &policy->directive[policy->count++];
    directive->name = name;
    directive->source = last ? last->source + last->count : policy->sources;
    csp->directives++;
    while ((word = strsep(&rest, blanks))) {
        if (!*word)
            continue;
        lower_case(word);
        add_source(csp, directive, word);
    }
    if (directive->count == 0 && is_source_list(name))
        add_source(csp, directive, "'none'");
}

static size_t count_bytes(const char *text, const char *wanted)
{
    size_t count = 0;
    for (; *text; text++)
        count += strchr(wanted, *text) != NULL;
    return count;
}

static void add_policy(struct csp *csp, struct text text, bool is_meta)
{
    scoped(buf_free) struct buf clean = BUF(4 * CSP_BYTES_MAX);
    bool is_too_short = text.size < POLICY_BYTES_MIN;
    bool is_too_much = csp->count == CSP_POLICIES_MAX || text.size > CSP_BYTES_MAX - csp->bytes;
    csp->is_too_short |= is_too_short;
    csp->is_present |= is_too_short || is_too_much;
    if (is_too_much)
        return;
    struct csp_policy *policy = &csp->policy[csp->count++];
    csp->bytes += text.size;
    untrusted_add(&clean, text, CSP_BYTES_MAX);
    size_t parts = count_bytes(buf_str(&clean), ";") + 1;
    policy->is_meta = is_meta;
    policy->text = str_dup(buf_str(&clean));
    policy->words = str_dup(buf_str(&clean));
    policy->directive = mem_array(parts, sizeof(*policy->directive));
    policy->sources =
        mem_array(count_bytes(policy->words, blanks) + parts + 1, sizeof(*policy->sources));
    char *rest = policy->words;
    char *part;
    while ((part = strsep(&rest, ";")))
        read_directive(csp, policy, part);
    if (policy->count > 0)
        csp->is_present = true;
    else
        policy_free(&csp->policy[--csp->count]);
}

void csp_add(struct csp *csp, struct text value, bool is_meta)
{
    struct text policy;
    bool is_empty = !is_meta;
    while (word_cut(&value, ',', &policy)) {
        if (policy.size == 0)
            continue;
        is_empty = false;
        add_policy(csp, policy, is_meta);
    }
    csp->is_too_short |= is_empty;
    csp->is_present |= is_empty;
}

/* ---- merging ---- */

/* Does the wider source include the narrower one? A path that ends in / includes everything below
 * it. */
static bool source_covers(const char *wider, const char *narrower)
{
    size_t size = strlen(wider);
    if (strcmp(wider, narrower) == 0)
        return strcmp(wider, "'none'") != 0;
    if (csp_is_quoted(wider) || (csp_is_quoted(narrower) && strcmp(narrower, "'self'") != 0))
        return false;
    if (strcmp(wider, "*") == 0) /* CSP3 section 6.7.2.8: any host, with http, https, ws or wss */
        return !csp_is_scheme(narrower) || begins_with(narrower, "http") ||
               begins_with(narrower, "ws");
    if (csp_is_scheme(wider))
        return begins_with(narrower, wider) && begins_with(narrower + size, "//");
    return wider[size - 1] == '/' && begins_with(narrower, wider);
}

static bool is_covered(const char *source, const struct csp_directive *directive)
{
    for (size_t i = 0; i < directive->count; i++)
        if (source_covers(directive->source[i], source))
            return true;
    return false;
}

static void add_once(struct csp_directive *directive, const char *source)
{
    if (!csp_has(directive, source))
        append_text(directive, source);
}

static void add_all_sources(struct csp_directive *directive, const struct csp_directive *other)
{
    for (size_t i = 0; i < other->count; i++)
        add_once(directive, other->source[i]);
}

/* Put the intersection of both lists into *both, which has enough space. */
static void intersect_sources(const struct csp_directive *a, const struct csp_directive *b,
                              struct csp_directive *both)
{
    for (size_t i = 0; i < a->count; i++)
        if (is_covered(a->source[i], b))
            add_once(both, a->source[i]);
    for (size_t i = 0; i < b->count; i++)
        if (is_covered(b->source[i], a))
            add_once(both, b->source[i]);
}

static void merge_sources(const struct csp *csp, struct csp_directive *merged)
{
    scoped(mem_free) const char **spare = mem_array(CSP_SOURCES_MAX + 1, sizeof(*spare));
    const struct csp_directive all = *merged;
    bool is_first = true;
    for (size_t i = 0; i < csp->count; i++) {
        const struct csp_directive *own = csp_effective(&csp->policy[i], merged->name);
        struct csp_directive both = { .name = merged->name, .source = spare };
        if (!own)
            continue;
        if (is_first)
            add_all_sources(&both, own);
        else
            intersect_sources(merged, own, &both);
        is_first = false;
        *merged = all;
        add_all_sources(merged, &both);
    }
    if (merged->count == 0)
        append_text(merged, "'none'");
}

static void merge_values(const struct csp *csp, struct csp_directive *merged)
{
    for (size_t i = 0; i < csp->count; i++) {
        const struct csp_directive *own = csp_find(&csp->policy[i], merged->name);
        if (own)
            add_all_sources(merged, own);
    }
}

static void merge_directive(struct csp *csp, const char *name)
{
    scoped(mem_free) const char **source = mem_array(CSP_SOURCES_MAX + 1, sizeof(*source));
    struct csp_directive *merged = &csp->merged.directive[csp->merged.count++];
    *merged = (struct csp_directive){ .name = name, .source = source };
    if (is_source_list(name))
        merge_sources(csp, merged);
    else
        merge_values(csp, merged);
    merged->source = mem_array(merged->count + 1, sizeof(*source));
    memcpy(merged->source, source, merged->count * sizeof(*source));
}

void csp_merge(struct csp *csp)
{
    csp->merged.directive = mem_array(csp->directives + 1, sizeof(*csp->merged.directive));
    for (size_t i = 0; i < csp->count; i++)
        for (size_t d = 0; d < csp->policy[i].count; d++)
            if (!csp_find(&csp->merged, csp->policy[i].directive[d].name))
                merge_directive(csp, csp->policy[i].directive[d].name);
}
