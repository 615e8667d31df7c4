/*
 * common/text/json-read.c - the strict JSON reader: one pass, event by event.
 *
 * It is a state machine with one small record per open container, so nesting takes no stack. Text
 * without escapes is borrowed from the input. Decoded text goes to one area as large as the input,
 * where names stay, so that each can be compared with earlier ones.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "text/json.h"
#include "text/names.h"

enum state {
    AT_VALUE,      /* a value is expected */
    AT_FIRST_ITEM, /* after [ */
    AT_FIRST_NAME, /* after { */
    AFTER_VALUE,   /* a comma or the end of the container; at depth 0, the end of the input */
    REFUSED,
};

struct container {
    bool is_object;
    uint32_t first_name; /* names.count when it was opened */
};

struct json_reader {
    struct text input;
    size_t at;
    enum state state;
    size_t refused_at; /* with why: of the last error */
    const char *why;
    char *decoded;       /* NULL until the first escape; then input.size bytes */
    size_t decoded_size; /* of the names in it */
    struct names names;
    unsigned depth;
    unsigned max_depth;
    bool allows_repeats;
    struct container open[]; /* max_depth of them, the first `depth` are open */
};

/* ---- bytes ---- */

static bool fail_at(struct json_reader *reader, struct err *err, size_t offset, const char *why)
{
    reader->refused_at = offset;
    reader->why = why;
    return err_set(err, ERR_INVALID_JSON, "invalid JSON at byte %zu: %s", offset, why);
}

/* The byte at the current position; 0 at the end, which JSON never contains unescaped. */
static char peek_byte(const struct json_reader *reader)
{
    return reader->at < reader->input.size ? reader->input.bytes[reader->at] : '\0';
}

static void skip_blanks(struct json_reader *reader)
{
    while (reader->at < reader->input.size) {
        char byte = reader->input.bytes[reader->at];
        if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t')
            return;
        reader->at++;
    }
}

static bool skip_digits(struct json_reader *reader)
{
    size_t start = reader->at;
    while (peek_byte(reader) >= '0' && peek_byte(reader) <= '9')
        reader->at++;
    return reader->at > start;
}

static bool read_number(struct json_reader *reader, struct json_event *event, struct err *err)
{
    size_t start = reader->at;
    if (peek_byte(reader) == '-')
        reader->at++;
    if (peek_byte(reader) == '0')
        reader->at++;
    else if (!skip_digits(reader))
        return fail_at(reader, err, reader->at, "a digit must follow the minus sign");
    if (peek_byte(reader) == '.') {
        reader->at++;
        if (!skip_digits(reader))
            return fail_at(reader, err, reader->at, "a digit must follow the decimal point");
    }
    if (peek_byte(reader) == 'e' || peek_byte(reader) == 'E') {
        reader->at++;
        if (peek_byte(reader) == '+' || peek_byte(reader) == '-')
            reader->at++;
        if (!skip_digits(reader))
            return fail_at(reader, err, reader->at, "the exponent has no digit");
    }
    event->kind = JSON_NUMBER;
    event->lexeme = (struct text){ reader->input.bytes + start, reader->at - start };
    return true;
}

static bool read_word(struct json_reader *reader, struct json_event *event, struct err *err)
{
    static const struct {
        struct text word;
        enum json_kind kind;
    } words[] = {
        { { "null", 4 }, JSON_NULL },
        { { "true", 4 }, JSON_TRUE },
        { { "false", 5 }, JSON_FALSE },
    };
    struct text rest = { reader->input.bytes + reader->at, reader->input.size - reader->at };
    for (size_t i = 0; i < countof(words); i++) {
        struct text word = words[i].word;
        if (rest.size >= word.size && memcmp(rest.bytes, word.bytes, word.size) == 0) {
            event->kind = words[i].kind;
            reader->at += word.size;
            return true;
        }
    }
    return fail_at(reader, err, reader->at,
                   rest.size ? "a value must stand here" : "it ends too early");
}

/* ---- strings ---- */

/* Bytes that end a run of plain text: control characters, quote, backslash. */
static const bool ends_run[256] = {
    [0 ... 0x1f] = true,
    ['"'] = true,
    ['\\'] = true,
};

/* May one of eight bytes end a run? Yes if one does; a false alarm only costs time. */
static bool may_end_run(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t controls = word - ones * 0x20;
    uint64_t quotes = (word ^ ones * '"') - ones;
    uint64_t slashes = (word ^ ones * '\\') - ones;
    return ((controls | quotes | slashes) & ~word & ones << 7) != 0;
}

/* Go to the end of a run of plain text, and OR its bytes into *seen. */
static void skip_run(struct json_reader *reader, unsigned char *seen)
{
    const unsigned char *byte = (const unsigned char *)reader->input.bytes + reader->at;
    const unsigned char *end = (const unsigned char *)reader->input.bytes + reader->input.size;
    unsigned char bits = 0;
    uint64_t words = 0;
    uint64_t word;
    for (; (size_t)(end - byte) >= sizeof(word); byte += sizeof(word)) {
        memcpy(&word, byte, sizeof(word));
        if (may_end_run(word))
            break;
        words |= word;
    }
    while (byte < end && !ends_run[*byte])
        bits |= *byte++;
    for (; words != 0; words >>= 8)
        bits |= (unsigned char)words;
    *seen |= bits;
    reader->at = (size_t)((const char *)byte - reader->input.bytes);
}

/* The four digits of \uXXXX at the current position; -1 if invalid. */
static int32_t read_unit(struct json_reader *reader)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(peek_byte(reader));
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
        reader->at++;
    }
    return unit;
}

static bool is_surrogate(int32_t unit)
{
    return unit >= 0xd800 && unit <= 0xdfff;
}

/* After \u: one unit, or a surrogate pair (RFC 8259 section 7). */
static bool read_code_point(struct json_reader *reader, struct buf *out, struct err *err)
{
    size_t start = reader->at;
    int32_t code_point = read_unit(reader);
    if (code_point < 0)
        return fail_at(reader, err, reader->at, "\\u needs four hexadecimal digits");
    if (is_surrogate(code_point)) {
        const char *next = reader->input.bytes + reader->at;
        bool has_next = reader->input.size - reader->at >= 6 && memcmp(next, "\\u", 2) == 0;
        reader->at += has_next ? 2 : 0;
        int32_t low = has_next ? read_unit(reader) : -1;
        if (code_point >= 0xdc00 || low < 0xdc00 || low > 0xdfff)
            return fail_at(reader, err, start, "the \\u escape is half of a surrogate pair");
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
    }
    return utf8_add(out, (uint32_t)code_point);
}

/* At a backslash: decode one escape, and append it to out. */
static bool read_escape(struct json_reader *reader, struct buf *out, struct err *err)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t"; /* letter, meaning */
    reader->at++;
    char letter = peek_byte(reader);
    if (letter == 'u') {
        reader->at++;
        return read_code_point(reader, out, err);
    }
    for (size_t i = 0; i + 1 < sizeof(escapes); i += 2) {
        if (escapes[i] == letter) {
            reader->at++;
            return buf_add_byte(out, escapes[i + 1]);
        }
    }
    return fail_at(reader, err, reader->at, "no such escape");
}

/*
 * The rest of a string from its first backslash; start is where its content began. Decoded text is
 * never longer than its source, so the area is large enough.
 */
static bool decode_string(struct json_reader *reader, size_t start, unsigned char *seen,
                          struct text *text, struct err *err)
{
    if (!reader->decoded)
        reader->decoded = mem_resize(NULL, reader->input.size + 1);
    size_t room = reader->input.size - reader->decoded_size;
    struct buf out = { .bytes = reader->decoded + reader->decoded_size,
                       .capacity = room,
                       .max_bytes = room };
    buf_add(&out, reader->input.bytes + start, reader->at - start);
    while (peek_byte(reader) == '\\') {
        if (!read_escape(reader, &out, err))
            return false;
        size_t run = reader->at;
        skip_run(reader, seen);
        buf_add(&out, reader->input.bytes + run, reader->at - run);
    }
    assert(!out.full);
    *text = buf_text(&out);
    return true;
}

/* At a quote: read to the closing quote. Bytes outside ASCII occur only in strings, so UTF-8 is
 * checked here. */
static bool read_string(struct json_reader *reader, struct text *text, struct err *err)
{
    size_t start = ++reader->at;
    unsigned char seen = 0;
    skip_run(reader, &seen);
    if (peek_byte(reader) == '\\') {
        if (!decode_string(reader, start, &seen, text, err))
            return false;
    } else {
        *text = (struct text){ reader->input.bytes + start, reader->at - start };
    }
    if (peek_byte(reader) != '"')
        return fail_at(reader, err, reader->at,
                       reader->at == reader->input.size ? "the string does not end"
                                                        : "a control character must be escaped");
    if (seen >= 0x80) {
        struct text source = { reader->input.bytes + start, reader->at - start };
        size_t valid = utf8_valid_bytes(source);
        if (valid < source.size)
            return fail_at(reader, err, start + valid, "not UTF-8");
    }
    reader->at++;
    return true;
}

static bool is_decoded(const struct json_reader *reader, struct text text)
{
    return reader->decoded && text.bytes == reader->decoded + reader->decoded_size;
}

static bool read_name(struct json_reader *reader, struct json_event *event, struct err *err)
{
    const struct container *object = &reader->open[reader->depth - 1];
    if (peek_byte(reader) != '"')
        return fail_at(reader, err, reader->at, "a name in quotes must stand here");
    if (!read_string(reader, &event->text, err))
        return false;
    event->is_repeated = !names_add(&reader->names, object->first_name, event->text);
    if (event->is_repeated && !reader->allows_repeats)
        return fail_at(reader, err, event->offset, "the name occurs twice in its object");
    if (!event->is_repeated && is_decoded(reader, event->text))
        reader->decoded_size += event->text.size;
    skip_blanks(reader);
    if (peek_byte(reader) != ':')
        return fail_at(reader, err, reader->at, "a colon must follow the name");
    reader->at++;
    event->kind = JSON_KEY;
    reader->state = AT_VALUE;
    return true;
}

/* ---- containers and order ---- */

static bool open_container(struct json_reader *reader, struct json_event *event, struct err *err)
{
    if (reader->depth == reader->max_depth)
        return err_set(err, ERR_TOO_DEEP, "JSON is nested deeper than %u at byte %zu",
                       reader->max_depth, reader->at);
    bool is_object = peek_byte(reader) == '{';
    reader->open[reader->depth++] = (struct container){
        .is_object = is_object,
        .first_name = reader->names.count,
    };
    reader->at++;
    reader->state = is_object ? AT_FIRST_NAME : AT_FIRST_ITEM;
    event->kind = is_object ? JSON_OBJECT_OPEN : JSON_ARRAY_OPEN;
    return true;
}

static bool close_container(struct json_reader *reader, struct json_event *event)
{
    const struct container *last = &reader->open[--reader->depth];
    if (last->is_object)
        names_drop(&reader->names, last->first_name);
    reader->at++;
    reader->state = AFTER_VALUE;
    event->depth = reader->depth;
    event->kind = last->is_object ? JSON_OBJECT_CLOSE : JSON_ARRAY_CLOSE;
    return true;
}

static bool read_value(struct json_reader *reader, struct json_event *event, struct err *err)
{
    char first = peek_byte(reader);
    if (first == '{' || first == '[')
        return open_container(reader, event, err);
    reader->state = AFTER_VALUE;
    if (first == '"') {
        event->kind = JSON_STRING;
        return read_string(reader, &event->text, err);
    }
    if (first == '-' || (first >= '0' && first <= '9'))
        return read_number(reader, event, err);
    return read_word(reader, event, err);
}

static bool read_end(struct json_reader *reader, struct json_event *event, struct err *err)
{
    if (reader->at < reader->input.size)
        return fail_at(reader, err, reader->at, "something follows the value");
    event->kind = JSON_END;
    return true;
}

/* After a value: the end of its container, or a comma and what follows. */
static bool read_after_value(struct json_reader *reader, struct json_event *event, struct err *err)
{
    if (reader->depth == 0)
        return read_end(reader, event, err);
    bool is_object = reader->open[reader->depth - 1].is_object;
    if (peek_byte(reader) == (is_object ? '}' : ']'))
        return close_container(reader, event);
    if (peek_byte(reader) != ',')
        return fail_at(reader, err, reader->at,
                       is_object ? "a comma or } must stand here" : "a comma or ] must stand here");
    reader->at++;
    skip_blanks(reader);
    event->offset = reader->at;
    return is_object ? read_name(reader, event, err) : read_value(reader, event, err);
}

static bool read_event(struct json_reader *reader, struct json_event *event, struct err *err)
{
    switch (reader->state) {
    case AT_VALUE:
        return read_value(reader, event, err);
    case AT_FIRST_ITEM:
        return peek_byte(reader) == ']' ? close_container(reader, event)
                                        : read_value(reader, event, err);
    case AT_FIRST_NAME:
        return peek_byte(reader) == '}' ? close_container(reader, event)
                                        : read_name(reader, event, err);
    case AFTER_VALUE:
        return read_after_value(reader, event, err);
    case REFUSED:
        break;
    }
    return fail_at(reader, err, reader->at, "an earlier error occurred");
}

bool json_next(struct json_reader *reader, struct json_event *event, struct err *err)
{
    skip_blanks(reader);
    struct json_event next = { .offset = reader->at, .depth = reader->depth };
    if (!read_event(reader, &next, err)) {
        reader->state = REFUSED;
        return false;
    }
    *event = next;
    return true;
}

size_t json_refused_at(const struct json_reader *reader, const char **why)
{
    *why = reader->why;
    return reader->refused_at;
}

struct json_reader *json_reader_new(struct text input, unsigned max_depth)
{
    assert(input.size < UINT32_MAX); /* names are counted in 32 bits */
    /* open[] is not cleared: that would take longer than reading a short text */
    struct json_reader *reader =
        mem_resize(NULL, sizeof(*reader) + max_depth * sizeof(struct container));
    *reader =
        (struct json_reader){ .input = input.bytes ? input : TEXT(""), .max_depth = max_depth };
    return reader;
}

void json_reader_allow_repeats(struct json_reader *reader)
{
    reader->allows_repeats = true;
}

void json_reader_free(struct json_reader **reader)
{
    if (!*reader)
        return;
    free((*reader)->decoded);
    names_free(&(*reader)->names);
    mem_free(reader);
}
