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

static void a_plan_replaces_the_numbers_that_it_has(void **state)
{
    (void)state;
    scoped(limits_free) struct limits *limits = NULL;
    assert_true(limits_load(SOURCE_ROOT "/gateway/limits.yaml", &limits, NULL));
    scoped(limits_free) struct limits *own = limits_copy(limits);
    limits_replace(own, "ai", 60, -1, 0);
    limits_replace(own, "utilities", 1, 1, 1); /* no such class */
    assert_int_equal(limits_class(own, "ai")->endpoint_per_minute, 60);
    assert_int_equal(limits_class(own, "ai")->class_per_minute, 0);
    assert_int_equal(limits_class(own, "ai")->daily_per_tool, 0);
    assert_int_equal(limits_class(own, "utility")->endpoint_per_minute, 30);
    assert_int_equal(limits_class(limits, "ai")->endpoint_per_minute, 10);
    assert_int_equal(limits_class(limits, "ai")->daily_per_tool, 10);
    assert_int_equal(own->class_count, countof(classes));
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
    { "global beyond the ring", "{global_per_minute: 301, address_per_minute: 1, classes: {}}",
      "1 to 300" },
    { "address beyond the window", "{global_per_minute: 1, address_per_minute: 1001, classes: {}}",
      "1 to 1000" },
    { "negative", "{global_per_minute: -1, address_per_minute: 1, classes: {}}", "1 to 300" },
    { "a fraction", "{global_per_minute: 1.5, address_per_minute: 1, classes: {}}", "1 to 300" },
    { "a text", "{global_per_minute: '1', address_per_minute: 1, classes: {}}", "1 to 300" },
    { "null", "{global_per_minute: ~, address_per_minute: 1, classes: {}}", "1 to 300" },
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

/* ---- files of plans ---- */

static const struct plan_file {
    const char *name;
    const char *yaml;
    const char *names; /* what the error must name; NULL: the file is valid */
} plan_files[] = {
    { "no plan", "plans: {}", NULL },
    { "all keys",
      "plans: {a-1: {global_per_minute: 300, is_public: true, address_exempt: false, classes: {ai: "
      "{endpoint_per_minute: 0, class_per_minute: 300, daily_per_tool: 1000000}}}}",
      NULL },
    { "an empty class", "plans: {a: {global_per_minute: 1, classes: {ai: {}}}}", NULL },
    { "empty file", "", "must be a map" },
    { "another key", "plan: {}", "unknown key plan" },
    { "no plans", "{}", "plans must be a map" },
    { "plans as a list", "plans: []", "plans must be a map" },
    { "a plan as a number", "plans: {a: 1}", "plans.a must be a map" },
    { "no global limit", "plans: {a: {}}", "plans.a: global_per_minute must be" },
    { "global zero", "plans: {a: {global_per_minute: 0}}", "from 1 to 300" },
    { "global beyond the ring", "plans: {a: {global_per_minute: 301}}", "from 1 to 300" },
    { "unknown key in a plan", "plans: {a: {global_per_minute: 1, burst: 2}}",
      "unknown key burst" },
    { "a flag as a number", "plans: {a: {global_per_minute: 1, is_public: 1}}",
      "is_public must be true or false" },
    { "a flag as a text", "plans: {a: {global_per_minute: 1, address_exempt: 'yes'}}",
      "address_exempt must be true or false" },
    { "classes as a list", "plans: {a: {global_per_minute: 1, classes: [ai]}}",
      "classes must be a map" },
    { "negative in a class",
      "plans: {a: {global_per_minute: 1, classes: {ai: {daily_per_tool: -1}}}}",
      "daily_per_tool must be a whole number from 0 to 1000000" },
    { "class beyond the ring",
      "plans: {a: {global_per_minute: 1, classes: {ai: {endpoint_per_minute: 301}}}}",
      "from 0 to 300" },
    { "unknown key in a class", "plans: {a: {global_per_minute: 1, classes: {ai: {per_day: 1}}}}",
      "plans.a: classes.ai: unknown key per_day" },
    { "the word for no plan", "plans: {none: {global_per_minute: 1}}", "none means no plan" },
    { "a capital letter", "plans: {Big: {global_per_minute: 1}}", "lower-case" },
    { "a hyphen first", "plans: {-a: {global_per_minute: 1}}", "begin with a letter" },
    { "an empty name", "plans: {'': {global_per_minute: 1}}", "begin with a letter" },
    { "a name of 40", "plans: {abcdefghijabcdefghijabcdefghijabcdefghij: {global_per_minute: 1}}",
      NULL },
    { "a name of 41", "plans: {abcdefghijabcdefghijabcdefghijabcdefghijk: {global_per_minute: 1}}",
      "at most 40" },
};

static void check_plan_file(void **state)
{
    const struct plan_file *row = *state;
    char path[] = "/tmp/plans-XXXXXX";
    scoped(json_free) cJSON *plans = NULL;
    struct err err = { 0 };

    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_file(path, row->yaml);
    bool loaded = plans_load(path, &plans, &err);
    unlink(path);
    assert_int_equal(loaded, row->names == NULL);
    assert_int_equal(plans != NULL, loaded);
    if (row->names)
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
        cmocka_unit_test(a_plan_replaces_the_numbers_that_it_has),
        cmocka_unit_test(missing_file_is_an_error),
    };
    return RUN_ROWS(classes, check_class) + RUN_ROWS(refusals, check_refusal) +
           RUN_ROWS(plan_files, check_plan_file) + cmocka_run_group_tests(singles, NULL, NULL);
}
