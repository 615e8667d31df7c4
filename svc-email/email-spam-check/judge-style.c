/* svc-email/email-spam-check/judge-style.c - rules about style, and about disguised text. */
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "email-spam-check/check.h"

enum {
    SHORT_WORDS = 20,
    CAPS_LETTERS = 100,
    CAPS_LINES = 3,
    CAPS_LINE_LETTERS = 8,
    EXCLAMATIONS = 5,
    WORDS_AN_EXCLAMATION = 80,
    AMOUNTS = 5,
    ORNAMENT = 5,
    EMOJI = 5,
    WORDS_AN_EMOJI = 25,
    BLANK_LINES_MIN = 20,
    BLANK_PERCENT = 60,
    LONG_LINE_BYTES = 998, /* RFC 5322 section 2.1.1 */
    ZERO_WIDTH = 3,
    STYLED = 6,
    GAPPY = 6,
    TAIL_BYTES = 200,
    TAIL_WORDS = 2,
    BLOB_BYTES = 80,
};

/* ---- lines ---- */

struct line_counts {
    size_t lines, blank, caps, ornaments, longest;
};

static void count_line(struct text line, struct line_counts *counts)
{
    size_t upper = 0;
    size_t lower = 0;
    struct text trimmed = text_trim(line);
    for (size_t i = 0; i < trimmed.size; i++) {
        upper += ascii_is_upper(trimmed.bytes[i]);
        lower += ascii_is_lower(trimmed.bytes[i]);
    }
    counts->lines++;
    counts->blank += trimmed.size == 0;
    counts->caps += upper >= CAPS_LINE_LETTERS && lower == 0;
    counts->ornaments += trimmed.size >= ORNAMENT && text_is_made_of(trimmed, "*=~# ");
    counts->longest = MAX(counts->longest, line.size);
}

static void judge_lines(struct spam_check *check)
{
    struct line_counts counts = { 0 };
    struct text rest = check->has_html ? check->body.plain : check->source;
    while (rest.size > 0) {
        struct text line = text_cut(&rest, '\n');
        if (line.size > 0 && line.bytes[line.size - 1] == '\r')
            line.size--;
        count_line(line, &counts);
    }
    count_if(check, counts.caps >= CAPS_LINES, RULE_BODY_CAPS_LINES, counts.caps);
    count_if(check, counts.ornaments > 0, RULE_BODY_ORNAMENT_LINES, counts.ornaments);
    count_if(check,
             counts.lines >= BLANK_LINES_MIN && counts.blank * 100 > counts.lines * BLANK_PERCENT,
             RULE_BODY_BLANK_LINES, counts.blank);
    count_if(check,
             !check->has_html && counts.longest > LONG_LINE_BYTES && check->kind == INPUT_RAW,
             RULE_BODY_LONG_LINES, counts.longest);
}

/* ---- template leftovers ---- */

static bool is_between(struct text text, const char *open, const char *close, size_t most)
{
    const char *end = text.bytes + text.size;
    for (const char *at = text.bytes;
         text.size > 0 && (at = memmem(at, (size_t)(end - at), open, strlen(open)));) {
        at += strlen(open);
        const char *stop = memmem(at, MIN((size_t)(end - at), most), close, strlen(close));
        if (stop && stop > at && !memchr(at, '\n', (size_t)(stop - at)))
            return true;
    }
    return false;
}

static bool has_merge_tag(struct text text)
{
    static const char *const words[] = { "[FIRST NAME]", "[FIRST_NAME]",   "[FIRSTNAME]",
                                         "[NAME]",       "[LAST NAME]",    "[COMPANY]",
                                         "<<name>>",     "<<first_name>>", "[First Name]",
                                         "[Name]" };
    for (size_t i = 0; i < countof(words); i++)
        if (text_has(text, words[i]))
            return true;
    return is_between(text, "{{", "}}", 60) || is_between(text, "{%", "%}", 60) ||
           is_between(text, "*|", "|*", 60) || is_between(text, "%%", "%%", 30) ||
           is_between(text, "${", "}", 40);
}

/* ---- the text as a whole ---- */

static void judge_amount(struct spam_check *check)
{
    size_t words = check->body.word_count;
    size_t amounts = 0;
    for (size_t i = 0; i < check->body.words.count; i++)
        amounts += check->body.words.at[i].kind == WORD_MONEY;
    count_if(check, words == 0 && !check->found[RULE_HTML_IMAGE_ONLY].is_found, RULE_BODY_EMPTY, 1);
    count_if(check, words > 0 && words < SHORT_WORDS, RULE_BODY_SHORT, words);
    count_if(check, amounts >= AMOUNTS, RULE_BODY_MANY_AMOUNTS, amounts);
}

static void judge_signs(struct spam_check *check, const struct text_signs *signs)
{
    struct text plain = check->body.plain;
    size_t words = check->body.word_count;
    size_t percent = signs->letters > 0 ? signs->upper * 100 / signs->letters : 0;
    if (signs->letters >= CAPS_LETTERS && percent > 15)
        spam_find(check, RULE_BODY_CAPS,
                  percent > 50   ? 3
                  : percent > 25 ? 2
                                 : 1,
                  percent, TEXT(""));
    count_if(check,
             signs->exclamations >= EXCLAMATIONS &&
                 signs->exclamations * WORDS_AN_EXCLAMATION > words,
             RULE_BODY_EXCLAMATIONS, signs->exclamations);
    count_if(check, text_has(plain, "!!"), RULE_BODY_EXCLAMATION_RUN, 1);
    count_if(check, text_has(plain, "$$") && !text_has(plain, "$$ LANGUAGE"), RULE_BODY_DOLLAR_RUN,
             1);
    count_if(check, signs->emoji >= EMOJI && signs->emoji * WORDS_AN_EMOJI > words,
             RULE_BODY_EMOJI_HEAVY, signs->emoji);
    count_if(check, has_merge_tag(plain), RULE_BODY_MERGE_TAGS, 1);
}

/* ---- disguise ---- */

/* Whether a zero-width character is inside a word that is a topic without it. */
static bool hides_topic(struct spam_check *check)
{
    for (size_t i = 0; i < check->body.words.count; i++) {
        const struct word *word = &check->body.words.at[i];
        struct text text = text_view_word(&check->body, i);
        if (word->kind == WORD_PLAIN && word->exact && text.size < EVIDENCE_MAX_CHARS &&
            phrases_have_word(check->knowledge->phrases, text, SET_DISGUISE)) {
            char topic[EVIDENCE_MAX_CHARS + 1] = "";
            memcpy(topic, text.bytes, text.size);
            if (!text_has_any_case(check->body.plain, topic))
                return true;
        }
    }
    return false;
}

/* A word without vowels, or of alternating letters and digits. */
static bool is_random(struct text word)
{
    return word.size >= 6 &&
           (text_turns(word) >= 3 || text_is_made_of(word, "bcdfghjklmnpqrstvwxz"));
}

static void judge_tail(struct spam_check *check)
{
    const struct text_view *body = &check->body;
    size_t random = 0;
    for (size_t i = body->words.count; i > 0; i--) {
        const struct word *word = &body->words.at[i - 1];
        struct text text = text_view_word(body, i - 1);
        if (word->start + TAIL_BYTES < body->norm.size)
            break;
        random += word->kind == WORD_PLAIN && is_random(text);
    }
    count_if(check, random >= TAIL_WORDS, RULE_TEXT_HASH_TAIL, random);
}

static void judge_blobs(struct spam_check *check)
{
    for (size_t i = 0; i < check->body.words.count; i++) {
        const struct word *word = &check->body.words.at[i];
        struct text text = text_view_word(&check->body, i);
        find_if(check, word->kind == WORD_PLAIN && text.size > BLOB_BYTES && text_is_ascii(text),
                RULE_TEXT_BLOB, text);
    }
}

static void judge_disguise(struct spam_check *check, const struct text_signs *signs)
{
    struct text word;
    if (signs->zero_width >= ZERO_WIDTH) {
        bool hides = hides_topic(check);
        spam_find(check, RULE_TEXT_ZERO_WIDTH, hides ? 2 : 1, signs->zero_width, TEXT(""));
        check->found[RULE_TEXT_ZERO_WIDTH].is_strong = hides;
    }
    count_if(check, signs->mixed_words >= 2, RULE_TEXT_MIXED_SCRIPT, signs->mixed_words);
    count_if(check, signs->overrides > 0, RULE_TEXT_BIDI_OVERRIDE, signs->overrides);
    count_if(check, signs->styled >= STYLED, RULE_TEXT_STYLED_LETTERS, signs->styled);
    count_if(check, gappy_run(check->body.plain) >= GAPPY, RULE_TEXT_GAPPY, 1);
    if (find_disguised(check->knowledge, buf_text(&check->body.norm), &word))
        spam_find(check, RULE_TEXT_DISGUISED_WORD, 1, 1, word);
    judge_tail(check);
    judge_blobs(check);
}

void judge_style(struct spam_check *check)
{
    struct text_signs signs;
    text_signs_of(&check->body.runes, &signs);
    judge_amount(check);
    judge_signs(check, &signs);
    judge_lines(check);
    judge_disguise(check, &signs);
}
