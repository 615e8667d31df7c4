/*
 * svc-security/openapi-validate/document/findings.h - findings about a document: a list for each
 * level, cut at FINDINGS_MAX, with complete counts.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "node.h"

enum { FINDINGS_MAX = 500, FINDING_MESSAGE_BYTES = 300, QUOTE_BYTES = 64 };

enum level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_HINT, LEVEL_COUNT };

/* Every rule has a row in rules.def. */
enum rule {
#define RULE(kind, level, id, words) RULE_##kind,
#include "rules.def"
#undef RULE
    RULE_COUNT
};

struct finding {
    const char *rule;
    const char *message;
    const struct node *node; /* NULL for the whole document */
    uint32_t line;           /* from 1; 0 if none */
    uint32_t column;
    uint32_t order;    /* order of addition */
    uint32_t document; /* number of its document */
};

struct findings {
    struct arena arena;        /* memory of messages and composed ids */
    uint32_t document;         /* number of the current document; 0: the requested one */
    size_t count[LEVEL_COUNT]; /* without ignored ones */
    size_t ignored[LEVEL_COUNT];
    size_t errors; /* by the levels of the rules, which decide whether a document is valid */
    /* of the request; each may be NULL: does it leave this finding out, and its level */
    bool (*ignores)(const void *context, const char *rule, const struct node *at);
    unsigned (*level_of)(const void *context, const char *rule, unsigned level);
    const void *context;
    struct finding item[LEVEL_COUNT][FINDINGS_MAX];
};

struct findings *findings_new(void);
void findings_free(struct findings **findings);

/* Add a finding at a node, with the message of the rule's row. The text is its argument. */
void flag(struct findings *findings, enum rule rule, const struct node *at);
void flag_text(struct findings *findings, enum rule rule, const struct node *at, struct text text);

/* Add a finding with another message. */
void report(struct findings *findings, enum rule rule, const struct node *at, const char *format,
            ...) __attribute__((format(printf, 4, 5)));

/* Add a finding of a rule with a composed id ("info-title-required"); copies id. */
void report_as(struct findings *findings, enum level level, const char *id, const struct node *at,
               const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Position in the text; zeros: none. */
struct place {
    size_t line;
    size_t column;
};

/* Add a finding at a position of the text. */
void report_at(struct findings *findings, enum rule rule, struct place place, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* Sort the findings of each level in document order. */
void findings_sort(struct findings *findings);

/* An excerpt of the document for a message: truncated, without control characters. Use it as
 * quote(text).bytes within one call. */
struct quote {
    char bytes[QUOTE_BYTES + 4];
};
struct quote quote(struct text text);
