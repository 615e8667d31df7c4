/* svc-email/mailbox/blanks.c - the parser's position, and blanks and comments. */
#include "mailbox/parser.h"

#include <string.h>

#include "base/ascii.h"

void parser_note(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at)
{
    struct mailbox *mailbox = parser->mailbox;
    if (mailbox_diagnoses[diagnosis].category <= mailbox->category)
        return;
    mailbox->category = mailbox_diagnoses[diagnosis].category;
    mailbox->diagnosis = diagnosis;
    parser->worst_at = at;
}

bool parser_reject(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at)
{
    parser_note(parser, diagnosis, at);
    return false;
}

bool parser_is_at_end(const struct parser *parser)
{
    return parser->at == parser->text.size;
}

char parser_peek(const struct parser *parser)
{
    return parser_is_at_end(parser) ? '\0' : parser->text.bytes[parser->at];
}

bool parser_take(struct parser *parser, char byte)
{
    if (parser_is_at_end(parser) || parser_peek(parser) != byte)
        return false;
    parser->at++;
    return true;
}

/* ---- characters ---- */

bool parser_is_atext(char c)
{
    return ascii_is_alnum(c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c)) || (unsigned char)c >= 0x80;
}

bool parser_is_obs_control(char c)
{
    return (c >= 1 && c <= 8) || c == 11 || c == 12 || (c >= 14 && c <= 31) || c == 127;
}

bool parser_is_visible(char c)
{
    return (c > ' ' && c < 127) || (unsigned char)c >= 0x80;
}

/* ---- blanks and comments ---- */

bool parser_read_line_end(struct parser *parser, int *line_ends)
{
    size_t from = parser->at++;
    if (!parser_take(parser, '\n'))
        return parser_reject(parser, DIAGNOSIS_cr_no_lf, from);
    if (parser_peek(parser) == '\r')
        return parser_reject(parser, DIAGNOSIS_crlf_x2, from);
    if (parser_peek(parser) != ' ' && parser_peek(parser) != '\t')
        return parser_reject(parser, DIAGNOSIS_fws_crlf_end, from);
    if (++*line_ends > 1)
        parser_note(parser, DIAGNOSIS_obs_fws, from);
    return true;
}

bool parser_read_blanks(struct parser *parser)
{
    int line_ends = 0;
    for (;;) {
        if (parser_peek(parser) == '\r') {
            if (!parser_read_line_end(parser, &line_ends))
                return false;
        } else if (!parser_take(parser, ' ') && !parser_take(parser, '\t')) {
            return true;
        }
    }
}

bool parser_read_escaped(struct parser *parser, enum mailbox_diagnosis otherwise)
{
    size_t from = parser->at++;
    if (parser_is_at_end(parser))
        return parser_reject(parser, DIAGNOSIS_backslash_end, from);
    char c = parser_peek(parser);
    if (parser_is_obs_control(c)) {
        parser->has_control = true;
        parser_note(parser, DIAGNOSIS_obs_control, from);
    } else if (!parser_is_visible(c) && c != ' ' && c != '\t') {
        return parser_reject(parser, otherwise, parser->at);
    }
    return true;
}

static bool read_comment(struct parser *parser)
{
    size_t from = parser->at;
    size_t depth = 0;
    parser_note(parser, DIAGNOSIS_comment, from);
    do {
        if (parser_is_at_end(parser))
            return parser_reject(parser, DIAGNOSIS_unclosed_comment, from);
        char c = parser_peek(parser);
        if (c == '\r' || c == ' ' || c == '\t') {
            if (!parser_read_blanks(parser))
                return false;
            continue;
        }
        if (c == '\\' && !parser_read_escaped(parser, DIAGNOSIS_expecting_ctext))
            return false;
        if (c == '(')
            depth++;
        else if (c == ')')
            depth--;
        else if (parser_is_obs_control(c))
            parser_note(parser, DIAGNOSIS_obs_control, parser->at);
        else if (!parser_is_visible(c))
            return parser_reject(parser, DIAGNOSIS_expecting_ctext, parser->at);
        parser->at++;
    } while (depth > 0);
    return true;
}

bool parser_skip_cfws(struct parser *parser, bool *had)
{
    for (;;) {
        size_t from = parser->at;
        bool ok = parser_peek(parser) == '(' ? read_comment(parser) : parser_read_blanks(parser);
        if (!ok)
            return false;
        if (parser->at == from)
            return true;
        if (parser->text.bytes[from] != '(')
            parser_note(parser, DIAGNOSIS_fws, from);
        *had = true;
    }
}
