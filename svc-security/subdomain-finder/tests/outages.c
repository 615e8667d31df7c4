/* svc-security/subdomain-finder/tests/outages.c - resolvers and sources without a response. */
#include "subdomain-finder/live.h"

#include "net/world.h"
#include "subdomain-finder/collect.h"

static struct egress *egress;

static void no_resolver_is_an_error(void **state)
{
    (void)state;
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, clock_ms() + 5000);
    struct found_name found = { .name = str_dup("a.x.com") };
    struct resolved live;
    struct err err = { 0 };
    assert_false(live_look_up(session, "x.com", &found, 1, &live, &err));
    assert_string_equal(err_code(err.kind), "upstream_unavailable");
    assert_false(found.is_resolved);
    mem_free(&found.name);
}

/* Query one source for x.com within a time limit. */
static struct source_report report_of(const char *format, const char *const *answers,
                                      int64_t left_ms, size_t *names, size_t *connections)
{
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, clock_ms() + left_ms);
    scoped(harvest_free) struct harvest *harvest = harvest_new("x.com");
    struct source_report report;
    struct server server;
    char url[64];
    char *no_headers[] = { NULL };
    server_start(&server, answers);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/{domain}", server.port);
    struct ct_sources sources = {
        .count = 1,
        .item = { { .name = (char[]){ "a" },
                    .format = format_of(format),
                    .url = url,
                    .headers = no_headers } },
    };
    collect_names(session, &sources, "x.com", harvest, &report);
    server_stop(&server);
    *names = harvest_count(harvest);
    *connections = server.connections;
    return report;
}

#define OK(body) "HTTP/1.0 200 OK\r\n\r\n" body
#define NO       "HTTP/1.0 503 No\r\n\r\n"

static const struct row {
    const char *name;
    const char *format;
    const char *answers[4];
    int64_t left_ms;
    size_t names;
    size_t connections;
    bool has_answered;
    const char *error;
} rows[] = {
    { "an answer", "names", { OK("[\"a.x.com\"]") }, 5000, 1, 1, true, "" },
    { "no second try for all",
      "names",
      { NO, OK("[\"a.x.com\"]") },
      5000,
      0,
      1,
      false,
      "HTTP 503" },
    { "a second try", "crtsh", { NO, OK("[{\"name_value\":\"a.x.com\"}]") }, 5000, 1, 2, true, "" },
    { "no third one", "crtsh", { NO, NO, OK("[]") }, 5000, 0, 2, false, "HTTP 503" },
    { "no second try for what is final",
      "crtsh",
      { "HTTP/1.0 404 No\r\n\r\n", OK("[]") },
      5000,
      0,
      1,
      false,
      "HTTP 404" },
    { "no time for a second try", "crtsh", { NO, OK("[]") }, 500, 0, 1, false, "HTTP 503" },
    { "silence", "names", { NULL }, 100, 0, 1, false, "it did not respond" },
    { "pages by id",
      "certspotter",
      { OK("[{\"id\":\"1\",\"dns_names\":[\"a.x.com\"]}]"),
        OK("[{\"id\":\"2\",\"dns_names\":[\"b.x.com\"]}]"), OK("[]") },
      5000,
      2,
      3,
      true,
      "" },
    { "the same id again",
      "certspotter",
      { OK("[{\"id\":\"1\",\"dns_names\":[\"a.x.com\"]}]") },
      5000,
      1,
      2,
      true,
      "" },
    { "pages by number",
      "merklemap",
      { OK("{\"results\":[{\"hostname\":\"a.x.com\"}]}"), OK("{\"results\":[]}") },
      5000,
      1,
      2,
      true,
      "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    size_t names;
    size_t connections;
    struct source_report report =
        report_of(row->format, row->answers, row->left_ms, &names, &connections);
    assert_string_equal(report.error, row->error);
    assert_int_equal(report.has_answered, row->has_answered);
    assert_int_equal(names, row->names);
    assert_int_equal(connections, row->connections);
    assert_false(report.is_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_resolver_is_an_error) };
    egress = egress_of("DOH_URLS=https://127.0.0.1:1/dns-query");
    int failed = RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
    egress_close(&egress);
    return failed;
}
