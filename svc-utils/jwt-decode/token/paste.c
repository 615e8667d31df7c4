/* svc-utils/jwt-decode/token/paste.c - takes off what is around a token, else searches for one. */
#include "paste.h"

#include <string.h>

#include "base/ascii.h"
#include "text/json.h"
#include "token.h"

enum {
    WRAPPERS_MAX = 6, /* around each other */
    TRIES_MAX = 64,   /* places that look like the beginning of a token */
};

/* Each opening quote with its closing one. */
static const struct quote {
    const char *open, *close;
} quotes[] = {
    { "\"", "\"" }, { "'", "'" }, { "`", "`" }, { "<", ">" }, { "“", "”" }, { "‘", "’" },
};

static bool strip_quotes(struct text *text)
{
    for (size_t i = 0; i < countof(quotes); i++) {
        size_t open = strlen(quotes[i].open), close = strlen(quotes[i].close);
        if (text->size < open + close || !text_begins(*text, quotes[i].open) ||
            !text_equals(text_skip(*text, text->size - close), text_of(quotes[i].close)))
            continue;
        *text = text_trim((struct text){ text->bytes + open, text->size - open - close });
        return true;
    }
    return false;
}

/* Authorization: and the like. A token has no colon, and a URL has // after it. */
static bool strip_field_name(struct text *text, struct text *name)
{
    size_t size = 0;
    while (size < text->size &&
           (ascii_is_alnum((unsigned char)text->bytes[size]) || text->bytes[size] == '-'))
        size++;
    struct text rest = text_skip(*text, size);
    if (size == 0 || !text_take_byte(&rest, ":") || text_begins(rest, "//"))
        return false;
    *name = (struct text){ text->bytes, size };
    *text = text_trim(rest);
    return true;
}

static bool strip_scheme(struct text *text)
{
    static const char *const schemes[] = { "Bearer", "DPoP", "JWT", "Token" };
    for (size_t i = 0; i < countof(schemes); i++) {
        size_t size = strlen(schemes[i]);
        if (!text_begins_any_case(*text, schemes[i]) || text->size == size ||
            !ascii_is_space((unsigned char)text->bytes[size]))
            continue;
        *text = text_trim(text_skip(*text, size));
        return true;
    }
    return false;
}

/* "Bearer" alone was always accepted and is not a form that the result names. */
static void strip_wrappers(struct token_paste *paste)
{
    for (int i = 0; i < WRAPPERS_MAX; i++) {
        if (strip_quotes(&paste->token))
            paste->form = paste->form ? paste->form : "quotes";
        else if (strip_field_name(&paste->token, &paste->name))
            paste->form = "header";
        else if (!strip_scheme(&paste->token))
            return;
    }
}

/* ---- search ---- */

static bool is_token_byte(char c)
{
    return ascii_is_alnum((unsigned char)c) || ascii_is_one_of(c, "-_.~+/=");
}

/* Is there a token here? Its end is the last byte that a token may have, without a final dot. */
static bool is_token_at(struct text text, size_t at, struct text *token)
{
    size_t end = at;
    while (end < text.size && is_token_byte(text.bytes[end]))
        end++;
    while (end > at && ascii_is_one_of(text.bytes[end - 1], "/+="))
        end--;
    *token = (struct text){ text.bytes + at, end - at };
    struct text signed_part = text_before(*token, "~");
    return token_is_likely(signed_part);
}

/* The word before = or :, such as access_token. */
static struct text name_before(struct text text, size_t at)
{
    while (at > 0 && ascii_is_one_of(text.bytes[at - 1], " \"'"))
        at--;
    if (at == 0 || !ascii_is_one_of(text.bytes[at - 1], "=:"))
        return TEXT("");
    at--;
    while (at > 0 && ascii_is_one_of(text.bytes[at - 1], " \"'"))
        at--;
    size_t end = at;
    while (at > 0 && (ascii_is_alnum((unsigned char)text.bytes[at - 1]) ||
                      ascii_is_one_of(text.bytes[at - 1], "-_")))
        at--;
    return (struct text){ text.bytes + at, end - at };
}

static void take_found(struct text token, struct text name, const char *form,
                       struct token_paste *paste, bool *is_found)
{
    bool is_better = text_is(name, "access_token") && !text_is(paste->name, "access_token");
    if (*is_found)
        paste->others++;
    if (*is_found && !is_better)
        return;
    *is_found = true;
    paste->form = form;
    paste->name = name;
    paste->token = token;
}

/* A header begins with {, which is ey or ew in Base64. */
static void search_tokens(struct text text, bool is_json, struct token_paste *paste)
{
    bool is_found = false;
    int tries = 0;
    for (size_t at = 0; at + 2 < text.size && tries < TRIES_MAX; at++) {
        struct text token;
        if (text.bytes[at] != 'e' || !ascii_is_one_of(text.bytes[at + 1], "yw"))
            continue;
        tries++;
        if (!is_token_at(text, at, &token))
            continue;
        struct text name = name_before(text, at);
        take_found(token, name,
                   is_json         ? "json"
                   : name.size > 0 ? "parameter"
                                   : "text",
                   paste, &is_found);
        at += token.size;
    }
}

/* A token in JSON, which is not a response with tokens in it. */
static bool is_json_token(struct text text)
{
    static const char *const members[] = { "signatures", "signature", "recipients", "ciphertext" };
    struct err why = { 0 };
    bool has_repeats, is_token = false;
    cJSON *tree = NULL;
    if (!json_parse_as_is(text, TOKEN_DEPTH, &tree, &has_repeats, &why))
        return true; /* for its error */
    for (size_t i = 0; i < countof(members); i++)
        is_token |= json_get(tree, members[i]) != NULL;
    json_wipe(&tree);
    return is_token;
}

/* Base64 before the first dot, perhaps with blanks: a token, although it may be invalid. */
static bool is_shaped(struct text text)
{
    struct text head = text_before(text, ".");
    for (size_t i = 0; i < head.size; i++)
        if (!is_token_byte(head.bytes[i]) && !ascii_is_space((unsigned char)head.bytes[i]))
            return false;
    return text_begins(text, "ey") || text_begins(text, "ew") || head.size == text.size;
}

/* Without the comma or semicolon that ends a line of code. */
static struct text strip_line_end(struct text text)
{
    text = text_trim(text);
    if (text.size > 1 && strchr(",;", text.bytes[text.size - 1]))
        text.size--;
    return text;
}

void token_find_pasted(struct text text, struct token_paste *paste)
{
    *paste = (struct token_paste){ .token = strip_line_end(text) };
    strip_wrappers(paste);
    if (text_begins(paste->token, "{")) {
        if (!is_json_token(paste->token))
            search_tokens(paste->token, true, paste);
    } else if (!is_shaped(paste->token)) {
        search_tokens(paste->token, false, paste);
    }
}
