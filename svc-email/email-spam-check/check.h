/*
 * svc-email/email-spam-check/check.h - a message under check: its parts, and the findings.
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
    CORROBORATING_POINTS = 8, /* of a strong finding that lets others count in full */
    CHECK_LINKS_MAX = 300,    /* the first ones: a link takes up to 40 us */
    LONG_TEXT_WORDS = 400,    /* in a longer text, phrases count by their number in this many words,
                               * and weak findings have a lower limit */
};

/* What backed rules find also occurs in wanted mail: strong only with another strong finding. */
enum rule_strength { RULE_WEAK, RULE_STRONG, RULE_BACKED };

/* A row of rules.def. */
struct spam_rule {
    const char *name;
    enum rule_category category;
    enum rule_strength strength;
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
    const char *evidence; /* owned by the arena; NULL: none */
};

/* A text in two forms. */
struct text_view {
    struct text plain;  /* as displayed */
    struct runes runes; /* characters of plain */
    struct buf norm;    /* lower case, without invisible characters, look-alikes in Latin words
                         * replaced; the same lines as plain */
    struct words words; /* words of norm */
    size_t word_count;
    uint16_t sets[SETS];     /* number of distinct phrases found of each set */
    struct text first[SETS]; /* the first one found, in norm */
    uint32_t first_word[SETS];
};

/* A link of the markup or the text. */
struct spam_link {
    struct text url;
    struct text shown; /* the visible text; empty: the URL is visible */
    struct text scheme;
    struct text raw_host;
    struct text path; /* with query and fragment */
    bool has_user;
    bool has_host;     /* host is an address */
    bool is_disguised; /* an IPv4 address that is not dotted */
    struct host host;
    const char *owner; /* registrable domain, in host.name */
    int port;          /* 0: the default of the scheme */
};

enum input_kind { INPUT_TEXT, INPUT_HTML, INPUT_RAW };

struct spam_check {
    const struct spam_knowledge *knowledge;
    struct arena arena;
    enum input_kind kind;
    struct mime mime; /* parts of a raw message */
    bool has_html;
    bool has_text;      /* it has a text part, with or without HTML */
    struct text source; /* the body of the request, or the decoded text part */
    struct html_view html;
    struct text_view subject;     /* without reply marks and tags */
    const char *subject_raw;      /* decoded */
    bool is_reply;                /* it began with a reply mark */
    struct text_view body;        /* the visible content */
    struct text_view alternative; /* the text part of a message that also has HTML */
    struct mailbox from, reply_to;
    bool has_from;
    bool has_list_unsubscribe, has_in_reply_to;
    struct spam_link link[CHECK_LINKS_MAX];
    size_t link_count, domain_count;
    bool is_bulk;
    struct spam_finding found[RULES];
};

/* The input; empty texts for absent fields. */
struct spam_input {
    struct text subject, body, html, from, reply_to;
    bool has_html;
    int format; /* -1: detect it; otherwise an input_kind */
};

/* Read and judge; release with spam_check_free(). The input must outlive the check. */
void spam_check_read(const struct spam_input *input, const struct spam_knowledge *knowledge,
                     struct spam_check *check);
void spam_check_free(struct spam_check *check);

/* Write the result of the contract. */
void spam_check_report(struct spam_check *check, cJSON *result);

/* Note that a rule fired, at its first, second or third step of points, with evidence. A rule that
 * fired before keeps its evidence, and the higher points. */
void spam_find(struct spam_check *check, enum rule_id rule, int step, size_t count,
               struct text evidence);

/* Note the rule if it holds: find_if() once, with evidence; the second function count times,
 * without. */
void find_if(struct spam_check *check, bool holds, enum rule_id rule, struct text evidence);
void count_if(struct spam_check *check, bool holds, enum rule_id rule, size_t count);

/* Decide whether the findings of backed rules are strong; after all rules. */
void spam_back_findings(struct spam_check *check);

/* ---- parts ---- */

void text_view_make(struct text_view *view, struct text plain,
                    const struct spam_knowledge *knowledge);
void text_view_free(struct text_view *view);

struct text text_view_word(const struct text_view *view, size_t index);

/* Number of different phrases of the set in the text. */
size_t text_view_has(const struct text_view *view, enum phrase_set set);

/* Signs of hidden text. */
struct text_signs {
    size_t letters, upper; /* letters that have case */
    size_t exclamations;
    size_t zero_width; /* inside words */
    size_t mixed_words;
    size_t styled;
    size_t emoji;
    size_t overrides; /* direction overrides */
};
void text_signs_of(const struct runes *runes, struct text_signs *signs);

/* Find a topic word that is written with digits or symbols as letters. Returns false without
 * one. */
bool find_disguised(const struct spam_knowledge *knowledge, struct text norm, struct text *word);

/* The longest run of single letters separated by one blank, dot, dash or star each. */
size_t gappy_run(struct text text);

/* How often a word alternates between lower-case letters and digits; 0 if it has other
 * characters. */
size_t text_turns(struct text word);

void spam_links_read(struct spam_check *check);

void judge_subject(struct spam_check *check);
void judge_phrases(struct spam_check *check);
void judge_links(struct spam_check *check);
void judge_html(struct spam_check *check);
void judge_style(struct spam_check *check);
void judge_sender(struct spam_check *check);
