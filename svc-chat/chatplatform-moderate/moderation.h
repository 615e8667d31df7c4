/* svc-chat/chatplatform-moderate/moderation.h - one text: its readings and the findings in it. */
#pragma once

#include "base/writing/runes.h"
#include "reading/views.h"
#include "rules.h"
#include "svc/job.h"
#include "writing/tokens.h"

enum {
    MODERATION_FINDINGS_MAX = 4000, /* further ones do not change the result */
    MODERATION_FULL_SCORE = 100,
};

struct finding {
    enum rule_id rule;
    int64_t points;
    uint32_t start, end; /* code points of the text as sent */
    unsigned disguise;   /* bits of enum disguise */
    char *normalized;    /* NULL: as in the text */
    bool is_token;       /* redacted as a whole */
};

struct signals {
    int64_t letters, uppers;
    int64_t mentions, unique_mentions;
    bool everyone;
    int64_t links, invites, emojis, lines, invisible, bidi_controls, max_marks, longest_run;
    int64_t mixed_words;
};

struct moderation {
    const struct job *job;
    const struct moderation_rules *rules;
    bool wants[CATEGORIES];
    int64_t percent; /* factor for points, by strictness */
    struct runes original;
    struct runes plain;   /* without invisible characters, in NFKC */
    struct tokens tokens; /* of plain */
    struct views views;
    struct signals signals;
    bool has_foreign_link; /* to a host that is not allowed or official */
    bool is_ideation;      /* of self-harm: the author may need help */
    struct finding *finding;
    size_t finding_count;
    size_t finding_capacity;
};

/* Record a match of a rule, with the rule's points or with other points. */
struct finding *finding_add(struct moderation *moderation, enum rule_id rule, uint32_t start,
                            uint32_t end, unsigned disguise);
struct finding *finding_add_points(struct moderation *moderation, enum rule_id rule, uint32_t start,
                                   uint32_t end, int64_t points);

/* Does a list in the request's context contain this text? False: the list is absent. */
bool context_has(const struct moderation *moderation, const char *list, const char *text);
bool context_has_domain(const struct moderation *moderation, const char *list, const char *host);
int64_t context_int(const struct moderation *moderation, const char *name);
