/* common/net/http/head.c - the head of an HTTP response. */
#include "net/http/head.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

static struct text without_line_end(struct text line)
{
    while (line.size > 0 &&
           (line.bytes[line.size - 1] == '\n' || line.bytes[line.size - 1] == '\r'))
        line.size--;
    return line;
}

/* "HTTP/1.1 200 OK", "HTTP/2 200" */
static bool read_status(struct head *head, struct text line)
{
    static const struct {
        const char *start;
        const char *version;
    } versions[] = { { "HTTP/1.0 ", "1.0" }, { "HTTP/1.1 ", "1.1" }, { "HTTP/2 ", "2" } };
    enum { STATUS_DIGITS = 3 };
    for (size_t i = 0; i < countof(versions); i++) {
        size_t at = strlen(versions[i].start);
        int64_t status;
        if (!text_begins(line, versions[i].start) || line.size < at + STATUS_DIGITS ||
            !num_parse((struct text){ line.bytes + at, STATUS_DIGITS }, 999, &status) ||
            status < 100)
            continue;
        head->status = (int)status;
        head->http_version = versions[i].version;
        return true;
    }
    return false;
}

/* Replace bytes that a header cannot contain, in case libcurl passes them, by blanks. */
static void add_clean(struct buf *out, struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        buf_add_byte(out, c == '\0' || c == '\r' || c == '\n' ? ' ' : c);
    }
}

static void add_field(struct head *head, struct text line)
{
    const char *colon = line.size ? memchr(line.bytes, ':', line.size) : NULL;
    size_t name_bytes = colon ? (size_t)(colon - line.bytes) : 0;
    struct text name = { line.bytes, name_bytes };
    struct text value = { line.bytes + name_bytes + 1, line.size - name_bytes - !!colon };
    name = text_trim(name);
    if (name.size == 0)
        return;
    add_clean(&head->bytes, name);
    buf_add_byte(&head->bytes, '\0');
    add_clean(&head->bytes, text_trim(value));
    buf_add_byte(&head->bytes, '\0');
    head->count++;
}

/* A line that begins with a blank continues the previous one: RFC 9112 section 5.2. */
static void add_continuation(struct head *head, struct text line)
{
    if (head->count == 0)
        return;
    head->bytes.bytes[--head->bytes.size] = '\0';
    buf_add_byte(&head->bytes, ' ');
    add_clean(&head->bytes, text_trim(line));
    buf_add_byte(&head->bytes, '\0');
}

static void restart_head(struct head *head)
{
    head->count = 0;
    head->bytes.max_bytes = FETCH_HEADER_BYTES + 2 * FETCH_HEADER_LINES;
    buf_clear(&head->bytes);
}

static void record_end_of_head(struct head *head)
{
    enum { EARLY_HINTS = 103 };
    head->is_complete = head->status >= 200;
    head->has_early_hints = head->has_early_hints || head->status == EARLY_HINTS;
}

bool head_add(struct head *head, struct text line)
{
    head->total_bytes += line.size;
    if (++head->lines > FETCH_HEADER_LINES || head->total_bytes > FETCH_HEADER_BYTES)
        return false;
    line = without_line_end(line);
    if (head->is_complete)
        return true;
    if (text_begins(line, "HTTP/")) {
        restart_head(head);
        return read_status(head, line);
    }
    if (head->status == 0)
        return false;
    if (line.size == 0)
        record_end_of_head(head);
    else if (line.bytes[0] == ' ' || line.bytes[0] == '\t')
        add_continuation(head, line);
    else
        add_field(head, line);
    return !head->bytes.full;
}

bool head_has(const struct head *head, const char *name)
{
    const char *at = buf_str(&head->bytes);
    for (size_t i = 0; i < head->count; i++) {
        if (strcasecmp(at, name) == 0)
            return true;
        at += strlen(at) + 1;
        at += strlen(at) + 1;
    }
    return false;
}

bool head_is_redirect(const struct head *head)
{
    return head->is_complete && fetch_is_redirect(head->status) && head_has(head, "Location");
}

void head_take(struct head *head, struct fetch_hop *hop)
{
    hop->status = head->status;
    hop->http_version = head->http_version;
    hop->has_early_hints = head->has_early_hints;
    hop->header_bytes = head->total_bytes;
    hop->header_count = head->count;
    hop->header = mem_array(MAX(head->count, 1), sizeof(*hop->header));
    hop->bytes = buf_take(&head->bytes);
    const char *at = hop->bytes;
    for (size_t i = 0; i < head->count; i++) {
        hop->header[i].name = text_of(at);
        at += hop->header[i].name.size + 1;
        hop->header[i].value = text_of(at);
        at += hop->header[i].value.size + 1;
    }
}

void head_free(struct head *head)
{
    buf_free(&head->bytes);
    *head = (struct head){ 0 };
}
