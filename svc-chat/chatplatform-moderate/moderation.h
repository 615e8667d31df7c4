/*
 * svc-chat/chatplatform-moderate/moderation.h - one text being judged: what was read from it, and
 * what the finders found.
 */
#pragma once

#include "base/writing/runes.h"
#include "reading/views.h"
#include "rules.h"
#include "svc/job.h"
#include "writing/tokens.h"

enum {
    MODERATION_FINDINGS_MAX = 4000, /* more add nothing: the text is judged by then */
    MODERATION_FULL_SCORE = 100,
};

struct finding {
    enum rule_id rule;
    int64_t points;
    uint32_t start, end; /* code points of the text as sent */
    unsigned disguise;   /* bits of enum disguise */
    char *normalized;    /* NULL: as it stands */
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
    int64_t percent; /* of a rule's points, by strictness */
    struct runes original;
    struct runes plain;   /* without what nobody sees, NFKC */
    struct tokens tokens; /* of plain */
    struct views views;
    struct signals signals;
    bool has_foreign_link; /* to a place that is not allowed or official */
    bool is_ideation;      /* of self-harm: somebody may need help */
    struct finding *finding;
    size_t finding_count;
    size_t finding_capacity;
};

/* Note what a rule found, for its points; and for points of its own. */
struct finding *finding_add(struct moderation *moderation, enum rule_id rule, uint32_t start,
                            uint32_t end, unsigned disguise);
struct finding *finding_add_points(struct moderation *moderation, enum rule_id rule, uint32_t start,
                                   uint32_t end, int64_t points);

/* A list of texts of the request's context holds this one; false when there is no such list. */
bool context_has(const struct moderation *moderation, const char *list, const char *text);
bool context_has_domain(const struct moderation *moderation, const char *list, const char *host);
int64_t context_int(const struct moderation *moderation, const char *name);
