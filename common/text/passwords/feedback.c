/* common/text/passwords/feedback.c - one warning, and suggestions. */
#include "text/passwords/feedback.h"

#include "base/ascii.h"
#include "text/json.h"

enum {
    GOOD_SCORE = 3,
    SHORT_LENGTH = 8,
    SIMILAR_GUESSES = 10000, /* up to this number, a changed password is close to a common one */
    REVERSED_LEAST = 4,
};

/* ---- warnings ---- */

static const char *warn_of_password(const struct match *match, bool is_sole)
{
    if (is_sole && !match->is_substituted && !match->is_reversed)
        return match->rank <= 10    ? "This is one of the ten most common passwords."
               : match->rank <= 100 ? "This is one of the hundred most common passwords."
                                    : "This is a very common password.";
    return match->guesses <= SIMILAR_GUESSES ? "This is similar to a common password." : "";
}

static const char *warn_of_word(const struct match *match, bool is_sole)
{
    switch (match->dictionary) {
    case DICTIONARY_PASSWORDS:
        return warn_of_password(match, is_sole);
    case DICTIONARY_ENGLISH:
    case DICTIONARY_OTHER_LANGUAGES:
        return is_sole ? "A single word is easy to guess." : "";
    case DICTIONARY_FEMALE_NAMES:
    case DICTIONARY_MALE_NAMES:
    case DICTIONARY_SURNAMES:
        return is_sole ? "A name alone is easy to guess." : "Common names are easy to guess.";
    case DICTIONARY_TV_AND_FILM:
    case DICTIONARY_USER_INPUTS:
        break;
    }
    return "";
}

static const char *warning_of(const struct match *match, bool is_sole)
{
    switch (match->pattern) {
    case PATTERN_DICTIONARY:
        return warn_of_word(match, is_sole);
    case PATTERN_SPATIAL:
        return match->turns == 1 ? "Straight rows of keys are easy to guess."
                                 : "Short patterns on the keyboard are easy to guess.";
    case PATTERN_REPEAT:
        return match->unit == 1 ? "A repeated character is easy to guess."
                                : "A repeated block is hardly harder to guess than one of it.";
    case PATTERN_SEQUENCE:
        return "Sequences such as abc or 6543 are easy to guess.";
    case PATTERN_YEAR:
        return "Recent years are easy to guess.";
    case PATTERN_DATE:
        return "Dates are often easy to guess.";
    case PATTERN_BRUTEFORCE:
        break;
    }
    return "";
}

/* ---- suggestions ---- */

static void suggest_case(cJSON *list, const uint32_t *points, size_t length)
{
    size_t upper = 0;
    size_t lower = 0;
    for (size_t i = 0; i < length; i++) {
        upper += ascii_is_upper(points[i]);
        lower += ascii_is_lower(points[i]);
    }
    if (upper == 1 && length > 1 && ascii_is_upper(points[0]))
        json_item_str(list, "A capital first letter does not help much.");
    else if (upper > 0 && lower == 0)
        json_item_str(list, "All capitals are almost as easy to guess as none.");
}

static void suggest_for_word(cJSON *list, const struct phrase *phrase, const struct match *match)
{
    suggest_case(list, phrase->points + match->start, match->length);
    if (match->is_reversed && match->length >= REVERSED_LEAST)
        json_item_str(list, "Words spelled backwards are not much harder to guess.");
    if (match->is_substituted)
        json_item_str(list, "Usual substitutions such as @ for a do not help much.");
}

static void suggest_for(cJSON *list, const struct phrase *phrase, const struct match *match)
{
    switch (match->pattern) {
    case PATTERN_DICTIONARY:
        suggest_for_word(list, phrase, match);
        break;
    case PATTERN_SPATIAL:
        json_item_str(list, "Use a longer keyboard pattern with more turns.");
        break;
    case PATTERN_REPEAT:
        json_item_str(list, "Avoid repeated words and characters.");
        break;
    case PATTERN_SEQUENCE:
        json_item_str(list, "Avoid sequences.");
        break;
    case PATTERN_YEAR:
        json_item_str(list, "Avoid recent years, and years that have to do with you.");
        break;
    case PATTERN_DATE:
        json_item_str(list, "Avoid dates and years that have to do with you.");
        break;
    case PATTERN_BRUTEFORCE:
        break;
    }
}

static const struct match *longest_of(const struct matches *sequence)
{
    const struct match *longest = &sequence->item[0];
    for (size_t i = 1; i < sequence->count; i++)
        if (sequence->item[i].length > longest->length)
            longest = &sequence->item[i];
    return longest;
}

void feedback_add(cJSON *result, const struct phrase *phrase, const struct estimate *estimate,
                  const struct feedback *facts)
{
    cJSON *list = json_list(result, "suggestions");
    const char *warning = "";

    if (facts->length == 0) {
        json_item_str(list, "Use several uncommon words.");
        json_item_str(list, "Symbols, digits and capitals are not needed.");
    } else if (facts->score < GOOD_SCORE) {
        const struct match *longest = longest_of(&estimate->sequence);
        warning = warning_of(longest, estimate->sequence.count == 1);
        json_item_str(list, "Add another uncommon word or two.");
        suggest_for(list, phrase, longest);
        if (facts->length < SHORT_LENGTH)
            json_item_str(list, "Use at least 8 characters, better 12 or more.");
        if (facts->is_one_class)
            json_item_str(list, "Mix kinds of characters, or make it much longer.");
        if (estimate->has_user_input)
            json_item_str(list, "Leave out names, addresses and words that have to do with you.");
    }
    json_str(result, "warning", warning);
}
