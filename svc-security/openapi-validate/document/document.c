/* svc-security/openapi-validate/document/document.c - detect the format of a text and parse it. */
#include "document.h"

#include <string.h>

#include "base/text.h"
#include "builder.h"

/* A byte order mark of UTF-16 or UTF-32, or their zero bytes around the first character. */
static bool is_wide(struct text input)
{
    return text_begins(input, "\xff\xfe") || text_begins(input, "\xfe\xff") ||
           (input.size >= 2 && (input.bytes[0] == '\0' || input.bytes[1] == '\0'));
}

static bool looks_like_json(struct text input)
{
    size_t blanks = 0;
    while (blanks < input.size && strchr(" \t\r\n", input.bytes[blanks]))
        blanks++;
    return blanks < input.size && (input.bytes[blanks] == '{' || input.bytes[blanks] == '[');
}

static bool report_stop(struct findings *findings, const struct stop *stop)
{
    const char *what = stop->rule == RULE_INVALID_JSON || stop->rule == RULE_JSON_COMMENT
                           ? "Not JSON"
                       : stop->rule == RULE_INVALID_YAML ? "Not YAML"
                                                         : "Too large";
    report_at(findings, stop->rule, stop->place, "%s, line %zu, column %zu: %s.", what,
              stop->place.line, stop->place.column, stop->why);
    return false;
}

/* Try one format. Findings count only if it succeeds. */
static bool try_format(struct document *document, struct text input,
                       bool (*read)(struct builder *, struct text), struct findings *findings,
                       struct stop *stop)
{
    scoped(builder_free) struct builder builder = { .document = document, .findings = findings };
    size_t count[LEVEL_COUNT];
    size_t ignored[LEVEL_COUNT];
    size_t errors = findings->errors;
    memcpy(count, findings->count, sizeof(count));
    memcpy(ignored, findings->ignored, sizeof(ignored));
    if (read(&builder, input))
        return true;
    memcpy(findings->count, count, sizeof(count));
    memcpy(findings->ignored, ignored, sizeof(ignored));
    findings->errors = errors;
    *stop = builder.stop;
    document_free(document);
    return false;
}

static bool read_as_yaml(struct document *document, struct text input, struct findings *findings,
                         struct stop *stop)
{
    document->is_yaml = true;
    if (!try_format(document, input, read_yaml, findings, stop))
        return false;
    if (document->root)
        return true;
    *stop = (struct stop){ RULE_INVALID_YAML, "the document is empty", { 1, 1 } };
    return false;
}

/* Text with JSON brackets that is not valid JSON may still be YAML, where such lists and objects do
 * not need quotes. */
static bool read_as_either(struct document *document, struct text input, struct findings *findings,
                           struct stop *stop)
{
    struct stop by_yaml;
    if (try_format(document, input, read_json, findings, stop))
        return true;
    if (stop->rule == RULE_LIMIT || stop->rule == RULE_JSON_COMMENT)
        return false; /* as YAML, a comment would be part of the next name */
    if (!read_as_yaml(document, input, findings, &by_yaml)) {
        document->is_yaml = false;
        return false;
    }
    report_at(findings, RULE_NOT_STRICT_JSON, stop->place,
              "The document is not valid JSON and was read as YAML: %s (line %zu, column %zu).",
              stop->why, stop->place.line, stop->place.column);
    return true;
}

bool document_read(struct document *document, struct text input, struct findings *findings)
{
    struct stop stop = { RULE_LIMIT, "a document must be at most 8 MiB", { 1, 1 } };
    *document = (struct document){ .nodes_before = document->nodes_before };
    if (input.size > DOCUMENT_BYTES_MAX)
        return report_stop(findings, &stop);
    if (is_wide(input)) {
        report_at(findings, RULE_ENCODING, (struct place){ 1, 1 },
                  "The document must be UTF-8, not UTF-16 or UTF-32.");
        return false;
    }
    if (text_begins(input, "\xef\xbb\xbf")) {
        report_at(findings, RULE_BYTE_ORDER_MARK, (struct place){ 1, 1 },
                  "The document begins with a byte order mark; some parsers do not skip it.");
        input = text_skip(input, 3);
    }
    bool ok = looks_like_json(input) ? read_as_either(document, input, findings, &stop)
                                     : read_as_yaml(document, input, findings, &stop);
    return ok || report_stop(findings, &stop);
}

void document_free(struct document *document)
{
    arena_free(&document->arena);
    document->root = NULL;
    document->node_count = 0;
}
