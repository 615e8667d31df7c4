/*
 * common/base/os/log.h - one JSON object a line on standard output.
 *
 * A line is {"ts","level","service","msg"} and the fields given. Never log a token, a request's
 * body or anything of a customer's input. Safe from every thread; a line is written at once.
 *
 * Customers put tokens where none belongs, and libraries repeat what they cannot read: a text that
 * holds LOG_TOKEN_PREFIX, in any case, is written as "(holds a token)".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_TOKEN_PREFIX "tg_live_" /* of a bearer token: text/token.h */

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* A field of a line, made by one of the functions below; a NULL text becomes null. */
struct log_field {
    const char *name;
    const char *text;
    int64_t number;
    bool is_number;
};

static inline struct log_field log_str(const char *name, const char *text)
{
    return (struct log_field){ name, text, 0, false };
}

static inline struct log_field log_int(const char *name, int64_t number)
{
    return (struct log_field){ name, 0, number, true };
}

/* The name in every line's "service", and the least level that is written. Call once, first.
 * The name is borrowed for the life of the process. */
void log_open(const char *service, enum log_level least);

/* "debug", "info", "warn" or "error"; false for anything else. */
bool log_level_parse(const char *name, enum log_level *level);

/*
 * Write one line:
 *
 *     log_line(LOG_WARN, "gateway lost", log_str("endpoint", link->endpoint), log_str("why", why));
 */
#define log_line(level, message, ...)                                                 \
    log_write((level), (message), (const struct log_field[]){ { 0 }, ##__VA_ARGS__ }, \
              sizeof((const struct log_field[]){ { 0 }, ##__VA_ARGS__ }) /            \
                  sizeof(struct log_field))

/* Lines of one kind that others cause: at most ten a second are written. All zero at first; belongs
 * to one thread. */
struct log_pace {
    int64_t second_ms; /* when it began */
    unsigned lines;    /* in it */
};

/* May one more be written now? Metrics count what is not. */
bool log_pace_allows(struct log_pace *pace);

/* What log_line() calls; fields[0] is not looked at. */
void log_write(enum log_level level, const char *message, const struct log_field *fields,
               size_t count);
