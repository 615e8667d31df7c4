/* svc-email/email-spam-check/judge-phrases.c - rules about wording. */
#include <string.h>

#include "base/num.h"
#include "email-spam-check/check.h"

enum {
    SURE_PHRASES = 3, /* from this number a topic gets SURE_POINTS more */
    SURE_POINTS = 4,
    EXEC_WORDS = 120,
    INVOICE_WORDS = 60,
    INTRODUCTION_WORDS = 40,
    GREETING_WORDS = 12,
};

/* The standard test string of spam filters, in two pieces so that filters pass this file. */
#define GTUBE                      \
    "XJS*C4JDBQADN1.NSBN3*2IDNEN*" \
    "GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"

static const struct topic {
    enum phrase_set set;
    enum rule_id rule;
} topics[] = {
    { SET_LOTTERY, RULE_TOPIC_LOTTERY },
    { SET_PHARMACY, RULE_TOPIC_PHARMACY },
    { SET_ENHANCEMENT, RULE_TOPIC_ENHANCEMENT },
    { SET_ADULT, RULE_TOPIC_ADULT },
    { SET_REPLICA, RULE_TOPIC_REPLICA },
    { SET_MAKE_MONEY, RULE_TOPIC_MAKE_MONEY },
    { SET_CREDIT, RULE_TOPIC_CREDIT },
    { SET_INSURANCE, RULE_TOPIC_INSURANCE },
    { SET_WEIGHT_LOSS, RULE_TOPIC_WEIGHT_LOSS },
    { SET_STOCKS, RULE_TOPIC_STOCKS },
    { SET_DIPLOMA, RULE_TOPIC_DIPLOMA },
    { SET_BULK_MAIL, RULE_TOPIC_BULK_MAIL },
    { SET_GAMBLING, RULE_TOPIC_GAMBLING },
    { SET_CRYPTO, RULE_TOPIC_CRYPTO },
    { SET_SEO_OUTREACH, RULE_TOPIC_SEO_OUTREACH },
    { SET_ODD_GOODS, RULE_TOPIC_ODD_GOODS },
    { SET_JOB_BAIT, RULE_TOPIC_JOB_BAIT },
};

/* Rules that depend on one set only, and the phrases that their second and third steps need. */
static const struct graded {
    enum phrase_set set;
    enum rule_id rule;
    size_t second, third; /* 0: no such step */
} graded[] = {
    { SET_EXCUSE, RULE_EXCUSE_NOT_SPAM, 0, 0 },   { SET_REMOVE_REPLY, RULE_REMOVE_BY_REPLY, 0, 0 },
    { SET_PARTNER, RULE_PARTNER_CLAIM, 0, 0 },    { SET_URGENCY, RULE_HYPE_URGENCY, 2, 3 },
    { SET_GUARANTEE, RULE_HYPE_GUARANTEE, 2, 0 }, { SET_FREE, RULE_HYPE_FREE, 2, 3 },
    { SET_CLICK, RULE_HYPE_CLICK, 2, 3 },         { SET_HYPE, RULE_HYPE_WORDS, 2, 4 },
    { SET_PRICE, RULE_HYPE_PRICE, 2, 3 },         { SET_CALL_NOW, RULE_HYPE_CALL_NOW, 2, 0 },
    { SET_BIG_SUM, RULE_BIG_SUM, 0, 0 },          { SET_LOREM, RULE_BODY_LOREM_IPSUM, 0, 0 },
};

static size_t has_set(const struct spam_check *check, enum phrase_set set)
{
    return text_view_has(&check->body, set);
}

static void find_set(struct spam_check *check, bool holds, enum rule_id rule, int step,
                     enum phrase_set set)
{
    if (holds)
        spam_find(check, rule, step, has_set(check, set), check->body.first[set]);
}

/* Whether count phrases are at least this many in LONG_TEXT_WORDS words. */
static bool is_dense(const struct spam_check *check, size_t count, size_t least)
{
    return count * LONG_TEXT_WORDS >= least * MAX(check->body.word_count, LONG_TEXT_WORDS);
}

/* What count phrases are worth: in a long newsletter, a phrase says little about the whole. */
static int thin_out(const struct spam_check *check, size_t count, int points)
{
    size_t words = MAX(check->body.word_count, LONG_TEXT_WORDS);
    size_t thin = ((size_t)points * count * LONG_TEXT_WORDS + words / 2) / words;
    return is_dense(check, count, 1) ? points : (int)MAX(thin, 1);
}

static void thin_found(struct spam_check *check, enum rule_id rule)
{
    struct spam_finding *found = &check->found[rule];
    if (found->is_found)
        found->points = thin_out(check, found->count, found->points);
}

static void judge_topics(struct spam_check *check)
{
    for (size_t i = 0; i < countof(topics); i++) {
        size_t count = has_set(check, topics[i].set);
        if (count == 0)
            continue;
        find_set(check, true, topics[i].rule, 1, topics[i].set);
        thin_found(check, topics[i].rule);
        if (count >= SURE_PHRASES && is_dense(check, count, 1))
            check->found[topics[i].rule].points += SURE_POINTS;
    }
}

static void judge_advance_fee(struct spam_check *check)
{
    size_t signs = 0;
    enum phrase_set last = SET_FEE_KIN;
    for (int set = SET_FEE_KIN; set <= SET_FEE_CHARITY; set++)
        if (has_set(check, (enum phrase_set)set)) {
            signs++;
            last = (enum phrase_set)set;
        }
    if (signs >= 3)
        spam_find(check, RULE_TOPIC_ADVANCE_FEE,
                  signs >= 6   ? 3
                  : signs >= 4 ? 2
                               : 1,
                  signs, check->body.first[last]);
}

static void judge_graded(struct spam_check *check)
{
    for (size_t i = 0; i < countof(graded); i++) {
        const struct graded *row = &graded[i];
        size_t count = has_set(check, row->set);
        if (count == 0)
            continue;
        bool is_third = row->third > 0 && is_dense(check, count, row->third);
        bool is_second = row->second > 0 && is_dense(check, count, row->second);
        find_set(check, true, row->rule, is_third ? 3 : is_second ? 2 : 1, row->set);
        thin_found(check, row->rule);
    }
}

static bool has_foreign_link(const struct spam_check *check)
{
    for (size_t i = 0; i < check->link_count; i++)
        if (check->link[i].has_host &&
            (check->link[i].host.is_address || !check->from.domain ||
             !senders_related(check->knowledge->senders, check->link[i].host.name,
                              check->from.domain)))
            return true;
    return false;
}

/* A request to confirm an address that the recipient just entered is not phishing. */
static void judge_phishing(struct spam_check *check)
{
    bool is_own_request = has_set(check, SET_PHISH_OWN_REQUEST) > 0;
    bool threatens = has_set(check, SET_PHISH_SUSPENSION) > 0 &&
                     (has_set(check, SET_PHISH_SUSPENSION) > 1 ||
                      !has_set(check, SET_PHISH_HOURS) || has_set(check, SET_PHISH_CONSEQUENCE));
    bool verifies = has_set(check, SET_PHISH_VERIFY) > 0 && !is_own_request;
    /* banks write that they never ask */
    bool asks = has_set(check, SET_PHISH_SENSITIVE) > 0 && !has_set(check, SET_PHISH_DENIED);
    find_set(check, asks, RULE_PHISH_SENSITIVE_DATA, 1, SET_PHISH_SENSITIVE);
    find_set(check, verifies, RULE_PHISH_VERIFY, 1, SET_PHISH_VERIFY);
    find_set(check, threatens && !(is_own_request && !verifies), RULE_PHISH_SUSPENSION, 1,
             SET_PHISH_SUSPENSION);
    thin_found(check, RULE_PHISH_SENSITIVE_DATA);
    thin_found(check, RULE_PHISH_VERIFY);
    thin_found(check, RULE_PHISH_SUSPENSION);
    if (verifies + threatens + asks >= 2 && has_foreign_link(check))
        spam_find(check, RULE_PHISH_COMBO, 1, (size_t)(verifies + threatens + asks),
                  check->link[0].url);
}

/* A cryptocurrency address: 26 to 62 letters and digits that begin with 1, 3 or bc1. */
static bool has_coin_address(const struct text_view *view)
{
    for (size_t i = 0; i < view->words.count; i++) {
        const struct word *word = &view->words.at[i];
        struct text text = text_view_word(view, i);
        if (word->kind == WORD_PLAIN && text.size >= 26 && text.size <= 62 &&
            (text_begins(text, "bc1") || text_begins(text, "1") || text_begins(text, "3") ||
             text_begins(text, "0x")))
            return true;
    }
    return false;
}

static bool has_archive(const struct spam_check *check)
{
    static const char *const ends[] = { ".zip", ".rar", ".7z",  ".gz", ".cab",  ".ace",
                                        ".iso", ".img", ".exe", ".js", ".html", ".htm" };
    for (size_t i = 0; i < check->mime.attachment_count; i++)
        for (size_t j = 0; j < countof(ends); j++) {
            const char *name = check->mime.attachment[i];
            size_t size = strlen(name);
            if (size > strlen(ends[j]) && strcasecmp(name + size - strlen(ends[j]), ends[j]) == 0)
                return true;
        }
    return check->found[RULE_LINK_ARCHIVE_FILE].is_found;
}

static void judge_baits(struct spam_check *check)
{
    size_t words = check->body.word_count;
    find_set(check, has_set(check, SET_DELIVERY_BAIT) && check->link_count > 0,
             RULE_TOPIC_DELIVERY_BAIT, 1, SET_DELIVERY_BAIT);
    find_set(check,
             has_set(check, SET_EXTORTION_THREAT) &&
                 (has_set(check, SET_EXTORTION_COIN) || has_coin_address(&check->body)),
             RULE_EXTORTION, 1, SET_EXTORTION_THREAT);
    find_set(check, words <= EXEC_WORDS && has_set(check, SET_EXEC) >= 2, RULE_EXEC_FRAUD, 1,
             SET_EXEC);
    find_set(check,
             words <= INVOICE_WORDS && has_set(check, SET_INVOICE) &&
                 (check->link_count > 0 || has_archive(check)),
             RULE_INVOICE_BAIT, 1, SET_INVOICE);
    find_set(check,
             has_set(check, SET_GREETING) && check->body.first_word[SET_GREETING] < GREETING_WORDS,
             RULE_GREETING_GENERIC, 1, SET_GREETING);
    find_set(check,
             has_set(check, SET_MR_INTRO) &&
                 check->body.first_word[SET_MR_INTRO] < INTRODUCTION_WORDS,
             RULE_SELF_INTRODUCTION, 1, SET_MR_INTRO);
}

static void judge_scams(struct spam_check *check)
{
    find_set(check,
             has_set(check, SET_BANK_CHANGE) && has_set(check, SET_BANK_PAYMENT) &&
                 !has_set(check, SET_BANK_DENIED),
             RULE_SCAM_BANK_CHANGE, 1, SET_BANK_CHANGE);
    find_set(check, has_set(check, SET_SEED_REQUEST) && !has_set(check, SET_SEED_DENIED),
             RULE_SCAM_SEED_PHRASE, 1, SET_SEED_REQUEST);
    find_set(check, has_set(check, SET_GIFT_BUY) && has_set(check, SET_GIFT_SEND),
             RULE_SCAM_GIFT_CARDS, 1, SET_GIFT_BUY);
}

/* An amount of at least seven digits, in any notation. */
static void judge_sums(struct spam_check *check)
{
    const struct text_view *body = &check->body;
    for (size_t i = 0; i < body->words.count; i++) {
        const struct word *word = &body->words.at[i];
        struct text text = text_view_word(body, i);
        size_t digits = 0;
        size_t behind = 0; /* the last group */
        for (size_t j = 0; word->kind == WORD_MONEY && j < text.size; j++) {
            bool is_digit = text.bytes[j] >= '0' && text.bytes[j] <= '9';
            behind = strchr(".,", text.bytes[j]) ? 0 : behind + is_digit;
            digits += is_digit;
        }
        bool has_cents = behind == 2 && digits > 2 && memchr(text.bytes, '.', text.size);
        find_if(check, digits - (has_cents ? 2 : 0) >= 7, RULE_BIG_SUM, text);
    }
    thin_found(check, RULE_BIG_SUM);
}

void judge_phrases(struct spam_check *check)
{
    struct text gtube = TEXT(GTUBE);
    find_if(check, memmem(check->body.plain.bytes, check->body.plain.size, gtube.bytes, gtube.size),
            RULE_GTUBE, gtube);
    judge_topics(check);
    judge_advance_fee(check);
    judge_graded(check);
    judge_phishing(check);
    judge_baits(check);
    judge_scams(check);
    judge_sums(check);
}
