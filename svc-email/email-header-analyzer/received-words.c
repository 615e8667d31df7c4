/* svc-email/email-header-analyzer/received-words.c - split a field into tokens, and a token into
 * words. */
#include "email-header-analyzer/received-reading.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "base/num.h"

enum {
    COMMENT_DEPTH_MAX = 10,
    UNCLOSED_MAX = 4, /* how often an unclosed bracket's end is searched for */
};

/* ---- tokens ---- */

size_t received_enclosed_bytes(struct text text, char open, char close)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\\' && open != '<')
            i++;
        else if (text.bytes[i] == open && (open == '(' || depth == 0))
            depth++;
        else if (text.bytes[i] == close && --depth == 0)
            return i + 1;
        if (depth > COMMENT_DEPTH_MAX)
            return 0;
    }
    return 0;
}

static size_t quoted_bytes(struct text text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.bytes[i] == '\\')
            i++;
        else if (text.bytes[i] == '"')
            return i + 1;
    }
    return 0;
}

bool received_is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static size_t atom_bytes(struct text text)
{
    size_t end = 1;
    while (end < text.size && !strchr(" \t(<;\"", text.bytes[end]) &&
           !(text.bytes[end] == '[' && text.bytes[end - 1] != '@'))
        end++;
    return MIN(end, text.size);
}

/* Take the next token off *rest. An unclosed delimiter is one byte. Its end is searched for only
 * UNCLOSED_MAX times, which keeps many open brackets linear. */
static bool take_token(struct text *rest, struct token *token, int *unclosed)
{
    static const struct {
        char open, close;
        enum token_kind kind;
    } pairs[] = { { '(', ')', TOKEN_COMMENT },
                  { '<', '>', TOKEN_ANGLE },
                  { '[', ']', TOKEN_BRACKET } };

    while (rest->size > 0) {
        char first = rest->bytes[0];
        size_t bytes = 0;
        if (received_is_blank(first) || strchr(";,)>]", first)) {
            *rest = text_skip(*rest, 1);
            continue;
        }
        token->kind = TOKEN_ATOM;
        for (size_t i = 0; i < countof(pairs) && *unclosed > 0; i++)
            if (first == pairs[i].open) {
                bytes = received_enclosed_bytes(*rest, pairs[i].open, pairs[i].close);
                token->kind = pairs[i].kind;
            }
        if (first == '"' && *unclosed > 0) {
            bytes = quoted_bytes(*rest);
            token->kind = TOKEN_QUOTED;
        }
        if (bytes > 0) {
            token->text = (struct text){ rest->bytes + 1, bytes - 2 };
            *rest = text_skip(*rest, bytes);
            return true;
        }
        if (strchr("(<[\"", first)) {
            (*unclosed)--;
            *rest = text_skip(*rest, 1);
            continue;
        }
        bytes = atom_bytes(*rest);
        token->kind = TOKEN_ATOM;
        token->text = (struct text){ rest->bytes, bytes };
        *rest = text_skip(*rest, bytes);
        return true;
    }
    return false;
}

void received_tokenize(struct text text, struct reading *reading)
{
    int unclosed = UNCLOSED_MAX;
    while (reading->count < TOKENS_MAX &&
           take_token(&text, &reading->token[reading->count], &unclosed))
        reading->count++;
}

/* ---- strings ---- */

const char *received_keep(struct reading *reading, struct text text)
{
    text = utf8_cut(text_trim(text), NAME_MAX_BYTES);
    return text.size > 0 ? arena_copy(reading->arena, text) : NULL;
}

struct text received_bare(struct text word)
{
    return text_strip(text_trim(word), "<[(\"'", ">])\"'.,;");
}

bool received_take_word(struct text *rest, struct text *word)
{
    *rest = text_trim(*rest);
    size_t end = 0;
    while (end < rest->size && !received_is_blank(rest->bytes[end]))
        end++;
    *word = (struct text){ rest->bytes, end };
    *rest = text_skip(*rest, end);
    return end > 0;
}
