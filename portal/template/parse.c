/* portal/template/parse.c - parses tags and the literals between them. */
#include "portal/template/parse.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"

struct open_section {
    size_t op;
    struct html begin; /* position in the markup */
};

struct parse {
    struct template *template;
    enum template_kind kind;
    struct text rest;
    unsigned line;
    struct html html;
    struct open_section open[TEMPLATE_DEPTH_MAX];
    size_t depth;
    struct err *err;
};

/* A {{…}} tag, without its sign and spaces. */
struct tag {
    char sign; /* one of # ^ / > ! or 0 */
    struct text name;
    struct text behind; /* the source after the tag */
};

static bool reject_source(struct parse *parse, const char *why)
{
    return err_set(parse->err, ERR_INVALID_VALUE, "%s.%s:%u: %s", parse->template->name,
                   parse->kind == TEMPLATE_HTML ? "html" : "txt", parse->line, why);
}

static struct op *add_op(struct parse *parse, enum op_kind kind, struct text text)
{
    struct template *template = parse->template;
    size_t count = template->count++;
    if ((count & (count + 1)) == 0) /* 0, 1, 3, 7 …: the array is full */
        template->ops = mem_resize(template->ops, (2 * count + 1) * sizeof(struct op));
    template->ops[count] = (struct op){ .kind = kind, .text = text, .line = parse->line };
    return &template->ops[count];
}

/* ---- literals ---- */

static unsigned count_lines(struct text text)
{
    unsigned lines = 0;
    for (size_t i = 0; i < text.size; i++)
        lines += text.bytes[i] == '\n';
    return lines;
}

/* Starts in parse->line, which stays unchanged. */
static bool add_literal(struct parse *parse, struct text literal)
{
    size_t at = 0;
    const char *why = "";
    if (parse->kind == TEMPLATE_HTML && !html_feed(&parse->html, literal, &at, &why)) {
        parse->line += count_lines((struct text){ literal.bytes, at });
        return reject_source(parse, why);
    }
    if (literal.size > 0)
        add_op(parse, OP_LITERAL, literal);
    return true;
}

/* ---- tags ---- */

static bool is_name(struct text name, bool is_part)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.bytes[i];
        bool is_inner = c == '.' || c == '-' || c == '_' || (is_part && c == '/');
        if (!ascii_is_lower((unsigned char)c) && !ascii_is_digit((unsigned char)c) && !is_inner)
            return false;
    }
    return name.size > 0;
}

/* Read the tag at the beginning of the rest. */
static bool read_tag(struct parse *parse, struct tag *tag)
{
    const char *begin = parse->rest.bytes + 2;
    const char *limit = parse->rest.bytes + parse->rest.size;
    const char *end = memmem(begin, (size_t)(limit - begin), "}}", 2);
    if (!end)
        return reject_source(parse, "}} is missing");
    struct text body = { begin, (size_t)(end - begin) };
    tag->behind = (struct text){ end + 2, (size_t)(limit - end) - 2 };
    tag->sign = body.size > 0 && strchr("#^/>!", *body.bytes) ? *body.bytes : '\0';
    tag->name = text_trim(tag->sign ? text_skip(body, 1) : body);
    return tag->sign == '!' || is_name(tag->name, tag->sign == '>') ||
           reject_source(parse, "{{…}} must contain a name, optionally after # ^ / > or !");
}

/* If the tag is alone on its line, remove the line: *before is the literal in front of it,
 * tag->behind the source after it. */
static void take_line(struct text source, struct text *before, struct tag *tag)
{
    size_t keep = before->size;
    size_t skip = 0;
    while (keep > 0 && (before->bytes[keep - 1] == ' ' || before->bytes[keep - 1] == '\t'))
        keep--;
    while (skip < tag->behind.size &&
           (tag->behind.bytes[skip] == ' ' || tag->behind.bytes[skip] == '\t'))
        skip++;
    const char *end = before->bytes + keep; /* may be the end of another tag */
    bool begins = end == source.bytes || end[-1] == '\n';
    bool ends = skip == tag->behind.size || tag->behind.bytes[skip] == '\n';
    if (tag->sign == '\0' || !begins || !ends)
        return;
    before->size = keep;
    tag->behind = text_skip(tag->behind, MIN(skip + 1, tag->behind.size));
}

static bool add_value(struct parse *parse, struct text name)
{
    enum html_place place = PLACE_TEXT;
    const char *why = "";
    if (parse->kind == TEMPLATE_HTML && !html_place(&parse->html, &place, &why))
        return reject_source(parse, why);
    add_op(parse, OP_VALUE, name)->place = place;
    return true;
}

static bool open_section(struct parse *parse, const struct tag *tag)
{
    const char *why = "";
    if (parse->depth == TEMPLATE_DEPTH_MAX)
        return reject_source(parse, "sections are nested more than 16 deep");
    if (parse->kind == TEMPLATE_HTML && !html_section(&parse->html, &why))
        return reject_source(parse, why);
    parse->open[parse->depth++] =
        (struct open_section){ .op = parse->template->count, .begin = parse->html };
    add_op(parse, tag->sign == '#' ? OP_SECTION : OP_INVERTED, tag->name);
    return true;
}

static bool close_section(struct parse *parse, struct text name)
{
    const char *why = "";
    struct open_section *open = parse->depth > 0 ? &parse->open[parse->depth - 1] : NULL;
    if (!open || !text_equals(parse->template->ops[open->op].text, name))
        return reject_source(parse, "this is not the open section");
    if (parse->kind == TEMPLATE_HTML && !html_section(&parse->html, &why))
        return reject_source(parse, why);
    if (parse->kind == TEMPLATE_HTML && !html_join(&parse->html, &open->begin))
        return reject_source(parse,
                             "the section must end at the same place of the markup as it began");
    parse->template->ops[open->op].end = parse->template->count;
    parse->depth--;
    return true;
}

static bool add_part(struct parse *parse, struct text name)
{
    if (parse->kind == TEMPLATE_HTML && !html_is_plain_text(&parse->html))
        return reject_source(parse, "a part must be where elements are");
    add_op(parse, OP_PART, name);
    return true;
}

static bool add_tag(struct parse *parse, const struct tag *tag)
{
    switch (tag->sign) {
    case '#':
    case '^':
        return open_section(parse, tag);
    case '/':
        return close_section(parse, tag->name);
    case '>':
        return add_part(parse, tag->name);
    case '!':
        return true;
    default:
        return add_value(parse, tag->name);
    }
}

static bool finish_template(struct parse *parse)
{
    if (parse->depth > 0) {
        parse->line = parse->template->ops[parse->open[parse->depth - 1].op].line;
        return reject_source(parse, "this section is never closed");
    }
    parse->line = count_lines(text_of(parse->template->source)) + 1;
    return parse->kind == TEMPLATE_TEXT || html_is_plain_text(&parse->html) ||
           reject_source(parse, "the template ends in a tag, or in title, textarea or script");
}

/* A tag, and the literal before it, whose end depends on the tag. */
static bool parse_tag(struct parse *parse, struct text before, struct text source)
{
    struct tag tag = { 0 };
    unsigned first = parse->line;
    unsigned line = first + count_lines(before);
    const char *begin = parse->rest.bytes;
    parse->line = line;
    if (!read_tag(parse, &tag))
        return false;
    take_line(source, &before, &tag);
    parse->line = first;
    if (!add_literal(parse, before))
        return false;
    parse->line = line;
    if (!add_tag(parse, &tag))
        return false;
    parse->line += count_lines((struct text){ begin, (size_t)(tag.behind.bytes - begin) });
    parse->rest = tag.behind;
    return true;
}

static bool parse_next(struct parse *parse, struct text source)
{
    struct text before = parse->rest;
    const char *brace = memmem(before.bytes, before.size, "{{", 2);
    if (brace)
        before.size = (size_t)(brace - before.bytes);
    parse->rest = text_skip(parse->rest, before.size);
    return brace ? parse_tag(parse, before, source) : add_literal(parse, before);
}

bool template_parse(struct template *template, enum template_kind kind, struct err *err)
{
    struct text source = text_of(template->source);
    struct parse parse = {
        .template = template, .kind = kind, .rest = source, .line = 1, .err = err
    };
    if (!utf8_is_valid(source))
        return reject_source(&parse, "this is not UTF-8");
    while (parse.rest.size > 0)
        if (!parse_next(&parse, source))
            return false;
    return finish_template(&parse);
}
