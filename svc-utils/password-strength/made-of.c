/*
 * svc-utils/password-strength/made-of.c - counts the parts that the estimate found, and reads the
 * runs of letters for streets and repeats.
 */
#include "made-of.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"

enum {
    OWN_LEAST = 3,      /* characters of a user input that counts */
    COMMON_RANK = 1000, /* of the most common passwords */
    NAMES_MAX = 2,
    DIGITS_MAX = 6,     /* outside sequences, years and dates */
    RUN_DIGITS_MAX = 8, /* between runs of letters: a date */
    MARKS_MAX = 4,      /* characters that are neither letters nor digits, in one place */
    RUNS_MAX = 8,
    STREET_RUNS_MAX = 3,
    CAMEL_LEAST = 7, /* letters from which a run may have capitals inside: BakerStreet */
    STREET_DIGITS_MAX = 5,
    REPEAT_SCORE_MAX = 1, /* of one copy */
};

/* Parts of a password by kind. */
struct parts {
    size_t own, names, common;
    size_t digits; /* tried one by one */
    bool has_other;
};

/* ---- parts that the estimate found ---- */

static void count_bruteforce(const struct judgement *judgement, const struct match *match,
                             struct parts *parts)
{
    size_t marks = 0, letters = 0;
    for (size_t i = 0; i < match->length; i++) {
        uint32_t point = judgement->points[match->start + i];
        parts->digits += ascii_is_digit(point);
        letters += ascii_is_letter(point) || point >= 0x80;
        marks += !ascii_is_alnum(point) && point < 0x80;
    }
    parts->has_other |= letters > 0 || marks > MARKS_MAX;
}

static void count_word(const struct match *match, struct parts *parts)
{
    switch (match->dictionary) {
    case DICTIONARY_USER_INPUTS:
        parts->own += match->length >= OWN_LEAST;
        break;
    case DICTIONARY_FEMALE_NAMES:
    case DICTIONARY_MALE_NAMES:
    case DICTIONARY_SURNAMES:
        parts->names++;
        break;
    case DICTIONARY_PASSWORDS:
        parts->common++;
        parts->has_other |= match->rank > COMMON_RANK;
        break;
    case DICTIONARY_ENGLISH:
    case DICTIONARY_TV_AND_FILM:
    case DICTIONARY_OTHER_LANGUAGES:
        parts->has_other = true;
        break;
    }
}

static struct parts count_parts(const struct judgement *judgement)
{
    struct parts parts = { 0 };
    for (size_t i = 0; i < judgement->estimate.sequence.count; i++) {
        const struct match *match = &judgement->estimate.sequence.item[i];
        if (match->pattern == PATTERN_BRUTEFORCE)
            count_bruteforce(judgement, match, &parts);
        else if (match->pattern == PATTERN_DICTIONARY)
            count_word(match, &parts);
        else if (match->pattern == PATTERN_SPATIAL ||
                 (match->pattern == PATTERN_REPEAT &&
                  !ascii_is_digit(judgement->points[match->start])))
            parts.has_other = true;
    }
    parts.has_other |= parts.digits > DIGITS_MAX || judgement->length > ESTIMATE_POINTS_MAX;
    return parts;
}

/* ---- runs of letters ---- */

/* The runs of letters (also beyond ASCII) and the number of digits. */
struct runs {
    struct text run[RUNS_MAX];
    size_t count; /* may be above RUNS_MAX */
    size_t digits;
    size_t numbers; /* groups of digits */
};

static bool is_letter(char c)
{
    return ascii_is_letter((unsigned char)c) || (unsigned char)c >= 0x80;
}

static struct runs read_runs(struct text text)
{
    struct runs runs = { 0 };
    for (size_t i = 0; i < text.size;) {
        size_t begin = i;
        while (i < text.size && is_letter(text.bytes[i]))
            i++;
        if (i > begin && runs.count < RUNS_MAX)
            runs.run[runs.count] = (struct text){ text.bytes + begin, i - begin };
        runs.count += i > begin;
        if (i < text.size && ascii_is_digit((unsigned char)text.bytes[i])) {
            runs.digits++;
            runs.numbers += i == 0 || !ascii_is_digit((unsigned char)text.bytes[i - 1]);
        }
        i += i < text.size;
    }
    return runs;
}

/* Words for streets: as a word, or at the end of one where that is usual. */
static const struct street {
    const char *word;
    bool is_suffix;
} streets[] = {
    { "street", true },  { "avenue", true },    { "road", true },   { "lane", true },
    { "drive", true },   { "boulevard", true }, { "court", true },  { "square", true },
    { "terrace", true }, { "st", false },       { "rd", false },    { "ln", false },
    { "rue", false },    { "via", false },      { "rua", false },   { "strasse", true },
    { "straße", true },  { "str", true },       { "weg", true },    { "platz", true },
    { "gasse", true },   { "allee", true },     { "ring", true },   { "chemin", false },
    { "place", true },   { "via", false },      { "viale", false }, { "piazza", false },
    { "calle", false },  { "avenida", false },  { "plaza", false }, { "rua", false },
    { "praça", false },  { "straat", true },    { "laan", true },   { "plein", true },
    { "gatan", true },   { "vägen", true },     { "vej", true },    { "gade", true },
    { "gate", true },    { "veien", true },     { "katu", true },   { "tie", true },
    { "ulica", false },  { "ul", false },       { "utca", false },  { "ulitsa", false },
};

static bool ends_with(struct text text, const char *end)
{
    size_t size = strlen(end);
    return text.size > size && text_is_any_case(text_skip(text, text.size - size), end);
}

/* Words have small letters after the first one, or only capitals; one may be the b of 221b. */
static bool has_words(const struct runs *runs)
{
    static const char *const articles[] = { "de", "du", "la", "le", "di" };
    size_t shortest = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct text rest = text_skip(runs->run[i], 1);
        bool has_small = false, has_capital = false;
        shortest += rest.size == 0;
        if (rest.size == 1 && !text_is_among(runs->run[i], articles, countof(articles)))
            return false;
        for (size_t j = 0; j < rest.size; j++) {
            has_small |= ascii_is_lower((unsigned char)rest.bytes[j]);
            has_capital |= ascii_is_upper((unsigned char)rest.bytes[j]);
        }
        if (has_small && has_capital && rest.size < CAMEL_LEAST)
            return false;
    }
    return shortest <= 1;
}

/* A street and a number: BakerStreet221b, 12 rue de Rivoli, Hauptstr.5 */
static bool is_street(struct text password)
{
    struct runs runs = read_runs(password);
    if (runs.count > STREET_RUNS_MAX || runs.numbers != 1 || runs.digits > STREET_DIGITS_MAX ||
        !has_words(&runs))
        return false;
    for (size_t i = 0; i < runs.count; i++)
        for (size_t j = 0; j < countof(streets); j++)
            if (text_is_any_case(runs.run[i], streets[j].word) ||
                (streets[j].is_suffix && ends_with(runs.run[i], streets[j].word)))
                return true;
    return false;
}

/* ---- the same for each run of letters alone ---- */

/*
 * The estimate may take a word and the marks around it as one part to try one by one, if that takes
 * fewer guesses. A run alone shows the word.
 */
static struct parts count_run_parts(struct text password, const cJSON *user_inputs, int64_t now_ms)
{
    struct runs runs = read_runs(password);
    struct parts parts = { .has_other = runs.count == 0 || runs.count > NAMES_MAX + 1 ||
                                        runs.digits > RUN_DIGITS_MAX };
    for (size_t i = 0; i < runs.count && !parts.has_other; i++) {
        scoped(judgement_free) struct judgement one = { 0 };
        password_judge(runs.run[i], user_inputs, now_ms, &one);
        struct parts more = count_parts(&one);
        parts.own += more.own;
        parts.names += more.names;
        parts.common += more.common;
        parts.has_other |= more.has_other;
    }
    return parts;
}

static bool is_separator(char c)
{
    return !is_letter(c) && !ascii_is_digit((unsigned char)c);
}

/* The same word two times or more, with separators between: apple apple */
static bool is_repeat(struct text password, int64_t now_ms)
{
    struct text first = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < password.size;) {
        size_t begin = i;
        while (i < password.size && !is_separator(password.bytes[i]))
            i++;
        struct text word = { password.bytes + begin, i - begin };
        i += i < password.size;
        if (word.size == 0)
            continue;
        if (count++ == 0)
            first = word;
        else if (word.size != first.size || strncasecmp(word.bytes, first.bytes, first.size) != 0)
            return false;
    }
    if (count < 2)
        return false;
    scoped(judgement_free) struct judgement one = { 0 };
    password_judge(first, NULL, now_ms, &one);
    return one.score <= REPEAT_SCORE_MAX;
}

static const char *kind_of(const struct parts *parts)
{
    size_t words = parts->names + parts->common;
    if (parts->has_other || words > NAMES_MAX)
        return NULL;
    if (parts->own > 0)
        return "user_inputs";
    if (parts->names > 0)
        return "names";
    return words == 1 ? "common" : NULL;
}

const char *made_of(struct text password, const struct judgement *judgement,
                    const cJSON *user_inputs, int64_t now_ms)
{
    struct parts parts = count_parts(judgement);
    const char *kind = kind_of(&parts);
    if (!kind) {
        parts = count_run_parts(password, user_inputs, now_ms);
        kind = kind_of(&parts);
    }
    if (!kind && is_street(password))
        kind = "street";
    return kind || !is_repeat(password, now_ms) ? kind : "repeat";
}
