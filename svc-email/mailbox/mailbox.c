/* svc-email/mailbox/mailbox.c - the grammar of addresses, read from left to right. */
#include "mailbox/mailbox.h"

#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "mailbox/literal.h"
#include "text/idn.h"

enum {
    TEXT_BYTES = 4 * MAILBOX_MAX_CHARACTERS,
    PART_BYTES = 4 * TEXT_BYTES, /* NFC makes a text three times as long at worst */
    LABEL_OCTETS = 63,
    DOMAIN_OCTETS = 253,
};

/* ---- where we are ---- */

struct parser {
    struct text text; /* of the address alone */
    size_t at;
    size_t worst_at; /* of the diagnosis */
    bool has_control;
    bool has_quotes;
    size_t domain_at;
    bool is_plain_domain; /* the domain stands in the text as it is in the address */
    struct mailbox *mailbox;
};

/* Note something; what is worse than all before it is the diagnosis. */
static void note(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at)
{
    struct mailbox *mailbox = parser->mailbox;
    if (mailbox_diagnosis_category(diagnosis) <= mailbox->category)
        return;
    mailbox->category = mailbox_diagnosis_category(diagnosis);
    mailbox->diagnosis = diagnosis;
    parser->worst_at = at;
}

/* Note what ends the reading. */
static bool refuse(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at)
{
    note(parser, diagnosis, at);
    return false;
}

static bool is_at_end(const struct parser *parser)
{
    return parser->at == parser->text.size;
}

/* The byte here; at the end a NUL. */
static char peek(const struct parser *parser)
{
    return is_at_end(parser) ? '\0' : parser->text.bytes[parser->at];
}

static bool take_byte(struct parser *parser, char byte)
{
    if (is_at_end(parser) || peek(parser) != byte)
        return false;
    parser->at++;
    return true;
}

/* ---- characters ---- */

static bool is_atext(char c)
{
    return ascii_is_alnum((unsigned char)c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c)) ||
           (unsigned char)c >= 0x80;
}

/* obs-NO-WS-CTL: controls without NUL, tab, line feed and carriage return. */
static bool is_obs_control(char c)
{
    return (c >= 1 && c <= 8) || c == 11 || c == 12 || (c >= 14 && c <= 31) || c == 127;
}

static bool is_visible(char c)
{
    return (c > ' ' && c < 127) || (unsigned char)c >= 0x80;
}

/* Not to be told from others, or from nothing: what nobody means to have in an address. */
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

/* ---- blanks and comments ---- */

static bool read_line_end(struct parser *parser, int *line_ends)
{
    size_t from = parser->at++;
    if (!take_byte(parser, '\n'))
        return refuse(parser, DIAGNOSIS_cr_no_lf, from);
    if (peek(parser) == '\r')
        return refuse(parser, DIAGNOSIS_crlf_x2, from);
    if (peek(parser) != ' ' && peek(parser) != '\t')
        return refuse(parser, DIAGNOSIS_fws_crlf_end, from);
    if (++*line_ends > 1)
        note(parser, DIAGNOSIS_obs_fws, from);
    return true;
}

static bool read_blanks(struct parser *parser)
{
    int line_ends = 0;
    for (;;) {
        if (peek(parser) == '\r') {
            if (!read_line_end(parser, &line_ends))
                return false;
        } else if (!take_byte(parser, ' ') && !take_byte(parser, '\t')) {
            return true;
        }
    }
}

/* What a backslash makes of the next character. */
static bool read_escaped(struct parser *parser, enum mailbox_diagnosis otherwise)
{
    size_t from = parser->at++;
    if (is_at_end(parser))
        return refuse(parser, DIAGNOSIS_backslash_end, from);
    char c = peek(parser);
    if (is_obs_control(c)) {
        parser->has_control = true;
        note(parser, DIAGNOSIS_obs_control, from);
    } else if (!is_visible(c) && c != ' ' && c != '\t') {
        return refuse(parser, otherwise, parser->at);
    }
    return true;
}

static bool read_comment(struct parser *parser)
{
    size_t from = parser->at;
    size_t depth = 0;
    note(parser, DIAGNOSIS_comment, from);
    do {
        if (is_at_end(parser))
            return refuse(parser, DIAGNOSIS_unclosed_comment, from);
        char c = peek(parser);
        if (c == '\r' || c == ' ' || c == '\t') {
            if (!read_blanks(parser))
                return false;
            continue;
        }
        if (c == '\\' && !read_escaped(parser, DIAGNOSIS_expecting_ctext))
            return false;
        if (c == '(')
            depth++;
        else if (c == ')')
            depth--;
        else if (is_obs_control(c))
            note(parser, DIAGNOSIS_obs_control, parser->at);
        else if (!is_visible(c))
            return refuse(parser, DIAGNOSIS_expecting_ctext, parser->at);
        parser->at++;
    } while (depth > 0);
    return true;
}

/* CFWS, which may be nothing; *had becomes true when it was something. */
static bool skip_cfws(struct parser *parser, bool *had)
{
    for (;;) {
        size_t from = parser->at;
        bool ok = peek(parser) == '(' ? read_comment(parser) : read_blanks(parser);
        if (!ok)
            return false;
        if (parser->at == from)
            return true;
        if (parser->text.bytes[from] != '(')
            note(parser, DIAGNOSIS_fws, from);
        *had = true;
    }
}

/* ---- local part ---- */

/* Take one character of the local part; false when no address should have it there. */
static bool take_character(struct parser *parser, bool is_first)
{
    struct text rest = text_skip(parser->text, parser->at);
    size_t bytes;
    uint32_t code = utf8_next(rest, &bytes);
    if (is_unsafe(code, is_first))
        return refuse(parser, DIAGNOSIS_unsafe_unicode, parser->at);
    buf_add(&parser->mailbox->local, rest.bytes, bytes);
    parser->at += bytes;
    return true;
}

static bool read_quoted(struct parser *parser)
{
    size_t from = parser->at++;
    parser->has_quotes = true;
    note(parser, DIAGNOSIS_quoted_string, from);
    for (bool is_first = true;; is_first = false) {
        char c = peek(parser);
        if (is_at_end(parser))
            return refuse(parser, DIAGNOSIS_unclosed_quoted_string, from);
        if (take_byte(parser, '"'))
            return true;
        if (c == '\r') {
            int line_ends = 0;
            note(parser, DIAGNOSIS_fws, parser->at);
            if (!read_line_end(parser, &line_ends))
                return false;
            continue;
        }
        if (c == '\\' && !read_escaped(parser, DIAGNOSIS_expecting_qtext))
            return false;
        if (c == '\t') {
            note(parser, DIAGNOSIS_fws, parser->at);
        } else if (is_obs_control(c)) {
            parser->has_control = true;
            note(parser, DIAGNOSIS_obs_control, parser->at);
        } else if (!is_visible(c) && c != ' ') {
            return refuse(parser, DIAGNOSIS_expecting_qtext, parser->at);
        }
        if (!take_character(parser, is_first))
            return false;
    }
}

static bool read_atom(struct parser *parser)
{
    for (bool is_first = true; is_atext(peek(parser)); is_first = false)
        if (!take_character(parser, is_first))
            return false;
    return true;
}

/* What else may be there where a word of the local part must begin? */
static bool refuse_word(struct parser *parser, bool is_first)
{
    char c = peek(parser);
    if (is_at_end(parser))
        return refuse(parser, is_first ? DIAGNOSIS_no_local_part : DIAGNOSIS_no_domain, parser->at);
    if (c == '@')
        return refuse(parser, is_first ? DIAGNOSIS_no_local_part : DIAGNOSIS_dot_end, parser->at);
    if (c == '.')
        return refuse(parser, is_first ? DIAGNOSIS_dot_start : DIAGNOSIS_consecutive_dots,
                      parser->at);
    return refuse(parser,
                  c == '<' || c == '>' ? DIAGNOSIS_angle_brackets : DIAGNOSIS_expecting_atext,
                  parser->at);
}

/* The place of the first character that looks like an @ without being one. */
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

static bool refuse_behind_local(struct parser *parser, bool was_quoted, bool had_cfws)
{
    size_t at;
    char c = peek(parser);
    if (is_at_end(parser) && find_other_at(parser->text, &at))
        return refuse(parser, DIAGNOSIS_fullwidth_at, at);
    if (is_at_end(parser))
        return refuse(parser, DIAGNOSIS_no_domain, parser->at);
    if (c == '<' || c == '>')
        return refuse(parser, DIAGNOSIS_angle_brackets, parser->at);
    if (had_cfws && (is_atext(c) || c == '"'))
        return refuse(parser, DIAGNOSIS_atext_after_cfws, parser->at);
    if (was_quoted && (is_atext(c) || c == '"'))
        return refuse(parser, DIAGNOSIS_atext_after_qs, parser->at);
    return refuse(parser, DIAGNOSIS_expecting_atext, parser->at);
}

static bool read_local(struct parser *parser)
{
    bool had_cfws = false;
    if (!skip_cfws(parser, &had_cfws))
        return false;
    for (size_t words = 0;; words++) {
        size_t from = parser->at;
        bool is_quoted = peek(parser) == '"';
        if (!(is_quoted ? read_quoted(parser) : read_atom(parser)))
            return false;
        if (parser->at == from)
            return refuse_word(parser, words == 0);
        if (words > 0 && parser->has_quotes)
            note(parser, DIAGNOSIS_obs_local_part, from);
        had_cfws = false;
        if (!skip_cfws(parser, &had_cfws))
            return false;
        if (take_byte(parser, '@'))
            return true;
        if (!take_byte(parser, '.'))
            return refuse_behind_local(parser, is_quoted, had_cfws);
        buf_add_byte(&parser->mailbox->local, '.');
        if (!skip_cfws(parser, &had_cfws))
            return false;
        if (had_cfws)
            note(parser, DIAGNOSIS_obs_local_part, parser->at);
    }
}

/* ---- domain ---- */

static bool refuse_in_domain(struct parser *parser, bool had_cfws)
{
    char c = peek(parser);
    if (c && strchr("@,;", c))
        return refuse(parser, DIAGNOSIS_several_at, parser->at);
    if (c == '<' || c == '>')
        return refuse(parser, DIAGNOSIS_angle_brackets, parser->at);
    if (had_cfws && is_atext(c))
        return refuse(parser, DIAGNOSIS_atext_after_cfws, parser->at);
    return refuse(parser, DIAGNOSIS_expecting_atext, parser->at);
}

static bool refuse_label(struct parser *parser, bool is_first)
{
    if (is_at_end(parser))
        return refuse(parser, is_first ? DIAGNOSIS_no_domain : DIAGNOSIS_trailing_dot,
                      is_first ? parser->at : parser->at - 1);
    if (peek(parser) == '.')
        return refuse(parser, is_first ? DIAGNOSIS_dot_start : DIAGNOSIS_consecutive_dots,
                      parser->at);
    return refuse_in_domain(parser, false);
}

/* The labels, without what stands between them, to raw. */
static bool read_labels(struct parser *parser, struct buf *raw)
{
    for (size_t labels = 0;; labels++) {
        size_t from = parser->at;
        bool had_cfws = false;
        while (is_atext(peek(parser)))
            parser->at++;
        if (parser->at == from)
            return refuse_label(parser, labels == 0);
        buf_add(raw, parser->text.bytes + from, parser->at - from);
        if (!skip_cfws(parser, &had_cfws))
            return false;
        if (is_at_end(parser))
            return true;
        if (!take_byte(parser, '.'))
            return refuse_in_domain(parser, had_cfws);
        buf_add_byte(raw, '.');
        if (!skip_cfws(parser, &had_cfws))
            return false;
        if (had_cfws) {
            note(parser, DIAGNOSIS_obs_domain, parser->at);
            parser->is_plain_domain = false;
        }
    }
}

static bool check_label(struct parser *parser, struct text label, size_t at)
{
    if (label.size == 0) /* of ideographic dots */
        return refuse(parser, DIAGNOSIS_consecutive_dots, at);
    if (label.bytes[0] == '-')
        return refuse(parser, DIAGNOSIS_hyphen_start, at);
    if (label.bytes[label.size - 1] == '-')
        return refuse(parser, DIAGNOSIS_hyphen_end, at);
    if (label.size > LABEL_OCTETS)
        note(parser, DIAGNOSIS_label_too_long, at);
    for (size_t i = 0; i < label.size; i++)
        if (!ascii_is_alnum((unsigned char)label.bytes[i]) && label.bytes[i] != '-')
            note(parser, DIAGNOSIS_domain_char, at + (parser->is_plain_domain ? i : 0));
    return true;
}

static bool check_domain(struct parser *parser)
{
    struct text rest = buf_text(&parser->mailbox->domain);
    struct text label = { 0 };
    size_t labels = 0;
    if (rest.size > DOMAIN_OCTETS)
        note(parser, DIAGNOSIS_domain_too_long, parser->domain_at);
    for (size_t at = parser->domain_at; rest.size > 0; labels++) {
        label = text_cut(&rest, '.');
        if (!check_label(parser, label, at))
            return false;
        at += parser->is_plain_domain ? label.size + 1 : 0;
    }
    if (text_of(buf_str(&parser->mailbox->domain)).bytes[parser->mailbox->domain.size - 1] == '.')
        return refuse(parser, DIAGNOSIS_trailing_dot, parser->domain_at);
    if (labels == 1)
        note(parser, DIAGNOSIS_single_label, parser->domain_at);
    else if (text_is_digits(label))
        note(parser, DIAGNOSIS_numeric_tld, parser->domain_at);
    return true;
}

static bool read_name(struct parser *parser)
{
    scoped(buf_free) struct buf raw = BUF(TEXT_BYTES);
    struct buf *domain = &parser->mailbox->domain;
    size_t from = parser->at;
    parser->is_plain_domain = true;
    if (!read_labels(parser, &raw))
        return false;
    parser->domain_at = from;
    parser->is_plain_domain = parser->is_plain_domain && text_is_ascii(buf_text(&raw));
    buf_clear(domain);
    if (!idn_to_ascii(buf_text(&raw), domain) || domain->size == 0)
        return refuse(parser, DIAGNOSIS_invalid_idna, from);
    return check_domain(parser);
}

static bool read_literal(struct parser *parser)
{
    struct buf *domain = &parser->mailbox->domain;
    size_t from = parser->at++;
    bool had_cfws = false;
    while (peek(parser) != ']') {
        char c = peek(parser);
        if (is_at_end(parser))
            return refuse(parser, DIAGNOSIS_unclosed_domain_literal, from);
        if (c == '[' || c == '\0' || c == '\n')
            return refuse(parser, DIAGNOSIS_expecting_dtext, parser->at);
        if (c == '\r' || c == ' ' || c == '\t') {
            note(parser, DIAGNOSIS_domain_literal, parser->at);
            if (!read_blanks(parser))
                return false;
            continue;
        }
        if (c == '\\' && !read_escaped(parser, DIAGNOSIS_expecting_dtext))
            return false;
        parser->at++;
    }
    struct text inside = { parser->text.bytes + from + 1, parser->at - from - 1 };
    parser->at++;
    size_t at = 0;
    enum mailbox_diagnosis diagnosis = literal_diagnose(inside, &at);
    note(parser, diagnosis, from + (diagnosis == DIAGNOSIS_address_literal ? 0 : 1 + at));
    parser->mailbox->is_literal = true;
    buf_clear(domain);
    buf_add(domain, parser->text.bytes + from, parser->at - from);
    if (!skip_cfws(parser, &had_cfws))
        return false;
    if (is_at_end(parser))
        return true;
    return is_atext(peek(parser)) || peek(parser) == '.'
               ? refuse(parser, DIAGNOSIS_atext_after_domlit, parser->at)
               : refuse_in_domain(parser, had_cfws);
}

static bool read_domain(struct parser *parser)
{
    bool had_cfws = false;
    if (!skip_cfws(parser, &had_cfws))
        return false;
    return peek(parser) == '[' ? read_literal(parser) : read_name(parser);
}

/* ---- the whole ---- */

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
        if (!is_atext(local.bytes[i]) && (local.bytes[i] != '.' || local.bytes[i + 1] == '.'))
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
        note(parser, DIAGNOSIS_local_too_long, 0);
    buf_add_byte(&mailbox->normalized, '@');
    buf_add(&mailbox->normalized, buf_str(&mailbox->domain), mailbox->domain.size);
    if (mailbox->normalized.size > MAILBOX_OCTETS)
        note(parser, DIAGNOSIS_address_too_long, 0);
    mailbox->is_valid = mailbox->category < MAILBOX_RFC5322 && !parser->has_control;
}

/* ---- what stands around it ---- */

/* The place of the first < outside of quotes and comments. */
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

/* The address in what is there, by way of its parser's text. */
static void unwrap(struct text whole, struct parser *parser)
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
    buf_add_lower(domain, utf8_cut(rest, TEXT_BYTES));
}

static size_t characters_before(struct text whole, size_t offset)
{
    return utf8_length((struct text){ whole.bytes, offset < whole.size ? offset : whole.size });
}

/* Refuse before anything is read. */
static bool check_text(struct parser *parser, struct text whole)
{
    size_t valid = utf8_valid_bytes(whole);
    if (valid < whole.size)
        return refuse(parser, DIAGNOSIS_unsafe_unicode, valid);
    return whole.size <= MAILBOX_MAX_CHARACTERS || utf8_length(whole) <= MAILBOX_MAX_CHARACTERS ||
           refuse(parser, DIAGNOSIS_too_long, 0);
}

void mailbox_parse(struct text text, struct mailbox *mailbox)
{
    struct text whole = text_trim(text);
    struct parser parser = { .text = whole, .mailbox = mailbox };
    *mailbox = (struct mailbox){ .display_name = BUF(TEXT_BYTES),
                                 .local = BUF(PART_BYTES),
                                 .domain = BUF(PART_BYTES),
                                 .normalized = BUF(2 * PART_BYTES) };
    if (check_text(&parser, whole)) {
        unwrap(whole, &parser);
        if (read_local(&parser) && read_domain(&parser))
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
