/* svc-email/mailbox/domain.c - the part after the @: a name, or an address in brackets. */
#include <string.h>

#include "base/ascii.h"
#include "mailbox/literal.h"
#include "mailbox/parser.h"
#include "text/idn.h"

enum { LABEL_OCTETS = 63, DOMAIN_OCTETS = 253 };

static bool reject_in_domain(struct parser *parser, bool had_cfws)
{
    char c = parser_peek(parser);
    if (c && strchr("@,;", c))
        return parser_reject(parser, DIAGNOSIS_several_at, parser->at);
    if (c == '<' || c == '>')
        return parser_reject(parser, DIAGNOSIS_angle_brackets, parser->at);
    if (had_cfws && parser_is_atext(c))
        return parser_reject(parser, DIAGNOSIS_atext_after_cfws, parser->at);
    return parser_reject(parser, DIAGNOSIS_expecting_atext, parser->at);
}

static bool reject_label(struct parser *parser, bool is_first)
{
    if (parser_is_at_end(parser))
        return parser_reject(parser, is_first ? DIAGNOSIS_no_domain : DIAGNOSIS_trailing_dot,
                             is_first ? parser->at : parser->at - 1);
    if (parser_peek(parser) == '.')
        return parser_reject(parser, is_first ? DIAGNOSIS_dot_start : DIAGNOSIS_consecutive_dots,
                             parser->at);
    return reject_in_domain(parser, false);
}

/* Read the labels into raw, without blanks and comments between them. */
static bool read_labels(struct parser *parser, struct buf *raw)
{
    for (size_t labels = 0;; labels++) {
        size_t from = parser->at;
        bool had_cfws = false;
        while (parser_is_atext(parser_peek(parser)))
            parser->at++;
        if (parser->at == from)
            return reject_label(parser, labels == 0);
        buf_add(raw, parser->text.bytes + from, parser->at - from);
        if (!parser_skip_cfws(parser, &had_cfws))
            return false;
        if (parser_is_at_end(parser))
            return true;
        if (!parser_take(parser, '.'))
            return reject_in_domain(parser, had_cfws);
        buf_add_byte(raw, '.');
        if (!parser_skip_cfws(parser, &had_cfws))
            return false;
        if (had_cfws) {
            parser_note(parser, DIAGNOSIS_obs_domain, parser->at);
            parser->is_plain_domain = false;
        }
    }
}

static bool check_label(struct parser *parser, struct text label, size_t at)
{
    if (label.size == 0) /* after ideographic dots */
        return parser_reject(parser, DIAGNOSIS_consecutive_dots, at);
    if (label.bytes[0] == '-')
        return parser_reject(parser, DIAGNOSIS_hyphen_start, at);
    if (label.bytes[label.size - 1] == '-')
        return parser_reject(parser, DIAGNOSIS_hyphen_end, at);
    if (label.size > LABEL_OCTETS)
        parser_note(parser, DIAGNOSIS_label_too_long, at);
    for (size_t i = 0; i < label.size; i++)
        if (!ascii_is_alnum(label.bytes[i]) && label.bytes[i] != '-')
            parser_note(parser, DIAGNOSIS_domain_char, at + (parser->is_plain_domain ? i : 0));
    return true;
}

static bool check_domain(struct parser *parser)
{
    struct text rest = buf_text(&parser->mailbox->domain);
    struct text label = { 0 };
    size_t labels = 0;
    if (rest.size > DOMAIN_OCTETS)
        parser_note(parser, DIAGNOSIS_domain_too_long, parser->domain_at);
    for (size_t at = parser->domain_at; rest.size > 0; labels++) {
        label = text_cut(&rest, '.');
        if (!check_label(parser, label, at))
            return false;
        at += parser->is_plain_domain ? label.size + 1 : 0;
    }
    if (text_of(buf_str(&parser->mailbox->domain)).bytes[parser->mailbox->domain.size - 1] == '.')
        return parser_reject(parser, DIAGNOSIS_trailing_dot, parser->domain_at);
    if (labels == 1)
        parser_note(parser, DIAGNOSIS_single_label, parser->domain_at);
    else if (text_is_digits(label))
        parser_note(parser, DIAGNOSIS_numeric_tld, parser->domain_at);
    return true;
}

static bool read_name(struct parser *parser)
{
    scoped(buf_free) struct buf raw = BUF(MAILBOX_TEXT_BYTES);
    struct buf *domain = &parser->mailbox->domain;
    size_t from = parser->at;
    parser->is_plain_domain = true;
    if (!read_labels(parser, &raw))
        return false;
    parser->domain_at = from;
    parser->is_plain_domain = parser->is_plain_domain && text_is_ascii(buf_text(&raw));
    buf_clear(domain);
    if (!idn_to_ascii(buf_text(&raw), domain) || domain->size == 0)
        return parser_reject(parser, DIAGNOSIS_invalid_idna, from);
    return check_domain(parser);
}

static bool read_literal(struct parser *parser)
{
    struct buf *domain = &parser->mailbox->domain;
    size_t from = parser->at++;
    bool had_cfws = false;
    while (parser_peek(parser) != ']') {
        char c = parser_peek(parser);
        if (parser_is_at_end(parser))
            return parser_reject(parser, DIAGNOSIS_unclosed_domain_literal, from);
        if (c == '[' || c == '\0' || c == '\n')
            return parser_reject(parser, DIAGNOSIS_expecting_dtext, parser->at);
        if (c == '\r' || c == ' ' || c == '\t') {
            parser_note(parser, DIAGNOSIS_domain_literal, parser->at);
            if (!parser_read_blanks(parser))
                return false;
            continue;
        }
        if (c == '\\' && !parser_read_escaped(parser, DIAGNOSIS_expecting_dtext))
            return false;
        parser->at++;
    }
    struct text inside = { parser->text.bytes + from + 1, parser->at - from - 1 };
    parser->at++;
    size_t at = 0;
    enum mailbox_diagnosis diagnosis = literal_diagnose(inside, &at);
    parser_note(parser, diagnosis, from + (diagnosis == DIAGNOSIS_address_literal ? 0 : 1 + at));
    parser->mailbox->is_literal = true;
    buf_clear(domain);
    buf_add(domain, parser->text.bytes + from, parser->at - from);
    if (!parser_skip_cfws(parser, &had_cfws))
        return false;
    if (parser_is_at_end(parser))
        return true;
    return parser_is_atext(parser_peek(parser)) || parser_peek(parser) == '.'
               ? parser_reject(parser, DIAGNOSIS_atext_after_domlit, parser->at)
               : reject_in_domain(parser, had_cfws);
}

bool mailbox_read_domain(struct parser *parser)
{
    bool had_cfws = false;
    if (!parser_skip_cfws(parser, &had_cfws))
        return false;
    return parser_peek(parser) == '[' ? read_literal(parser) : read_name(parser);
}
