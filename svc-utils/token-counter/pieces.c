/*
 * svc-utils/token-counter/pieces.c - one function for each alternative of the expressions below,
 * where contraction is (?i:'s|'t|'re|'ve|'m|'ll|'d).
 *
 * o200k
 *   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+contraction?
 *   | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*contraction?
 *   | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
 *
 * cl100k
 *   '(?i:[sdmt]|ll|ve|re) | [^\r\n\p{L}\p{N}]?+\p{L}++ | \p{N}{1,3}+
 *   | ?[^\s\p{L}\p{N}]++[\r\n]*+ | \s++$ | \s*[\r\n] | \s+(?!\S) | \s
 *
 * Each function returns the number of bytes that match, 0 without a match.
 */
#include "pieces.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/codec/utf8.h"
#include "base/scoped.h"
#include "base/text.h"
#include "characters.h"

#define IS(kind) (1U << CHARACTER_##kind)
enum {
    IS_LETTER = IS(UPPER) | IS(LOWER) | IS(UNCASED),
    IS_HEAD = IS(UPPER) | IS(UNCASED) | IS(MARK), /* first part of a word: up to its last capital */
    IS_TAIL = IS(LOWER) | IS(UNCASED) | IS(MARK),
    IS_SPACE = IS(LINE) | IS(BLANK),
    IS_SYMBOL = IS(SYMBOL) | IS(MARK),
    IS_PREFIX = IS(SYMBOL) | IS(MARK) | IS(BLANK), /* may precede the letters of a word */
};

/* Bytes of the first character if it has one of these kinds, else 0. */
static size_t take_one(struct text text, unsigned kinds)
{
    size_t bytes;
    if (text.size == 0)
        return 0;
    uint32_t character = utf8_next(text, &bytes);
    return kinds & 1U << character_kind(character) ? bytes : 0;
}

static size_t take_run(struct text text, unsigned kinds)
{
    size_t taken = 0;
    for (size_t bytes; (bytes = take_one(text_skip(text, taken), kinds)) > 0;)
        taken += bytes;
    return taken;
}

/* The longest prefix of the first `head` letters that ends in an uncased letter; 0 if there is
 * none. */
static size_t take_to_uncased(struct text text, size_t head)
{
    size_t end = 0;
    for (size_t at = 0; at < head;) {
        size_t bytes;
        enum character_kind kind = character_kind(utf8_next(text_skip(text, at), &bytes));
        at += bytes;
        if (IS_TAIL & 1U << kind)
            end = at;
    }
    return end;
}

/* 's 't 're 've 'm 'll 'd */
static size_t take_contraction(struct text text)
{
    static const char *const endings[] = { "'s", "'t", "'re", "'ve", "'m", "'ll", "'d" };
    if (text.size == 0 || *text.bytes != '\'')
        return 0;
    for (size_t i = 0; i < countof(endings); i++) {
        size_t size = strlen(endings[i]);
        if (text.size >= size && strncasecmp(text.bytes, endings[i], size) == 0)
            return size;
    }
    return 0;
}

/* ---- words ---- */

/* [head]*[tail]+: capitals give back letters until one is a tail. */
static size_t take_lower_word(struct text text)
{
    size_t head = take_run(text, IS_HEAD);
    size_t tail = take_run(text_skip(text, head), IS_TAIL);
    return tail > 0 ? head + tail : take_to_uncased(text, head);
}

/* [head]+[tail]*, without a tail. */
static size_t take_upper_word(struct text text)
{
    return take_run(text, IS_HEAD);
}

/* One of the two forms, with the character before it if possible. */
static size_t take_prefixed(struct text text, size_t (*form)(struct text text))
{
    size_t prefix = take_one(text, IS_PREFIX);
    size_t word = prefix > 0 ? form(text_skip(text, prefix)) : 0;
    return word > 0 ? prefix + word : form(text);
}

static size_t take_word(struct text text)
{
    size_t word = take_prefixed(text, take_lower_word);
    if (word == 0)
        word = take_prefixed(text, take_upper_word);
    return word > 0 ? word + take_contraction(text_skip(text, word)) : 0;
}

static size_t take_plain_word(struct text text)
{
    size_t prefix = take_one(text, IS_PREFIX);
    size_t word = take_run(text_skip(text, prefix), IS_LETTER);
    return word > 0 ? prefix + word : 0;
}

/* ---- others ---- */

static size_t take_digits(struct text text)
{
    size_t taken = 0;
    for (int i = 0; i < 3; i++)
        taken += take_one(text_skip(text, taken), IS(DIGIT));
    return taken;
}

/* At most one blank, then symbols, then any characters of `ends`. */
static size_t take_symbols(struct text text, const char *ends)
{
    size_t blank = text.bytes[0] == ' ';
    size_t symbols = take_run(text_skip(text, blank), IS_SYMBOL);
    size_t taken = blank + symbols;
    if (symbols == 0)
        return 0;
    while (taken < text.size && text.bytes[taken] != '\0' && strchr(ends, text.bytes[taken]))
        taken++;
    return taken;
}

/*
 * White space up to its last line end. Without a line end: all of it at the end of the text, else
 * all
 * but the last character, which belongs to the next piece.
 */
static size_t take_space(struct text text)
{
    size_t run = 0;
    size_t last = 0; /* start of the last character */
    size_t line = 0; /* after the last line end */
    for (size_t bytes; (bytes = take_one(text_skip(text, run), IS_SPACE)) > 0; run += bytes) {
        last = run;
        if (take_one(text_skip(text, run), IS(LINE)) > 0)
            line = run + bytes;
    }
    if (line > 0)
        return line;
    return run < text.size && last > 0 ? last : run;
}

/* At the end of the text, cl100k takes all white space, with or without line ends. */
static size_t take_last_space(struct text text)
{
    return take_run(text, IS_SPACE) == text.size ? text.size : 0;
}

/* ---- both splits ---- */

static size_t o200k_piece(struct text text)
{
    size_t bytes = take_word(text);
    if (bytes == 0)
        bytes = take_digits(text);
    if (bytes == 0)
        bytes = take_symbols(text, "\r\n/");
    return bytes > 0 ? bytes : take_space(text);
}

static size_t cl100k_piece(struct text text)
{
    size_t bytes = take_contraction(text);
    if (bytes == 0)
        bytes = take_plain_word(text);
    if (bytes == 0)
        bytes = take_digits(text);
    if (bytes == 0)
        bytes = take_symbols(text, "\r\n");
    if (bytes == 0)
        bytes = take_last_space(text);
    return bytes > 0 ? bytes : take_space(text);
}

size_t piece_bytes(enum split split, struct text text)
{
    return split == SPLIT_O200K ? o200k_piece(text) : cl100k_piece(text);
}
