/* svc-security/openapi-validate/document/findings.c - lists of findings. */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

static const struct {
    const char *id;
    enum level level;
    const char *words;
} rules[] = {
#define RULE(kind, level, id, words) [RULE_##kind] = { id, LEVEL_##level, words },
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
        text_repair(quote.bytes);
        snprintf(quote.bytes + strlen(quote.bytes), 4, "…");
    }
    return quote;
}

/* Add a finding; the caller sets its place. Returns NULL if it is only counted. */
__attribute__((format(printf, 5, 0))) static struct finding *add(struct findings *findings,
                                                                 enum level level, const char *id,
                                                                 const struct node *at,
                                                                 const char *format,
                                                                 va_list arguments)
{
    char message[FINDING_MESSAGE_BYTES];
    findings->errors += level == LEVEL_ERROR;
    if (findings->level_of)
        level = findings->level_of(findings->context, id, level);
    if (findings->ignores && findings->ignores(findings->context, id, at)) {
        findings->ignored[level]++;
        return NULL;
    }
    size_t index = findings->count[level]++;
    if (index >= FINDINGS_MAX)
        return NULL;
    vsnprintf(message, sizeof(message), format, arguments);
    text_repair(message);
    struct finding *finding = &findings->item[level][index];
    *finding = (struct finding){ .rule = id,
                                 .message = arena_copy(&findings->arena, text_of(message)),
                                 .order = (uint32_t)index };
    return finding;
}

static void place_at(struct finding *finding, const struct node *node)
{
    if (!finding || !node)
        return;
    finding->node = node;
    finding->line = node->line;
    finding->column = node->column;
    finding->document = node_document(node);
}

void report(struct findings *findings, enum rule rule, const struct node *at, const char *format,
            ...)
{
    va_list arguments;
    va_start(arguments, format);
    place_at(add(findings, rules[rule].level, rules[rule].id, at, format, arguments), at);
    va_end(arguments);
}

void report_as(struct findings *findings, enum level level, const char *id, const struct node *at,
               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct finding *finding = add(findings, level, id, at, format, arguments);
    va_end(arguments);
    if (finding)
        finding->rule = arena_copy(&findings->arena, text_of(id));
    place_at(finding, at);
}

void report_at(struct findings *findings, enum rule rule, struct place place, const char *format,
               ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct finding *finding =
        add(findings, rules[rule].level, rules[rule].id, NULL, format, arguments);
    va_end(arguments);
    if (!finding)
        return;
    finding->line = (uint32_t)place.line;
    finding->column = (uint32_t)place.column;
    finding->document = findings->document;
}

void flag(struct findings *findings, enum rule rule, const struct node *at)
{
    report(findings, rule, at, "%s", rules[rule].words);
}

void flag_text(struct findings *findings, enum rule rule, const struct node *at, struct text text)
{
    const char *words = rules[rule].words;
    const char *place = strstr(words, "%s");
    report(findings, rule, at, "%.*s%s%s", (int)(place - words), words, quote(text).bytes,
           place + strlen("%s"));
}

static int by_place(const void *a, const void *b)
{
    const struct finding *left = a;
    const struct finding *right = b;
    int order = number_order(left->document, right->document);
    order = order != 0 ? order : number_order(left->line, right->line);
    order = order != 0 ? order : number_order(left->column, right->column);
    return order != 0 ? order : number_order(left->order, right->order);
}

void findings_sort(struct findings *findings)
{
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        qsort(findings->item[level], MIN(findings->count[level], (size_t)FINDINGS_MAX),
              sizeof(struct finding), by_place);
}
