/* common/text/yaml-read.c - converts libyaml's events. */
#include "text/yaml-read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"

struct yaml_reader {
    struct text input;
    char *copy; /* of it, without tabs that libyaml rejects although YAML allows them; NULL: none */
    yaml_parser_t parser;
    yaml_event_t event;   /* the last one, which lends its texts */
    size_t tag_directive; /* its offset; SIZE_MAX: none */
    yaml_mark_t refused_at;
    const char *why;
};

/* A %TAG where a line may begin: not after printable ASCII. */
static size_t find_tag_directive(struct text input)
{
    const char *end = input.bytes + input.size;
    const char *at = memmem(input.bytes, input.size, "%TAG", 4);
    while (at && at > input.bytes && (signed char)at[-1] >= ' ')
        at = memmem(at + 1, (size_t)(end - at - 1), "%TAG", 4);
    return at ? (size_t)(at - input.bytes) : SIZE_MAX;
}

static void start_parser(yaml_parser_t *parser, struct text input)
{
    if (!yaml_parser_initialize(parser))
        abort();
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)input.bytes, input.size);
}

/* ---- tabs in blank lines and before comments ---- */

/*
 * libyaml rejects a tab in a line of blanks, or before a comment, which YAML allows (rule l-comment
 * of 1.2.2): replace it by spaces. Returns the number of blanks at the start of such a line; 0:
 * another line, or no tab.
 */
static size_t idle_blanks(const char *line, const char *end)
{
    const char *at = line;
    bool has_tab = false;
    for (; at < end && (*at == ' ' || *at == '\t'); at++)
        has_tab |= *at == '\t';
    bool is_idle = at == end || *at == '\n' || *at == '\r' || *at == '#';
    return has_tab && is_idle ? (size_t)(at - line) : 0;
}

static const char *next_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

/* A copy with spaces in all such lines; NULL: no such lines. */
static char *without_idle_tabs(struct text input)
{
    const char *end = input.bytes + input.size;
    char *copy = NULL;
    if (!memchr(input.bytes, '\t', input.size))
        return NULL;
    for (const char *line = input.bytes; line < end; line = next_line(line, end)) {
        size_t blanks = idle_blanks(line, end);
        if (blanks > 0 && !copy)
            copy = mem_dup(input.bytes, input.size);
        if (blanks > 0)
            memset(copy + (line - input.bytes), ' ', blanks);
    }
    return copy;
}

static int depth_change(yaml_event_type_t type)
{
    return (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT) -
           (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT);
}

static bool is_block(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT &&
           (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
            event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
}

/*
 * In a block of text, blanks are content and a tab may be an error, so restore those lines. Deeper
 * nesting is rejected by the caller.
 */
static void restore_blocks(struct text input, char *copy)
{
    enum { DEPTH_MAX = 1000 };
    yaml_parser_t parser;
    yaml_event_t event;
    const char *end = input.bytes + input.size;
    const char *line = input.bytes;
    size_t number = 0;
    int depth = 0;
    bool is_end = false;
    start_parser(&parser, (struct text){ copy, input.size });
    while (!is_end && depth < DEPTH_MAX && yaml_parser_parse(&parser, &event)) {
        depth += depth_change(event.type);
        is_end = event.type == YAML_STREAM_END_EVENT;
        for (; is_block(&event) && line < end && number <= event.end_mark.line; number++) {
            const char *next = next_line(line, end);
            if (number > event.start_mark.line)
                memcpy(copy + (line - input.bytes), line, (size_t)(next - line));
            line = next;
        }
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

/* ---- a reader ---- */

struct yaml_reader *yaml_reader_new(struct text input)
{
    struct yaml_reader *reader = mem_new(sizeof(*reader));
    reader->input = input.bytes ? input : TEXT("");
    reader->tag_directive = find_tag_directive(reader->input);
    if (reader->tag_directive == SIZE_MAX)
        reader->copy = without_idle_tabs(reader->input);
    if (reader->copy) {
        restore_blocks(reader->input, reader->copy);
        reader->input.bytes = reader->copy;
    }
    start_parser(&reader->parser, reader->input);
    return reader;
}

void yaml_reader_free(struct yaml_reader **reader)
{
    if (!*reader)
        return;
    yaml_event_delete(&(*reader)->event);
    yaml_parser_delete(&(*reader)->parser);
    mem_free(&(*reader)->copy);
    mem_free(reader);
}

/* ---- errors ---- */

/* libyaml's reader, which checks UTF-8 ahead of its parser, reports only the byte. */
static yaml_mark_t mark_of_byte(struct text input, size_t offset)
{
    yaml_mark_t mark = { 0 };
    for (size_t i = 0; i < input.size && i < offset; i++) {
        bool is_continuation = (input.bytes[i] & 0xc0) == 0x80;
        mark.column = input.bytes[i] == '\n' ? 0 : mark.column + !is_continuation;
        mark.line += input.bytes[i] == '\n';
    }
    return mark;
}

static bool fail_at(struct yaml_reader *reader, yaml_mark_t at, const char *why)
{
    reader->refused_at = at;
    reader->why = why;
    return false;
}

/* Our message for a part of libyaml's message. */
static const char *why_of(const yaml_parser_t *parser)
{
    static const struct {
        const char *part;
        const char *why;
    } reasons[] = {
        { "could not find expected ':'", "a key without a colon, or text that needs quotes" },
        { "mapping values are not allowed", "a colon where no value may begin; quote the text" },
        { "did not find expected key", "a key must stand here; check the indentation" },
        { "did not find expected '-' indicator", "a - must stand here; check the indentation" },
        { "block sequence entries are not allowed", "a - may not stand here" },
        { "did not find expected ',' or", "a comma or the closing bracket must stand here" },
        { "unexpected end of stream", "the quoted text does not end" },
        { "unknown escape", "no such escape in quoted text" },
        { "violates indentation", "a tab may not indent" },
        { "a tab character where", "a tab may not indent" },
        { "document start", "something follows the document" },
        { "undefined tag handle", "a tag of an unknown kind" },
    };
    const char *problem = parser->problem ? parser->problem : "";
    bool is_at_tab = parser->buffer.pointer && *parser->buffer.pointer == '\t';
    if (is_at_tab && strstr(problem, "cannot start any token"))
        return "a tab may not indent";
    for (size_t i = 0; i < countof(reasons); i++)
        if (strstr(problem, reasons[i].part))
            return reasons[i].why;
    return "not YAML";
}

static bool fail_by_parser(struct yaml_reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        abort();
    if (parser->error == YAML_READER_ERROR)
        return fail_at(reader, mark_of_byte(reader->input, parser->problem_offset),
                       "not UTF-8, or a control character");
    return fail_at(reader, parser->problem_mark, why_of(parser));
}

const char *yaml_refused(const struct yaml_reader *reader, size_t *line, size_t *column)
{
    *line = reader->refused_at.line + 1;
    *column = reader->refused_at.column + 1;
    return reader->why;
}

/* ---- events ---- */

static void describe_event(const yaml_event_t *from, struct yaml_read_event *to)
{
    switch (from->type) {
    case YAML_SCALAR_EVENT:
        to->kind = YAML_SCALAR;
        to->text = (struct text){ (const char *)from->data.scalar.value, from->data.scalar.length };
        to->is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        to->anchor = (const char *)from->data.scalar.anchor;
        to->tag = (const char *)from->data.scalar.tag;
        return;
    case YAML_SEQUENCE_START_EVENT:
        to->kind = YAML_LIST_OPEN;
        to->anchor = (const char *)from->data.sequence_start.anchor;
        to->tag = (const char *)from->data.sequence_start.tag;
        return;
    case YAML_MAPPING_START_EVENT:
        to->kind = YAML_MAP_OPEN;
        to->anchor = (const char *)from->data.mapping_start.anchor;
        to->tag = (const char *)from->data.mapping_start.tag;
        return;
    case YAML_ALIAS_EVENT:
        to->kind = YAML_ALIAS;
        to->text = text_of((const char *)from->data.alias.anchor);
        return;
    case YAML_SEQUENCE_END_EVENT:
        to->kind = YAML_LIST_CLOSE;
        return;
    case YAML_MAPPING_END_EVENT:
        to->kind = YAML_MAP_CLOSE;
        return;
    case YAML_DOCUMENT_START_EVENT:
        to->kind = YAML_DOCUMENT;
        return;
    case YAML_STREAM_END_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    case YAML_NO_EVENT:
        to->kind = YAML_END;
        return;
    }
}

bool yaml_read(struct yaml_reader *reader, struct yaml_read_event *event)
{
    if (reader->tag_directive != SIZE_MAX)
        return fail_at(reader, mark_of_byte(reader->input, reader->tag_directive),
                       "a %TAG directive");
    do {
        yaml_event_delete(&reader->event);
        if (!yaml_parser_parse(&reader->parser, &reader->event))
            return fail_by_parser(reader);
    } while (reader->event.type == YAML_STREAM_START_EVENT ||
             reader->event.type == YAML_DOCUMENT_END_EVENT);
    *event = (struct yaml_read_event){ .line = reader->event.start_mark.line + 1,
                                       .column = reader->event.start_mark.column + 1 };
    describe_event(&reader->event, event);
    return true;
}
