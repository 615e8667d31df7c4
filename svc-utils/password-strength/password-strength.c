/*
 * svc-utils/password-strength/password-strength.c - estimates how long it takes to guess a
 * password, and what makes it stronger. The password never occurs in a result, an error or a log.
 */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "made-of.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/passwords/judge.h"
#include "tools.h"

enum { LIMITED_SCORE = 1 /* of a password that is only made of what others know */ };

static const char *const labels[] = { "very weak", "weak", "fair", "strong", "very strong" };

/* ---- time to crack ---- */

static const struct attack {
    const char *name;
    double guesses_per_second;
} attacks[] = {
    { "online_throttled", 100.0 / 3600 },
    { "online_unthrottled", 10 },
    { "offline_slow", 1e4 }, /* a slow hash, such as bcrypt */
    { "offline_fast", 1e10 },
};

/* In words, with the longest unit that fits. */
static void format_duration(double seconds, char *out, size_t size)
{
    static const struct unit {
        const char *name;
        double seconds;
    } units[] = {
        { "year", 12 * 31 * 86400.0 },
        { "month", 31 * 86400.0 },
        { "day", 86400 },
        { "hour", 3600 },
        { "minute", 60 },
        { "second", 1 },
    };
    const struct unit *unit = units;
    if (seconds < 1) {
        snprintf(out, size, "less than a second");
        return;
    }
    if (seconds >= 100 * units[0].seconds) {
        snprintf(out, size, "centuries");
        return;
    }
    while (seconds < unit->seconds)
        unit++;
    double count = round(seconds / unit->seconds);
    snprintf(out, size, "%.0f %s%s", count, unit->name, count == 1 ? "" : "s");
}

static void add_crack_times(cJSON *result, double guesses)
{
    cJSON *display = json_map(result, "crack_times_display");
    cJSON *seconds = json_map(result, "crack_times_seconds");
    for (size_t i = 0; i < countof(attacks); i++) {
        char text[32];
        double duration = guesses / attacks[i].guesses_per_second;
        format_duration(duration, text, sizeof(text));
        json_str(display, attacks[i].name, text);
        json_num(seconds, attacks[i].name, duration);
    }
}

static void add_crack_time(cJSON *result, double guesses)
{
    char text[32];
    format_duration(guesses / 1e4, text, sizeof(text));
    json_str(result, "crack_time_display", text);
}

/* ---- patterns ---- */

static const char *const pattern_names[] = {
    [PATTERN_BRUTEFORCE] = "bruteforce",
    [PATTERN_DICTIONARY] = "dictionary",
    [PATTERN_SPATIAL] = "spatial",
    [PATTERN_REPEAT] = "repeat",
    [PATTERN_SEQUENCE] = "sequence",
    [PATTERN_YEAR] = "recent_year",
    [PATTERN_DATE] = "date",
};

static const char *const dictionary_names[] = {
    [DICTIONARY_PASSWORDS] = "passwords",
    [DICTIONARY_ENGLISH] = "english",
    [DICTIONARY_FEMALE_NAMES] = "female_names",
    [DICTIONARY_SURNAMES] = "surnames",
    [DICTIONARY_TV_AND_FILM] = "tv_and_film",
    [DICTIONARY_MALE_NAMES] = "male_names",
    [DICTIONARY_OTHER_LANGUAGES] = "other_languages",
    [DICTIONARY_USER_INPUTS] = "user_inputs",
};

/* The exact rank would reveal the word. */
static const char *rank_band(unsigned rank)
{
    return rank <= 10      ? "top 10"
           : rank <= 100   ? "top 100"
           : rank <= 1000  ? "top 1000"
           : rank <= 10000 ? "top 10000"
                           : "beyond 10000";
}

static double two_decimals(double value)
{
    return round(value * 100) / 100;
}

static void add_patterns(cJSON *result, const struct matches *sequence)
{
    cJSON *list = json_list(result, "patterns");
    for (size_t i = 0; i < sequence->count; i++) {
        const struct match *match = &sequence->item[i];
        cJSON *item = json_item(list);
        json_str(item, "type", pattern_names[match->pattern]);
        json_int(item, "start", (int64_t)match->start);
        json_int(item, "length", (int64_t)match->length);
        json_num(item, "guesses_log10", two_decimals(log10(match->guesses)));
        if (match->pattern != PATTERN_DICTIONARY)
            continue;
        json_str(item, "dictionary", dictionary_names[match->dictionary]);
        json_str(item, "rank_band", rank_band(match->rank));
    }
}

static void add_classes(cJSON *result, const struct judgement *judgement)
{
    json_int(result, "length", (int64_t)judgement->length);
    cJSON *classes = json_map(result, "character_classes");
    json_int(classes, "lowercase", (int64_t)judgement->lower);
    json_int(classes, "uppercase", (int64_t)judgement->upper);
    json_int(classes, "digits", (int64_t)judgement->digits);
    json_int(classes, "symbols", (int64_t)judgement->symbols);
    json_int(classes, "unicode", (int64_t)judgement->unicode);
}

bool password_strength(const struct job *job, cJSON *result, struct err *err)
{
    scoped(judgement_free) struct judgement judgement = { 0 };

    (void)err; /* every text is a password */
    struct text password = arg_text(job, "password");
    password_judge(password, arg_any(job, "user_inputs"), job->now_ms, &judgement);
    const char *limit =
        judgement.score > LIMITED_SCORE
            ? made_of(password, &judgement, arg_any(job, "user_inputs"), job->now_ms)
            : NULL;
    if (limit)
        judgement.score = LIMITED_SCORE;

    double guesses = judgement.estimate.guesses;
    json_int(result, "score", judgement.score);
    json_str(result, "label", labels[judgement.score]);
    json_num(result, "entropy_bits", two_decimals(log2(guesses)));
    add_crack_time(result, guesses);
    judgement_explain(&judgement, result);
    json_num(result, "guesses", guesses);
    json_num(result, "guesses_log10", two_decimals(log10(guesses)));
    add_crack_times(result, guesses);
    add_classes(result, &judgement);
    add_patterns(result, &judgement.estimate.sequence);
    if (limit)
        json_str(result, "score_limit", limit);
    return true;
}
