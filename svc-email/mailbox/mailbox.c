/* svc-email/mailbox/mailbox.c - parse an address from left to right. */
#include "mailbox/mailbox.h"

#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "mailbox/parser.h"

enum { PART_BYTES = 4 * MAILBOX_TEXT_BYTES /* NFC may triple the length of a text */ };

/* ---- local part ---- */

/* Whether a character is invisible or private-use, so that people cannot distinguish or see it. */
static bool is_unsafe(uint32_t code, bool is_first)
{
    static const uint32_t never = UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf | UC_CATEGORY_MASK_Cs |
                                  UC_CATEGORY_MASK_Co | UC_CATEGORY_MASK_Cn | UC_CATEGORY_MASK_Zs |
                                  UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp;
    static const uint32_t never_first =
        UC_CATEGORY_MASK_Mn | UC_CATEGORY_MASK_Mc | UC_CATEGORY_MASK_Me;
    return code >= 0x80 &&
           uc_is_general_category_withtable(code, is_first ? never | never_first : never);
}

/* Read one character of the local part. Returns false if it is never allowed: a mark that is first
 * or after a dot, also in quotes, because the quotes may be unneeded. */
static bool take_character(struct parser *parser)
{
    struct text rest = text_skip(parser->text, parser->at);
    struct buf *local = &parser->mailbox->local;
    bool is_first = local->size == 0 || local->bytes[local->size - 1] == '.';
    size_t bytes;
    uint32_t code = utf8_next(rest, &bytes);
    if (is_unsafe(code, is_first))
        return parser_reject(parser, DIAGNOSIS_unsafe_unicode, parser->at);
    buf_add(local, rest.bytes, bytes);
    parser->at += bytes;
    return true;
}

static bool read_quoted(struct parser *parser)
{
    size_t from = parser->at++;
    parser->has_quotes = true;
    parser_note(parser, DIAGNOSIS_quoted_string, from);
    for (;;) {
        char c = parser_peek(parser);
        if (parser_is_at_end(parser))
            return parser_reject(parser, DIAGNOSIS_unclosed_quoted_string, from);
        if (parser_take(parser, '"'))
            return true;
        if (c == '\r') {
            int line_ends = 0;
            parser_note(parser, DIAGNOSIS_fws, parser->at);
            if (!parser_read_line_end(parser, &line_ends))
                return false;
            continue;
        }
        if (c == '\\' && !parser_read_escaped(parser, DIAGNOSIS_expecting_qtext))
            return false;
        if (c == '\t') {
            parser_note(parser, DIAGNOSIS_fws, parser->at);
        } else if (parser_is_obs_control(c)) {
            parser->has_control = true;
            parser_note(parser, DIAGNOSIS_obs_control, parser->at);
        } else if (!parser_is_visible(c) && c != ' ') {
            return parser_reject(parser, DIAGNOSIS_expecting_qtext, parser->at);
        }
        if (!take_character(parser))
            return false;
    }
}

static bool read_atom(struct parser *parser)
{
    while (parser_is_atext(parser_peek(parser)))
        if (!take_character(parser))
            return false;
    return true;
}

/* Reject what is at the place where a word of the local part must begin. */
static bool reject_word(struct parser *parser, bool is_first)
{
    char c = parser_peek(parser);
    if (parser_is_at_end(parser))
        return parser_reject(parser, is_first ? DIAGNOSIS_no_local_part : DIAGNOSIS_no_domain,
                             parser->at);
    if (c == '@')
        return parser_reject(parser, is_first ? DIAGNOSIS_no_local_part : DIAGNOSIS_dot_end,
                             parser->at);
    if (c == '.')
        return parser_reject(parser, is_first ? DIAGNOSIS_dot_start : DIAGNOSIS_consecutive_dots,
                             parser->at);
    return parser_reject(
        parser, c == '<' || c == '>' ? DIAGNOSIS_angle_brackets : DIAGNOSIS_expecting_atext,
        parser->at);
}

/* Find the first character that looks like an @. */
static bool find_other_at(struct text text, size_t *at)
{
    static const char *const others[] = { "\uFF20", "\uFE6B" };
    for (size_t i = 0; i < text.size; i++)
        for (size_t k = 0; k < countof(others); k++)
            if (text_begins(text_skip(text, i), others[k])) {
                *at = i;
                return true;
            }
    return false;
}

static bool reject_after_local(struct parser *parser, bool was_quoted, bool had_cfws)
{
    size_t at;
    char c = parser_peek(parser);
    if (parser_is_at_end(parser) && find_other_at(parser->text, &at))
        return parser_reject(parser, DIAGNOSIS_fullwidth_at, at);
    if (parser_is_at_end(parser))
        return parser_reject(parser, DIAGNOSIS_no_domain, parser->at);
    if (c == '<' || c == '>')
        return parser_reject(parser, DIAGNOSIS_angle_brackets, parser->at);
    if (had_cfws && (parser_is_atext(c) || c == '"'))
        return parser_reject(parser, DIAGNOSIS_atext_after_cfws, parser->at);
    if (was_quoted && (parser_is_atext(c) || c == '"'))
        return parser_reject(parser, DIAGNOSIS_atext_after_qs, parser->at);
    return parser_reject(parser, DIAGNOSIS_expecting_atext, parser->at);
}

static bool read_local(struct parser *parser)
{
    bool had_cfws = false;
    if (!parser_skip_cfws(parser, &had_cfws))
        return false;
    for (size_t words = 0;; words++) {
        size_t from = parser->at;
        bool is_quoted = parser_peek(parser) == '"';
        if (!(is_quoted ? read_quoted(parser) : read_atom(parser)))
            return false;
        if (parser->at == from)
            return reject_word(parser, words == 0);
        if (words > 0 && parser->has_quotes)
            parser_note(parser, DIAGNOSIS_obs_local_part, from);
        had_cfws = false;
        if (!parser_skip_cfws(parser, &had_cfws))
            return false;
        if (parser_take(parser, '@'))
            return true;
        if (!parser_take(parser, '.'))
            return reject_after_local(parser, is_quoted, had_cfws);
        buf_add_byte(&parser->mailbox->local, '.');
        if (!parser_skip_cfws(parser, &had_cfws))
            return false;
        if (had_cfws)
            parser_note(parser, DIAGNOSIS_obs_local_part, parser->at);
    }
}

/* ---- the address as a whole ---- */

static void normalize_local(struct mailbox *mailbox)
{
    struct buf *local = &mailbox->local;
    size_t size = 0;
    if (!mailbox->is_smtputf8)
        return;
    uint8_t *nfc =
        u8_normalize(UNINORM_NFC, (const uint8_t *)local->bytes, local->size, NULL, &size);
    buf_clear(local);
    buf_add(local, nfc, size);
    mem_free(&nfc);
}

static bool is_dot_atom(struct text local)
{
    if (local.size == 0 || local.bytes[0] == '.' || local.bytes[local.size - 1] == '.')
        return false;
    for (size_t i = 0; i < local.size; i++)
        if (!parser_is_atext(local.bytes[i]) &&
            (local.bytes[i] != '.' || local.bytes[i + 1] == '.'))
            return false;
    return true;
}

static void write_local(const struct mailbox *mailbox, struct buf *out)
{
    struct text local = buf_text(&mailbox->local);
    if (mailbox->is_quoted)
        buf_add_byte(out, '"');
    for (size_t i = 0; i < local.size; i++) {
        if (mailbox->is_quoted && (local.bytes[i] == '"' || local.bytes[i] == '\\'))
            buf_add_byte(out, '\\');
        buf_add_byte(out, local.bytes[i]);
    }
    if (mailbox->is_quoted)
        buf_add_byte(out, '"');
}

static void write_normalized(struct parser *parser)
{
    struct mailbox *mailbox = parser->mailbox;
    mailbox->is_smtputf8 = !text_is_ascii(buf_text(&mailbox->local));
    normalize_local(mailbox);
    mailbox->is_quoted = !is_dot_atom(buf_text(&mailbox->local));
    write_local(mailbox, &mailbox->normalized);
    if (mailbox->normalized.size > MAILBOX_LOCAL_OCTETS)
        parser_note(parser, DIAGNOSIS_local_too_long, 0);
    buf_add_byte(&mailbox->normalized, '@');
    buf_add(&mailbox->normalized, buf_str(&mailbox->domain), mailbox->domain.size);
    if (mailbox->normalized.size > MAILBOX_OCTETS)
        parser_note(parser, DIAGNOSIS_address_too_long, 0);
    mailbox->is_valid = mailbox->category < MAILBOX_RFC5322 && !parser->has_control;
}

/* ---- display name, brackets, mailto: ---- */

/* Find the first < outside quotes and comments. */
static bool find_bracket(struct text text, size_t *at)
{
    bool is_quoted = false;
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        if (c == '\\')
            i++;
        else if (c == '"' && depth == 0)
            is_quoted = !is_quoted;
        else if (c == '(' && !is_quoted)
            depth++;
        else if (c == ')' && depth > 0)
            depth--;
        else if (c == '<' && !is_quoted && depth == 0) {
            *at = i;
            return true;
        }
    }
    return false;
}

static void add_display_name(struct text name, struct buf *out)
{
    name = text_trim(name);
    if (name.size >= 2 && name.bytes[0] == '"' && name.bytes[name.size - 1] == '"')
        name = (struct text){ name.bytes + 1, name.size - 2 };
    buf_add(out, name.bytes, name.size);
}

/* Narrow the parser's text to the address. */
static void unwrap_address(struct text whole, struct parser *parser)
{
    static const char mailto[] = "mailto:";
    struct text *text = &parser->text;
    size_t at;
    *text = whole;
    if (text_begins_any_case(whole, mailto)) {
        *text = text_skip(whole, strlen(mailto));
        const char *query = memchr(text->bytes, '?', text->size);
        if (query)
            text->size = (size_t)(query - text->bytes);
        parser->mailbox->has_wrapping = true;
    } else if (whole.size > 0 && whole.bytes[whole.size - 1] == '>' && find_bracket(whole, &at)) {
        add_display_name((struct text){ whole.bytes, at }, &parser->mailbox->display_name);
        *text = (struct text){ whole.bytes + at + 1, whole.size - at - 2 };
        parser->mailbox->has_wrapping = true;
    }
}

static void keep_written_domain(struct text whole, struct buf *domain)
{
    const char *at = whole.size ? memrchr(whole.bytes, '@', whole.size) : NULL;
    buf_clear(domain);
    if (!at)
        return;
    struct text rest = text_skip(whole, (size_t)(at + 1 - whole.bytes));
    buf_add_lower(domain, utf8_cut(rest, MAILBOX_TEXT_BYTES));
}

static size_t characters_before(struct text whole, size_t offset)
{
    return utf8_length((struct text){ whole.bytes, offset < whole.size ? offset : whole.size });
}

/* Check size and encoding before parsing. */
static bool check_text(struct parser *parser, struct text whole)
{
    size_t valid = utf8_valid_bytes(whole);
    if (valid < whole.size)
        return parser_reject(parser, DIAGNOSIS_unsafe_unicode, valid);
    return whole.size <= MAILBOX_MAX_CHARACTERS || utf8_length(whole) <= MAILBOX_MAX_CHARACTERS ||
           parser_reject(parser, DIAGNOSIS_too_long, 0);
}

void mailbox_parse(struct text text, struct mailbox *mailbox)
{
    struct text whole = text_trim(text);
    struct parser parser = { .text = whole, .mailbox = mailbox };
    *mailbox = (struct mailbox){ .display_name = BUF(MAILBOX_TEXT_BYTES),
                                 .local = BUF(PART_BYTES),
                                 .domain = BUF(PART_BYTES),
                                 .normalized = BUF(2 * PART_BYTES) };
    if (check_text(&parser, whole)) {
        unwrap_address(whole, &parser);
        if (read_local(&parser) && mailbox_read_domain(&parser))
            write_normalized(&parser);
        parser.worst_at += (size_t)(parser.text.bytes - whole.bytes);
    }
    mailbox->position = characters_before(whole, parser.worst_at);
    if (mailbox->is_valid)
        return;
    buf_clear(&mailbox->normalized);
    keep_written_domain(utf8_is_valid(whole) ? whole : (struct text){ 0 }, &mailbox->domain);
}

void mailbox_free(struct mailbox *mailbox)
{
    buf_free(&mailbox->display_name);
    buf_free(&mailbox->local);
    buf_free(&mailbox->domain);
    buf_free(&mailbox->normalized);
}
