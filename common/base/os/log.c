/* common/base/os/log.c - JSON lines on standard output. */
#include "base/os/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <unistr.h>

#include "base/buf.h"
#include "base/os/clock.h"
#include "base/scoped.h"
#include "base/text.h"

enum {
    LINE_MAX_BYTES = 8192,
    HEAD_MAX_BYTES = 1024, /* an escape takes up to 6 bytes for one */
    PACE_MS = 1000,
    PACE_LINES = 10,
};

static struct {
    const char *service;
    enum log_level least;
} output = { "tollgate", LOG_INFO };

static const char *const level_names[] = { "debug", "info", "warn", "error" };

void log_open(const char *service, enum log_level least)
{
    output.service = service;
    output.least = least;
}

bool log_level_parse(const char *name, enum log_level *level)
{
    for (size_t i = 0; i < countof(level_names); i++) {
        if (strcmp(level_names[i], name) == 0) {
            *level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

bool log_pace_allows(struct log_pace *pace)
{
    int64_t now_ms = clock_ms();
    if (now_ms - pace->second_ms >= PACE_MS)
        *pace = (struct log_pace){ .second_ms = now_ms };
    return pace->lines++ < PACE_LINES;
}

static bool is_plain(char byte)
{
    return byte != '"' && byte != '\\' && (unsigned char)byte >= 0x20;
}

/* All prefixes begin with tg_, so that most texts are searched once. */
bool log_holds_secret(const char *text)
{
    static const char *const prefixes[] = { LOG_TOKEN_PREFIX, LOG_MANAGEMENT_PREFIX, "tg_test_",
                                            "tg_code_", "tg_refresh_" };
    for (const char *at = strcasestr(text, "tg_"); at; at = strcasestr(at + 1, "tg_"))
        for (size_t i = 0; i < countof(prefixes); i++)
            if (strncasecmp(at, prefixes[i], strlen(prefixes[i])) == 0)
                return true;
    return false;
}

static void add_string(struct buf *line, const char *string)
{
    if (!string) {
        buf_add_str(line, "null");
        return;
    }
    if (u8_check((const uint8_t *)string, strlen(string)))
        string = "(not UTF-8)";
    if (log_holds_secret(string))
        string = "(holds a token)";
    buf_add_byte(line, '"');
    while (*string) {
        size_t plain = 0;
        while (is_plain(string[plain]))
            plain++;
        buf_add(line, string, plain);
        string += plain;
        if (*string == '"' || *string == '\\')
            buf_format(line, "\\%c", *string++);
        else if (*string)
            buf_format(line, "\\u%04x", *string++);
    }
    buf_add_byte(line, '"');
}

static void write_all(const struct buf *line)
{
    size_t done = 0;
    while (done < line->size) {
        ssize_t written = write(STDOUT_FILENO, line->bytes + done, line->size - done);
        if (written < 0 && errno != EINTR)
            return; /* no other place to report it */
        if (written > 0)
            done += (size_t)written;
    }
}

static void start_line(struct buf *line, enum log_level level, const char *message)
{
    char now[CLOCK_TEXT_BYTES];
    clock_format(now, clock_wall_ms());
    buf_format(line, "{\"ts\":\"%s\",\"level\":\"%s\",\"service.name\":\"%s\",\"msg\":", now,
               level_names[level], output.service);
    add_string(line, message);
}

void log_write(enum log_level level, const char *message, const struct log_field *fields,
               size_t count)
{
    if (level < output.least)
        return;
    scoped(buf_free) struct buf line = BUF(LINE_MAX_BYTES);
    start_line(&line, level, message);
    for (size_t i = 1; i < count; i++) {
        buf_add_str(&line, ",\"");
        buf_add_str(&line, fields[i].name);
        buf_add_str(&line, "\":");
        if (fields[i].is_number)
            buf_format(&line, "%" PRId64, fields[i].number);
        else
            add_string(&line, fields[i].text);
    }
    buf_add_str(&line, "}\n");
    if (line.full) { /* too long for a line: keep only the message, or its beginning */
        char head[HEAD_MAX_BYTES];
        snprintf(head, sizeof(head), "%s", message);
        text_repair(head);
        buf_clear(&line);
        start_line(&line, level, head);
        buf_add_str(&line, "}\n");
    }
    write_all(&line);
}
