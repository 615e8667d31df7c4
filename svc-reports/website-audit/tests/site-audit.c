/* svc-reports/website-audit/tests/site-audit.c - scores, issues and summary of an audit, from
 * results of the tools. */
#include "website-audit/site-audit.h"

#include <string.h>

#include "base/mem.h"
#include "rows.h"
#include "text/json.h"

static cJSON *parse(const char *text)
{
    cJSON *tree = NULL;
    assert_true(json_parse(text_of(text), JSON_DEPTH, &tree, NULL));
    return tree;
}

/* ---- what a part is worth ---- */

static const struct score_row {
    const char *name;
    enum section_id id;
    const char *result;
    struct name_servers servers;
    int score;
    const char *grade;
} scores[] = {
    { "headers may have more than 100",
      SECTION_SECURITY_HEADERS,
      "{\"score\":115,\"grade\":\"A+\"}",
      { 0 },
      100,
      "A+" },
    { "seo", SECTION_SEO, "{\"score\":67,\"grade\":\"C\"}", { 0 }, 67, "C" },
    { "tls",
      SECTION_TLS,
      "{\"score\":93,\"grade\":\"A\",\"trusted\":true,\"hostname_match\":true}",
      { 0 },
      93,
      "A" },
    { "untrusted tls",
      SECTION_TLS,
      "{\"score\":93,\"grade\":\"T\",\"trusted\":false,\"hostname_match\":true}",
      { 0 },
      40,
      "T" },
    { "tls for another name",
      SECTION_TLS,
      "{\"score\":93,\"grade\":\"M\",\"trusted\":true,\"hostname_match\":false}",
      { 0 },
      40,
      "M" },
    { "weak and untrusted tls",
      SECTION_TLS,
      "{\"score\":20,\"grade\":\"T\",\"trusted\":false,\"hostname_match\":true}",
      { 0 },
      20,
      "T" },
    { "unusable tls",
      SECTION_TLS,
      "{\"score\":60,\"grade\":\"F\",\"trusted\":true,\"hostname_match\":true}",
      { 0 },
      0,
      "F" },
    { "carbon A+",
      SECTION_CARBON,
      "{\"rating\":\"A+\",\"co2_grams_per_view\":0.01}",
      { 0 },
      100,
      "A+" },
    { "carbon E",
      SECTION_CARBON,
      "{\"rating\":\"E\",\"co2_grams_per_view\":0.35}",
      { 0 },
      50,
      "E" },
    { "carbon F, just",
      SECTION_CARBON,
      "{\"rating\":\"F\",\"co2_grams_per_view\":0.36}",
      { 0 },
      50,
      "F" },
    { "carbon F, twice as much",
      SECTION_CARBON,
      "{\"rating\":\"F\",\"co2_grams_per_view\":0.718}",
      { 0 },
      25,
      "F" },
    { "carbon F, without end",
      SECTION_CARBON,
      "{\"rating\":\"F\",\"co2_grams_per_view\":90}",
      { 0 },
      5,
      "F" },
    { "a zone that has all",
      SECTION_DNS,
      "{\"records\":{\"CAA\":[{}],\"AAAA\":[{}],\"SOA\":[{}]}}",
      { 2, false },
      100,
      "A+" },
    { "a zone without CAA",
      SECTION_DNS,
      "{\"records\":{\"CAA\":[],\"AAAA\":[{}],\"SOA\":[{}]}}",
      { 2, false },
      75,
      "B" },
    { "a zone without AAAA",
      SECTION_DNS,
      "{\"records\":{\"CAA\":[{}],\"AAAA\":[],\"SOA\":[{}]}}",
      { 2, false },
      80,
      "B" },
    { "a zone without SOA",
      SECTION_DNS,
      "{\"records\":{\"CAA\":[{}],\"AAAA\":[{}]}}",
      { 2, false },
      80,
      "B" },
    { "one name server",
      SECTION_DNS,
      "{\"records\":{\"CAA\":[{}],\"AAAA\":[{}],\"SOA\":[{}]}}",
      { 1, false },
      85,
      "A" },
    { "name servers side by side",
      SECTION_DNS,
      "{\"records\":{\"CAA\":[{}],\"AAAA\":[{}],\"SOA\":[{}]}}",
      { 2, true },
      80,
      "B" },
    { "a zone that has nothing", SECTION_DNS, "{\"records\":{}}", { 1, false }, 20, "F" },
    { "nothing exposed",
      SECTION_EXPOSED_FILES,
      "{\"severity_counts\":{\"critical\":0,\"high\":0,\"medium\":0}}",
      { 0 },
      100,
      "A+" },
    { "some exposed",
      SECTION_EXPOSED_FILES,
      "{\"severity_counts\":{\"critical\":0,\"high\":1,\"medium\":2}}",
      { 0 },
      50,
      "D" },
    { "much exposed",
      SECTION_EXPOSED_FILES,
      "{\"severity_counts\":{\"critical\":2,\"high\":0,\"medium\":0}}",
      { 0 },
      0,
      "F" },
    { "technologies have no score",
      SECTION_TECHNOLOGIES,
      "{\"count\":3}",
      { 0 },
      SCORE_NONE,
      NULL },
};

static void check_score(void **state)
{
    const struct score_row *row = *state;
    struct section section = { .status = SECTION_OK, .result = parse(row->result) };
    section_assess(row->id, &row->servers, &section);
    assert_int_equal(section.score, row->score);
    if (row->grade)
        assert_string_equal(section.grade, row->grade);
    else
        assert_null(section.grade);
    assert_false(section.is_cut);
    json_free(&section.result);
}

/* ---- what is wrong ---- */

static const struct issue_row {
    const char *name;
    enum section_id id;
    const char *result;
    int passed;
    const char *want; /* severity, title, detail, fix of the first, or NULL */
} issue_rows[] = {
    { "a header that is good", SECTION_SECURITY_HEADERS,
      "{\"headers\":[{\"header\":\"H\",\"rating\":\"good\"},{\"header\":\"I\",\"rating\":\"info\"}]"
      "}",
      1, NULL },
    { "a great header that is missing", SECTION_SECURITY_HEADERS,
      "{\"headers\":[{\"header\":\"Content-Security-Policy\",\"rating\":\"missing\",\"value\":\"\","
      "\"recommendation\":\"Add it.\"}],\"checks\":[{\"name\":\"content-security-policy\","
      "\"score_modifier\":-25}]}",
      0, "medium|Content-Security-Policy is missing|The response does not have it|Add it." },
    { "a header that names the software", SECTION_SECURITY_HEADERS,
      "{\"headers\":[{\"header\":\"X-Powered-By\",\"rating\":\"bad\",\"value\":\"v\","
      "\"recommendation\":\"Remove it.\"}],\"checks\":[]}",
      0, "low|X-Powered-By is bad|v|Remove it." },
    { "a stolen session", SECTION_SECURITY_HEADERS,
      "{\"headers\":[{\"header\":\"Set-Cookie\",\"rating\":\"bad\",\"value\":\"v\","
      "\"recommendation\":\"Add Secure.\"}],\"checks\":[{\"name\":\"cookies\","
      "\"score_modifier\":-40}]}",
      0, "high|Set-Cookie is bad|v|Add Secure." },
    { "a check without a header", SECTION_SECURITY_HEADERS,
      "{\"headers\":[],\"checks\":[{\"name\":\"redirection\",\"score_modifier\":-20,"
      "\"description\":\"D\"}]}",
      0,
      "medium|HTTP does not lead to HTTPS directly|D|Redirect http:// to https:// of the same name "
      "first." },
    { "a header that is missing", SECTION_SECURITY_HEADERS,
      "{\"headers\":[{\"header\":\"Referrer-Policy\",\"rating\":\"missing\",\"value\":\"\","
      "\"recommendation\":\"Add it.\"}]}",
      0, "low|Referrer-Policy is missing|The response does not have it|Add it." },
    { "a header that is weak", SECTION_SECURITY_HEADERS,
      "{\"headers\":[{\"header\":\"X\",\"rating\":\"weak\",\"value\":\"v\",\"recommendation\":\"Do."
      "\"}]}",
      0, "low|X is weak|v|Do." },
    { "a header that is bad", SECTION_SECURITY_HEADERS,
      "{\"headers\":[{\"header\":\"X\",\"rating\":\"bad\",\"value\":\"v\",\"recommendation\":\"Do."
      "\"}]}",
      0, "low|X is bad|v|Do." },
    { "tls", SECTION_TLS,
      "{\"issues\":[{\"id\":\"drown\",\"severity\":\"critical\",\"title\":\"T\",\"detail\":\"D\"}]"
      "}",
      0, "critical|T|D|" },
    { "tls that is fine", SECTION_TLS, "{\"issues\":[]}", 1, NULL },
    { "what is good to know of tls", SECTION_TLS,
      "{\"issues\":[{\"id\":\"x\",\"severity\":\"info\",\"title\":\"T\",\"detail\":\"D\"}]}", 0,
      NULL },
    { "a page that may not be found", SECTION_SEO,
      "{\"findings\":[{\"name\":\"indexable\",\"status\":\"fail\",\"weight\":10,"
      "\"content\":\"no\","
      "\"recommendation\":\"R\"}]}",
      0, "high|Search engines may not list the page|no|R" },
    { "a factor that fails", SECTION_SEO,
      "{\"findings\":[{\"name\":\"meta_description\",\"status\":\"fail\",\"weight\":4,"
      "\"content\":"
      "\"none\",\"recommendation\":\"R\"}]}",
      0, "medium|The meta description is missing, too short or too long|none|R" },
    { "a small factor that fails", SECTION_SEO,
      "{\"findings\":[{\"name\":\"og_type\",\"status\":\"fail\",\"weight\":1,\"content\":"
      "\"\","
      "\"recommendation\":\"R\"}]}",
      0, "low|og:type is missing||R" },
    { "a factor that warns", SECTION_SEO,
      "{\"findings\":[{\"name\":\"title\",\"status\":\"warn\",\"weight\":6,\"content\":\"c\","
      "\"recommendation\":\"R\"},{\"name\":\"h1\",\"status\":\"pass\",\"weight\":4}]}",
      1, "low|The title is missing, too short or too long|c|R" },
    { "a great check that fails", SECTION_PERFORMANCE,
      "{\"checks\":[{\"id\":\"page-weight\",\"name\":\"Page "
      "weight\",\"status\":\"fail\",\"severity\":\"high\",\"detail\":\"d\",\"fix\":\"f\"}]}",
      0, "high|Page weight|d|f" },
    { "a check that warns", SECTION_PERFORMANCE,
      "{\"checks\":[{\"id\":\"page-weight\",\"name\":\"Page "
      "weight\",\"status\":\"warn\",\"weight\":14,\"detail\":\"d\",\"fix\":\"f\"},{\"id\":\"a\","
      "\"status\":\"pass\"},{\"id\":\"b\",\"status\":\"info\"}]}",
      1, "low|Page weight|d|f" },
    { "a finding about mail", SECTION_EMAIL,
      "{\"checks\":[{\"name\":\"SPF\",\"status\":\"fail\",\"detail\":\"none\",\"findings\":"
      "[{"
      "\"code\":\"SPF_NONE\",\"severity\":\"high\",\"message\":\"M\"}]},{\"name\":\"MX\","
      "\"status\":\"pass\",\"findings\":[{\"code\":\"X\",\"severity\":\"low\",\"message\":\"N\"}]}]"
      ",\"recommendations\":[{\"code\":\"OTHER\",\"action\":\"O\"},{\"code\":\"SPF_NONE\","
      "\"action\":\"A\"}]}",
      1, "high|M|SPF: none|A" },
    { "an exposed secret", SECTION_EXPOSED_FILES,
      "{\"exposed\":[{\"path\":\"/.env\",\"severity\":\"critical\",\"evidence\":\"E\"}]}", 0,
      "critical|Anyone can read /.env|E|Remove it from the server now, and rotate every "
      "secret that it contains." },
    { "an exposed page", SECTION_EXPOSED_FILES,
      "{\"exposed\":[{\"path\":\"/info.php\",\"severity\":\"medium\",\"evidence\":\"E\"}]}", 0,
      "medium|Anyone can read /info.php|E|Remove it from the server, or deny access to it." },
    { "nothing exposed", SECTION_EXPOSED_FILES, "{\"exposed\":[]}", 1, NULL },
    { "vulnerable software", SECTION_TECHNOLOGIES,
      "{\"technologies\":[{\"name\":\"X\",\"version\":\"1.2\",\"release\":{\"newest\":\"2.1\","
      "\"newest_in_series\":\"1.9\",\"ended\":false,\"vulnerabilities\":[{\"id\":\"A\","
      "\"severity\":"
      "\"low\"},{\"id\":\"B\",\"severity\":\"critical\"}]}}]}",
      0,
      "critical|X 1.2 is vulnerable|Known vulnerabilities: 2, the most severe B|Update to 1.9 or "
      "newer." },
    { "unmaintained software", SECTION_TECHNOLOGIES,
      "{\"technologies\":[{\"name\":\"X\",\"version\":\"1.2\",\"release\":{\"newest\":null,"
      "\"newest_in_series\":null,\"ended\":true,\"vulnerabilities\":[]}}]}",
      0, "medium|X 1.2 is unmaintained|Its maintenance has ended|Update to a maintained version." },
    { "technologies cause no issues", SECTION_TECHNOLOGIES, "{\"technologies\":[{\"name\":\"X\"}]}",
      0, NULL },
    { "carbon causes no issues", SECTION_CARBON, "{\"rating\":\"F\"}", 0, NULL },
    { "an invalid result", SECTION_SEO, "{\"findings\":{\"a\":7}}", 0, NULL },
    { "fields of another type", SECTION_TLS,
      "{\"issues\":[{\"id\":7,\"severity\":[],\"title\":{}}]}", 0, NULL },
};

static void check_issue(void **state)
{
    const struct issue_row *row = *state;
    struct issues *issues = mem_new(sizeof(*issues));
    const struct name_servers servers = { 0 };
    scoped(json_free) cJSON *result = parse(row->result);
    issues_add(issues, row->id, result, &servers);
    assert_int_equal(issues->passed, row->passed);
    assert_int_equal(issues->count, row->want != NULL);
    if (row->want) {
        const struct issue *issue = &issues->item[0];
        scoped(mem_free) char *got = str_format("%s|%s|%s|%s", severity_name(issue->severity),
                                                issue->title, issue->detail, issue->fix);
        assert_string_equal(got, row->want);
        assert_true(issue->is_seen[row->id]);
    }
    issues_free(issues);
    mem_free(&issues);
}

static void rules_of_a_zone(void **state)
{
    struct issues *issues = mem_new(sizeof(*issues));
    static const char *const ids[] = { "one-name-server", "caa", "aaaa", "soa" };
    const struct name_servers alone = { 1, false };
    const struct name_servers together = { 2, true };
    scoped(json_free) cJSON *nothing = parse("{\"records\":{}}");
    scoped(json_free) cJSON *all = parse("{\"records\":{\"CAA\":[{}],\"AAAA\":[{}],\"SOA\":[{}]}}");
    (void)state;
    issues_add(issues, SECTION_DNS, nothing, &alone);
    assert_int_equal(issues->count, 4);
    assert_int_equal(issues->passed, 1);
    assert_string_equal(issues->item[0].title, "The domain has only one name server");
    for (size_t i = 0; i < issues->count; i++)
        assert_string_equal(issues->item[i].id, ids[i]);
    issues_free(issues);
    issues_add(issues, SECTION_DNS, all, &together);
    assert_int_equal(issues->count, 1);
    assert_string_equal(issues->item[0].title, "All name servers are in one network");
    assert_string_equal(issues->item[0].id, "one-network");
    issues_free(issues);
    mem_free(&issues);
}

/* An issue of two sections appears once, with the texts of the section that rates it most severe,
 * in either order. */
static void what_two_parts_see_is_one_issue(void **state)
{
    static const char *const slow_page = "{\"findings\":[{\"name\":\"response_time\",\"status\":"
                                         "\"warn\",\"weight\":1,\"content\":\"seo\"}]}";
    static const char *const slow_server = "{\"checks\":[{\"id\":\"server-response-time\",\"name\":"
                                           "\"S\",\"status\":\"fail\",\"severity\":\"medium\","
                                           "\"detail\":\"performance\"}]}";
    const struct name_servers servers = { 0 };
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct issues *issues = mem_new(sizeof(*issues));
        scoped(json_free) cJSON *seo = parse(slow_page);
        scoped(json_free) cJSON *performance = parse(slow_server);
        if (turn == 0)
            issues_add(issues, SECTION_SEO, seo, &servers);
        issues_add(issues, SECTION_PERFORMANCE, performance, &servers);
        if (turn == 1)
            issues_add(issues, SECTION_SEO, seo, &servers);
        assert_int_equal(issues->count, 1);
        assert_string_equal(issues->item[0].detail, "performance");
        assert_int_equal(issues->item[0].severity, SEVERITY_MEDIUM);
        assert_true(issues->item[0].is_seen[SECTION_SEO]);
        assert_true(issues->item[0].is_seen[SECTION_PERFORMANCE]);
        issues_free(issues);
        mem_free(&issues);
    }
}

static void the_worst_comes_first(void **state)
{
    struct issues *issues = mem_new(sizeof(*issues));
    const struct name_servers servers = { 0 };
    scoped(json_free) cJSON *tls = parse("{\"issues\":[{\"severity\":\"low\",\"title\":\"3\"},"
                                         "{\"severity\":\"high\",\"title\":\"1\"}]}");
    scoped(json_free) cJSON *exposed = parse("{\"exposed\":[{\"path\":\"a\",\"severity\":\"low\"},{"
                                             "\"path\":\"b\",\"severity\":\"high\"}]}");
    static const char *const order[] = { "1", "Anyone can read b", "3", "Anyone can read a" };
    (void)state;
    issues_add(issues, SECTION_EXPOSED_FILES, exposed, &servers);
    issues_add(issues, SECTION_TLS, tls, &servers);
    issues_sort(issues);
    for (size_t i = 0; i < countof(order); i++)
        assert_string_equal(issues->item[i].title, order[i]);
    assert_int_equal(issues_count(issues, SEVERITY_HIGH), 2);
    issues_free(issues);
    mem_free(&issues);
}

static void no_more_issues_than_there_is_room_for(void **state)
{
    struct issues *issues = mem_new(sizeof(*issues));
    const struct name_servers servers = { 0 };
    scoped(json_free) cJSON *tls = json_object();
    cJSON *list = json_list(tls, "issues");
    (void)state;
    for (int i = 0; i < ISSUES_MAX + 10; i++)
        json_str(json_item(list), "severity", "low");
    issues_add(issues, SECTION_TLS, tls, &servers);
    assert_int_equal(issues->count, ISSUES_MAX);
    issues_free(issues);
    mem_free(&issues);
}

/* ---- total ---- */

static void set_ok(struct site_audit *audit, enum section_id id, int score)
{
    audit->is_requested[id] = true;
    audit->section[id].status = SECTION_OK;
    audit->section[id].result = json_object();
    json_int(audit->section[id].result, "score", score);
    json_str(audit->section[id].result, "grade", "G");
}

static void set_failed(struct site_audit *audit, enum section_id id, enum section_status status)
{
    audit->is_requested[id] = true;
    audit->section[id].status = status;
    err_set(&audit->section[id].err,
            status == SECTION_TIMEOUT ? ERR_DEADLINE_EXCEEDED : ERR_TARGET_REFUSED, "why");
}

static const struct sum_row {
    const char *name;
    int headers, tls, seo; /* scores; -1: failed, -2: timeout, -3: not requested */
    int score;
    const char *grade; /* NULL: no report */
} sums[] = {
    { "the mean is weighted", 100, 50, 0, 55, "C" },
    { "two of three are not enough for a report", 90, 80, -1, 0, NULL },
    { "of two, both are enough", 90, 80, -3, 85, "A" },
    { "of one, one is enough", 64, -3, -3, 64, "C" },
    { "of one, none is not", -1, -3, -3, 0, NULL },
    { "nor when the third is late", 90, 80, -2, 0, NULL },
    { "halves are rounded up", 97, 96, -3, 97, "A+" },
    { "no A+ with a part below B", 100, 100, 69, 92, "A" },
    { "A+", 100, 100, 80, 95, "A+" },
};

static void set(struct site_audit *audit, enum section_id id, int score)
{
    if (score >= 0)
        set_ok(audit, id, score);
    else if (score > -3)
        set_failed(audit, id, score == -1 ? SECTION_FAILED : SECTION_TIMEOUT);
    if (id == SECTION_TLS && score >= 0) {
        json_bool(audit->section[id].result, "trusted", true);
        json_bool(audit->section[id].result, "hostname_match", true);
    }
}

static void check_sum(void **state)
{
    const struct sum_row *row = *state;
    struct site_audit *audit = mem_new(sizeof(*audit));
    struct err err = { 0 };
    audit->url = "https://site.example/";
    set(audit, SECTION_SECURITY_HEADERS, row->headers);
    set(audit, SECTION_TLS, row->tls);
    set(audit, SECTION_SEO, row->seo);
    assert_int_equal(site_audit_assess(audit, &err), row->grade != NULL);
    if (row->grade) {
        assert_int_equal(audit->score, row->score);
        assert_string_equal(audit->grade, row->grade);
    } else {
        assert_string_equal(err.message, "why");
    }
    site_audit_free(audit);
    mem_free(&audit);
}

/* A+ requires that every requested section succeeded. */
static void a_missing_part_is_no_a_plus(void **state)
{
    struct site_audit *audit = mem_new(sizeof(*audit));
    (void)state;
    audit->url = "https://site.example/";
    set(audit, SECTION_SECURITY_HEADERS, 100);
    set(audit, SECTION_SEO, 100);
    set(audit, SECTION_PERFORMANCE, 100);
    set(audit, SECTION_EMAIL, -2);
    assert_true(site_audit_assess(audit, NULL));
    assert_string_equal(audit->grade, "A");
    site_audit_free(audit);
    mem_free(&audit);
}

static void what_is_told(void **state)
{
    struct site_audit *audit = mem_new(sizeof(*audit));
    scoped(json_free) cJSON *result = json_object();
    (void)state;
    audit->url = "https://site.example/";
    set(audit, SECTION_SECURITY_HEADERS, 60);
    set(audit, SECTION_TLS, 80);
    set(audit, SECTION_SEO, -1);
    set(audit, SECTION_PERFORMANCE, -2);
    set(audit, SECTION_EMAIL, 40);
    cJSON *item = json_item(json_list(audit->section[SECTION_TLS].result, "issues"));
    json_str(item, "severity", "high");
    json_str(item, "title", "Something is wrong");
    assert_true(site_audit_assess(audit, NULL));
    site_audit_write(audit, result);
    assert_string_equal(
        json_text(result, "/summary/text"),
        "https://site.example/ has 64 of 100 points, grade C. Issues: 1, of which critical or "
        "high: 1. Fix this first: Something is wrong. Failed sections: seo, performance.");
    assert_true(json_is(json_get(result, "partial"), cJSON_True));
    assert_int_equal(json_size(json_get(result, "sections")), SECTIONS);
    assert_string_equal(json_text(result, "/sections/seo/status"), "failed");
    assert_string_equal(json_text(result, "/sections/seo/error/code"), "target_refused");
    assert_string_equal(json_text(result, "/sections/performance/status"), "timeout");
    assert_string_equal(json_text(result, "/sections/carbon/status"), "skipped");
    assert_true(json_is(json_at(result, "/sections/carbon/error"), cJSON_NULL));
    assert_string_equal(json_text(result, "/sections/tls/result/issues/0/title"),
                        "Something is wrong");
    assert_string_equal(json_text(result, "/top_issues/0/seen_by/0"), "tls");
    site_audit_free(audit);
    mem_free(&audit);
}

static void long_lists_are_cut(void **state)
{
    struct section section = { .status = SECTION_OK, .result = parse("{\"score\":1,\"deep\":{}}") };
    const struct name_servers servers = { 0 };
    cJSON *list = json_list(json_map(section.result, "a"), "b");
    (void)state;
    for (int i = 0; i < 51; i++)
        json_item_int(list, i);
    section_assess(SECTION_SEO, &servers, &section);
    assert_true(section.is_cut);
    assert_int_equal(json_size(json_at(section.result, "/a/b")), 50);
    json_free(&section.result);
}

/* ---- requests ---- */

static const struct request_row {
    const char *name;
    enum section_id id;
    const char *domain;
    const char *tool; /* or NULL */
    const char *body;
} requests[] = {
    { "headers", SECTION_SECURITY_HEADERS, NULL, "security-headers", "{\"url\":\"site.example\"}" },
    { "tls", SECTION_TLS, NULL, "tls-check", "{\"host\":\"www.site.example\",\"port\":8443}" },
    { "mail", SECTION_EMAIL, "site.example", "email-deliverability",
      "{\"domain\":\"site.example\"}" },
    { "mail of an address", SECTION_EMAIL, NULL, NULL, "" },
    { "zone", SECTION_DNS, "site.example", "dns-lookup",
      "{\"domain\":\"site.example\",\"types\":[\"A\",\"AAAA\",\"MX\",\"NS\",\"TXT\",\"SOA\","
      "\"CAA\"]}" },
    { "zone of an address", SECTION_DNS, NULL, NULL, "" },
    { "made here", SECTION_CARBON, "site.example", NULL, "" },
};

static void check_request(void **state)
{
    const struct request_row *row = *state;
    const struct site site = { "site.example", "www.site.example", row->domain, 8443 };
    scoped(buf_free) struct buf body = BUF(1000);
    const char *tool = section_tool(row->id, &site, &body);
    if (row->tool)
        assert_string_equal(tool, row->tool);
    else
        assert_null(tool);
    assert_string_equal(buf_str(&body), row->body);
}

static void names_lead_to_sections(void **state)
{
    (void)state;
    for (enum section_id id = 0; id < SECTIONS; id++)
        assert_int_equal(section_named(section_name(id)), id);
    assert_int_equal(section_named("nothing"), SECTIONS);
    assert_false(section_is_default(SECTION_EXPOSED_FILES));
    assert_true(section_is_default(SECTION_TLS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_a_zone),
        cmocka_unit_test(what_two_parts_see_is_one_issue),
        cmocka_unit_test(the_worst_comes_first),
        cmocka_unit_test(no_more_issues_than_there_is_room_for),
        cmocka_unit_test(a_missing_part_is_no_a_plus),
        cmocka_unit_test(what_is_told),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(names_lead_to_sections),
    };
    return RUN_ROWS(scores, check_score) + RUN_ROWS(issue_rows, check_issue) +
           RUN_ROWS(sums, check_sum) + RUN_ROWS(requests, check_request) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
