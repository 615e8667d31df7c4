/* svc-security/openapi-validate/document/findings.c - the lists of findings. */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"

static const struct {
    const char *id;
    enum level level;
} rules[] = {
#define RULE(kind, level, id) [RULE_##kind] = { id, LEVEL_##level },
#include "rules.def"
#undef RULE
};

struct findings *findings_new(void)
{
    return mem_new(sizeof(struct findings));
}

void findings_free(struct findings **findings)
{
    if (!*findings)
        return;
    arena_free(&(*findings)->arena);
    mem_free(findings);
}

const char *rule_id(enum rule rule)
{
    return rules[rule].id;
}

enum level rule_level(enum rule rule)
{
    return rules[rule].level;
}

struct quote quote(struct text text)
{
    struct quote quote;
    size_t size = MIN(text.size, (size_t)QUOTE_BYTES);
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        quote.bytes[i] = byte < ' ' || byte == 0x7F ? ' ' : (char)byte;
    }
    quote.bytes[size] = '\0';
    if (size < text.size) {
        utf8_repair(quote.bytes);
        snprintf(quote.bytes + strlen(quote.bytes), 4, "…");
    }
    return quote;
}

/* The place for one more finding; NULL when it is only counted. */
static struct finding *next(struct findings *findings, enum level level)
{
    size_t index = findings->count[level]++;
    if (index >= FINDINGS_MAX)
        return NULL;
    struct finding *finding = &findings->item[level][index];
    *finding = (struct finding){ .order = (uint32_t)index };
    return finding;
}

__attribute__((format(printf, 2, 0))) static const char *format_message(struct findings *findings,
                                                                        const char *format,
                                                                        va_list arguments)
{
    char message[FINDING_MESSAGE_BYTES];
    vsnprintf(message, sizeof(message), format, arguments);
    utf8_repair(message);
    return arena_copy(&findings->arena, text_of(message));
}

static void place_at(struct finding *finding, const struct node *node)
{
    finding->node = node;
    finding->line = node ? node->line : 0;
    finding->column = node ? node->column : 0;
    finding->document = node ? node_document(node) : 0;
}

void report(struct findings *findings, enum rule rule, const struct node *at, const char *format,
            ...)
{
    struct finding *finding = next(findings, rules[rule].level);
    if (!finding)
        return;
    va_list arguments;
    va_start(arguments, format);
    finding->message = format_message(findings, format, arguments);
    va_end(arguments);
    finding->rule = rules[rule].id;
    place_at(finding, at);
}

void report_as(struct findings *findings, enum level level, const char *id, const struct node *at,
               const char *format, ...)
{
    struct finding *finding = next(findings, level);
    if (!finding)
        return;
    va_list arguments;
    va_start(arguments, format);
    finding->message = format_message(findings, format, arguments);
    va_end(arguments);
    finding->rule = arena_copy(&findings->arena, text_of(id));
    place_at(finding, at);
}

void report_at(struct findings *findings, enum rule rule, size_t line, size_t column,
               const char *format, ...)
{
    struct finding *finding = next(findings, rules[rule].level);
    if (!finding)
        return;
    va_list arguments;
    va_start(arguments, format);
    finding->message = format_message(findings, format, arguments);
    va_end(arguments);
    finding->rule = rules[rule].id;
    finding->line = (uint32_t)line;
    finding->document = findings->document;
    finding->column = (uint32_t)column;
}

static int by_place(const void *a, const void *b)
{
    const struct finding *left = a;
    const struct finding *right = b;
    if (left->document != right->document)
        return left->document < right->document ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    if (left->column != right->column)
        return left->column < right->column ? -1 : 1;
    return left->order < right->order ? -1 : 1;
}

void findings_sort(struct findings *findings)
{
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        qsort(findings->item[level], MIN(findings->count[level], (size_t)FINDINGS_MAX),
              sizeof(struct finding), by_place);
}
