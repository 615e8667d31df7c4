/* tests/unit/svc/limits.c - the shipped limits.yaml, and rejected files. */
#include "svc/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

/* ---- the numbers of the product ---- */

static const struct class_row {
    const char *name;
    unsigned endpoint;
    unsigned class;
    unsigned daily;
} classes[] = {
    { "utility", 30, 0, 0 },   { "security", 10, 0, 0 }, { "email-single", 0, 10, 0 },
    { "email-bulk", 5, 0, 0 }, { "ai", 10, 0, 10 },      { "report", 5, 0, 0 },
    { "chat", 30, 0, 0 },      { "account", 0, 0, 0 },
};

static void check_class(void **state)
{
    const struct class_row *row = *state;
    scoped(limits_free) struct limits *limits = NULL;

    assert_true(limits_load(SOURCE_ROOT "/gateway/limits.yaml", &limits, NULL));
    const struct rate_class *class = limits_class(limits, row->name);
    assert_non_null(class);
    assert_int_equal(class->endpoint_per_minute, row->endpoint);
    assert_int_equal(class->class_per_minute, row->class);
    assert_int_equal(class->daily_per_tool, row->daily);
}

static void shipped_file_has_these_and_no_others(void **state)
{
    (void)state;
    scoped(limits_free) struct limits *limits = NULL;
    assert_true(limits_load(SOURCE_ROOT "/gateway/limits.yaml", &limits, NULL));
    assert_int_equal(limits->global_per_minute, 60);
    assert_int_equal(limits->address_per_minute, 120);
    assert_int_equal(limits->class_count, countof(classes));
    assert_null(limits_class(limits, "utilities"));
}

/* ---- rejected files ---- */

static const struct refusal {
    const char *name;
    const char *yaml;
    const char *names; /* what the error must name */
} refusals[] = {
    { "empty file", "", "" },
    { "a list", "[1, 2]", "map" },
    { "no global limit", "{address_per_minute: 1, classes: {}}", "global_per_minute" },
    { "no address limit", "{global_per_minute: 1, classes: {}}", "address_per_minute" },
    { "no classes", "{global_per_minute: 1, address_per_minute: 1}", "classes" },
    { "classes as a list", "{global_per_minute: 1, address_per_minute: 1, classes: []}",
      "classes" },
    { "unknown key", "{global_per_minute: 1, address_per_minute: 1, classes: {}, burst: 1}",
      "burst" },
    { "unknown key in a class",
      "{global_per_minute: 1, address_per_minute: 1, classes: {ai: {daily: 1}}}", "classes.ai" },
    { "nothing as a class", "{global_per_minute: 1, address_per_minute: 1, classes: {ai: }}",
      "classes.ai" },
    { "global zero", "{global_per_minute: 0, address_per_minute: 1, classes: {}}",
      "global_per_minute" },
    { "global beyond the ring", "{global_per_minute: 61, address_per_minute: 1, classes: {}}",
      "1 to 60" },
    { "address beyond the window", "{global_per_minute: 1, address_per_minute: 1001, classes: {}}",
      "1 to 1000" },
    { "negative", "{global_per_minute: -1, address_per_minute: 1, classes: {}}", "1 to 60" },
    { "a fraction", "{global_per_minute: 1.5, address_per_minute: 1, classes: {}}", "1 to 60" },
    { "a text", "{global_per_minute: '1', address_per_minute: 1, classes: {}}", "1 to 60" },
    { "null", "{global_per_minute: ~, address_per_minute: 1, classes: {}}", "1 to 60" },
    { "zero in a class",
      "{global_per_minute: 1, address_per_minute: 1, classes: {ai: {daily_per_tool: 0}}}",
      "daily_per_tool" },
};

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    char path[] = "/tmp/limits-XXXXXX";
    struct limits *limits = NULL;
    struct err err = { 0 };

    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_file(path, row->yaml);
    bool loaded = limits_load(path, &limits, &err);
    unlink(path);
    assert_false(loaded);
    assert_null(limits);
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_non_null(strstr(err.message, row->names));
}

static void missing_file_is_an_error(void **state)
{
    (void)state;
    struct limits *limits = NULL;
    struct err err = { 0 };
    assert_false(limits_load("/nonexistent/limits.yaml", &limits, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(shipped_file_has_these_and_no_others),
        cmocka_unit_test(missing_file_is_an_error),
    };
    return RUN_ROWS(classes, check_class) + RUN_ROWS(refusals, check_refusal) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
