/* svc-chat/writing/inflect.c - see inflect.h. */
#include "writing/inflect.h"

#include <string.h>

#include "base/mem.h"
#include "base/scoped.h"

static bool is_vowel(char letter)
{
    return letter != '\0' && strchr("aeiou", letter) != NULL;
}

static bool ends_in_sibilant(struct text word)
{
    char last = word.bytes[word.size - 1];
    char before = word.size > 1 ? word.bytes[word.size - 2] : '\0';
    return strchr("sxz", last) || (last == 'h' && (before == 'c' || before == 's'));
}

void inflect_noun(struct text noun, inflect_each *each, void *argument)
{
    bool is_y =
        noun.size > 1 && noun.bytes[noun.size - 1] == 'y' && !is_vowel(noun.bytes[noun.size - 2]);
    int stem_size = (int)(is_y ? noun.size - 1 : noun.size);
    const char *middle = is_y ? "ie" : ends_in_sibilant(noun) ? "e" : "";

    for (const char *end = "sz"; *end; end++) {
        scoped(mem_free) char *plural = str_format("%.*s%s%c", stem_size, noun.bytes, middle, *end);
        each(text_of(plural), argument);
    }
}

/* A short syllable whose final consonant is doubled: shag, shagging. */
static bool is_doubled(struct text verb)
{
    if (verb.size < 3 || strchr("wxy", verb.bytes[verb.size - 1]))
        return false;
    const char *end = verb.bytes + verb.size - 3;
    return !is_vowel(end[0]) && is_vowel(end[1]) && !is_vowel(end[2]);
}

void inflect_verb(struct text verb, inflect_each *each, void *argument)
{
    static const char *const ends[] = { "ed", "ing", "in", "er", "ers" };
    bool is_silent = verb.bytes[verb.size - 1] == 'e';
    int stem_size = (int)(is_silent ? verb.size - 1 : verb.size);
    char twice[2] = { is_doubled(verb) ? verb.bytes[verb.size - 1] : '\0', '\0' };
    scoped(mem_free) char *third =
        str_format("%s%s", verb.bytes, ends_in_sibilant(verb) ? "es" : "s");

    each(text_of(third), argument);
    for (size_t i = 0; i < countof(ends); i++) {
        scoped(mem_free) char *form = str_format("%.*s%s%s", stem_size, verb.bytes, twice, ends[i]);
        each(text_of(form), argument);
    }
}
