/* svc-utils/token-counter/estimate.c - pieces of a text and what they cost on average. */
#include "estimate.h"

#include <math.h>
#include <string.h>
#include <unictype.h>

#include "base/codec/utf8.h"
#include "base/table.h"
#include "characters.h"

enum { WORD_LETTERS = 16, FOREIGN_SHARE = 12 /* one word in so many has accents: not English */ };

/* ---- what was measured ---- */

enum before { BEFORE_BLANK, BEFORE_NOTHING, BEFORE_SYMBOL, BEFORES };
enum letter_case { CASE_LOWER, CASE_CAPITALIZED, CASE_UPPER, CASE_MIXED, CASES };

/* tokens by letters, and of each letter beyond */
static const double words[BEFORES][CASES][WORD_LETTERS + 1] = {
#define WORD(before, letter_case, ...) [BEFORE_##before][CASE_##letter_case] = { __VA_ARGS__ },
#include "words.def"
#undef WORD
};

static const struct script {
    double run;
    double character;
} scripts[TOKENS_CLASSES] = {
#define SCRIPT(name, of_run, of_character) [TOKENS_##name] = { of_run, of_character },
#include "scripts.def"
#undef SCRIPT
};

static const struct token_family {
    const char *name;
    double factor[TOKENS_CLASSES];
    double digits;
    bool has_single_digits;
} families[] = {
#define FAMILY(name, blank, word, accented, han, kana, hangul, cyrillic, greek, arabic, hebrew, \
               thai, indic, other, symbols, digits, has_single_digits)                          \
    { name,                                                                                     \
      { blank, word, accented, han, kana, hangul, cyrillic, greek, arabic, hebrew, thai, indic, \
        other, symbols },                                                                       \
      digits,                                                                                   \
      has_single_digits },
#include "families.def"
#undef FAMILY
};

/* The scripts of scripts.def by the names that Unicode gives them. */
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

/* ---- characters ---- */

struct reader {
    struct text rest;
    uint32_t character; /* the next one; not looked at when rest is empty */
    size_t bytes;
    enum character_kind kind;
    struct token_tally *tally;
    bool is_in_word;
    int64_t accented_words;
    int64_t eastern_words;
    int64_t latin_words;
};

static void look(struct reader *reader)
{
    if (reader->rest.size == 0)
        return;
    reader->character = utf8_next(reader->rest, &reader->bytes);
    reader->kind = character_kind(reader->character);
}

static void step(struct reader *reader)
{
    bool is_space = reader->kind == CHARACTER_BLANK || reader->kind == CHARACTER_LINE;
    reader->tally->characters++;
    if (!is_space && !reader->is_in_word)
        reader->tally->words++;
    reader->is_in_word = !is_space;
    reader->rest.bytes += reader->bytes;
    reader->rest.size -= reader->bytes;
    look(reader);
}

static bool is_at(const struct reader *reader, enum character_kind kind)
{
    return reader->rest.size > 0 && reader->kind == kind;
}

static bool is_at_uncased(const struct reader *reader)
{
    return is_at(reader, CHARACTER_UNCASED) || is_at(reader, CHARACTER_MARK);
}

/* Or a mark, which belongs to the letter before. */
static bool is_at_letter(const struct reader *reader)
{
    return reader->rest.size > 0 && reader->kind <= CHARACTER_MARK;
}

/* ---- words ---- */

struct word {
    enum before before;
    int letters;
    int upper;
    bool begins_upper;
    double foreign; /* tokens of characters of other scripts */
    int foreign_letters;
    int accented;
    bool is_eastern;        /* a letter of Latin Extended-A, as in Polish, Hungarian or Turkish */
    enum token_class class; /* of the first character that is not ASCII */
};

static enum token_class class_of(uint32_t character)
{
    const uc_script_t *script = uc_script(character);
    const struct script_name *found = script ? TABLE_FIND(script_names, script->name) : NULL;
    return found ? found->class : TOKENS_OTHER;
}

/* Vietnamese, which vocabularies know well, has these two of them. */
static bool is_eastern(uint32_t character)
{
    return character >= 0x100 && character < 0x180 && character != 0x110 && character != 0x111;
}

static void add_letter(struct reader *reader, struct word *word)
{
    word->begins_upper =
        word->begins_upper || (word->letters == 0 && reader->kind == CHARACTER_UPPER);
    word->letters++;
    word->upper += reader->kind == CHARACTER_UPPER;
    if (reader->character >= 0x80) {
        enum token_class class = class_of(reader->character);
        word->is_eastern = word->is_eastern || is_eastern(reader->character);
        if (class == TOKENS_ACCENTED)
            word->accented++;
        else if (word->foreign_letters++ == 0)
            word->class = class;
        word->foreign += scripts[class].character;
    }
    step(reader);
}

/* 's 't 're 've 'm 'll 'd belong to the word before. */
static void take_contraction(struct reader *reader, struct word *word)
{
    static const char *const endings[] = { "'s", "'t", "'re", "'ve", "'m", "'ll", "'d" };
    for (size_t i = 0; i < countof(endings); i++) {
        size_t length = strlen(endings[i]);
        if (reader->rest.size < length || strncasecmp(reader->rest.bytes, endings[i], length) != 0)
            continue;
        step(reader);
        for (size_t letter = 1; letter < length; letter++)
            add_letter(reader, word);
        return;
    }
}

static enum letter_case case_of(const struct word *word)
{
    if (word->upper == 0)
        return CASE_LOWER;
    if (word->upper == 1 && word->begins_upper && word->letters > 1)
        return CASE_CAPITALIZED;
    return word->upper == word->letters ? CASE_UPPER : CASE_MIXED;
}

static double ascii_tokens(const struct word *word, int letters)
{
    const double *tokens = words[word->before][case_of(word)];
    if (letters <= WORD_LETTERS)
        return tokens[letters - 1];
    return tokens[WORD_LETTERS - 1] + (letters - WORD_LETTERS) * tokens[WORD_LETTERS];
}

/* An accent costs about what two letters more would: "é" is two bytes in most vocabularies. */
static double accented_tokens(const struct word *word)
{
    double plain = ascii_tokens(word, word->letters);
    return word->before == BEFORE_BLANK ? 1 + 2.2 * (plain - 1) + 0.12 * word->accented
                                        : 0.5 + 1.2 * plain + 0.3 * word->accented;
}

static void count_word(struct reader *reader, const struct word *word)
{
    double *tokens = reader->tally->tokens;
    int ascii = word->letters - word->foreign_letters;
    reader->latin_words += word->foreign_letters == 0;
    if (word->foreign_letters > 0) {
        double sum = scripts[word->class].run + word->foreign;
        tokens[word->class] += fmax(sum, 1) + (ascii > 0 ? ascii_tokens(word, ascii) : 0);
    } else if (word->accented > 0) {
        reader->accented_words++;
        reader->eastern_words += word->is_eastern;
        tokens[TOKENS_ACCENTED] += accented_tokens(word);
    } else if (word->before == BEFORE_BLANK) {
        tokens[TOKENS_AFTER_BLANK] += ascii_tokens(word, word->letters);
    } else {
        tokens[TOKENS_WORD] += ascii_tokens(word, word->letters);
    }
}

/* Upper case, then lower case; letters without case fit both. A new upper-case letter after lower
 * case begins a new word. */
static void take_word(struct reader *reader, enum before before)
{
    struct word word = { .before = before };
    while (is_at(reader, CHARACTER_UPPER) || is_at_uncased(reader))
        add_letter(reader, &word);
    while (is_at(reader, CHARACTER_LOWER) || is_at_uncased(reader))
        add_letter(reader, &word);
    take_contraction(reader, &word);
    count_word(reader, &word);
}

/* ---- other pieces ---- */

static void take_digits(struct reader *reader)
{
    int digits = 0;
    for (; digits < 3 && is_at(reader, CHARACTER_DIGIT); digits++)
        step(reader);
    reader->tally->digits += digits;
    reader->tally->digit_groups++;
}

static double symbol_tokens(int count, int foreign, int pictures, bool is_repeated)
{
    static const double few[] = { 1, 1, 1.02, 1.22, 1.7, 2 };
    if (foreign > 0)
        return 0.45 + 0.57 * count + pictures;
    if (is_repeated && count > 3)
        return 1 + count / 16.0;
    if (count < (int)countof(few))
        return few[count];
    return count <= 10 ? 0.38 * count : 1.8 + 0.2 * count;
}

/* A run of symbols, with the line ends and slashes behind it. */
static void take_symbols(struct reader *reader)
{
    uint32_t first = reader->character;
    bool is_repeated = true;
    int count = 0;
    int foreign = 0;
    int pictures = 0;
    for (; is_at(reader, CHARACTER_SYMBOL); count++) {
        foreign += reader->character >= 0x80;
        pictures += reader->character >= 0x1F000;
        is_repeated = is_repeated && reader->character == first;
        step(reader);
    }
    while (is_at(reader, CHARACTER_LINE) || (reader->rest.size > 0 && reader->character == '/'))
        step(reader);
    reader->tally->tokens[TOKENS_SYMBOLS] += symbol_tokens(count, foreign, pictures, is_repeated);
}

/* White space: up to its last line end one piece, whose cost grows with blanks between line ends;
 * what is left another, but its last blank belongs to the word or symbols behind it. */
static enum before take_space(struct reader *reader)
{
    int64_t lines = 0;
    int64_t blanks = 0;
    bool was_line = false;
    bool ends_in_space = false;
    while (is_at(reader, CHARACTER_BLANK) || is_at(reader, CHARACTER_LINE)) {
        bool is_line = reader->kind == CHARACTER_LINE;
        lines += is_line && !was_line;
        blanks = is_line ? 0 : blanks + 1;
        was_line = is_line;
        ends_in_space = reader->character == ' ';
        step(reader);
    }
    bool is_end = reader->rest.size == 0;
    bool joins = blanks > 0 && !is_end &&
                 (is_at_letter(reader) || (ends_in_space && is_at(reader, CHARACTER_SYMBOL)));
    reader->tally->blanks += lines + (blanks > (joins ? 1 : 0)) + (!joins && !is_end && blanks > 1);
    return !joins ? BEFORE_NOTHING : ends_in_space ? BEFORE_BLANK : BEFORE_SYMBOL;
}

static bool is_letter_next(const struct reader *reader)
{
    struct text next = { reader->rest.bytes + reader->bytes, reader->rest.size - reader->bytes };
    size_t bytes;
    return next.size > 0 && character_kind(utf8_next(next, &bytes)) <= CHARACTER_MARK;
}

static void take_piece(struct reader *reader)
{
    enum before before = BEFORE_NOTHING;
    if (is_at(reader, CHARACTER_BLANK) || is_at(reader, CHARACTER_LINE))
        before = take_space(reader);
    if (reader->rest.size == 0)
        return;
    if (is_at_letter(reader)) {
        take_word(reader, before);
    } else if (is_at(reader, CHARACTER_DIGIT)) {
        take_digits(reader);
    } else if (before == BEFORE_NOTHING && is_letter_next(reader)) {
        step(reader); /* one symbol joins the word behind it */
        take_word(reader, BEFORE_SYMBOL);
    } else {
        take_symbols(reader);
    }
}

/* Words of other languages in ASCII letters cost more than English ones; their accented neighbours
 * tell. */
static void count_foreign_words(const struct reader *reader)
{
    double *tokens = reader->tally->tokens;
    if (reader->latin_words == 0)
        return;
    double share = (double)reader->accented_words / (double)reader->latin_words;
    double foreign = fmin(1, share * FOREIGN_SHARE);
    double eastern =
        fmin(1, (double)reader->eastern_words / (double)reader->latin_words * FOREIGN_SHARE);
    tokens[TOKENS_AFTER_BLANK] *= 1 + 0.1 * foreign + 0.45 * eastern;
    tokens[TOKENS_WORD] *= 1 + 0.15 * foreign + 0.35 * eastern;
    tokens[TOKENS_ACCENTED] *= 1 + 0.35 * eastern;
}

void token_tally(struct text text, struct token_tally *tally)
{
    struct reader reader = { .rest = text, .tally = tally };
    *tally = (struct token_tally){ .bytes = (int64_t)text.size };
    look(&reader);
    while (reader.rest.size > 0)
        take_piece(&reader);
    count_foreign_words(&reader);
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
    double sum = (double)tally->blanks + family->digits * (double)digits;
    for (size_t i = 0; i < TOKENS_CLASSES; i++)
        sum += tally->tokens[i] * family->factor[i];
    if (tally->bytes == 0)
        return 0;
    return sum < 1 ? 1 : llround(sum);
}
