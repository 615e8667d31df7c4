/* svc-chat/chatplatform-text-sanitize/rewrite.c - replaces mentions, links and emoji by safe
 * text. */
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/writing/chars.h"
#include "base/writing/unseen.h"
#include "steps.h"
#include "text/json.h"
#include "writing/tokens.h"

enum {
    REMOVAL_PASSES = 8,   /* for mentions hidden by other removed mentions */
    NAME_RUNES_MAX = 100, /* of a display name; the platform's have 32 */
};

/* ---- mentions ---- */

/* A display name is untrusted too: make it one line, without invisible characters and pings. */
static void add_name(struct runes *out, struct text name, struct rune origin)
{
    scoped(runes_free) struct runes clean = runes_of(name);
    size_t ansi = 0;

    drop_controls(&clean, &ansi);
    drop_invisible(&clean, true, true);
    limit_newlines(&clean, 0);
    for (size_t i = 0; i < MIN(clean.count, (size_t)NAME_RUNES_MAX); i++) {
        uint32_t code = clean.at[i].code;
        runes_add_code(out, code, origin);
        if (code == '@' || code == '<')
            runes_add_code(out, CHAR_ZWSP, origin);
    }
}

static bool is_group_name(struct text name)
{
    return name.size < 16 &&
           (strcasecmp(name.bytes, "everyone") == 0 || strcasecmp(name.bytes, "here") == 0);
}

/* "@name", "#name", "/name", "name": as a client shows it. */
static void write_mention_text(const struct runes *text, const struct token *token,
                               const cJSON *names, struct runes *out)
{
    static const char *const unknown[TOKEN_KINDS] = {
        [TOKEN_USER] = "unknown-user",
        [TOKEN_ROLE] = "deleted-role",
        [TOKEN_CHANNEL] = "deleted-channel",
    };
    const struct rune *at = text->at;
    struct rune origin = { 0, at[token->start].start, at[token->end - 1].end };
    char id[TOKEN_ID_BYTES];

    token_id(text, token, id);
    const cJSON *given = json_get(names, id);
    struct text name = given ? json_text_of(given) : text_of(unknown[token->kind]);
    if (token->kind == TOKEN_COMMAND) {
        runes_add_code(out, '/', origin);
        runes_add_range(out, at + token->name_start, token->name_end - token->name_start);
        return;
    }
    if (token->kind == TOKEN_NAVIGATION) { /* between `<id:` and `>` */
        runes_add_range(out, at + token->start + 4, token->end - token->start - 5);
        return;
    }
    runes_add_code(out, token->kind == TOKEN_CHANNEL ? '#' : '@', origin);
    if (is_group_name(name))
        runes_add_code(out, CHAR_ZWSP, origin);
    add_name(out, name, origin);
}

/* Everyone and here: `@` and what follows. */
static void write_group_text(const struct runes *text, const struct token *token, struct runes *out)
{
    const struct rune *at = text->at;
    runes_add(out, at[token->start]);
    runes_add_code(out, CHAR_ZWSP, at[token->start]);
    runes_add_range(out, at + token->start + 1, token->end - token->start - 1);
}

/* After the sigil: `<@`, `<@&`, `<@!`, `<#`, `</`, `<id:`. */
static void write_broken_mention(const struct runes *text, const struct token *token,
                                 struct runes *out)
{
    const struct rune *at = text->at;
    size_t behind = token->kind == TOKEN_NAVIGATION ? token->start + 4
                    : token->kind == TOKEN_COMMAND  ? token->name_start
                                                    : token->id_start;
    runes_add_range(out, at + token->start, behind - token->start);
    runes_add_code(out, CHAR_ZWSP, at[behind - 1]);
    runes_add_range(out, at + behind, token->end - behind);
}

static void write_mention(const struct runes *text, const struct token *token,
                          const struct mention_rules *rules, struct runes *out)
{
    bool is_group = token->kind == TOKEN_EVERYONE || token->kind == TOKEN_HERE;
    if (rules->mode == MENTIONS_REMOVE)
        return;
    if (is_group)
        write_group_text(text, token, out);
    else if (rules->mode == MENTIONS_TEXT)
        write_mention_text(text, token, rules->names, out);
    else
        write_broken_mention(text, token, out);
}

/* With %40 instead of @ the link still works (RFC 3986, 2.1), and pings nobody. */
static size_t write_link(const struct runes *text, const struct token *link,
                         const struct mention_rules *rules, struct runes *out)
{
    struct token found;
    size_t at = link->start;
    size_t done = link->start;
    size_t count = 0;

    while (token_in_link(text, link, &at, &found)) {
        if (!rules->kinds[found.kind])
            continue;
        runes_add_range(out, text->at + done, found.start - done);
        runes_add_ascii(out, "%40", text->at[found.start]);
        done = found.start + 1;
        count++;
    }
    runes_add_range(out, text->at + done, link->end - done);
    return count;
}

static size_t rewrite_mentions(struct runes *text, const struct mention_rules *rules)
{
    scoped(tokens_free) struct tokens tokens = tokens_of(text);
    scoped(runes_free) struct runes out = { 0 };
    size_t done = 0;
    size_t count = 0;

    for (size_t i = 0; i < tokens.count; i++) {
        const struct token *token = &tokens.at[i];
        bool is_link = token->kind == TOKEN_LINK;
        if (!is_link && (!token_is_mention(token->kind) || !rules->kinds[token->kind]))
            continue;
        runes_add_range(&out, text->at + done, token->start - done);
        done = token->end;
        if (is_link) {
            count += write_link(text, token, rules, &out);
        } else {
            write_mention(text, token, rules, &out);
            count++;
        }
    }
    runes_add_range(&out, text->at + done, text->count - done);
    runes_replace(text, &out);
    return count;
}

size_t disarm_mentions(struct runes *text, const struct mention_rules *rules)
{
    struct mention_rules last = *rules;
    size_t total = 0;
    size_t count = 1;

    if (rules->mode == MENTIONS_KEEP)
        return 0;
    for (int pass = 0; count > 0 && pass < REMOVAL_PASSES; pass++)
        total += count = rewrite_mentions(text, rules);
    last.mode = MENTIONS_ZERO_WIDTH;
    return count > 0 ? total + rewrite_mentions(text, &last) : total;
}

/* ---- links and emoji ---- */

static bool is_bracketed(const struct runes *text, const struct token *token)
{
    return token->start > 0 && text->at[token->start - 1].code == '<' && token->end < text->count &&
           text->at[token->end].code == '>';
}

/* `hxxps://host[.]tld/path` */
static void write_defanged(const struct rune *url, size_t count, struct runes *out)
{
    bool in_host = true;
    size_t host = runes_start_loose(url, count, "https") ? strlen("https://") : strlen("http://");
    for (size_t i = 0; i < count; i++) {
        in_host = in_host &&
                  (i < host || (url[i].code != '/' && url[i].code != '?' && url[i].code != '#'));
        if (i == 1 || i == 2)
            runes_add_code(out, 'x', url[i]);
        else if (in_host && url[i].code == '.')
            runes_add_ascii(out, "[.]", url[i]);
        else
            runes_add(out, url[i]);
    }
}

static void write_url(const struct rune *url, size_t count, const char *mode, struct runes *out)
{
    if (strcmp(mode, "defang") == 0)
        write_defanged(url, count, out);
    if (strcmp(mode, "suppress") != 0)
        return;
    runes_add_code(out, '<', url[0]);
    runes_add_range(out, url, count);
    runes_add_code(out, '>', url[count - 1]);
}

size_t rewrite_links(struct runes *text, const char *mode)
{
    scoped(tokens_free) struct tokens tokens = tokens_of(text);
    scoped(runes_free) struct runes out = { 0 };
    bool suppresses = strcmp(mode, "suppress") == 0;
    size_t done = 0;
    size_t count = 0;

    if (strcmp(mode, "keep") == 0)
        return 0;
    for (size_t i = 0; i < tokens.count; i++) {
        const struct token *token = &tokens.at[i];
        if (token->kind != TOKEN_LINK || (suppresses && is_bracketed(text, token)))
            continue;
        runes_add_range(&out, text->at + done, token->start - done);
        write_url(text->at + token->start, token->end - token->start, mode, &out);
        done = token->end;
        count++;
    }
    runes_add_range(&out, text->at + done, text->count - done);
    runes_replace(text, &out);
    return count;
}

size_t rewrite_emoji(struct runes *text, const char *mode)
{
    scoped(tokens_free) struct tokens tokens = tokens_of(text);
    scoped(runes_free) struct runes out = { 0 };
    bool names = strcmp(mode, "name") == 0;
    size_t done = 0;
    size_t count = 0;

    if (strcmp(mode, "keep") == 0)
        return 0;
    for (size_t i = 0; i < tokens.count; i++) {
        const struct token *token = &tokens.at[i];
        if (token->kind != TOKEN_EMOJI)
            continue;
        runes_add_range(&out, text->at + done, token->start - done);
        if (names)
            runes_add_range(&out, text->at + token->name_start - 1,
                            token->name_end - token->name_start + 2); /* with its colons */
        done = token->end;
        count++;
    }
    runes_add_range(&out, text->at + done, text->count - done);
    runes_replace(text, &out);
    return count;
}
