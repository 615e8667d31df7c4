/* svc-email/message/fields.c - undo quoting and escaping in one pass, then split lines in
 * another. */
#include "message/fields.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

enum { ENOUGH_FIELDS = 3 /* from this number on, a blank line ends a block that has a Received */ };

/* clang-format off */
static const char *const known_fields[] = {
    "ARC-Authentication-Results", "ARC-Message-Signature", "ARC-Seal", "Authentication-Results",
    "Auto-Submitted", "Bcc", "Cc", "Comments", "Content-Disposition", "Content-Language",
    "Content-Transfer-Encoding", "Content-Type", "DKIM-Signature", "Date", "Delivered-To",
    "DomainKey-Signature", "Errors-To", "Feedback-ID", "From", "Importance", "In-Reply-To",
    "Keywords", "List-Archive", "List-Help", "List-ID", "List-Post", "List-Subscribe",
    "List-Unsubscribe", "List-Unsubscribe-Post", "MIME-Version", "Message-ID", "Organization",
    "Original-Recipient", "Precedence", "Priority", "Received", "Received-SPF", "References",
    "Reply-To", "Resent-Date", "Resent-From", "Resent-Message-ID", "Resent-Sender", "Resent-To",
    "Return-Path", "Sender", "Status", "Subject", "Thread-Index", "Thread-Topic", "To",
    "User-Agent",
};
/* clang-format on */

/* Whether it is the name of a known mail field. */
static bool field_is_known(struct text name)
{
    return text_begins_any_case(name, "X-") ||
           text_is_among(name, known_fields, countof(known_fields));
}

/* ---- lines ---- */

bool fields_take_line(struct text *rest, struct text *line)
{
    size_t end = 0;
    if (rest->size == 0)
        return false;
    while (end < rest->size && rest->bytes[end] != '\n' && rest->bytes[end] != '\r')
        end++;
    *line = (struct text){ rest->bytes, end };
    if (end < rest->size)
        end += rest->bytes[end] == '\r' && end + 1 < rest->size && rest->bytes[end + 1] == '\n' ? 2
                                                                                                : 1;
    *rest = text_skip(*rest, end);
    return true;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static struct text trim_blanks(struct text text)
{
    return text_strip(text, " \t", " \t");
}

/* ---- undo quoting and escaping ---- */

static void add_unescaped(struct buf *out, struct text text)
{
    static const struct {
        const char *name;
        char byte;
    } entities[] = {
        { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' }, { "&#39;", '\'' },
    };
    while (text.size > 0) {
        size_t found = 0;
        while (found < countof(entities) && !text_begins(text, entities[found].name))
            found++;
        bool is_entity = found < countof(entities);
        buf_add_byte(out, is_entity ? entities[found].byte : text.bytes[0]);
        text = text_skip(text, is_entity ? strlen(entities[found].name) : 1);
    }
}

/* The common prefix of all non-blank lines: blanks, or quotation marks. A line `>From ` is mbox's
 * own escape. */
static struct text common_prefix(struct text text)
{
    struct text rest = text;
    struct text line = { text.bytes, 0 };
    struct text prefix = line;
    while (fields_take_line(&rest, &line))
        if (trim_blanks(line).size > 0)
            break;
    if (text_begins(line, ">From "))
        return prefix;
    while (prefix.size < line.size && strchr("> \t", line.bytes[prefix.size]))
        prefix.size++;
    prefix.bytes = line.bytes;
    rest = text;
    while (prefix.size > 0 && fields_take_line(&rest, &line)) {
        bool has_it =
            line.size >= prefix.size && memcmp(line.bytes, prefix.bytes, prefix.size) == 0;
        struct text trimmed = { prefix.bytes, prefix.size };
        if (!has_it && trim_blanks(line).size > 0 &&
            !text_equals(trim_blanks(line), trim_blanks(trimmed)))
            prefix.size = 0;
    }
    return prefix;
}

static void add_without_prefix(struct buf *out, struct text text, size_t prefix_bytes)
{
    struct text line;
    while (fields_take_line(&text, &line)) {
        if (line.size > prefix_bytes)
            buf_add(out, line.bytes + prefix_bytes, line.size - prefix_bytes);
        buf_add_byte(out, '\n');
    }
}

static bool is_bad_control(char byte)
{
    unsigned char value = (unsigned char)byte;
    return value == 0x7F || (value < 0x20 && byte != '\t' && byte != '\r' && byte != '\n');
}

static void add_without_controls(struct buf *out, struct text text, bool *had_any)
{
    while (text.size > 0) {
        size_t plain = 0;
        while (plain < text.size && !is_bad_control(text.bytes[plain]))
            plain++;
        buf_add(out, text.bytes, plain);
        text = text_skip(text, plain);
        if (text.size == 0)
            break;
        buf_add_str(out, REPLACEMENT);
        *had_any = true;
        text = text_skip(text, 1);
    }
}

/* The text before it was quoted and escaped, owned by the caller. */
static struct text restore_text(struct text text, struct fields *fields)
{
    scoped(buf_free) struct buf plain = BUF(3 * text.size + 1);
    scoped(buf_free) struct buf unescaped = BUF(3 * text.size + 1);
    scoped(buf_free) struct buf unquoted = BUF(3 * text.size + 2);

    if (text.size >= 3 && text_begins(text, "\xEF\xBB\xBF"))
        text = text_skip(text, 3);
    add_without_controls(&plain, text, &fields->has_control);
    text = (struct text){ buf_str(&plain), plain.size };
    if (text_has(text, "&lt;") && text_has(text, "&gt;") && !memchr(text.bytes, '<', text.size)) {
        add_unescaped(&unescaped, text);
        text = buf_text(&unescaped);
    }
    struct text prefix = common_prefix(text);
    if (prefix.size > 0) {
        add_without_prefix(&unquoted, text, prefix.size);
        text = buf_text(&unquoted);
    }
    fields->text = mem_dup(text.size > 0 ? text.bytes : "", text.size);
    return (struct text){ fields->text, text.size };
}

/* ---- fields ---- */

/* Whether the line begins a field. *name is then its name and *value the text after the colon. */
static bool read_name(struct text line, struct text *name, struct text *value)
{
    size_t end = 0;
    while (end < line.size && line.bytes[end] > ' ' && line.bytes[end] < 0x7F &&
           line.bytes[end] != ':')
        end++;
    size_t colon = end;
    while (colon < line.size && is_blank(line.bytes[colon]))
        colon++;
    if (end == 0 || end > FIELD_NAME_MAX_BYTES || colon == line.size || line.bytes[colon] != ':')
        return false;
    *name = (struct text){ line.bytes, end };
    *value = trim_blanks(text_skip(line, colon + 1));
    return true;
}

/* Whether the line continues the previous field although it is not indented: it cannot have a
 * name. */
static bool is_lost_folding(struct text line)
{
    const char *colon = memchr(line.bytes, ':', line.size);
    if (!colon)
        return true;
    struct text left = trim_blanks((struct text){ line.bytes, (size_t)(colon - line.bytes) });
    return memchr(left.bytes, ' ', left.size) || memchr(left.bytes, '\t', left.size);
}

static bool is_preamble(struct text line)
{
    return text_begins(line, "From ") || text_begins(line, ">From ") ||
           text_begins_any_case(line, "Microsoft Mail Internet Headers");
}

struct splitter {
    struct fields *fields;
    size_t values_size;
    size_t received;
    bool skips; /* the current field is not kept */
};

static void extend_field(struct splitter *splitter, struct text more)
{
    struct fields *fields = splitter->fields;
    char *end = fields->values + splitter->values_size;
    if (splitter->skips || fields->count == 0)
        return;
    struct text *value = &fields->at[fields->count - 1].value;
    if (value->size > 0 && more.size > 0) {
        *end++ = ' ';
        value->size++;
    }
    if (more.size > 0)
        memcpy(end, more.bytes, more.size);
    value->size += more.size;
    splitter->values_size = (size_t)(end - fields->values) + more.size;
}

static void begin_field(struct splitter *splitter, struct text name, struct text value)
{
    struct fields *fields = splitter->fields;
    bool is_received = text_is_any_case(name, "Received");
    splitter->skips =
        fields->count == FIELDS_MAX || (is_received && splitter->received == FIELDS_RECEIVED_MAX);
    if (splitter->skips) {
        fields->has_too_many = true;
        return;
    }
    splitter->received += is_received;
    fields->at[fields->count++] =
        (struct field){ .name = name, .value = { fields->values + splitter->values_size, 0 } };
    extend_field(splitter, value);
}

/* Whether the text after a gap belongs to the header. A line of blanks alone is folding that RFC
 * 5322 section 4.2 allows. After an empty line, only a known field continues a header that was
 * pasted with gaps. */
static bool continues_after_gap(const struct splitter *splitter, struct text line, bool has_empty)
{
    struct text name;
    struct text value;
    bool is_field = read_name(line, &name, &value);
    if (!has_empty)
        return is_field || is_blank(line.bytes[0]);
    return is_field && field_is_known(name) &&
           (splitter->fields->count < ENOUGH_FIELDS || splitter->received == 0);
}

/* Pass the lines without text that begin with one of this size. Returns false if they end the
 * header; *rest is then the body. */
static bool pass_gap(const struct splitter *splitter, size_t size, struct text *rest)
{
    struct text body = *rest;
    struct text next = *rest;
    struct text line;
    bool has_empty = size == 0;
    while (fields_take_line(rest, &line)) {
        if (trim_blanks(line).size > 0) {
            *rest = next;
            if (splitter->fields->count == 0 || continues_after_gap(splitter, line, has_empty))
                return true;
            break;
        }
        if (line.size == 0 && !has_empty) {
            has_empty = true;
            body = *rest;
        }
        next = *rest;
    }
    if (splitter->fields->count > 0)
        *rest = body;
    return false;
}

static void read_line(struct splitter *splitter, struct text line)
{
    struct fields *fields = splitter->fields;
    struct text name;
    struct text value;

    if (is_blank(line.bytes[0])) {
        fields->has_malformed_line |= fields->count == 0;
        extend_field(splitter, trim_blanks(line));
    } else if (fields->count == 0 && is_preamble(line)) {
        return;
    } else if (read_name(line, &name, &value)) {
        begin_field(splitter, name, value);
    } else if (fields->count > 0 && is_lost_folding(line)) {
        fields->has_lost_folding = true;
        extend_field(splitter, trim_blanks(line));
    } else {
        fields->has_malformed_line = true;
    }
}

struct fields fields_split(struct text text)
{
    struct fields fields = { 0 };
    struct text rest = restore_text(text, &fields);
    struct splitter splitter = { .fields = &fields };
    struct text line;

    fields.values = mem_new(rest.size + 1);
    fields.at = mem_array(FIELDS_MAX, sizeof(*fields.at));
    while (fields_take_line(&rest, &line)) {
        if (trim_blanks(line).size > 0)
            read_line(&splitter, line);
        else if (!pass_gap(&splitter, line.size, &rest))
            break;
    }
    fields.body = rest;
    return fields;
}

void fields_free(struct fields *fields)
{
    mem_free(&fields->at);
    mem_free(&fields->text);
    mem_free(&fields->values);
    *fields = (struct fields){ 0 };
}

/* ---- access ---- */

const struct field *fields_get(const struct fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (text_is_any_case(fields->at[i].name, name))
            return &fields->at[i];
    return NULL;
}

struct text fields_value(const struct fields *fields, const char *name)
{
    const struct field *field = fields_get(fields, name);
    return field ? field->value : (struct text){ "", 0 };
}

size_t fields_count(const struct fields *fields, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < fields->count; i++)
        count += text_is_any_case(fields->at[i].name, name);
    return count;
}
