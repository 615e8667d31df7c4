/*
 * common/base/os/log.h - logs one JSON object per line on standard output.
 *
 * A line is {"ts","level","service.name","msg"} and the given fields. Never log a token, a
 * request's body or other input of a customer. All threads may log; a line is written immediately.
 *
 * Customers put tokens in wrong places, and libraries repeat input that they cannot read. So a text
 * that contains the prefix of a token or of a code of an app, in any case, is written as "(holds a
 * token)".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_TOKEN_PREFIX      "tg_live_" /* of a bearer token: text/token.h */
#define LOG_MANAGEMENT_PREFIX "tg_mgmt_" /* of a management token */

/* Does the text hold the prefix of a secret? All letters may be of either case. */
bool log_holds_secret(const char *text);

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* A field of a line, made by a function below; a NULL text becomes null. */
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

/*
 * Set the name in every line's "service.name", and the lowest level that is written. Call it once,
 * first. The name is borrowed for the lifetime of the process.
 */
void log_open(const char *service, enum log_level least);

/* "debug", "info", "warn" or "error"; false for any other text. */
bool log_level_parse(const char *name, enum log_level *level);

/*
 * Write one line:
 *
 *     log_line(LOG_WARN, "gateway lost", log_str("endpoint", link->endpoint), log_str("error",
 * why));
 */
#define log_line(level, message, ...)                                                 \
    log_write((level), (message), (const struct log_field[]){ { 0 }, ##__VA_ARGS__ }, \
              sizeof((const struct log_field[]){ { 0 }, ##__VA_ARGS__ }) /            \
                  sizeof(struct log_field))

/* Limits lines of one kind that clients can cause to ten per second. Zero at start; used by one
 * thread. */
struct log_pace {
    int64_t second_ms; /* its start */
    unsigned lines;    /* lines in it */
};

/* May one more line be written now? Metrics count the dropped ones. */
bool log_pace_allows(struct log_pace *pace);

/* Called by log_line(); fields[0] is ignored. */
void log_write(enum log_level level, const char *message, const struct log_field *fields,
               size_t count);
