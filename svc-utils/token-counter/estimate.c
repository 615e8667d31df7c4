/* svc-utils/token-counter/estimate.c - splits a text and adds the average cost of its pieces. */
#include "estimate.h"

#include <math.h>
#include <string.h>
#include <unictype.h>

#include "base/codec/utf8.h"
#include "base/table.h"
#include "base/text.h"
#include "characters.h"
#include "pieces.h"

/* ---- tokenizers and scripts ---- */

static const struct token_family {
    const char *name;
    enum letters_base base; /* the factors are relative to its weights */
    bool has_single_digits;
    double factor[TOKENS_CLASSES];
    double digits;
} families[] = {
#define FAMILY(name, base, blank, word, accented, han, kana, hangul, cyrillic, greek, arabic,   \
               hebrew, thai, indic, other, symbols, digits, has_single_digits)                  \
    { name,                                                                                     \
      LETTERS_##base,                                                                           \
      has_single_digits,                                                                        \
      { blank, word, accented, han, kana, hangul, cyrillic, greek, arabic, hebrew, thai, indic, \
        other, symbols },                                                                       \
      digits },
#include "families.def"
#undef FAMILY
};

/* The scripts with separate factors, by their Unicode names. */
static const struct script_name {
    const char *name;
    enum token_class class;
} script_names[] = {
    { "Han", TOKENS_HAN },           { "Hiragana", TOKENS_KANA },
    { "Katakana", TOKENS_KANA },     { "Hangul", TOKENS_HANGUL },
    { "Cyrillic", TOKENS_CYRILLIC }, { "Greek", TOKENS_GREEK },
    { "Arabic", TOKENS_ARABIC },     { "Hebrew", TOKENS_HEBREW },
    { "Thai", TOKENS_THAI },         { "Devanagari", TOKENS_INDIC },
    { "Bengali", TOKENS_INDIC },     { "Tamil", TOKENS_INDIC },
    { "Telugu", TOKENS_INDIC },      { "Gujarati", TOKENS_INDIC },
    { "Kannada", TOKENS_INDIC },     { "Malayalam", TOKENS_INDIC },
    { "Latin", TOKENS_ACCENTED },    { "Inherited", TOKENS_ACCENTED },
    { "Common", TOKENS_ACCENTED },
};

/* ---- pieces ---- */

static enum token_class class_of(uint32_t character)
{
    const uc_script_t *script = uc_script(character);
    const struct script_name *found = script ? TABLE_FIND(script_names, script->name) : NULL;
    return found ? found->class : TOKENS_OTHER;
}

/* The class of the first letter that is not ASCII, if there is one. */
static enum token_class class_of_piece(struct text piece)
{
    enum token_class class = TOKENS_SYMBOLS;
    bool is_after_blank = piece.bytes[0] == ' ';
    for (size_t bytes; piece.size > 0; piece = text_skip(piece, bytes)) {
        uint32_t character = utf8_next(piece, &bytes);
        bool is_letter = character_kind(character) <= CHARACTER_MARK;
        if (is_letter && character >= 0x80)
            return class_of(character);
        if (is_letter)
            class = is_after_blank ? TOKENS_AFTER_BLANK : TOKENS_WORD;
    }
    return class;
}

static bool is_space(uint32_t character)
{
    enum character_kind kind = character_kind(character);
    return kind == CHARACTER_BLANK || kind == CHARACTER_LINE;
}

void token_tally_characters(struct text text, struct token_tally *tally)
{
    bool is_in_word = false;
    tally->bytes = (int64_t)text.size;
    for (size_t bytes; text.size > 0; text = text_skip(text, bytes)) {
        bool is_blank = is_space(utf8_next(text, &bytes));
        tally->characters++;
        tally->words += !is_blank && !is_in_word;
        is_in_word = !is_blank;
    }
}

static void count_piece(struct token_tally *tally, struct text piece)
{
    size_t bytes;
    if (character_kind(utf8_next(piece, &bytes)) == CHARACTER_DIGIT) {
        tally->digit_groups++;
        tally->digits += (int64_t)utf8_length(piece);
        return;
    }
    double tokens[LETTERS_BASES];
    enum token_class class = class_of_piece(piece);
    letters_tokens(piece, tokens);
    for (int base = 0; base < LETTERS_BASES; base++)
        tally->tokens[base][class] += tokens[base];
}

void token_tally_pieces(struct text text, struct token_tally *tally)
{
    while (text.size > 0) {
        size_t bytes = piece_bytes(SPLIT_O200K, text);
        count_piece(tally, (struct text){ text.bytes, bytes });
        text = text_skip(text, bytes);
    }
}

void token_tally(struct text text, struct token_tally *tally)
{
    *tally = (struct token_tally){ 0 };
    token_tally_characters(text, tally);
    token_tally_pieces(text, tally);
}

/* ---- families ---- */

const struct token_family *token_family_find(const char *name)
{
    return TABLE_FIND(families, name);
}

const char *token_family_name(const struct token_family *family)
{
    return family->name;
}

int64_t token_estimate(const struct token_tally *tally, const struct token_family *family)
{
    int64_t digits = family->has_single_digits ? tally->digits : tally->digit_groups;
    double sum = family->digits * (double)digits;
    for (size_t i = 0; i < TOKENS_CLASSES; i++)
        sum += tally->tokens[family->base][i] * family->factor[i];
    if (tally->bytes == 0)
        return 0;
    return sum < 1 ? 1 : llround(sum);
}
