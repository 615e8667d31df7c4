/* svc-security/exposed-files/tests/exposures.c - a file with a mistake is rejected with its
 * name. */
#include "exposed-files/exposures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"
#include "tools.h"

#define PRINT "fingerprints: { f: { any: [a], evidence: e } }\n"
#define GOOD  PRINT "paths: [ { path: /a, severity: low, type: t, fingerprint: f } ]\n"

#define WITH(print)                                     \
    "fingerprints: { f: { " print ", evidence: e } }\n" \
    "paths: [ { path: /a, severity: low, type: t, fingerprint: f } ]\n"
#define PATH(fields) PRINT "paths: [ { " fields " } ]\n"

static const struct row {
    const char *name;
    const char *file;
    const char *want; /* part of the error, or NULL */
} rows[] = {
    { "the least", GOOD, NULL },
    { "all conditions",
      WITH("magic: ['00ff'], all: [a], any: [b], each_line: c, lines_min: 2, lines_max: 3, "
           "json_all: "
           "[d], json_any: [e], max_bytes: 9, html: true, confidence: medium, worse: { severity: "
           "high, "
           "any: [x], evidence: y }"),
      NULL },
    { "no YAML", "a: [", "YAML" },
    { "an unknown key", GOOD "more: 1\n", "more is unknown" },
    { "no fingerprints", "paths: []\n", "fingerprints must be a mapping" },
    { "no paths", PRINT, "must be a list of 1 to 60 paths" },
    { "no condition", WITH("html: true"), "f: it must have a condition" },
    { "an unknown condition", WITH("anyy: [a]"), "anyy is unknown" },
    { "an invalid pattern", WITH("any: ['(']"), "f: any the pattern is malformed" },
    { "a string instead of a list", WITH("any: a"), "any must be a list" },
    { "an empty list", WITH("any: []"), "any must be a list" },
    { "odd bytes", WITH("magic: ['0ff']"), "magic must be bytes" },
    { "a number for bytes", WITH("magic: [12]"), "magic must be bytes" },
    { "a limit of nothing", WITH("any: [a], max_bytes: 0"), "max_bytes must be an integer" },
    { "a word for yes", WITH("any: [a], html: 'yes'"), "html must be true or false" },
    { "an unknown confidence", WITH("any: [a], confidence: low"), "confidence must be" },
    { "worse without patterns", WITH("any: [a], worse: { severity: high, evidence: y }"),
      "worse must have patterns" },
    { "worse without severity", WITH("any: [a], worse: { any: [b], evidence: y }"),
      "severity must be critical" },
    { "no evidence", "fingerprints: { f: { any: [a] } }\npaths: []\n",
      "evidence must be a string" },
    { "a path without slash", PATH("path: a, severity: low, type: t, fingerprint: f"),
      "path must begin with one slash" },
    { "a path of another host", PATH("path: //a.com/, severity: low, type: t, fingerprint: f"),
      "path must begin with one slash" },
    { "a path with a blank", PATH("path: '/a b', severity: low, type: t, fingerprint: f"),
      "path must begin with one slash" },
    { "an unknown severity", PATH("path: /a, severity: bad, type: t, fingerprint: f"),
      "/a: severity must be critical" },
    { "no type", PATH("path: /a, severity: low, fingerprint: f"), "/a: type must be a string" },
    { "an unknown fingerprint", PATH("path: /a, severity: low, type: t, fingerprint: g"),
      "/a: fingerprint must be a fingerprint of the file" },
    { "a path twice",
      PATH(
          "path: /a, severity: low, type: t, fingerprint: f }, { path: /a, severity: low, type: t, "
          "fingerprint: f"),
      "/a: path occurs twice" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(exposures_free) struct exposures *exposures = NULL;
    char path[] = "/tmp/exposures-XXXXXX";
    struct err err = { 0 };
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, row->file, strlen(row->file)) > 0);
    close(fd);
    bool ok = exposures_load(path, &exposures, &err);
    unlink(path);
    if (row->want && !strstr(err.message, row->want))
        fail_msg("%s", err.message);
    if (!row->want)
        assert_string_equal(err.message, "");
    assert_int_equal(ok, row->want == NULL);
}

static void the_shipped_file_is_found(void **state)
{
    void *content = NULL;
    (void)state;
    assert_true(exposures_data.load(SOURCE_ROOT "/svc-security", &content, NULL));
    exposures_data.free(&content);
    assert_false(exposures_data.load("/nowhere", &content, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_shipped_file_is_found) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
