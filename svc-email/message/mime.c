/* svc-email/message/mime.c - walk the parts of a message; each is a range of the message's
 * bytes. */
#include "message/mime.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "message/encoded-word.h"
#include "message/transfer.h"

enum {
    GROWTH_MAX = 9, /* a control becomes three bytes, and a charset may triple each of these */
    SIGNS_MIN = 3,
    BOUNDARY_MAX_BYTES = 200,
    NAME_MAX_BYTES = 300
};

struct walk {
    struct mime *mime;
    size_t depth;
};

/* ---- parameters ---- */

static struct text skip_space(struct text text)
{
    while (text.size > 0 && ascii_is_space(text.bytes[0]))
        text = text_skip(text, 1);
    return text;
}

/* The value of name=value in a field, quoted or not. Of a value that RFC 2231 splits or encodes,
 * the first piece (name*0, name*=). Returns false if it is missing. */
static bool read_parameter(struct text field, const char *name, struct text *value)
{
    size_t bytes = strlen(name);
    while (field.size > 0) {
        const char *mark = memchr(field.bytes, ';', field.size);
        if (!mark)
            return false;
        field = skip_space(text_skip(field, (size_t)(mark + 1 - field.bytes)));
        if (!text_begins_any_case(field, name))
            continue;
        struct text rest = text_skip(field, bytes);
        while (rest.size > 0 && (strchr("* ", rest.bytes[0]) || ascii_is_digit(rest.bytes[0])))
            rest = text_skip(rest, 1);
        if (rest.size == 0 || rest.bytes[0] != '=')
            continue;
        rest = skip_space(text_skip(rest, 1));
        bool is_quoted = text_take_byte(&rest, "\"");
        *value = text_before(rest, is_quoted ? "\"" : "; \t");
        return true;
    }
    return false;
}

/* ---- leaves ---- */

static void decode_leaf(const struct fields *fields, struct text body, struct buf *out)
{
    struct text encoding = text_trim(fields_value(fields, "Content-Transfer-Encoding"));
    struct text type = fields_value(fields, "Content-Type");
    struct text charset = { "", 0 };
    scoped(buf_free) struct buf bytes = BUF(body.size + 16);

    if (text_is_any_case(encoding, "base64"))
        transfer_base64(body, &bytes);
    else if (text_is_any_case(encoding, "quoted-printable"))
        transfer_quoted(body, false, &bytes);
    else
        buf_add(&bytes, body.bytes, body.size);
    read_parameter(type, "charset", &charset);
    charset_decode(buf_text(&bytes), charset, out);
}

static void note_attachment(struct mime *mime, const struct fields *fields)
{
    struct text name;
    scoped(buf_free) struct buf shown = BUF(DISPLAY_MAX_BYTES);
    struct word_faults faults = { 0 };
    if (!read_parameter(fields_value(fields, "Content-Disposition"), "filename", &name) &&
        !read_parameter(fields_value(fields, "Content-Type"), "name", &name))
        return;
    if (mime->attachment_count == MIME_ATTACHMENTS_MAX)
        return;
    name.size = MIN(name.size, (size_t)NAME_MAX_BYTES);
    words_decode(name, &shown, &faults);
    mime->attachment[mime->attachment_count++] = arena_copy(&mime->arena, buf_text(&shown));
}

static void read_leaf(struct mime *mime, const struct fields *fields, struct text body)
{
    struct text type = text_trim(fields_value(fields, "Content-Type"));
    struct text disposition = fields_value(fields, "Content-Disposition");
    bool is_html = text_begins_any_case(type, "text/html");
    bool is_text = type.size == 0 || text_begins_any_case(type, "text/plain") ||
                   !memchr(type.bytes, '/', type.size);
    struct text name;

    if (text_begins_any_case(disposition, "attachment") ||
        (!is_html && read_parameter(disposition, "filename", &name)) || (!is_text && !is_html)) {
        note_attachment(mime, fields);
    } else if (is_html && !mime->has_html) {
        mime->has_html = true;
        decode_leaf(fields, body, &mime->html);
    } else if (is_text && !mime->has_text) {
        mime->has_text = true;
        decode_leaf(fields, body, &mime->text);
    }
}

/* ---- the tree ---- */

static void read_entity(struct walk *walk, const struct fields *fields, struct text body);

static void read_part(struct walk *walk, struct text part)
{
    if (walk->mime->part_count++ >= MIME_PARTS_MAX)
        return;
    /* a part without fields begins with its blank line */
    bool has_fields = part.size > 0 && part.bytes[0] != '\n' && part.bytes[0] != '\r';
    struct text blank;
    if (!has_fields)
        fields_take_line(&part, &blank);
    scoped(fields_free) struct fields fields =
        has_fields ? fields_split(part) : (struct fields){ .body = part };
    read_entity(walk, &fields, fields.body);
}

/* Whether it is the line --boundary, or --boundary-- at the end. */
static bool is_boundary(struct text line, struct text boundary, bool *is_last)
{
    if (line.size < boundary.size + 2 || line.bytes[0] != '-' || line.bytes[1] != '-' ||
        memcmp(line.bytes + 2, boundary.bytes, boundary.size) != 0)
        return false;
    struct text rest = text_trim(text_skip(line, boundary.size + 2));
    *is_last = text_is(rest, "--");
    return rest.size == 0 || *is_last;
}

/* The text before the first boundary is ignored. The last boundary may be missing. */
static void read_multipart(struct walk *walk, struct text boundary, struct text body)
{
    const char *start = NULL;
    bool is_last = false;
    struct text line;
    while (!is_last && fields_take_line(&body, &line)) {
        if (!is_boundary(line, boundary, &is_last))
            continue;
        if (start)
            read_part(walk, (struct text){ start, (size_t)(line.bytes - start) });
        start = body.bytes;
    }
    if (start && !is_last)
        read_part(walk, (struct text){ start, (size_t)(body.bytes - start) });
}

static void read_entity(struct walk *walk, const struct fields *fields, struct text body)
{
    struct text type = text_trim(fields_value(fields, "Content-Type"));
    struct text boundary;
    bool is_multipart = text_begins_any_case(type, "multipart/") &&
                        read_parameter(type, "boundary", &boundary) && boundary.size > 0 &&
                        boundary.size <= BOUNDARY_MAX_BYTES;
    if (!is_multipart) {
        read_leaf(walk->mime, fields, body);
        return;
    }
    if (walk->depth == MIME_DEPTH_MAX)
        return;
    walk->depth++;
    read_multipart(walk, boundary, body);
    walk->depth--;
}

void mime_read(struct text message, struct mime *mime)
{
    struct walk walk = { .mime = mime };
    *mime = (struct mime){ .text = BUF(GROWTH_MAX * message.size + 16),
                           .html = BUF(GROWTH_MAX * message.size + 16) };
    mime->fields = fields_split(message);
    read_entity(&walk, &mime->fields, mime->fields.body);
}

void mime_free(struct mime *mime)
{
    fields_free(&mime->fields);
    buf_free(&mime->text);
    buf_free(&mime->html);
    arena_free(&mime->arena);
}

bool mime_is_message(struct text text)
{
    static const char *const signs[] = {
        "Received:",     "Return-Path:",    "From:",         "To:",
        "Subject:",      "Date:",           "Message-ID:",   "MIME-Version:",
        "Content-Type:", "DKIM-Signature:", "Delivered-To:", "Authentication-Results:",
    };
    size_t found = 0;
    struct text line;
    while (found < SIGNS_MIN && fields_take_line(&text, &line)) {
        if (text_trim(line).size == 0)
            return false;
        bool is_field = ascii_is_space(line.bytes[0]);
        const char *colon = memchr(line.bytes, ':', line.size);
        is_field |= colon && !memchr(line.bytes, ' ', (size_t)(colon - line.bytes));
        for (size_t i = 0; i < countof(signs); i++)
            found += text_begins_any_case(line, signs[i]);
        if (!is_field && !text_begins(line, "From "))
            return false;
    }
    return found >= SIGNS_MIN;
}
