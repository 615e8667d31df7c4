/* tests/unit/base/os/log.c - lines of the log, read back from standard output. */
#include "base/os/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/os/clock.h"
#include "rows.h"

#define HEAD(level) \
    "{\"ts\":\"1970-01-01T00:00:01.000Z\",\"level\":\"" level "\",\"service.name\":\"test\","

/* Write one line with standard output in a file, and return the file's content. */
static char *written(enum log_level level, const char *message, struct log_field field)
{
    scoped(buf_free) struct buf content = BUF(20000);
    FILE *file = tmpfile();
    char *room = buf_reserve(&content, 20000);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    clock_stop(0, 1000);
    log_open("test", LOG_INFO);
    if (field.name)
        log_line(level, message, field);
    else
        log_line(level, message);
    clock_run();
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    content.size = fread(room, 1, 19999, file);
    room[content.size] = '\0';
    fclose(file);
    return buf_take(&content);
}

static const struct row {
    const char *name;
    enum log_level level;
    const char *message;
    struct log_field field;
    const char *want;
} rows[] = {
    { "message alone", LOG_INFO, "hello", { 0 }, HEAD("info") "\"msg\":\"hello\"}\n" },
    { "below the least level", LOG_DEBUG, "hello", { 0 }, "" },
    { "text",
      LOG_WARN,
      "m",
      { "group", "utils", 0, false },
      HEAD("warn") "\"msg\":\"m\",\"group\":\"utils\"}\n" },
    { "no text",
      LOG_ERROR,
      "m",
      { "group", NULL, 0, false },
      HEAD("error") "\"msg\":\"m\",\"group\":null}\n" },
    { "number",
      LOG_INFO,
      "m",
      { "jobs", NULL, INT64_MIN, true },
      HEAD("info") "\"msg\":\"m\",\"jobs\":-9223372036854775808}\n" },
    { "what JSON escapes",
      LOG_INFO,
      "a\"\\\n\x01z",
      { 0 },
      HEAD("info") "\"msg\":\"a\\\"\\\\\\u000a\\u0001z\"}\n" },
    { "UTF-8", LOG_INFO, "\u00e9", { 0 }, HEAD("info") "\"msg\":\"\u00e9\"}\n" },
    { "not UTF-8",
      LOG_INFO,
      "m",
      { "x", "\xff", 0, false },
      HEAD("info") "\"msg\":\"m\",\"x\":\"(not UTF-8)\"}\n" },
    { "a token",
      LOG_WARN,
      "m",
      { "x", "Bad HTTP version: [tg_live_0]", 0, false },
      HEAD("warn") "\"msg\":\"m\",\"x\":\"(holds a token)\"}\n" },
    { "a code of an app",
      LOG_WARN,
      "m",
      { "x", "tg_no tg_code_A", 0, false },
      HEAD("warn") "\"msg\":\"m\",\"x\":\"(holds a token)\"}\n" },
    { "a refresh token",
      LOG_WARN,
      "m",
      { "x", "a=TG_refresh_A", 0, false },
      HEAD("warn") "\"msg\":\"m\",\"x\":\"(holds a token)\"}\n" },
    { "no token",
      LOG_WARN,
      "m",
      { "x", "tg_codes tg_", 0, false },
      HEAD("warn") "\"msg\":\"m\",\"x\":\"tg_codes tg_\"}\n" },
    { "a token in upper case",
      LOG_WARN,
      "TG_LIVE_0",
      { 0 },
      HEAD("warn") "\"msg\":\"(holds a token)\"}\n" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) char *line = written(row->level, row->message, row->field);
    assert_string_equal(line, row->want);
}

/* A line that is too long is cut, yet stays one line of JSON. */
static void long_lines(void **state)
{
    (void)state;
    char text[10001];
    memset(text, '\x01', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    scoped(mem_free) char *by_field = written(LOG_INFO, "m", log_str("x", text));
    assert_string_equal(by_field, HEAD("info") "\"msg\":\"m\"}\n");

    scoped(mem_free) char *by_message = written(LOG_INFO, text, (struct log_field){ 0 });
    size_t size = strlen(by_message);
    assert_in_range(size, 1000, 8192);
    assert_string_equal(by_message + size - 9, "\\u0001\"}\n");
}

static const struct level {
    const char *name;
    int level; /* -1: none */
} levels[] = {
    { "debug", LOG_DEBUG }, { "info", LOG_INFO }, { "warn", LOG_WARN },
    { "error", LOG_ERROR }, { "INFO", -1 },       { "", -1 },
};

static void check_level(void **state)
{
    const struct level *row = *state;
    enum log_level level = LOG_DEBUG;
    assert_int_equal(log_level_parse(row->name, &level), row->level >= 0);
    if (row->level >= 0)
        assert_int_equal(level, row->level);
}

/* How many of these may be written now. */
static unsigned allowed(struct log_pace *pace, unsigned lines)
{
    unsigned count = 0;
    while (lines-- > 0)
        count += log_pace_allows(pace);
    return count;
}

static void ten_lines_a_second(void **state)
{
    struct log_pace pace = { 0 };
    (void)state;
    clock_stop(5000, 0);
    assert_int_equal(allowed(&pace, 9), 9);
    clock_stop(5999, 0);
    assert_int_equal(allowed(&pace, 1000), 1);
    clock_stop(6000, 0);
    assert_int_equal(allowed(&pace, 1000), 10);
    clock_stop(3600000, 0);
    assert_int_equal(allowed(&pace, 1000), 10);
    clock_run();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(long_lines),
                                        cmocka_unit_test(ten_lines_a_second) };
    return RUN_ROWS(rows, check) + RUN_ROWS(levels, check_level) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
