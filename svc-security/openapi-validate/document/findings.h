/*
 * svc-security/openapi-validate/document/findings.h - what is wrong with a document: a list of each
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
    const struct node *node; /* NULL: the whole document */
    uint32_t line;           /* from 1; 0: nowhere */
    uint32_t column;
    uint32_t order;    /* in which they were found */
    uint32_t document; /* number of the one that it is in */
};

struct findings {
    struct arena arena; /* of messages and composed ids */
    uint32_t document;  /* number of the one that is being read; 0: the one that is asked about */
    size_t count[LEVEL_COUNT];
    struct finding item[LEVEL_COUNT][FINDINGS_MAX];
};

struct findings *findings_new(void);
void findings_free(struct findings **findings);

/* Something at a node, in the words of the rule's row. The text is what they name. */
void flag(struct findings *findings, enum rule rule, const struct node *at);
void flag_text(struct findings *findings, enum rule rule, const struct node *at, struct text text);

/* The same in other words. */
void report(struct findings *findings, enum rule rule, const struct node *at, const char *format,
            ...) __attribute__((format(printf, 4, 5)));

/* The same by a rule whose id is made of names of the specification ("info-title-required"): id is
 * copied. */
void report_as(struct findings *findings, enum level level, const char *id, const struct node *at,
               const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Where something stands in the text; zeros: nowhere. */
struct place {
    size_t line;
    size_t column;
};

/* Something in the text, before or beside its nodes. */
void report_at(struct findings *findings, enum rule rule, struct place place, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* Put the findings kept of each level in the order of the documents. */
void findings_sort(struct findings *findings);

/* A part of the document for a message: cut, without control characters. Use it as
 * quote(text).bytes within one call. */
struct quote {
    char bytes[QUOTE_BYTES + 4];
};
struct quote quote(struct text text);
