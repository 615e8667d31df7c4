/* svc-email/email-spam-check/judge-subject.c - rules about the subject without reply marks and
 * tags. */
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "email-spam-check/check.h"

enum {
    CAPS_LETTERS = 8,
    CAPS_PERCENT = 70,
    CAPS_WORD = 4,
    LONG_CHARS = 70,
    VERY_LONG_CHARS = 150,
    GAPPY_LETTERS = 5,
    STYLED_LETTERS = 3,
    EMOJI_MANY = 3,
    ALARM_WORDS = 5,
    CODE_LETTERS = 5,
    GAP_LETTERS = 3, /* of a word far behind the others */
};

static size_t caps_words(struct text text)
{
    size_t words = 0;
    for (size_t i = 0; i < text.size;) {
        size_t end = i;
        while (end < text.size && ascii_is_upper(text.bytes[end]))
            end++;
        bool is_whole = (i == 0 || !ascii_is_alnum(text.bytes[i - 1])) &&
                        (end == text.size || !ascii_is_alnum(text.bytes[end]));
        words += is_whole && end - i >= CAPS_WORD;
        i = MAX(end, i + 1);
    }
    return words;
}

static void judge_case(struct spam_check *check, const struct text_signs *signs)
{
    struct text core = check->subject.plain;
    if (signs->letters >= CAPS_LETTERS && check->subject.word_count >= 2 &&
        signs->upper * 100 >= signs->letters * CAPS_PERCENT)
        spam_find(check, RULE_SUBJECT_ALL_CAPS, 1, 1, core);
    else if (caps_words(core) >= 2)
        spam_find(check, RULE_SUBJECT_CAPS_WORDS, 1, 1, core);
}

static void judge_marks(struct spam_check *check, const struct text_signs *signs)
{
    struct text core = check->subject.plain;
    if (signs->exclamations >= 2)
        spam_find(check, RULE_SUBJECT_EXCLAMATIONS, 1, signs->exclamations, core);
    else if (signs->exclamations == 1)
        spam_find(check, RULE_SUBJECT_EXCLAMATION, 1, 1, core);
    find_if(check, signs->exclamations > 0 && text_has(core, "?"), RULE_SUBJECT_BANG_QUESTION,
            core);
    if (text_has(core, "....") || text_has(core, "**") || text_has(core, "$$") ||
        text_has(core, "~~") || text_has(core, "----"))
        spam_find(check, RULE_SUBJECT_PUNCTUATION_RUN, 1, 1, core);
    find_if(check, gappy_run(core) >= GAPPY_LETTERS, RULE_SUBJECT_GAPPY, core);
    find_if(check, signs->mixed_words > 0, RULE_SUBJECT_MIXED_SCRIPT, core);
    find_if(check, signs->styled >= STYLED_LETTERS, RULE_SUBJECT_STYLED_LETTERS, core);
    if (signs->emoji >= EMOJI_MANY)
        spam_find(check, RULE_SUBJECT_EMOJI_HEAVY, 1, signs->emoji, core);
}

static void judge_length(struct spam_check *check)
{
    size_t chars = check->subject.runes.count;
    if (chars > VERY_LONG_CHARS)
        spam_find(check, RULE_SUBJECT_VERY_LONG, 1, chars, TEXT(""));
    else if (chars > LONG_CHARS)
        spam_find(check, RULE_SUBJECT_LONG, 1, chars, TEXT(""));
}

static void judge_words(struct spam_check *check)
{
    const struct text_view *subject = &check->subject;
    for (size_t i = 0; i < subject->words.count; i++) {
        const struct word *word = &subject->words.at[i];
        struct text text = text_view_word(subject, i);
        if (word->kind == WORD_MONEY || text_is(text, "million") || text_is(text, "billion"))
            spam_find(check, RULE_SUBJECT_MONEY, 1, 1, text);
        else if (word->kind == WORD_PERCENT)
            spam_find(check, RULE_SUBJECT_PERCENT, 1, 1, text);
        else if (word->kind == WORD_URL)
            spam_find(check, RULE_SUBJECT_URL, 1, 1, text);
        else if (word->kind == WORD_ADDRESS)
            spam_find(check, RULE_SUBJECT_RECIPIENT_TOKEN, 1, 1, text);
    }
}

/* "x7k2pq", alone or after several words: digits between letters. Words such as covid19 or
 * windows11 have digits only at the end. */
static void judge_code(struct spam_check *check)
{
    const struct text_view *subject = &check->subject;
    size_t count = subject->words.count;
    if (count < 2)
        return;
    const struct word *last = &subject->words.at[count - 1];
    struct text text = text_view_word(subject, count - 1);
    bool has_gap = last->start >= 3 && memcmp(text.bytes - 3, "   ", 3) == 0;
    bool is_named = last->start >= 1 && strchr("#-/([:", text.bytes[-1]);
    bool is_code = text.size >= CODE_LETTERS && text_turns(text) >= 3 && count > 3 && !is_named &&
                   !text_has(subject->plain, "#") && !text_has_any_case(subject->plain, "order") &&
                   !text_has(subject->plain, ":");
    if (is_code || (has_gap && text.size >= GAP_LETTERS && last->kind == WORD_PLAIN))
        spam_find(check, RULE_SUBJECT_TRACKING_CODE, 1, 1, text);
}

static void judge_phrases_of_subject(struct spam_check *check)
{
    const struct text_view *subject = &check->subject;
    if (text_view_has(subject, SET_SUBJECT_TOPIC))
        spam_find(check, RULE_SUBJECT_TOPIC, 1, text_view_has(subject, SET_SUBJECT_TOPIC),
                  subject->first[SET_SUBJECT_TOPIC]);
    if (text_view_has(subject, SET_SUBJECT_HYPE))
        spam_find(check, RULE_SUBJECT_HYPE, 1, text_view_has(subject, SET_SUBJECT_HYPE),
                  subject->first[SET_SUBJECT_HYPE]);
    if (!text_view_has(subject, SET_SUBJECT_ACCOUNT) || !text_view_has(subject, SET_SUBJECT_ALARM))
        return;
    int64_t distance = (int64_t)subject->first_word[SET_SUBJECT_ACCOUNT] -
                       (int64_t)subject->first_word[SET_SUBJECT_ALARM];
    find_if(check, distance >= -ALARM_WORDS && distance <= ALARM_WORDS, RULE_SUBJECT_ACCOUNT_ALARM,
            subject->plain);
}

static void judge_tags(struct spam_check *check)
{
    struct text raw = text_trim(text_of(check->subject_raw));
    static const char *const tags[] = { "ADV:",  "ADV ",   "[ADV]",     "(AD)",
                                        "<ADV>", "(광고)", "未承諾広告" };
    for (size_t i = 0; i < countof(tags); i++)
        find_if(check, text_begins(raw, tags[i]), RULE_SUBJECT_ADV_TAG, raw);
    bool has_quote = check->has_in_reply_to || text_view_has(&check->body, SET_QUOTED_REPLY) ||
                     text_begins(check->body.plain, ">") || text_has(check->body.plain, "\n>") ||
                     text_view_has(&check->alternative, SET_QUOTED_REPLY);
    find_if(check, check->is_reply && !has_quote, RULE_SUBJECT_FAKE_REPLY, raw);
}

void judge_subject(struct spam_check *check)
{
    struct text_signs signs;
    struct text word;
    if (text_trim(text_of(check->subject_raw)).size == 0) {
        spam_find(check, RULE_SUBJECT_MISSING, 1, 1, TEXT(""));
        return;
    }
    text_signs_of(&check->subject.runes, &signs);
    judge_case(check, &signs);
    judge_marks(check, &signs);
    judge_length(check);
    judge_words(check);
    judge_code(check);
    judge_phrases_of_subject(check);
    judge_tags(check);
    if (find_disguised(check->knowledge, buf_text(&check->subject.norm), &word))
        spam_find(check, RULE_SUBJECT_DISGUISED_WORD, 1, 1, word);
}
