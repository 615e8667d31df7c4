/*
 * svc-email/email-spam-check/check.h - one message being judged: what is known of it, and what the
 * rules found.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/writing/runes.h"
#include "email-spam-check/html-view.h"
#include "email-spam-check/knowledge.h"
#include "message/mailbox.h"
#include "message/mime.h"
#include "net/host.h"

enum rule_id {
#define RULE(id, category, strength, p1, p2, p3, when, fix) RULE_##id,
#include "email-spam-check/rules.def"
#undef RULE
    RULES
};

enum rule_category {
    CATEGORY_SUBJECT,
    CATEGORY_PHRASES,
    CATEGORY_LINKS,
    CATEGORY_HTML,
    CATEGORY_OBFUSCATION,
    CATEGORY_STYLE,
    CATEGORY_COMPLIANCE,
    CATEGORY_SENDER,
    CATEGORIES
};

enum {
    EVIDENCE_MAX_CHARS = 120,
    CHECK_LINKS_MAX = 300, /* the first ones: a link takes up to 40 us */
};

/* A row of rules.def. */
struct spam_rule {
    const char *name;
    enum rule_category category;
    bool is_strong;
    int points[3]; /* by step */
    const char *when;
    const char *fix;
};

extern const struct spam_rule spam_rules[RULES];

struct spam_finding {
    bool is_found;
    int points;
    bool is_strong;
    size_t count;
    const char *evidence; /* the arena's; NULL: none */
};

/* A text in two forms. */
struct text_view {
    struct text plain;  /* as it is read */
    struct runes runes; /* its characters */
    struct buf norm;    /* small letters, without what is not seen, look-alikes in Latin words
                         * replaced; lines as in plain */
    struct words words; /* of norm */
    size_t word_count;
    uint16_t sets[SETS];     /* distinct phrases found of each set */
    struct text first[SETS]; /* the first of them, in norm */
    uint32_t first_word[SETS];
};

/* A link, from markup or from the text. */
struct spam_link {
    struct text url;
    struct text shown; /* the visible text; empty: the URL itself is shown */
    struct text scheme;
    struct text raw_host;
    struct text path; /* with query and fragment */
    bool has_user;
    bool has_host;     /* host is one */
    bool is_disguised; /* an IPv4 address that is not dotted */
    struct host host;
    const char *owner; /* registrable domain; within host.name */
    int port;          /* 0: the scheme's */
};

enum input_kind { INPUT_TEXT, INPUT_HTML, INPUT_RAW };

struct spam_check {
    const struct spam_knowledge *knowledge;
    struct arena arena;
    enum input_kind kind;
    struct mime mime; /* of a raw message */
    bool has_html;
    bool has_text;      /* a text alternative, beside HTML or alone */
    struct text source; /* the body as it came, or the decoded text part */
    struct html_view html;
    struct text_view subject;     /* its core */
    const char *subject_raw;      /* decoded */
    bool is_reply;                /* it began with Re: or the like */
    struct text_view body;        /* what is visible */
    struct text_view alternative; /* the text part beside HTML */
    struct mailbox from, reply_to;
    bool has_from;
    bool has_list_unsubscribe, has_in_reply_to;
    struct spam_link link[CHECK_LINKS_MAX];
    size_t link_count, domain_count;
    bool is_bulk;
    struct spam_finding found[RULES];
};

/* What is to be judged; empty texts where there is nothing. */
struct spam_input {
    struct text subject, body, html, from, reply_to;
    bool has_html;
    int format; /* -1: found out; else an input_kind */
};

/* Read and judge; release with spam_check_free(). The input must outlive the check. */
void spam_check_read(const struct spam_input *input, const struct spam_knowledge *knowledge,
                     struct spam_check *check);
void spam_check_free(struct spam_check *check);

/* The result as the contract has it. */
void spam_check_report(struct spam_check *check, cJSON *result);

/* Note that a rule fired, at its first, second or third step of points, with what it found. A rule
 * that fired before keeps its evidence; more points win. */
void spam_find(struct spam_check *check, enum rule_id rule, int step, size_t count,
               struct text evidence);

/* The same when the rule holds: once, with evidence, or so many times, without. */
void find_if(struct spam_check *check, bool holds, enum rule_id rule, struct text evidence);
void count_if(struct spam_check *check, bool holds, enum rule_id rule, size_t count);

/* ---- the parts ---- */

void text_view_make(struct text_view *view, struct text plain,
                    const struct spam_knowledge *knowledge);
void text_view_free(struct text_view *view);

struct text text_view_word(const struct text_view *view, size_t index);

/* Do phrases of the set stand in the text? How many different ones? */
size_t text_view_has(const struct text_view *view, enum phrase_set set);

/* Signs in a text that no one is meant to see. */
struct text_signs {
    size_t letters, upper; /* of letters that have a case */
    size_t exclamations;
    size_t zero_width; /* inside words */
    size_t mixed_words;
    size_t styled;
    size_t emoji;
    size_t overrides; /* of direction */
};
void text_signs_of(const struct runes *runes, struct text_signs *signs);

/* A word of a topic that is written with digits or signs for letters; false: none. */
bool find_disguised(const struct spam_knowledge *knowledge, struct text norm, struct text *word);

/* The longest run of single letters with one blank, dot, dash or star between each. */
size_t gappy_run(struct text text);

/* How often small letters and digits take turns in a word; 0 when there is anything else in it. */
size_t text_turns(struct text word);

void spam_links_read(struct spam_check *check);

void judge_subject(struct spam_check *check);
void judge_phrases(struct spam_check *check);
void judge_links(struct spam_check *check);
void judge_html(struct spam_check *check);
void judge_style(struct spam_check *check);
void judge_sender(struct spam_check *check);
