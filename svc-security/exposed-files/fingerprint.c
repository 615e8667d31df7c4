/* svc-security/exposed-files/fingerprint.c - match content against fingerprints. */
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "exposures.h"
#include "inflate.h"
#include "text/json.h"
#include "text/regex.h"

enum {
    PAGE_LOOK_BYTES = 1024,
    UNPACKED_BYTES = 64 << 10,
};

/* ---- pages ---- */

static struct text without_mark(struct text bytes)
{
    if (bytes.size >= 3 && memcmp(bytes.bytes, "\xef\xbb\xbf", 3) == 0)
        return (struct text){ bytes.bytes + 3, bytes.size - 3 };
    return bytes;
}

/* Tag names after < that show an HTML page. */
static bool is_page_tag(const char *bytes, size_t size)
{
    static const char *const tags[] = { "!doctype", "html", "head", "body" };
    for (size_t i = 0; i < countof(tags); i++) {
        size_t length = strlen(tags[i]);
        if (size >= length && strncasecmp(bytes, tags[i], length) == 0)
            return true;
    }
    return false;
}

bool content_is_page(const struct content *content)
{
    struct text text = without_mark(content->bytes);
    bool says_so = strcmp(content->media_type, "text/html") == 0 ||
                   strcmp(content->media_type, "application/xhtml+xml") == 0;
    size_t look = MIN(text.size, PAGE_LOOK_BYTES);
    size_t i = 0;
    while (i < text.size && ascii_is_space(text.bytes[i]))
        i++;
    if (i < text.size && text.bytes[i] == '<' && is_page_tag(text.bytes + i + 1, text.size - i - 1))
        return true;
    for (i = 0; says_so && i < look; i++)
        if (text.bytes[i] == '<' && is_page_tag(text.bytes + i + 1, text.size - i - 1))
            return true;
    return false;
}

/* ---- patterns ---- */

/* UTF-16 with a byte order mark, as PowerShell writes redirected output: ASCII as it is, other
 * units as question marks. */
static void add_utf16(struct buf *out, struct text bytes, bool is_big_endian)
{
    for (size_t i = 2; i + 1 < bytes.size; i += 2) {
        char high = bytes.bytes[is_big_endian ? i : i + 1];
        char low = bytes.bytes[is_big_endian ? i + 1 : i];
        buf_add_byte(out, high == 0 && (unsigned char)low < 0x80 ? low : '?');
    }
}

/* Text for patterns: each byte that is not UTF-8 becomes a question mark. */
static void add_readable(struct buf *out, struct text bytes)
{
    if (text_begins(bytes, "\xff\xfe") || text_begins(bytes, "\xfe\xff")) {
        add_utf16(out, bytes, bytes.bytes[0] == '\xfe');
        return;
    }
    while (bytes.size > 0) {
        size_t good = utf8_valid_bytes(bytes);
        buf_add(out, bytes.bytes, good);
        if (good == bytes.size)
            return;
        buf_add_byte(out, '?');
        bytes.bytes += good + 1;
        bytes.size -= good + 1;
    }
}

static bool has_any(const struct patterns *patterns, struct text text)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (regex_matches(patterns->item[i], text))
            return true;
    return false;
}

static bool has_all(const struct patterns *patterns, struct text text)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!regex_matches(patterns->item[i], text))
            return false;
    return true;
}

/* Cut one line off the text, without its newline. */
static struct text next_line(struct text *text)
{
    struct text line = text_cut(text, '\n');
    if (line.size > 0 && line.bytes[line.size - 1] == '\r')
        line.size--;
    return line;
}

static bool is_content_line(struct text line)
{
    size_t i = 0;
    while (i < line.size && ascii_is_space(line.bytes[i]))
        i++;
    return i < line.size && line.bytes[i] != '#';
}

/* The quote that a line NAME="… opens without closing it, or 0. Escapes count only in double
 * quotes, as in dotenv. */
static char open_quote(struct text line)
{
    const char *equals = line.size > 0 ? memchr(line.bytes, '=', line.size) : NULL;
    size_t i = equals ? (size_t)(equals - line.bytes) + 1 : line.size;
    while (i < line.size && ascii_is_space(line.bytes[i]))
        i++;
    if (i == line.size || !strchr("\"'`", line.bytes[i]))
        return 0;
    char quote = line.bytes[i];
    for (i++; i < line.size; i++) {
        if (line.bytes[i] == '\\' && quote == '"')
            i++;
        else if (line.bytes[i] == quote)
            return 0;
    }
    return quote;
}

/* Skip lines up to the one with the quote. Returns false without one. */
static bool skip_quoted(struct text *text, char quote)
{
    const char *end = text->size > 0 ? memchr(text->bytes, quote, text->size) : NULL;
    while (end && quote == '"' && end > text->bytes && end[-1] == '\\') {
        size_t rest = text->size - (size_t)(end + 1 - text->bytes);
        end = rest > 0 ? memchr(end + 1, quote, rest) : NULL;
    }
    if (!end)
        return false;
    text->size -= (size_t)(end - text->bytes);
    text->bytes = end;
    (void)next_line(text);
    return true;
}

static bool has_such_lines(const struct fingerprint *fingerprint, struct text text, bool is_cut)
{
    size_t count = 0;
    while (text.size > 0 && count < fingerprint->lines_max) {
        struct text line = next_line(&text);
        if (!is_content_line(line))
            continue;
        if (!regex_matches(fingerprint->each_line, line))
            return false;
        count++;
        char quote = fingerprint->joins_quotes ? open_quote(line) : 0;
        if (quote && !skip_quoted(&text, quote))
            return is_cut && count >= fingerprint->lines_min;
    }
    return count >= fingerprint->lines_min;
}

/* ---- JSON ---- */

/* Index of the word, or their count. */
static size_t index_of(const struct words *words, struct text name)
{
    size_t i = 0;
    while (i < words->count && !text_is(name, words->item[i]))
        i++;
    return i;
}

/* Replace comments and trailing commas with blanks, as editors do for JSON with Comments. */
static void blank_comments(char *bytes, size_t size)
{
    size_t comma = SIZE_MAX; /* only blanks after it so far */
    for (size_t i = 0; i < size; i++) {
        size_t begin = i;
        if (bytes[i] == '"') {
            for (i++; i < size && bytes[i] != '"'; i++)
                i += bytes[i] == '\\';
        } else if (bytes[i] == '/' && i + 1 < size && bytes[i + 1] == '/') {
            while (i < size && bytes[i] != '\n')
                bytes[i++] = ' ';
            continue;
        } else if (bytes[i] == '/' && i + 1 < size && bytes[i + 1] == '*') {
            const char *end = memmem(bytes + i + 2, size - i - 2, "*/", 2);
            i = end ? (size_t)(end - bytes) + 1 : size - 1;
            memset(bytes + begin, ' ', i - begin + 1);
            continue;
        }
        if ((bytes[begin] == '}' || bytes[begin] == ']') && comma != SIZE_MAX)
            bytes[comma] = ' ';
        if (!ascii_is_space(bytes[begin]))
            comma = bytes[begin] == ',' ? begin : SIZE_MAX;
    }
}

/* Members found in one object. */
struct members {
    bool *seen; /* of json_all */
    bool has_some;
};

static bool is_complete(const struct fingerprint *fingerprint, const struct members *members)
{
    bool has = members->has_some || fingerprint->json_any.count == 0;
    for (size_t i = 0; i < fingerprint->json_all.count; i++)
        has = has && members->seen[i];
    return has;
}

static void note_member(const struct fingerprint *fingerprint, struct text name,
                        struct members *members)
{
    members->seen[index_of(&fingerprint->json_all, name)] = true;
    members->has_some |= index_of(&fingerprint->json_any, name) < fingerprint->json_any.count;
}

/* Does an object at that depth have the members? In truncated content, names before the cut
 * count. */
static bool find_members(const struct fingerprint *fingerprint, struct json_reader *reader,
                         unsigned depth, bool is_cut)
{
    size_t count = fingerprint->json_all.count;
    scoped(mem_free) bool *seen = mem_array(count + 1, sizeof(*seen));
    struct members members = { .seen = seen };
    struct json_event event;
    bool has = false;
    bool ok;
    while ((ok = json_next(reader, &event, NULL)) && event.kind != JSON_END) {
        if (event.kind == JSON_OBJECT_OPEN && event.depth == depth) {
            memset(seen, 0, (count + 1) * sizeof(*seen));
            members.has_some = false;
        } else if (event.kind == JSON_KEY && event.depth == depth + 1) {
            note_member(fingerprint, event.text, &members);
            has = has || is_complete(fingerprint, &members);
        }
    }
    return has && (ok || is_cut);
}

static bool has_members(const struct fingerprint *fingerprint, struct text text, bool is_cut)
{
    scoped(mem_free) char *plain = mem_dup(text.bytes, text.size);
    if (fingerprint->is_json_loose)
        blank_comments(plain, text.size);
    struct text json = { plain, text.size };
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(json, JSON_DEPTH);
    struct json_event event;
    json_reader_allow_repeats(reader);
    if (!json_next(reader, &event, NULL))
        return false;
    bool is_list = event.kind == JSON_ARRAY_OPEN && fingerprint->is_json_loose;
    return (is_list || event.kind == JSON_OBJECT_OPEN) &&
           find_members(fingerprint, reader, is_list, is_cut);
}

/* ---- entry point ---- */

static bool begins_with_any(const struct magics *magic, struct text bytes)
{
    for (size_t i = 0; i < magic->count; i++) {
        const struct buf *wanted = &magic->item[i];
        if (bytes.size >= wanted->size && memcmp(bytes.bytes, wanted->bytes, wanted->size) == 0)
            return true;
    }
    return false;
}

/* A content coding begins like an archive. So its decoded content must be the archive, and not
 * text; the content of a gzip file may be text. */
static bool has_magic(const struct magics *magic, const struct content *content)
{
    size_t look = MIN(content->bytes.size, PAGE_LOOK_BYTES);
    bool is_binary = look > 0 && memchr(content->bytes.bytes, '\0', look);
    return begins_with_any(magic, content->bytes) ||
           ((is_binary || content->is_gzip_file) && begins_with_any(magic, content->packed));
}

static bool content_matches(const struct fingerprint *fingerprint, const struct content *content,
                            struct text text)
{
    bool has_json = fingerprint->json_all.count + fingerprint->json_any.count > 0;
    if (fingerprint->max_bytes > 0 &&
        (content->is_cut || content->bytes.size > fingerprint->max_bytes))
        return false;
    if (fingerprint->magic.count > 0 && !has_magic(&fingerprint->magic, content))
        return false;
    if (!fingerprint->may_be_page && content_is_page(content))
        return false;
    return has_all(&fingerprint->all, text) &&
           (fingerprint->any.count == 0 || has_any(&fingerprint->any, text)) &&
           (!fingerprint->each_line || has_such_lines(fingerprint, text, content->is_cut)) &&
           (!has_json || has_members(fingerprint, text, content->is_cut));
}

/* A gzip file that was not sent as a content coding: its decompressed start is the content, and its
 * own bytes are `packed`. A site that compresses error pages without saying so looks the same. */
static struct content unpack_content(const struct content *content, struct buf *plain)
{
    struct content unpacked = *content;
    if (!text_begins(content->bytes, "\x1f\x8b\x08"))
        return unpacked;
    unpacked.is_cut |= !inflate_text(content->bytes, plain);
    if (plain->size == 0)
        return unpacked;
    unpacked.bytes = buf_text(plain);
    unpacked.packed = content->bytes;
    unpacked.is_gzip_file = true;
    return unpacked;
}

bool exposure_fits(const struct exposure *exposure, const struct content *sent,
                   struct finding *finding)
{
    const struct fingerprint *fingerprint = exposure->fingerprint;
    scoped(buf_free) struct buf plain = BUF(UNPACKED_BYTES);
    struct content content = unpack_content(sent, &plain);
    scoped(buf_free) struct buf readable = BUF(content.bytes.size);
    if (content.bytes.size == 0)
        return false;
    add_readable(&readable, without_mark(content.bytes));
    struct text text = buf_text(&readable);
    if (!content_matches(fingerprint, &content, text))
        return false;
    bool is_worse = has_any(&fingerprint->worse, text);
    *finding = (struct finding){
        .severity = is_worse ? fingerprint->worse_severity : exposure->severity,
        .evidence = is_worse ? fingerprint->worse_evidence : fingerprint->evidence,
        .is_sure = !fingerprint->is_weak,
    };
    return true;
}
