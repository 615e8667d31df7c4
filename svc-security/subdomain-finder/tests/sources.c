/* svc-security/subdomain-finder/tests/sources.c - the list of sources, valid and invalid. */
#include "subdomain-finder/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"
#include "tools.h"

#define GOOD       "{name: a, format: names, url: 'https://a.com/{domain}'}"
#define WITH(more) "[{name: a, format: names, url: 'https://a.com/{domain}', " more "}]"
#define URL(url)   "[{name: a, format: names, url: '" url "'}]"

static const struct row {
    const char *name;
    const char *file;
    const char *want; /* part of the error, or NULL */
} rows[] = {
    { "the least", "[" GOOD "]", NULL },
    { "as JSON", "[{\"name\":\"a\",\"format\":\"crtsh\",\"url\":\"http://a/?q=%25.{domain}\"}]",
      NULL },
    { "with headers", WITH("headers: {Authorization: Bearer x}"), NULL },
    { "no YAML", "[", "YAML" },
    { "no list", "a: b", "must be a list of 1 to 8 sources" },
    { "an empty list", "[]", "must be a list of 1 to 8 sources" },
    { "nine", "[1,2,3,4,5,6,7,8,9]", "must be a list of 1 to 8 sources" },
    { "no mapping", "[a]", "source 1: it must be a mapping" },
    { "an unknown key", WITH("more: 1"), "more is unknown" },
    { "no name", "[{format: names}]", "name must be" },
    { "a name with a blank", "[{name: a b}]", "name must be" },
    { "a name twice", "[" GOOD "," GOOD "]", "source 2: name occurs twice" },
    { "an unknown format", "[{name: a, format: xml}]", "format must be" },
    { "no url", "[{name: a, format: names}]", "url must begin" },
    { "another scheme", URL("ftp://a.com/{domain}"), "url must begin" },
    { "a blank in it", URL("https://a.com/ {domain}"), "url must begin" },
    { "no domain in it", URL("https://a.com/"), "url must contain {domain}" },
    { "headers as a list", WITH("headers: [a]"), "headers must be a mapping" },
    { "a header with a line end", WITH("headers: {A: \"b\\nc\"}"),
      "headers must have names and values" },
    { "a header's name with a colon", WITH("headers: {'A:': b}"),
      "headers must have names and values" },
};

static bool load(const char *text, struct ct_sources **sources, struct err *err)
{
    char path[] = "/tmp/ct-sources-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) > 0);
    close(fd);
    bool ok = ct_sources_load(path, sources, err);
    unlink(path);
    return ok;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(ct_sources_free) struct ct_sources *sources = NULL;
    struct err err = { 0 };
    bool ok = load(row->file, &sources, &err);
    if (row->want && !strstr(err.message, row->want))
        fail_msg("%s", err.message);
    if (!row->want)
        assert_string_equal(err.message, "");
    assert_int_equal(ok, row->want == NULL);
}

static void the_domain_is_put_in(void **state)
{
    (void)state;
    scoped(ct_sources_free) struct ct_sources *sources = NULL;
    assert_true(load("[{name: a, format: lines, url: 'http://{domain}.a/{domain}?x={domain}&y', "
                     "headers: {X-Key: abc}}]",
                     &sources, NULL));
    scoped(mem_free) char *url = ct_source_url(&sources->item[0], "b.com");
    assert_string_equal(url, "http://b.com.a/b.com?x=b.com&y");
    assert_string_equal(sources->item[0].headers[0], "X-Key: abc");
    assert_null(sources->item[0].headers[1]);
}

static void the_shipped_file_is_found(void **state)
{
    scoped(conf_free) struct conf *conf = NULL;
    void *content = NULL;
    (void)state;
    assert_true(conf_load(NULL, &conf, NULL));
    assert_true(ct_sources_data.load_configured(conf, SOURCE_ROOT "/svc-security", &content, NULL));
    assert_int_equal(((struct ct_sources *)content)->count, 2);
    ct_sources_data.free(&content);
}

static void the_operators_file_comes_first(void **state)
{
    scoped(conf_free) struct conf *conf = NULL;
    void *content = NULL;
    (void)state;
    setenv("TOLLGATE_SECURITY_CT_SOURCES_FILE", "/nowhere", 1);
    assert_true(conf_load(NULL, &conf, NULL));
    unsetenv("TOLLGATE_SECURITY_CT_SOURCES_FILE");
    assert_false(
        ct_sources_data.load_configured(conf, SOURCE_ROOT "/svc-security", &content, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_domain_is_put_in),
                                        cmocka_unit_test(the_shipped_file_is_found),
                                        cmocka_unit_test(the_operators_file_comes_first) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
