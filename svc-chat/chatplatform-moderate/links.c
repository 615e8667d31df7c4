/*
 * svc-chat/chatplatform-moderate/links.c - finds links with and without a scheme: their hosts,
 * look-alikes of protected hosts, and invites. It does no lookups.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicase.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "finders.h"

enum {
    LINKS_MAX = 500,
    HOST_BYTES = 256,
    LABEL_LETTERS_MAX = 64,
    MASK_RUNES_MAX = 200, /* of a masked link's text that is read */
    DOT_BLANKS_MAX = 3,   /* around the dot of an invite */
    CODE_LETTERS_MIN = 2,
    CODE_LETTERS_MAX = 32,
};

/* A link in plain, from start to end. */
struct link {
    size_t start, end;
    size_t host_start, host_end; /* without user, port and path */
    size_t path_start;
    bool has_user;
    char host[HOST_BYTES]; /* in lowercase; empty if it is longer */
};

struct links {
    struct link *at;
    size_t count;
};

static uint32_t code_at(const struct moderation *moderation, size_t index)
{
    return index < moderation->plain.count ? moderation->plain.at[index].code : 0;
}

static struct finding *add_link_finding(struct moderation *moderation, enum rule_id rule,
                                        size_t start, size_t end)
{
    struct finding *finding = finding_add(moderation, rule, moderation->plain.at[start].start,
                                          moderation->plain.at[end - 1].end, 0);
    if (finding)
        finding->is_token = true;
    return finding;
}

/* ---- hosts ---- */

static void print_host(const struct moderation *moderation, size_t start, size_t end,
                       char host[static HOST_BYTES])
{
    scoped(buf_free) struct buf text = BUF(HOST_BYTES - 1);
    for (size_t i = start; i < end; i++)
        utf8_add(&text, uc_tolower(moderation->plain.at[i].code));
    host[0] = '\0';
    if (!text.full && text.size > 0)
        memcpy(host, text.bytes, text.size + 1);
}

/* Split what follows the scheme, from `at` to link->end. */
static void read_authority(const struct moderation *moderation, struct link *link, size_t at)
{
    size_t end = at;
    link->host_start = at;
    for (; end < link->end && !strchr("/?#\\", (int)MIN(code_at(moderation, end), 0x7FU)); end++) {
        if (code_at(moderation, end) != '@')
            continue;
        link->has_user = true;
        link->host_start = end + 1;
    }
    link->path_start = end;
    link->host_end = link->host_start;
    while (link->host_end < end && code_at(moderation, link->host_end) != ':')
        link->host_end++;
    print_host(moderation, link->host_start, link->host_end, link->host);
}

static bool is_host_rune(uint32_t code)
{
    return char_is_word(code) || code == '-';
}

static bool is_known_top_level(const struct moderation *moderation, const char *host)
{
    const char *dot = strrchr(host, '.');
    return dot && strings_have(&moderation->rules->list[LIST_TOP_LEVELS], dot + 1);
}

/* The end of a host without a scheme at the start of a word; 0 if not found. */
static size_t bare_host_end(const struct moderation *moderation, size_t at)
{
    size_t end = at;
    size_t dots = 0;
    while (is_host_rune(code_at(moderation, end)) ||
           (code_at(moderation, end) == '.' && is_host_rune(code_at(moderation, end + 1)))) {
        dots += code_at(moderation, end) == '.';
        end++;
    }
    return dots > 0 && code_at(moderation, end) != '@' ? end : 0;
}

static bool follows_word(const struct moderation *moderation, size_t at)
{
    uint32_t before = at > 0 ? moderation->plain.at[at - 1].code : 0;
    return is_host_rune(before) || before == '@' || before == '.' || before == '/' || before == ':';
}

static size_t path_end(const struct moderation *moderation, size_t at)
{
    uint32_t first = code_at(moderation, at);
    if (first != '/' && first != ':' && first != '?')
        return at;
    while (at < moderation->plain.count && !char_is_space(code_at(moderation, at)) &&
           !strchr("<>()[]", (int)MIN(code_at(moderation, at), 0x7FU)))
        at++;
    return at;
}

/* ---- finding links ---- */

static void add_link(struct links *links, const struct link *link)
{
    if (links->count < LINKS_MAX)
        links->at[links->count++] = *link;
}

static size_t read_bare(const struct moderation *moderation, size_t at, struct links *links)
{
    struct link link = { .start = at };
    if (!is_host_rune(code_at(moderation, at)) || follows_word(moderation, at))
        return at + 1;
    size_t end = bare_host_end(moderation, at);
    if (end == 0)
        return at + 1;
    link.end = path_end(moderation, end);
    read_authority(moderation, &link, at);
    if (is_known_top_level(moderation, link.host))
        add_link(links, &link);
    return link.end;
}

static void read_token(const struct moderation *moderation, const struct token *token,
                       struct links *links)
{
    struct link link = { .start = token->start, .end = token->end };
    size_t scheme = token->start;
    while (code_at(moderation, scheme) != ':')
        scheme++;
    read_authority(moderation, &link, scheme + strlen("://"));
    add_link(links, &link);
}

static struct links links_of(const struct moderation *moderation)
{
    struct links links = { .at = mem_array(LINKS_MAX, sizeof(*links.at)) };
    size_t next = 0;

    for (size_t i = 0; i < moderation->plain.count;) {
        while (next < moderation->tokens.count && moderation->tokens.at[next].start < i)
            next++;
        const struct token *token =
            next < moderation->tokens.count ? &moderation->tokens.at[next] : NULL;
        if (token && token->start == i) {
            if (token->kind == TOKEN_LINK)
                read_token(moderation, token, &links);
            i = token->end;
        } else {
            i = read_bare(moderation, i, &links);
        }
    }
    return links;
}

/* ---- look-alikes of hosts ---- */

/* Without the public suffix list: the last two labels, or three if the second level is short. */
static const char *registrable_domain(const struct moderation *moderation, const char *host)
{
    const char *last = strrchr(host, '.');
    const char *start[3] = { host, host, host };
    size_t dots = 0;
    for (const char *at = last; at && at > host && dots < 3; at--)
        if (*at == '.')
            start[dots++] = at + 1;
    if (dots < 2)
        return host;
    char second[8] = { 0 };
    size_t length = (size_t)(last - start[1]);
    if (length < sizeof(second))
        memcpy(second, start[1], length);
    bool is_second =
        strlen(last + 1) == 2 && strings_have(&moderation->rules->list[LIST_SECOND_LEVELS], second);
    return is_second ? (dots > 2 ? start[2] : host) : start[1];
}

/* A label as it looks: look-alikes and digits become letters, and l becomes i, on both sides. */
static size_t label_skeleton(struct text label, uint32_t out[static LABEL_LETTERS_MAX])
{
    size_t count = 0;
    size_t bytes;
    while (label.size > 0 && count < LABEL_LETTERS_MAX) {
        uint32_t code = utf8_next(label, &bytes);
        char letter = char_lookalike(code);
        code = letter ? uc_tolower((unsigned char)letter) : code;
        const char *digit = code < 0x80 ? strchr("0135l", (int)code) : NULL;
        out[count++] = digit && *digit ? (unsigned char)"oiesi"[digit - "0135l"] : code;
        label = (struct text){ label.bytes + bytes, label.size - bytes };
    }
    return count;
}

/* The Damerau-Levenshtein distance: a swap of adjacent letters counts one. */
static size_t edit_distance(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count)
{
    size_t rows[3][LABEL_LETTERS_MAX + 1];
    for (size_t j = 0; j <= b_count; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_count; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_count; j++) {
            row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = MIN(row[j], MIN(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_count % 3][b_count];
}

/* Does a part of a label imitate a protected name, without being that name? */
static bool imitates_name(const struct moderation *moderation, struct text part, const char *name)
{
    uint32_t looks[LABEL_LETTERS_MAX];
    uint32_t real[LABEL_LETTERS_MAX];
    size_t count = label_skeleton(part, looks);
    size_t real_count = label_skeleton(text_of(name), real);
    int64_t letters = (int64_t)real_count;

    if (letters < moderation->rules->limit[LIMIT_LABEL_LETTERS] || text_is(part, name))
        return false;
    size_t allowed = letters >= moderation->rules->limit[LIMIT_LABEL_LONG_LETTERS] ? 2 : 1;
    if (count + allowed < real_count || real_count + allowed < count)
        return false;
    return edit_distance(looks, count, real, real_count) <= allowed;
}

static bool has_any(const struct strings *words, const char *host)
{
    for (size_t i = 0; i < words->count; i++)
        if (strstr(host, words->at[i]))
            return true;
    return false;
}

/* A protected name combined with a lure word: discord-nitro. */
static bool adds_lure(const struct moderation *moderation, const char *label, const char *name)
{
    if ((int64_t)strlen(name) < moderation->rules->limit[LIMIT_LABEL_LETTERS])
        return false;
    const char *found = strstr(label, name);
    if (!found)
        return false;
    scoped(mem_free) char *before = mem_dup(label, (size_t)(found - label));
    const struct strings *lures = &moderation->rules->list[LIST_LURE_HOST_WORDS];
    return has_any(lures, before) || has_any(lures, found + strlen(name));
}

static bool is_lookalike(const struct moderation *moderation, const char *host)
{
    const struct strings *names = &moderation->rules->list[LIST_PROTECTED_LABELS];
    scoped(mem_free) char *label = str_dup(registrable_domain(moderation, host));
    label[strcspn(label, ".")] = '\0';

    for (size_t i = 0; i < names->count; i++) {
        if (imitates_name(moderation, text_of(label), names->at[i]) ||
            adds_lure(moderation, label, names->at[i]))
            return true;
        for (const char *part = label; *part;) {
            size_t size = strcspn(part, "-");
            if (size < strlen(label) &&
                imitates_name(moderation, (struct text){ part, size }, names->at[i]))
                return true;
            part += size + (part[size] == '-');
        }
    }
    return false;
}

/* ---- kinds of hosts ---- */

static bool is_ip(const char *host)
{
    return host[0] == '[' || (strchr(host, '.') && strspn(host, "0123456789.") == strlen(host));
}

/* A label with letters of two scripts, or one that hides its letters. */
static bool is_mixed(const char *host)
{
    bool ascii = false;
    bool foreign = false;
    for (struct text rest = text_of(host); rest.size > 0;) {
        size_t bytes;
        uint32_t code = utf8_next(rest, &bytes);
        ascii = code == '.' ? false : ascii || (code < 0x80 && char_is_letter(code));
        foreign = code == '.' ? false : foreign || code >= 0x80;
        if (ascii && foreign)
            return true;
        rest = (struct text){ rest.bytes + bytes, rest.size - bytes };
    }
    return strncmp(host, "xn--", 4) == 0 || strstr(host, ".xn--");
}

static bool is_download(const struct moderation *moderation, const struct link *link)
{
    char extension[8] = { 0 };
    size_t length = 0;
    bool has_dot = false;

    for (size_t i = link->path_start; i < link->end; i++) {
        uint32_t code = code_at(moderation, i);
        if (code == '?' || code == '#')
            break;
        has_dot = code == '.' || (has_dot && code != '/');
        length = code == '.' || code == '/' ? 0 : length + 1;
        if (length > 0 && length < sizeof(extension))
            extension[length - 1] = (char)uc_tolower(MIN(code, 0x7FU));
        extension[MIN(length, sizeof(extension) - 1)] = '\0';
    }
    return has_dot && strings_have(&moderation->rules->list[LIST_DOWNLOADS], extension);
}

/* The first host in the text of `[text](link)`; false: no text, or no host in it. */
static bool mask_host(const struct moderation *moderation, const struct link *link,
                      char host[static HOST_BYTES])
{
    size_t start = link->start;
    if (start < 3 || code_at(moderation, start - 1) != '(' || code_at(moderation, start - 2) != ']')
        return false;
    size_t close = start - 2;
    size_t open = close;
    while (open > 0 && close - open < MASK_RUNES_MAX && code_at(moderation, open) != '[' &&
           code_at(moderation, open) != '\n')
        open--;
    for (size_t i = open; i < close; i++) {
        size_t end =
            is_host_rune(code_at(moderation, i)) && !is_host_rune(code_at(moderation, i - (i > 0)))
                ? bare_host_end(moderation, i)
                : 0;
        if (end == 0 || end > close)
            continue;
        print_host(moderation, i, end, host);
        if (is_known_top_level(moderation, host))
            return true;
    }
    return false;
}

static bool is_masked(const struct moderation *moderation, const struct link *link)
{
    char shown[HOST_BYTES];
    return mask_host(moderation, link, shown) &&
           strcmp(registrable_domain(moderation, shown),
                  registrable_domain(moderation, link->host)) != 0;
}

static bool is_official(const struct moderation *moderation, const char *host)
{
    return strings_have_domain(&moderation->rules->list[LIST_PROTECTED_DOMAINS], host) ||
           context_has_domain(moderation, "allowed_domains", host);
}

static bool is_blocked(const struct moderation *moderation, const char *host)
{
    return strings_have_domain(&moderation->rules->list[LIST_BLOCKED_DOMAINS], host) ||
           context_has_domain(moderation, "blocked_domains", host);
}

static void check_foreign_host(struct moderation *moderation, const struct link *link)
{
    const struct strings *list = moderation->rules->list;
    const struct {
        enum rule_id rule;
        bool applies;
    } checks[] = {
        { RULE_SCAM_LOOKALIKE, is_lookalike(moderation, link->host) },
        { RULE_SCAM_LURE_HOST, has_any(&list[LIST_BRANDS], link->host) &&
                                   has_any(&list[LIST_LURE_HOST_WORDS], link->host) },
        { RULE_SCAM_IP_LOGGER, strings_have_domain(&list[LIST_IP_LOGGERS], link->host) },
        { RULE_SCAM_IP_HOST, is_ip(link->host) },
        { RULE_SCAM_MIXED_HOST, is_mixed(link->host) },
        { RULE_SCAM_SHORTENER, strings_have_domain(&list[LIST_SHORTENERS], link->host) },
        { RULE_SCAM_DOWNLOAD, is_download(moderation, link) },
    };
    for (size_t i = 0; i < countof(checks); i++)
        if (checks[i].applies)
            add_link_finding(moderation, checks[i].rule, link->start, link->end);
}

static void check_link(struct moderation *moderation, const struct link *link)
{
    bool blocked = is_blocked(moderation, link->host);
    if (blocked)
        add_link_finding(moderation, RULE_SCAM_DOMAIN, link->start, link->end);
    if (link->has_user)
        add_link_finding(moderation, RULE_SCAM_USERINFO, link->start, link->end);
    if (is_masked(moderation, link))
        add_link_finding(moderation, RULE_SCAM_MASKED_LINK, link->start, link->end);
    if (!blocked && is_official(moderation, link->host))
        return;
    moderation->has_foreign_link = true;
    check_foreign_host(moderation, link);
}

/* ---- number of links ---- */

static int by_host_and_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_repeated(struct moderation *moderation, const struct links *links)
{
    scoped(mem_free) char **texts = mem_array(links->count + 1, sizeof(*texts));
    int64_t run = 0;
    int64_t most = 0;

    for (size_t i = 0; i < links->count; i++) {
        scoped(buf_free) struct buf text = BUF(1 << 16);
        const struct link *link = &links->at[i];
        buf_add_str(&text, link->host);
        runes_print(moderation->plain.at + link->path_start, link->end - link->path_start, &text);
        texts[i] = buf_take(&text);
    }
    qsort(texts, links->count, sizeof(*texts), by_host_and_path);
    for (size_t i = 0; i < links->count; i++) {
        run = i > 0 && strcmp(texts[i], texts[i - 1]) == 0 ? run + 1 : 1;
        most = MAX(most, run);
    }
    for (size_t i = 0; i < links->count; i++)
        mem_free(&texts[i]);
    if (most >= moderation->rules->limit[LIMIT_SAME_LINKS])
        finding_add(moderation, RULE_LINK_REPEATED, 0, (uint32_t)moderation->original.count, 0);
}

static void count_links(struct moderation *moderation, const struct links *links)
{
    const struct moderation_rules *rules = moderation->rules;
    int64_t extra = (int64_t)links->count - context_int(moderation, "link_limit");

    moderation->signals.links = (int64_t)links->count;
    if (extra > 0)
        finding_add_points(moderation, RULE_LINKS_MANY, 0, (uint32_t)moderation->original.count,
                           rules->rule[RULE_LINKS_MANY].points +
                               (extra - 1) * rules->limit[LIMIT_LINK_POINTS]);
    find_repeated(moderation, links);
}

/* ---- invites ---- */

static size_t skip_blanks(const struct moderation *moderation, size_t at)
{
    for (size_t i = 0; i < DOT_BLANKS_MAX && code_at(moderation, at) == ' '; i++)
        at++;
    return at;
}

/* The end of one of these spellings at this place; 0 if not found. */
static size_t spelled_end(const struct moderation *moderation, size_t at, enum list list)
{
    const struct strings *spellings = &moderation->rules->list[list];
    const struct runes *plain = &moderation->plain;
    for (size_t i = 0; at < plain->count && i < spellings->count; i++)
        if (runes_start_loose(plain->at + at, plain->count - at, spellings->at[i]))
            return at + strlen(spellings->at[i]);
    return 0;
}

/* The end of a dot, also one disguised for filters, with a few blanks around it; 0: not found. */
static size_t dot_end(const struct moderation *moderation, size_t at)
{
    size_t dot = skip_blanks(moderation, at);
    size_t end = spelled_end(moderation, dot, LIST_DOTS);
    uint32_t code = code_at(moderation, dot);
    if (end == 0 && (code == 0x3002 || code == 0xB7 || code == 0x2022 || code == 0x2024))
        end = dot + 1; /* an ideographic full stop, a middle dot, a bullet, a leader */
    return end > 0 ? skip_blanks(moderation, end) : 0;
}

/* The same for a slash. */
static size_t slash_end(const struct moderation *moderation, size_t at)
{
    size_t slash = skip_blanks(moderation, at);
    size_t end = spelled_end(moderation, slash, LIST_SLASHES);
    uint32_t code = code_at(moderation, slash);
    if (end == 0 && (code == 0x2044 || code == 0x2215 || code == 0x29F8))
        end = slash + 1;
    return end > 0 ? skip_blanks(moderation, end) : 0;
}

/* The end of a form such as discord.gg/invite that begins here; 0 if not found. */
static size_t form_end(const struct moderation *moderation, size_t at, const char *form)
{
    for (; *form; form++) {
        if (*form == '.') {
            at = dot_end(moderation, at);
            if (at == 0)
                return 0;
        } else if (*form == '/') {
            at = slash_end(moderation, at);
            if (at == 0)
                return 0;
        } else if (uc_tolower(code_at(moderation, at++)) != (unsigned char)*form) {
            return 0;
        }
    }
    return at;
}

static bool is_code(uint32_t code)
{
    return code < 0x80 && (char_is_word(code) || code == '-');
}

/* The end of the code after a form. A backslash may replace the slash after a path, but not that
 * after a host. */
static size_t invite_end(const struct moderation *moderation, size_t at, const char *form,
                         size_t *code_start)
{
    size_t end = form_end(moderation, at, form);
    if (end == 0)
        return 0;
    size_t slash = slash_end(moderation, end);
    if (slash == 0 && code_at(moderation, end) == '\\' && strchr(form, '/'))
        slash = end + 1;
    if (slash == 0)
        return 0;
    end = *code_start = slash;
    while (end - *code_start < CODE_LETTERS_MAX && is_code(code_at(moderation, end)))
        end++;
    bool is_host = code_at(moderation, end) == '.' && is_code(code_at(moderation, end + 1));
    return end - *code_start >= CODE_LETTERS_MIN && !is_host ? end : 0;
}

/* The longest match of all forms: discord.gg/invite/x does not invite to "invite". */
static size_t best_invite(const struct moderation *moderation, size_t at, size_t *code_start)
{
    const struct strings *forms = &moderation->rules->list[LIST_INVITES];
    size_t best = 0;
    for (size_t i = 0; i < forms->count; i++) {
        size_t start;
        size_t end = invite_end(moderation, at, forms->at[i], &start);
        if (end <= best)
            continue;
        best = end;
        *code_start = start;
    }
    return best;
}

static void find_invites(struct moderation *moderation)
{
    for (size_t i = 0, end; i < moderation->plain.count; i = end) {
        char code[CODE_LETTERS_MAX + 1] = { 0 };
        size_t start = 0;
        end = i > 0 && is_code(code_at(moderation, i - 1)) ? 0 : best_invite(moderation, i, &start);
        if (end == 0) {
            end = i + 1;
            continue;
        }
        for (size_t j = start; j < end; j++)
            code[j - start] = (char)code_at(moderation, j);
        if (context_has(moderation, "allowed_invites", code))
            continue;
        add_link_finding(moderation,
                         moderation->signals.invites++ > 0 ? RULE_INVITE_FURTHER : RULE_INVITE, i,
                         end);
    }
}

void find_links(struct moderation *moderation)
{
    struct links links = links_of(moderation);
    for (size_t i = 0; i < links.count; i++)
        check_link(moderation, &links.at[i]);
    count_links(moderation, &links);
    find_invites(moderation);
    mem_free(&links.at);
}
