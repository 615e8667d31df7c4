/*
 * svc-chat/chatplatform-moderate/noise.c - detects how a text is written: shouting, flooding,
 * hiding, pinging.
 */
#include <stdlib.h>
#include <unicase.h>
#include <unictype.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "finders.h"

enum { MIXED_WORDS_MAX = 20 /* reported */, STYLED_LETTERS_MIN = 4, DENSE_LETTERS_MIN = 5 };

static int64_t limit_of(const struct moderation *moderation, enum limit which)
{
    return moderation->rules->limit[which];
}

/* A finding about the whole text. */
static void find_all(struct moderation *moderation, enum rule_id rule)
{
    finding_add(moderation, rule, 0, (uint32_t)moderation->original.count, 0);
}

static bool is_percent(int64_t part, int64_t whole, int64_t percent)
{
    return whole > 0 && part * 100 >= whole * percent;
}

/* ---- shouting ---- */

static bool is_upper(uint32_t code)
{
    return uc_tolower(code) != code;
}

/* Called for each rune that is not part of a token. */
typedef void each_rune(struct moderation *moderation, struct rune rune);

static void visit_runes(struct moderation *moderation, each_rune *visit)
{
    size_t next = 0;
    for (size_t i = 0; i < moderation->plain.count; i++) {
        while (next < moderation->tokens.count && moderation->tokens.at[next].end <= i)
            next++;
        if (next < moderation->tokens.count && i >= moderation->tokens.at[next].start)
            i = moderation->tokens.at[next].end - 1;
        else
            visit(moderation, moderation->plain.at[i]);
    }
}

static void count_letter(struct moderation *moderation, struct rune rune)
{
    bool upper = is_upper(rune.code);
    if (!char_is_letter(rune.code) || (!upper && uc_toupper(rune.code) == rune.code))
        return;
    moderation->signals.letters++;
    moderation->signals.uppers += upper;
}

static void find_caps(struct moderation *moderation)
{
    const struct signals *signals = &moderation->signals;
    visit_runes(moderation, count_letter);
    if (signals->letters >= limit_of(moderation, LIMIT_CAPS_MOST_LETTERS) &&
        is_percent(signals->uppers, signals->letters,
                   limit_of(moderation, LIMIT_CAPS_MOST_PERCENT)))
        find_all(moderation, RULE_CAPS_MOST);
    else if (signals->letters >= limit_of(moderation, LIMIT_CAPS_SOME_LETTERS) &&
             is_percent(signals->uppers, signals->letters,
                        limit_of(moderation, LIMIT_CAPS_SOME_PERCENT)))
        find_all(moderation, RULE_CAPS_SOME);
}

/* ---- pinging ---- */

static int by_number(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a;
    uint64_t other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* Of sorted numbers, count the different ones and the occurrences of the most frequent one. */
static void count_equal(const uint64_t *numbers, size_t count, int64_t *unique, int64_t *most)
{
    int64_t run = 0;
    *unique = *most = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new = i == 0 || numbers[i] != numbers[i - 1];
        run = is_new ? 1 : run + 1;
        *unique += is_new;
        *most = MAX(*most, run);
    }
}

static uint64_t number_of(const struct moderation *moderation, const struct token *token)
{
    char id[TOKEN_ID_BYTES];
    token_id(&moderation->plain, token, id);
    return strtoull(id, NULL, 10);
}

static void find_mentions(struct moderation *moderation)
{
    const struct tokens *tokens = &moderation->tokens;
    scoped(mem_free) uint64_t *ids = mem_array(tokens->count + 1, sizeof(*ids));
    struct signals *signals = &moderation->signals;
    int64_t most;
    size_t count = 0;

    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *token = &tokens->at[i];
        bool is_group = token->kind == TOKEN_EVERYONE || token->kind == TOKEN_HERE;
        if (token->kind == TOKEN_USER || token->kind == TOKEN_ROLE)
            ids[count++] = number_of(moderation, token);
        signals->mentions += is_group || token->kind == TOKEN_USER || token->kind == TOKEN_ROLE;
        if (is_group)
            finding_add(moderation, RULE_MENTION_EVERYONE, moderation->plain.at[token->start].start,
                        moderation->plain.at[token->end - 1].end, 0);
    }
    qsort(ids, count, sizeof(*ids), by_number);
    count_equal(ids, count, &signals->unique_mentions, &most);
    int64_t extra = signals->unique_mentions - context_int(moderation, "mention_limit");
    int64_t points = moderation->rules->rule[RULE_MENTIONS_MANY].points +
                     extra * limit_of(moderation, LIMIT_MENTION_POINTS);
    if (extra > 0)
        finding_add_points(moderation, RULE_MENTIONS_MANY, 0, (uint32_t)moderation->original.count,
                           MIN(points, limit_of(moderation, LIMIT_MENTIONS_POINTS_MAX)));
    if (most >= limit_of(moderation, LIMIT_SAME_MENTIONS))
        find_all(moderation, RULE_MENTION_REPEATED);
}

/* ---- flooding ---- */

static void find_runs(struct moderation *moderation)
{
    const struct runes *plain = &moderation->plain;
    struct signals *signals = &moderation->signals;
    for (size_t i = 0, end; i < plain->count; i = end) {
        end = i + 1;
        while (end < plain->count && plain->at[end].code == plain->at[i].code)
            end++;
        int64_t run = char_is_space(plain->at[i].code) ? 0 : (int64_t)(end - i);
        signals->longest_run = MAX(signals->longest_run, run);
        if (run >= limit_of(moderation, LIMIT_CHARACTER_RUN))
            finding_add(moderation,
                        run >= limit_of(moderation, LIMIT_CHARACTER_LONG_RUN)
                            ? RULE_FLOOD_CHARACTERS
                            : RULE_FLOOD_CHARACTER,
                        plain->at[i].start, plain->at[end - 1].end, 0);
    }
}

/* FNV-1a of a word or line: equal texts have equal hashes. A deliberate collision has no
 * benefit. */
static uint64_t hash_code(uint64_t hash, uint32_t code)
{
    return (hash ^ code) * UINT64_C(0x100000001B3);
}

enum { HASH_START = 0x811C9DC5 };

static void find_repeated_words(struct moderation *moderation)
{
    const struct view *view = &moderation->views.view[VIEW_FOLDED];
    scoped(mem_free) uint64_t *words = mem_array(view->count + 1, sizeof(*words));
    int64_t run = 0;
    int64_t longest = 0;
    size_t count = 0;

    for (size_t i = 0, end; i < view->count; i = end + 1) {
        uint64_t hash = HASH_START;
        for (end = i; end < view->count && view->at[end].code != ' '; end++)
            hash = hash_code(hash, view->at[end].code);
        if (end == i)
            continue;
        run = count > 0 && words[count - 1] == hash ? run + 1 : 1;
        longest = MAX(longest, run);
        words[count++] = hash;
    }
    int64_t unique, most;
    qsort(words, count, sizeof(*words), by_number);
    count_equal(words, count, &unique, &most);
    bool is_share =
        (int64_t)count >= limit_of(moderation, LIMIT_WORD_SHARE_WORDS) &&
        is_percent(most, (int64_t)count, limit_of(moderation, LIMIT_WORD_SHARE_PERCENT));
    bool is_phrase =
        (int64_t)count >= limit_of(moderation, LIMIT_PHRASE_WORDS) &&
        100 * unique <= (int64_t)count * limit_of(moderation, LIMIT_PHRASE_UNIQUE_PERCENT);
    if (is_phrase)
        find_all(moderation, RULE_FLOOD_PHRASE);
    else if (longest >= limit_of(moderation, LIMIT_WORD_RUN) || is_share)
        find_all(moderation, RULE_FLOOD_WORD);
}

static void find_lines(struct moderation *moderation)
{
    const struct runes *plain = &moderation->plain;
    scoped(mem_free) uint64_t *lines = mem_array(plain->count + 1, sizeof(*lines));
    struct signals *signals = &moderation->signals;
    uint64_t hash = HASH_START;
    bool is_blank = true;
    size_t count = 0;

    signals->lines = 1;
    for (size_t i = 0; i <= plain->count; i++) {
        bool ends = i == plain->count || plain->at[i].code == '\n';
        if (!ends) {
            hash = hash_code(hash, plain->at[i].code);
            is_blank &= char_is_space(plain->at[i].code);
            continue;
        }
        signals->lines += i < plain->count;
        if (!is_blank)
            lines[count++] = hash;
        hash = HASH_START;
        is_blank = true;
    }
    int64_t unique, most;
    qsort(lines, count, sizeof(*lines), by_number);
    count_equal(lines, count, &unique, &most);
    if (signals->lines > limit_of(moderation, LIMIT_LINES))
        find_all(moderation, RULE_FLOOD_LINES);
    if (most >= limit_of(moderation, LIMIT_SAME_LINES))
        find_all(moderation, RULE_FLOOD_SAME_LINES);
}

/* Symbols such as © are emoji only in an emoji sequence. */
static void find_emoji(struct moderation *moderation)
{
    const struct runes *plain = &moderation->plain;
    struct signals *signals = &moderation->signals;

    for (size_t i = 0, length; i < plain->count; i += MAX(length, 1)) {
        length = emoji_length(plain->at + i, plain->count - i);
        signals->emojis +=
            length > 1 || (length == 1 && uc_is_property_emoji_presentation(plain->at[i].code));
    }
    for (size_t i = 0; i < moderation->tokens.count; i++)
        signals->emojis += moderation->tokens.at[i].kind == TOKEN_EMOJI;
    if (signals->emojis > limit_of(moderation, LIMIT_EMOJI_MANY))
        find_all(moderation, RULE_FLOOD_EMOJI_MANY);
    else if (signals->emojis > limit_of(moderation, LIMIT_EMOJI))
        find_all(moderation, RULE_FLOOD_EMOJI);
}

static void find_unbroken(struct moderation *moderation)
{
    const struct runes *plain = &moderation->plain;
    size_t next = 0;
    size_t start = 0;

    for (size_t i = 0; i <= plain->count; i++) {
        while (next < moderation->tokens.count && moderation->tokens.at[next].end <= i)
            next++;
        bool in_token = next < moderation->tokens.count && i >= moderation->tokens.at[next].start;
        if (i < plain->count && !in_token && !char_is_space(plain->at[i].code))
            continue;
        if ((int64_t)(i - start) >= limit_of(moderation, LIMIT_UNBROKEN))
            finding_add(moderation, RULE_FLOOD_UNBROKEN, plain->at[start].start,
                        plain->at[i - 1].end, 0);
        start = i + 1;
    }
}

static void find_blank(struct moderation *moderation)
{
    for (size_t i = 0; i < moderation->plain.count; i++)
        if (!char_is_space(moderation->plain.at[i].code))
            return;
    find_all(moderation, RULE_FLOOD_BLANK);
}

/* ---- hiding ---- */

static void find_invisible(struct moderation *moderation)
{
    const struct view *view = &moderation->views.view[VIEW_NATIVE];
    for (size_t i = 1; i < view->count; i++)
        if (view->at[i].disguise & DISGUISE_INVISIBLE)
            finding_add(moderation, RULE_HIDDEN_INVISIBLE, view->at[i - 1].end, view->at[i].start,
                        0);
}

/* Direction marks (U+200E and others) are common in right-to-left text. */
static void find_bidi(struct moderation *moderation)
{
    for (size_t i = 0; i < moderation->original.count; i++) {
        uint32_t code = moderation->original.at[i].code;
        bool steers = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
        moderation->signals.bidi_controls += char_is_bidi(code);
        if (steers)
            finding_add(moderation, RULE_HIDDEN_BIDI, (uint32_t)i, (uint32_t)i + 1, 0);
    }
}

static void check_word(struct moderation *moderation, const struct symbol *at, size_t count)
{
    bool foreign = false;
    bool latin = false;
    for (size_t i = 0; i < count; i++) {
        foreign |= (at[i].disguise & DISGUISE_CONFUSABLE) != 0;
        latin |= at[i].code < 0x80 && char_is_letter(at[i].code) &&
                 !(at[i].disguise & DISGUISE_CONFUSABLE);
    }
    if (!foreign || !latin)
        return;
    if (moderation->signals.mixed_words++ < MIXED_WORDS_MAX)
        finding_add(moderation, RULE_HIDDEN_LOOKALIKES, at[0].start, at[count - 1].end, 0);
}

static void find_lookalikes(struct moderation *moderation)
{
    const struct view *view = &moderation->views.view[VIEW_FOLDED];
    int64_t letters = 0;
    int64_t styled = 0;

    for (size_t i = 0, end; i < view->count; i = end + 1) {
        for (end = i; end < view->count && view->at[end].code != ' '; end++) {
            letters++;
            styled += (view->at[end].disguise & (DISGUISE_STYLED | DISGUISE_FULLWIDTH)) != 0;
        }
        if (end > i)
            check_word(moderation, view->at + i, end - i);
    }
    if (letters >= STYLED_LETTERS_MIN &&
        is_percent(styled, letters, limit_of(moderation, LIMIT_STYLED_PERCENT)))
        find_all(moderation, RULE_HIDDEN_STYLED);
}

static void check_marks(struct moderation *moderation, size_t base, int64_t marks)
{
    moderation->signals.max_marks = MAX(moderation->signals.max_marks, marks);
    if (marks >= limit_of(moderation, LIMIT_MARKS))
        finding_add(moderation,
                    marks >= limit_of(moderation, LIMIT_MARKS_ZALGO) ? RULE_HIDDEN_ZALGO
                                                                     : RULE_HIDDEN_MARKS,
                    (uint32_t)base, (uint32_t)(base + 1 + (size_t)marks), 0);
}

static void find_marks(struct moderation *moderation)
{
    const struct runes *original = &moderation->original;
    int64_t letters = 0;
    int64_t all = 0;

    for (size_t i = 0, end; i < original->count; i = end) {
        uint32_t base = original->at[i].code;
        for (end = i + 1; end < original->count && char_is_mark(original->at[end].code);)
            end++;
        int64_t marks = char_takes_marks(base) || emoji_length(original->at + i, end - i) > 0
                            ? 0
                            : (int64_t)(end - i - 1);
        letters += char_is_letter(base);
        all += marks;
        check_marks(moderation, i, marks);
    }
    if (letters >= DENSE_LETTERS_MIN &&
        is_percent(all, letters, limit_of(moderation, LIMIT_MARKS_DENSE_PERCENT) + 1))
        find_all(moderation, RULE_HIDDEN_DENSE_MARKS);
}

void find_noise(struct moderation *moderation)
{
    find_caps(moderation);
    find_mentions(moderation);
    find_runs(moderation);
    find_repeated_words(moderation);
    find_lines(moderation);
    find_emoji(moderation);
    find_unbroken(moderation);
    find_blank(moderation);
    find_invisible(moderation);
    find_bidi(moderation);
    find_lookalikes(moderation);
    find_marks(moderation);
}
