/* svc-security/tech-detect/tests/signatures.c - an invalid file is rejected with its name, and the
 * loaded signatures stay; the rules of evidence, with a test file. */
#include "tech-detect/signatures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"
#include "svc/data.h"
#include "tech-detect/detect.h"
#include "tools.h"

static char folder[64];
static struct public_suffixes *suffixes;

static void put(const char *technologies)
{
    scoped(mem_free) char *path = str_format("%s/tech-detect/signatures.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "version: '1'\nsource: s\ncategories: [A, B]\nplatforms: [B]\n"
            "shorthands: { file: { script: '/NAME\\.js' }, wrong: { taste: 'abc' } }\n%s",
            technologies);
    fclose(file);
}

/* ---- mistakes ---- */

static const struct row {
    const char *name;
    const char *technologies; /* the rest of the file */
    const char *want;         /* part of the error */
} rows[] = {
    { "no YAML", "technologies: [", "signatures.yaml" },
    { "no technologies", "", "technologies is missing" },
    { "technologies that are a list", "technologies: [A]", "mapping technologies" },
    { "a key that is not known", "technologies: { X: { category: A } }\nmore: 1", "unknown key" },
    { "a technology without category", "technologies: { X: { script: abc } }",
      "X: category is missing" },
    { "an unknown category", "technologies: { X: { category: C } }", "must be among" },
    { "a member that is not known", "technologies: { X: { category: A, taste: abc } }",
      "taste is unknown" },
    { "a pattern without three characters", "technologies: { X: { category: A, script: 'a.b.c' } }",
      "three consecutive literal characters" },
    { "alternatives without a common literal",
      "technologies: { X: { category: A, html: 'abc|def' } }",
      "three consecutive literal characters" },
    { "a malformed pattern", "technologies: { X: { category: A, html: 'abc(' } }",
      "valid patterns" },
    { "a header that is a list", "technologies: { X: { category: A, header: [abc] } }",
      "must be a mapping" },
    { "a number for a pattern", "technologies: { X: { category: A, html: 1 } }",
      "must be a string" },
    { "a confidence of 0",
      "technologies: { X: { category: A, html: { match: abc, confidence: 0 } } }",
      "from 1 to 100" },
    { "more than match and confidence",
      "technologies: { X: { category: A, html: { match: abc, confidence: 5, x: 1 } } }",
      "must be a string" },
    { "an unknown implied technology", "technologies: { X: { category: A, implies: [Y] } }",
      "Y is not a technology" },
    { "a shorthand with an unknown kind", "technologies: { X: { category: A, wrong: a } }",
      "taste is not a kind" },
    { "a shorthand without text", "technologies: { X: { category: A, file: 1 } }",
      "must be a string" },
};

static void check(void **state)
{
    const struct row *row = *state;
    void *content = NULL;
    struct err err = { 0 };
    put(row->technologies);
    assert_false(signatures_load(folder, &content, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_null(content);
    if (!strstr(err.message, row->want) || !strstr(err.message, "/tech-detect/"))
        fail_msg("%s", err.message);
}

static void a_broken_file_keeps_the_old(void **state)
{
    struct data *data = NULL;
    struct err err = { 0 };
    (void)state;

    put("technologies: { X: { category: A, html: abc } }");
    assert_true(data_open(&tech_signatures_data, folder, &data, &err));
    put("technologies: { Y: { category: C } }");
    assert_false(data_reload(data, &err));
    struct data_version *version = data_hold(data);
    const struct signatures *signatures = data_content(version);
    assert_string_equal(signatures->technology[0].name, "X");
    data_drop(&version);

    put("technologies: { Y: { category: B, html: abc }, X: { category: A } }");
    assert_true(data_reload(data, &err));
    version = data_hold(data);
    signatures = data_content(version);
    assert_int_equal(signatures->technology_count, 2);
    assert_string_equal(signatures->technology[1].name, "Y");
    data_drop(&version);
    data_close(&data);
}

/* ---- implications ---- */

static const struct rule {
    const char *name;
    const char *technologies;
    const char *body;
    const char *want; /* name and confidence, + if implied */
} rules[] = {
    { "fifty is enough", "{ X: { category: A, html: { match: abc, confidence: 50 } } }", "abc",
      "X 50" },
    { "49 is not", "{ X: { category: A, html: { match: abc, confidence: 49 } } }", "abc", "" },
    { "evidence adds up, to 100 at most",
      "{ X: { category: A, html: [abc, { match: def, confidence: 30 }] } }", "abc def", "X 100" },
    { "the same evidence counts once",
      "{ X: { category: A, html: { match: abc, confidence: 40 } } }", "abc abc", "" },
    { "implied with the lesser confidence",
      "{ X: { category: A, html: { match: abc, confidence: 80 }, implies: { match: Y, confidence: "
      "60 } },"
      " Y: { category: B, implies: Z }, Z: { category: B } }",
      "abc", "X 80, +Y 60, +Z 60" },
    { "implied too weakly",
      "{ X: { category: A, html: abc, implies: { match: Y, confidence: 40 } }, Y: { category: A } "
      "}",
      "abc", "X 100" },
    { "implied, and seen itself",
      "{ X: { category: A, html: abc, implies: Y }, Y: { category: A, html: { match: def, "
      "confidence: 60 } } }",
      "abc def", "X 100, Y 100" },
    { "implying each other",
      "{ X: { category: A, html: abc, implies: Y }, Y: { category: A, implies: X } }", "abc",
      "X 100, +Y 100" },
    { "what it needs is not there",
      "{ X: { category: A, html: abc, requires: Y, implies: Z }, Y: { category: A, html: def }, Z: "
      "{ category: A } }",
      "abc", "" },
    { "what it needs is there",
      "{ X: { category: A, html: abc, requires: [Z, Y] }, Y: { category: "
      "A, html: def }, Z: { category: A } }",
      "abc def", "X 100, Y 100" },
    { "one rules out another",
      "{ X: { category: A, html: abc, excludes: Y }, Y: { category: A, "
      "html: abc, implies: Z }, Z: { category: A } }",
      "abc", "X 100" },
    { "one that is not there rules out nothing",
      "{ X: { category: A, html: def, excludes: Y }, Y: { category: A, html: abc } }", "abc",
      "Y 100" },
    { "a shorthand", "{ X: { category: A, file: [a, bcd] } }", "<script src=/BCD.js></script>",
      "X 100" },
    { "by category, then name",
      "{ b: { category: A, html: abc }, A: { category: B, html: abc }, C: { category: A, html: abc "
      "} }",
      "abc", "b 100, C 100, A 100" },
    { "beyond the markup that is searched", "{ X: { category: A, html: abc } }", NULL, "" },
};

static void fill_beyond(struct buf *body)
{
    while (body->size < (512 << 10) - 1)
        buf_add_byte(body, ' ');
    buf_add_str(body, "abc");
}

static void check_rule(void **state)
{
    const struct rule *row = *state;
    scoped(mem_free) char *technologies = str_format("technologies: %s", row->technologies);
    scoped(detected_free) struct detected findings = { 0 };
    scoped(target_free) struct target target = { 0 };
    scoped(signatures_free) void *content = NULL;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    scoped(buf_free) struct buf out = BUF(1000);
    struct err err = { 0 };

    put(technologies);
    if (!signatures_load(folder, &content, &err))
        fail_msg("%s", err.message);
    if (row->body)
        buf_add_str(&body, row->body);
    else
        fill_beyond(&body);
    assert_true(target_parse_url(TEXT("a.example"), &target, &err));
    const struct response response = { .target = &target,
                                       .body = buf_text(&body),
                                       .suffixes = suffixes };
    detect(content, &response, &findings);
    for (size_t i = 0; i < findings.count; i++)
        buf_format(&out, "%s%s%s %u", i > 0 ? ", " : "", findings.item[i].is_implied ? "+" : "",
                   findings.item[i].technology->name, findings.item[i].confidence);
    assert_string_equal(buf_str(&out), row->want);
}

/* ---- releases.yaml ---- */

static void put_releases(const char *products)
{
    scoped(mem_free) char *path = str_format("%s/tech-detect/releases.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "date: '2026-01-02'\nsource: s\n%s", products);
    fclose(file);
}

static const struct release_mistake {
    const char *name;
    const char *products;
    const char *want; /* part of the error */
} release_mistakes[] = {
    { "no products", "", "must have a date" },
    { "an unknown key", "products: {}\nmore: 1", "must have a date" },
    { "an unknown product", "products: { Y: { cycles: [] } }", "is not a technology" },
    { "an unknown member", "products: { X: { cycles: [], x: 1 } }", "nothing else" },
    { "a number for a version", "products: { X: { cycles: [{ cycle: 1, latest: '1.2' }] } }",
      "cycle must be a string" },
    { "a name for a version", "products: { X: { cycles: [{ cycle: '1', latest: new }] } }",
      "begin with a digit" },
    { "an end that is not a date",
      "products: { X: { cycles: [{ cycle: '1', latest: '1', end_of_life: '2026-1-2' }] } }",
      "YYYY-MM-DD" },
    { "an unknown severity",
      "products: { X: { vulnerabilities: [{ id: a, severity: bad, affected: ['1 <2'] }] } }",
      "low, medium" },
    { "no affected versions",
      "products: { X: { vulnerabilities: [{ id: a, severity: low, affected: [] }] } }",
      "affected must be a list" },
    { "a range without an end",
      "products: { X: { vulnerabilities: [{ id: a, severity: low, affected: ['1'] }] } }",
      "like 1.2 <1.5" },
};

static void check_release_mistake(void **state)
{
    const struct release_mistake *row = *state;
    scoped(signatures_free) void *content = NULL;
    struct err err = { 0 };
    put("technologies: { X: { category: A, script: abc } }");
    put_releases(row->products);
    assert_false(signatures_load(folder, &content, &err));
    put_releases("products: {}");
    if (!strstr(err.message, row->want))
        fail_msg("%s", err.message);
}

/* ---- literals of patterns ---- */

static const struct plain {
    const char *name; /* the pattern */
    const char *want; /* or NULL */
} plain[] = {
    { "abc", "abc" },         { "ABC", "abc" },
    { "ab", NULL },           { "abc?d", NULL },
    { "abcd?e", "abc" },      { "abcd*", "abc" },
    { "abcd+e", "abcd" },     { "abc{0,2}de", NULL },
    { "(?:abc)?def", "def" }, { "(abc(d)\\)e)fgh", "fgh" },
    { "[abc]def", "def" },    { "[]abc]d", NULL },
    { "[^]abc]def", "def" },  { "[\\]a]bcd", "bcd" },
    { "a\\.bc", "a.bc" },     { "\\dabc\\w", "abc" },
    { "^abc$", "abc" },       { "abc.defg", "defg" },
    { "abc|d", NULL },        { "([)]abc)def", "def" },
    { "\\babc", "abc" },      { "a\\(b\\)?c", "a(b" },
};

static void check_plain(void **state)
{
    const struct plain *row = *state;
    scoped(mem_free) char *literal = signatures_literal(row->name);
    if (row->want)
        assert_string_equal(literal, row->want);
    else
        assert_null(literal);
}

/* ---- many texts in one pass ---- */

static const struct found {
    const char *name; /* the text */
    const char *want; /* id@end */
} found[] = {
    { "", "" },        { "ushers", "2@4 1@4 4@6" },        { "xHIS", "3@4" },
    { "hhhe", "1@4" }, { "she said: he", "2@3 1@3 1@12" }, { "sh\xC3\xA9", "" },
};

static void check_found(void **state)
{
    const struct found *row = *state;
    scoped(literals_free) struct literals *literals = literals_new();
    scoped(buf_free) struct buf out = BUF(1000);
    uint32_t id;

    literals_add(literals, "he", 1);
    literals_add(literals, "she", 2);
    literals_add(literals, "his", 3);
    literals_add(literals, "hers", 4);
    literals_finish(literals);
    struct literals_scan scan = { .text = text_of(row->name) };
    while (literals_next(literals, &scan, &id))
        buf_format(&out, "%s%u@%zu", out.size > 0 ? " " : "", (unsigned)id, scan.at);
    assert_string_equal(buf_str(&out), row->want);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(a_broken_file_keeps_the_old) };
    snprintf(folder, sizeof(folder), "/tmp/tech-detect-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    scoped(mem_free) char *inner = str_format("%s/tech-detect", folder);
    scoped(mem_free) char *file = str_format("%s/signatures.yaml", inner);
    if (mkdir(inner, 0700) != 0)
        return 1;
    scoped(mem_free) char *data = str_format("%s/releases.yaml", inner);
    if (!public_suffixes_load("", &suffixes, NULL))
        return 1;
    put_releases("products: {}");
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(release_mistakes, check_release_mistake) +
                 RUN_ROWS(rules, check_rule) + RUN_ROWS(plain, check_plain) +
                 RUN_ROWS(found, check_found) + cmocka_run_group_tests(singles, NULL, NULL);
    public_suffixes_free(&suffixes);
    unlink(data);
    unlink(file);
    rmdir(inner);
    return failed + (rmdir(folder) != 0);
}
