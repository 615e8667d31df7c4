/* svc-chat/writing/tokens.c - finds mentions, emoji, timestamps and links. */
#include "tokens.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"

enum {
    ID_DIGITS_MIN = 15,
    ID_DIGITS_MAX = 20,
    NAME_RUNES_MAX = 32, /* of an emoji and of each word of a command */
    COMMAND_WORDS_MAX = 3,
    SECONDS_DIGITS_MAX = 13,
};

/* A position in the runes that advances while the text matches. */
struct scan {
    const struct rune *at;
    size_t count;
    size_t next;
};

static const char *const kind_names[TOKEN_KINDS] = {
    [TOKEN_EVERYONE] = "everyone",
    [TOKEN_HERE] = "here",
    [TOKEN_USER] = "user",
    [TOKEN_ROLE] = "role",
    [TOKEN_CHANNEL] = "channel",
    [TOKEN_COMMAND] = "command",
    [TOKEN_NAVIGATION] = "navigation",
    [TOKEN_EMOJI] = "emoji",
    [TOKEN_TIMESTAMP] = "timestamp",
    [TOKEN_LINK] = "link",
};

const char *token_kind_name(enum token_kind kind)
{
    return kind_names[kind];
}

bool token_is_mention(enum token_kind kind)
{
    return kind <= TOKEN_NAVIGATION;
}

void token_id(const struct runes *runes, const struct token *token, char id[static TOKEN_ID_BYTES])
{
    size_t length = token->id_end - token->id_start;
    for (size_t i = 0; i < length; i++)
        id[i] = (char)runes->at[token->id_start + i].code;
    id[length] = '\0';
}

static uint32_t peek_rune(const struct scan *scan)
{
    return scan->next < scan->count ? scan->at[scan->next].code : 0;
}

static bool accept_text(struct scan *scan, const char *ascii)
{
    if (!runes_start(scan->at + scan->next, scan->count - scan->next, ascii))
        return false;
    scan->next += strlen(ascii);
    return true;
}

static bool is_name(uint32_t code)
{
    return char_is_word(code) || code == '_';
}

static bool is_command_name(uint32_t code)
{
    return is_name(code) || code == '-' || code == '\'';
}

/* min to max runes of a class; the match is *start to scan->next. */
static bool accept_run(struct scan *scan, bool (*fits)(uint32_t), size_t min, size_t max,
                       size_t *start, size_t *end)
{
    *start = scan->next;
    while (scan->next - *start < max && fits(peek_rune(scan)))
        scan->next++;
    *end = scan->next;
    return *end - *start >= min;
}

static bool accept_id(struct scan *scan, struct token *token)
{
    return accept_run(scan, ascii_is_digit, ID_DIGITS_MIN, ID_DIGITS_MAX, &token->id_start,
                      &token->id_end) &&
           accept_text(scan, ">");
}

static bool read_user(struct scan *scan, struct token *token)
{
    if (accept_text(scan, "&"))
        token->kind = TOKEN_ROLE;
    else
        accept_text(scan, "!");
    return accept_id(scan, token);
}

static bool read_channel(struct scan *scan, struct token *token)
{
    return accept_id(scan, token);
}

static bool read_command(struct scan *scan, struct token *token)
{
    token->name_start = scan->next;
    for (int words = 0; words < COMMAND_WORDS_MAX; words++) {
        size_t start;
        if (!accept_run(scan, is_command_name, 1, NAME_RUNES_MAX, &start, &token->name_end))
            return false;
        if (accept_text(scan, ":"))
            return accept_id(scan, token);
        if (!accept_text(scan, " "))
            return false;
    }
    return false;
}

static bool read_emoji(struct scan *scan, struct token *token)
{
    return accept_run(scan, is_name, 1, NAME_RUNES_MAX, &token->name_start, &token->name_end) &&
           accept_text(scan, ":") && accept_id(scan, token);
}

static bool read_timestamp(struct scan *scan, struct token *token)
{
    accept_text(scan, "-");
    if (!accept_run(scan, ascii_is_digit, 1, SECONDS_DIGITS_MAX, &token->name_start,
                    &token->name_end))
        return false;
    if (accept_text(scan, ":")) {
        uint32_t style = peek_rune(scan);
        if (style == 0 || style >= 0x80 || !strchr("tTdDfFsSR", (int)style))
            return false;
        scan->next++;
    }
    return accept_text(scan, ">");
}

static bool read_navigation(struct scan *scan, struct token *token)
{
    if (accept_text(scan, "linked-roles:"))
        return accept_id(scan, token);
    return accept_text(scan, "browse>") || accept_text(scan, "customize>") ||
           accept_text(scan, "guide>") || accept_text(scan, "linked-roles>");
}

static const struct form {
    const char *name; /* its prefix */
    enum token_kind kind;
    bool (*read)(struct scan *scan, struct token *token);
} forms[] = {
    { "<@", TOKEN_USER, read_user },
    { "<#", TOKEN_CHANNEL, read_channel },
    { "</", TOKEN_COMMAND, read_command },
    { "<id:", TOKEN_NAVIGATION, read_navigation },
    { "<:", TOKEN_EMOJI, read_emoji },
    { "<a:", TOKEN_EMOJI, read_emoji },
    { "<t:", TOKEN_TIMESTAMP, read_timestamp },
};

static bool read_tag(struct scan scan, struct token *token)
{
    size_t start = scan.next;
    for (size_t i = 0; i < countof(forms); i++) {
        scan.next = start;
        *token = (struct token){ .kind = forms[i].kind, .start = start };
        if (!accept_text(&scan, forms[i].name) || !forms[i].read(&scan, token))
            continue;
        token->end = scan.next;
        return true;
    }
    return false;
}

static bool read_everyone(struct scan scan, struct token *token)
{
    const struct rune *at = scan.at + scan.next;
    size_t left = scan.count - scan.next;
    bool everyone = runes_start_loose(at, left, "@everyone");

    if (!everyone && !runes_start_loose(at, left, "@here"))
        return false;
    *token =
        (struct token){ .kind = everyone ? TOKEN_EVERYONE : TOKEN_HERE,
                        .start = scan.next,
                        .end = scan.next + (everyone ? strlen("@everyone") : strlen("@here")) };
    return true;
}

bool token_in_link(const struct runes *runes, const struct token *link, size_t *at,
                   struct token *found)
{
    for (size_t i = *at; i < link->end; i++) {
        struct scan scan = { runes->at, link->end, i };
        if (runes->at[i].code != '@' || !read_everyone(scan, found))
            continue;
        *at = found->end;
        return true;
    }
    return false;
}

static bool ends_link(uint32_t code)
{
    return code < 0x80 && code > 0 && strchr(".,:;!?\"'*_~|`])", (int)code);
}

/*
 * Final punctuation belongs to the sentence, and a closing parenthesis belongs to the link only if
 * it was opened there.
 */
static size_t link_end(const struct scan *scan, size_t start, size_t end)
{
    long open = 0;
    for (size_t i = start; i < end; i++)
        open += (scan->at[i].code == '(') - (scan->at[i].code == ')');
    while (end > start && ends_link(scan->at[end - 1].code)) {
        if (scan->at[end - 1].code == ')' && open++ >= 0)
            break;
        end--;
    }
    return end;
}

static bool is_link(uint32_t code)
{
    return !char_is_space(code) && code != '<' && code != '>';
}

static bool read_link(struct scan scan, struct token *token)
{
    const struct rune *at = scan.at + scan.next;
    size_t left = scan.count - scan.next;
    size_t scheme = runes_start_loose(at, left, "https://")  ? strlen("https://")
                    : runes_start_loose(at, left, "http://") ? strlen("http://")
                                                             : 0;
    if (scheme == 0)
        return false;
    size_t host = scan.next + scheme;
    size_t end = host;
    while (end < scan.count && is_link(scan.at[end].code) &&
           !runes_start(scan.at + end, scan.count - end, "]("))
        end++;
    end = link_end(&scan, host, end);
    *token = (struct token){ .kind = TOKEN_LINK, .start = scan.next, .end = end };
    return end > host;
}

static bool read_token(struct scan scan, struct token *token)
{
    switch (peek_rune(&scan)) {
    case '<':
        return read_tag(scan, token);
    case '@':
        return read_everyone(scan, token);
    case 'h':
    case 'H':
        return read_link(scan, token);
    default:
        return false;
    }
}

static void add_token(struct tokens *tokens, const struct token *token)
{
    if (tokens->count == tokens->capacity) {
        tokens->capacity = MAX(16, 2 * tokens->capacity);
        tokens->at = mem_resize(tokens->at, tokens->capacity * sizeof(*tokens->at));
    }
    tokens->at[tokens->count++] = *token;
}

struct tokens tokens_of(const struct runes *runes)
{
    struct tokens tokens = { 0 };
    struct scan scan = { runes->at, runes->count, 0 };
    struct token token;

    while (scan.next < scan.count) {
        if (read_token(scan, &token)) {
            add_token(&tokens, &token);
            scan.next = token.end;
        } else {
            scan.next++;
        }
    }
    return tokens;
}

void tokens_free(struct tokens *tokens)
{
    mem_free(&tokens->at);
    *tokens = (struct tokens){ 0 };
}

static size_t backtick_count(const struct rune *from, size_t count)
{
    size_t run = 0;
    while (run < count && from[run].code == '`')
        run++;
    return run;
}

size_t code_length(const struct rune *from, size_t count, size_t *marks)
{
    size_t open = backtick_count(from, count);
    if (open == 0)
        return 0;
    for (size_t i = open; i < count;) {
        size_t run = backtick_count(from + i, count - i);
        if (run == open) {
            *marks = open;
            return i + run;
        }
        i += MAX(run, 1);
    }
    return 0;
}
