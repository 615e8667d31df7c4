/* gateway/mcp/result.c - writes results as content blocks. */
#include "gateway/mcp/result.h"

#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "gateway/call/envelope.h"
#include "gateway/mcp/arguments.h"
#include "text/json.h"

enum {
    TWICE_MAX_BYTES = 100000, /* the largest result that is also a text block */
    ESCAPED_TIMES = 4,        /* JSON as a text is at most 4 times longer */
    PLAIN_ESCAPED_TIMES = 6,  /* and any text as JSON 6 times */
    AROUND_BYTES = 1024 + 2 * (CUT_NOTE_BYTES + ARGUMENTS_TOLD_BYTES + IGNORED_NOTE_BYTES),
    RESULT_DEPTH = 2 * JSON_DEPTH,
};

static const char type_line[] = "Content-Type: ";

/* Image types that model providers accept. */
static const struct picture {
    const char *name;
    const char *called;
} pictures[] = {
    { "image/png", "PNG" },
    { "image/jpeg", "JPEG" },
    { "image/webp", "WebP" },
    { "image/gif", "GIF" },
};

/* ---- texts ---- */

/* A character that hides or reorders text: U+202A-202E, 2066-2069, E0000-E007F. 0: another
 * character; else *size is its length. */
static uint32_t hidden_at(const unsigned char *at, size_t left, size_t *size)
{
    if (left >= 3 && at[0] == 0xe2) {
        uint32_t code_point = 0x2000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
        *size = 3;
        if ((code_point >= 0x202a && code_point <= 0x202e) ||
            (code_point >= 0x2066 && code_point <= 0x2069))
            return code_point;
    }
    if (left >= 4 && at[0] == 0xf3 && at[1] == 0xa0 && (at[2] == 0x80 || at[2] == 0x81)) {
        *size = 4;
        return 0xe0000u | (at[2] & 0x01u) << 6 | (at[3] & 0x3fu);
    }
    return 0;
}

static void add_hidden(uint32_t code_point, struct buf *out)
{
    if (code_point < 0x10000)
        buf_format(out, "\\\\u%04x", code_point);
    else
        buf_format(out, "\\\\u%04x\\\\u%04x", 0xd800 + ((code_point - 0x10000) >> 10),
                   0xdc00 + (code_point & 0x3ff));
}

/* JSON has no other control characters than three kinds of white space. */
static void add_escape(unsigned char byte, struct buf *out)
{
    static const char blanks[] = "\n\r\t";
    const char *blank = byte < ' ' ? memchr(blanks, byte, sizeof(blanks) - 1) : NULL;
    const char escape[] = { '\\', blank ? "nrt"[blank - blanks] : (char)byte };
    if (byte < ' ' && !blank)
        buf_format(out, "\\u%04x", byte);
    else
        buf_add(out, escape, sizeof(escape));
}

/* Bytes that end a run of bytes to copy unchanged. */
static const bool ends_run[UCHAR_MAX + 1] = {
    [0 ... ' ' - 1] = true, ['"'] = true, ['\\'] = true, [0xe2] = true, [0xf3] = true,
};

void result_write_json_text(struct text json, struct buf *out)
{
    const unsigned char *bytes = (const unsigned char *)json.bytes;
    size_t run = 0;
    buf_add_byte(out, '"');
    for (size_t i = 0; i < json.size; i++) {
        size_t size = 1;
        if (!ends_run[bytes[i]])
            continue;
        uint32_t hidden = hidden_at(bytes + i, json.size - i, &size);
        if (bytes[i] >= 0x80 && hidden == 0)
            continue;
        buf_add(out, json.bytes + run, i - run);
        run = i + size;
        if (hidden != 0)
            add_hidden(hidden, out);
        else
            add_escape(bytes[i], out);
        i += size - 1;
    }
    buf_add(out, json.bytes + run, json.size - run);
    buf_add_byte(out, '"');
}

static void add_text_block(const char *text, struct buf *out)
{
    buf_add_str(out, "{\"type\":\"text\",\"text\":");
    json_print_text(text_of(text), out);
    buf_add_byte(out, '}');
}

/* ---- JSON ---- */

/* Remove the comma and white space after a member. */
static struct text trim_member(struct text member)
{
    while (member.size > 0 && (member.bytes[member.size - 1] == ',' ||
                               ascii_is_space((unsigned char)member.bytes[member.size - 1])))
        member.size--;
    return member;
}

/* Called for each member of a result, with its name and the member, "name":value. */
typedef void member_do(const struct contract *contract, struct text name, struct text member,
                       struct buf *out);

/* One pass over the top members of a result, which is valid JSON. */
static void each_member(const struct contract *contract, struct text result, member_do *visit,
                        struct buf *out)
{
    struct json_reader *reader = json_reader_new(result, RESULT_DEPTH);
    struct json_event event = { 0 };
    struct text name = { 0 };
    size_t begin = 0;
    scoped(buf_free) struct buf copy = BUF(result.size);
    while (json_next(reader, &event, NULL) && event.kind != JSON_END) {
        bool is_name = event.kind == JSON_KEY && event.depth == 1;
        bool is_end = event.kind == JSON_OBJECT_CLOSE && event.depth == 0;
        if ((is_name || is_end) && begin > 0)
            visit(contract, name,
                  trim_member((struct text){ result.bytes + begin, event.offset - begin }), out);
        if (is_name) {
            buf_clear(&copy);
            buf_add(&copy, event.text.bytes, event.text.size);
            name = buf_text(&copy);
            begin = event.offset;
        }
    }
    json_reader_free(&reader);
}

static bool is_hidden(const struct contract *contract, struct text name)
{
    for (size_t i = 0; i < contract->hidden.count; i++)
        if (text_is(name, contract->hidden.item[i]))
            return true;
    return false;
}

static void keep_member(const struct contract *contract, struct text name, struct text member,
                        struct buf *out)
{
    if (is_hidden(contract, name))
        return;
    if (out->size > 1)
        buf_add_byte(out, ',');
    buf_add(out, member.bytes, member.size);
}

/* Write the result without members that content blocks show. */
static void keep_shown(const struct contract *contract, struct text result, struct buf *out)
{
    buf_add_byte(out, '{');
    each_member(contract, result, keep_member, out);
    buf_add_byte(out, '}');
}

/* Write an image of b64_json and mime_type. Neither needs escapes, so both are copied from the
 * result. */
static void add_picture(struct text base64, struct text type, struct buf *out)
{
    if (base64.size == 0 || type.size == 0)
        return;
    buf_add_str(out, "{\"type\":\"image\",\"data\":\"");
    buf_add(out, base64.bytes, base64.size);
    buf_add_str(out, "\",\"mimeType\":");
    json_print_text(type, out);
    buf_add_str(out, "},");
}

/* Write the images of a member: blocks, each with a comma. */
static void add_pictures(const struct contract *contract, struct text name, struct text member,
                         struct buf *out)
{
    if (!text_is(name, contract->images))
        return;
    struct text list = text_skip(member, strcspn(member.bytes, ":") + 1);
    struct json_reader *reader = json_reader_new(list, RESULT_DEPTH);
    struct json_event event = { 0 };
    struct text base64 = { 0 };
    struct text type = { 0 };
    struct text *wanted = NULL;
    while (json_next(reader, &event, NULL) && event.kind != JSON_END) {
        if (event.kind == JSON_STRING && wanted)
            *wanted = event.text;
        wanted = NULL;
        if (event.kind == JSON_KEY && text_is(event.text, "b64_json"))
            wanted = &base64;
        if (event.kind == JSON_KEY && text_is(event.text, "mime_type"))
            wanted = &type;
        if (event.kind != JSON_OBJECT_CLOSE || event.depth != 1)
            continue;
        add_picture(base64, type, out);
        base64 = type = (struct text){ 0 };
    }
    json_reader_free(&reader);
}

/* Fit the result into the limit, with a note. */
static struct text fit_json(const struct result_answer *answer, struct text result,
                            struct buf *fitted, struct buf *out)
{
    scoped(buf_free) struct buf note = BUF(CUT_NOTE_BYTES);
    const cJSON *rules = json_at(answer->contract ? answer->contract->document : NULL, "/cut");
    if (answer->max_bytes == 0 || result.size <= answer->max_bytes ||
        !result_cut(result, rules, answer->max_bytes, answer->cut, fitted))
        return result;
    result_cut_note(answer->cut, answer->max_bytes, &note);
    add_text_block(buf_str(&note), out);
    buf_add_byte(out, ',');
    return buf_text(fitted);
}

/* A block that says how the arguments were read. */
static void add_told(const struct result_answer *answer, struct buf *out)
{
    if (answer->told.size == 0)
        return;
    scoped(mem_free) char *told = mem_dup(answer->told.bytes, answer->told.size);
    add_text_block(told, out);
    buf_add_byte(out, ',');
}

/* The last block: models do not see _meta. */
static void add_ignored(const struct result_answer *answer, struct buf *out)
{
    if (answer->ignored.size == 0)
        return;
    scoped(mem_free) char *ignored = mem_dup(answer->ignored.bytes, answer->ignored.size);
    buf_add_byte(out, ',');
    add_text_block(ignored, out);
}

static void write_json(const struct result_answer *answer, struct buf *out)
{
    const struct contract *contract = answer->contract;
    struct text result = envelope_open(answer->body);
    scoped(buf_free) struct buf shown = BUF(result.size + 2);
    scoped(buf_free) struct buf fitted = BUF(answer->max_bytes);
    buf_add_str(out, "\"content\":[");
    if (contract && contract->images)
        each_member(contract, result, add_pictures, out);
    if (contract && contract->hidden.count > 0) {
        keep_shown(contract, result, &shown);
        result = buf_text(&shown);
    }
    result = fit_json(answer, result, &fitted, out);
    add_told(answer, out);
    if (result.size > TWICE_MAX_BYTES) {
        scoped(mem_free) char *note =
            str_format("The result (%zu bytes) is in structuredContent.", result.size);
        add_text_block(note, out);
    } else {
        buf_add_str(out, "{\"type\":\"text\",\"text\":");
        result_write_json_text(result, out);
        buf_add_byte(out, '}');
    }
    add_ignored(answer, out);
    buf_add_str(out, "],\"structuredContent\":");
    buf_add(out, result.bytes, result.size);
}

/* ---- other media types ---- */

static struct text content_type(const struct result_answer *answer)
{
    struct text headers = text_of(answer->headers);
    if (!text_begins(headers, type_line))
        return (struct text){ 0 };
    struct text rest = text_skip(headers, strlen(type_line));
    return text_cut(&rest, '\r');
}

static const struct picture *picture_of(struct text type)
{
    for (size_t i = 0; i < countof(pictures); i++)
        if (text_is(type, pictures[i].name))
            return &pictures[i];
    return NULL;
}

static void write_raw(const struct result_answer *answer, struct text type, struct buf *out)
{
    const struct picture *picture = picture_of(type);
    buf_add_str(out, "\"content\":[");
    if (picture) {
        scoped(mem_free) char *note =
            str_format("A %s image of %zu bytes.", picture->called, answer->body.size);
        buf_add_str(out, "{\"type\":\"image\",\"data\":\"");
        base64_encode(out, answer->body);
        buf_format(out, "\",\"mimeType\":\"%s\"},", picture->name);
        add_text_block(note, out);
    } else if (answer->max_bytes > 0 && answer->body.size > answer->max_bytes) {
        scoped(mem_free) char *note =
            str_format("The %.*s response (%zu bytes) is left out: the limit here is %zu bytes. "
                       "The REST API returns it.",
                       (int)type.size, type.bytes, answer->body.size, answer->max_bytes);
        add_text_block(note, out);
    } else {
        add_told(answer, out);
        buf_add_str(out, "{\"type\":\"text\",\"text\":");
        json_print_text(answer->body, out);
        buf_add_byte(out, '}');
    }
    add_ignored(answer, out);
    buf_add_byte(out, ']');
}

static bool is_json(struct text type)
{
    return text_is(type, "application/json");
}

void result_write(const struct result_answer *answer, struct buf *out)
{
    struct text type = content_type(answer);
    if (is_json(type))
        write_json(answer, out);
    else
        write_raw(answer, type, out);
}

size_t result_max_bytes(const struct result_answer *answer)
{
    size_t size = answer->body.size;
    struct text type = content_type(answer);
    if (!is_json(type))
        return AROUND_BYTES + (picture_of(type) ? size / 3 * 4 + 4 : size * PLAIN_ESCAPED_TIMES);
    return AROUND_BYTES + size + MIN(size, (size_t)TWICE_MAX_BYTES) * ESCAPED_TIMES;
}

bool result_write_headers(const struct result_answer *answer, struct buf *out)
{
    struct text rest = text_of(answer->headers);
    const char *separator = "{";
    if (is_json(content_type(answer)))
        return false;
    text_cut(&rest, '\n'); /* Content-Type is the first line */
    while (rest.size > 0) {
        struct text line = text_cut(&rest, '\n');
        struct text value = line;
        struct text name = text_cut(&value, ':');
        buf_add_str(out, separator);
        json_print_text(name, out);
        buf_add_byte(out, ':');
        json_print_text(text_trim(value), out);
        separator = ",";
    }
    if (*separator == '{')
        return false;
    buf_add_byte(out, '}');
    return true;
}
