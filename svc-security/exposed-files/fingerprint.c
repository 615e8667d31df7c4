/* svc-security/exposed-files/fingerprint.c - is a body what its path gives away? */
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "exposures.h"
#include "text/json.h"
#include "text/regex.h"

enum { PAGE_LOOK_BYTES = 1024 };

/* ---- pages ---- */

static struct text without_mark(struct text bytes)
{
    if (bytes.size >= 3 && memcmp(bytes.bytes, "\xef\xbb\xbf", 3) == 0)
        return (struct text){ bytes.bytes + 3, bytes.size - 3 };
    return bytes;
}

/* What stands behind a < that makes it a page. */
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

/* What patterns read: each byte that is no UTF-8 becomes a question mark. */
static void add_readable(struct buf *out, struct text bytes)
{
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

/* Take one line off the text, without its end. */
static struct text next_line(struct text *text)
{
    struct text line = text_cut(text, '\n');
    if (line.size > 0 && line.bytes[line.size - 1] == '\r')
        line.size--;
    return line;
}

static bool says_something(struct text line)
{
    size_t i = 0;
    while (i < line.size && ascii_is_space(line.bytes[i]))
        i++;
    return i < line.size && line.bytes[i] != '#';
}

static bool has_such_lines(const struct fingerprint *fingerprint, struct text text)
{
    size_t count = 0;
    while (text.size > 0 && count < fingerprint->lines_max) {
        struct text line = next_line(&text);
        if (!says_something(line))
            continue;
        if (!regex_matches(fingerprint->each_line, line))
            return false;
        count++;
    }
    return count >= fingerprint->lines_min;
}

/* ---- JSON ---- */

/* Which of the words it is; their count when none. */
static size_t index_of(const struct words *words, struct text name)
{
    size_t i = 0;
    while (i < words->count && !text_is(name, words->item[i]))
        i++;
    return i;
}

/* Of an object that is cut the names that came before the cut count. */
static bool has_members(const struct fingerprint *fingerprint, struct text text, bool is_cut)
{
    const struct words *all = &fingerprint->json_all;
    const struct words *any = &fingerprint->json_any;
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(text, JSON_DEPTH);
    scoped(mem_free) bool *seen = mem_array(all->count + 1, sizeof(*seen));
    struct json_event event;
    bool has_some = any->count == 0;
    json_reader_allow_repeats(reader);
    bool ok = json_next(reader, &event, NULL);
    if (!ok || event.kind != JSON_OBJECT_OPEN)
        return false;
    while ((ok = json_next(reader, &event, NULL)) && event.kind != JSON_END) {
        if (event.kind != JSON_KEY || event.depth != 1)
            continue;
        seen[index_of(all, event.text)] = true;
        has_some = has_some || index_of(any, event.text) < any->count;
    }
    for (size_t i = 0; i < all->count; i++)
        has_some = has_some && seen[i];
    return has_some && (ok || is_cut);
}

/* ---- the whole ---- */

static bool begins_with_any(const struct magics *magic, struct text bytes)
{
    for (size_t i = 0; i < magic->count; i++) {
        const struct buf *wanted = &magic->item[i];
        if (bytes.size >= wanted->size && memcmp(bytes.bytes, wanted->bytes, wanted->size) == 0)
            return true;
    }
    return false;
}

static bool fits(const struct fingerprint *fingerprint, const struct content *content,
                 struct text text)
{
    bool has_json = fingerprint->json_all.count + fingerprint->json_any.count > 0;
    if (fingerprint->max_bytes > 0 &&
        (content->is_cut || content->bytes.size > fingerprint->max_bytes))
        return false;
    if (fingerprint->magic.count > 0 && !begins_with_any(&fingerprint->magic, content->bytes))
        return false;
    if (!fingerprint->may_be_page && content_is_page(content))
        return false;
    return has_all(&fingerprint->all, text) &&
           (fingerprint->any.count == 0 || has_any(&fingerprint->any, text)) &&
           (!fingerprint->each_line || has_such_lines(fingerprint, text)) &&
           (!has_json || has_members(fingerprint, text, content->is_cut));
}

bool exposure_fits(const struct exposure *exposure, const struct content *content,
                   struct finding *finding)
{
    const struct fingerprint *fingerprint = exposure->fingerprint;
    scoped(buf_free) struct buf readable = BUF(content->bytes.size);
    if (content->bytes.size == 0)
        return false;
    add_readable(&readable, without_mark(content->bytes));
    struct text text = buf_text(&readable);
    if (!fits(fingerprint, content, text))
        return false;
    bool is_worse = has_any(&fingerprint->worse, text);
    *finding = (struct finding){
        .severity = is_worse ? fingerprint->worse_severity : exposure->severity,
        .evidence = is_worse ? fingerprint->worse_evidence : fingerprint->evidence,
        .is_sure = !fingerprint->is_weak,
    };
    return true;
}
