/* svc-security/security-headers/tests/headers.c - all ratings of all headers, and the whole result
 * against its contract. */
#include "security-headers/headers.h"
#include "security-headers/report.h"
#include "site.h"
#include "tool.h"

static struct knowledge *knowledge;

#define CSP  "Content-Security-Policy: "
#define HTML "Content-Type: text/html\n\n"

/* clang-format off */
static const struct row {
    const char *name; /* the header */
    const char *site;
    const char *rating;
    const char *value; /* NULL: not present */
} rows[] = {
    { "Content-Security-Policy", "X-A: b", "missing", NULL },
    { "Content-Security-Policy", CSP "default-src 'none'", "good", "default-src 'none'" },
    { "Content-Security-Policy", CSP "script-src unpkg.com; object-src 'none'; style-src 'self'", "weak", "script-src unpkg.com; object-src 'none'; style-src 'self'" },
    { "Content-Security-Policy", CSP "default-src *", "bad", "default-src *" },
    { "Content-Security-Policy", HTML "<meta http-equiv=content-security-policy content=\"default-src 'self'\">", "good", NULL },
    { "Strict-Transport-Security", "X-A: b", "missing", NULL },
    { "Strict-Transport-Security", "Strict-Transport-Security: max-age=31536000; includeSubDomains", "good", "max-age=31536000; includeSubDomains" },
    { "Strict-Transport-Security", "Strict-Transport-Security: max-age=31536000", "weak", "max-age=31536000" },
    { "Strict-Transport-Security", "Strict-Transport-Security: max-age=15552000; includeSubDomains", "weak", "max-age=15552000; includeSubDomains" },
    { "Strict-Transport-Security", "Strict-Transport-Security: max-age=15551999", "bad", "max-age=15551999" },
    { "Strict-Transport-Security", "Strict-Transport-Security: forever", "bad", "forever" },
    { "Strict-Transport-Security", "Strict-Transport-Security: max-age=31536000; includeSubDomains=true", "bad", "max-age=31536000; includeSubDomains=true" },
    { "Strict-Transport-Security", "Strict-Transport-Security: max-age=31536000; includeSubDomains; includeSubDomains", "bad", "max-age=31536000; includeSubDomains; includeSubDomains" },
    { "Strict-Transport-Security", "https https://a.example/ 200 unverified\nStrict-Transport-Security: max-age=31536000; includeSubDomains", "bad", "max-age=31536000; includeSubDomains" },
    { "Strict-Transport-Security", "http http://a.example/ 200", "info", NULL },
    { "X-Frame-Options", "X-A: b", "missing", NULL },
    { "X-Frame-Options", "X-Frame-Options: DENY", "good", "DENY" },
    { "X-Frame-Options", "X-Frame-Options: x\n" CSP "frame-ancestors 'none'", "good", "x" },
    { "X-Frame-Options", CSP "frame-ancestors 'none'", "info", NULL },
    { "X-Frame-Options", "X-Frame-Options: ALLOW-FROM x", "weak", "ALLOW-FROM x" },
    { "X-Frame-Options", "X-Frame-Options: x", "bad", "x" },
    { "X-Content-Type-Options", "X-A: b", "missing", NULL },
    { "X-Content-Type-Options", "X-Content-Type-Options: nosniff", "good", "nosniff" },
    { "X-Content-Type-Options", "X-Content-Type-Options: x", "bad", "x" },
    { "Referrer-Policy", "X-A: b", "missing", NULL },
    { "Referrer-Policy", "Referrer-Policy: no-referrer\nReferrer-Policy: same-origin", "good", "no-referrer, same-origin" },
    { "Referrer-Policy", "Referrer-Policy: no-referrer-when-downgrade", "weak", "no-referrer-when-downgrade" },
    { "Referrer-Policy", "Referrer-Policy: origin-when-cross-origin", "weak", "origin-when-cross-origin" },
    { "Referrer-Policy", "Referrer-Policy: unsafe-url", "bad", "unsafe-url" },
    { "Referrer-Policy", "Referrer-Policy: x", "bad", "x" },
    { "Referrer-Policy", HTML "<meta name=referrer content=no-referrer>", "good", NULL },
    { "Permissions-Policy", "X-A: b", "missing", NULL },
    { "Permissions-Policy", "Permissions-Policy: camera=(), fullscreen=*, usb=(self \"https://a.example\"), a, b;c=1", "good", "camera=(), fullscreen=*, usb=(self \"https://a.example\"), a, b;c=1" },
    { "Permissions-Policy", "Permissions-Policy: geolocation=*", "weak", "geolocation=*" },
    { "Permissions-Policy", "Permissions-Policy: usb=(self\nPermissions-Policy: *)", "bad", "usb=(self, *)" },
    { "Permissions-Policy", "Permissions-Policy: camera=()\nPermissions-Policy: microphone=(*)", "weak", "camera=(), microphone=(*)" },
    { "Permissions-Policy", "Permissions-Policy: camera 'none'", "bad", "camera 'none'" },
    { "Permissions-Policy", "Permissions-Policy: camera=(),", "bad", "camera=()," },
    { "Permissions-Policy", "Permissions-Policy: Camera=()", "bad", "Camera=()" },
    { "Permissions-Policy", "Permissions-Policy: a=1.5, b=-3, c=?1, d=:YQ==:, e=\"\\\"\", f=(1 2);x", "good", "a=1.5, b=-3, c=?1, d=:YQ==:, e=\"\\\"\", f=(1 2);x" },
    { "Permissions-Policy", "Permissions-Policy: a=%\"b %c3%a9\", b=%\"\"", "good", "a=%\"b %c3%a9\", b=%\"\"" },
    { "Permissions-Policy", "Permissions-Policy: a=%\"%C3%A9\"", "bad", "a=%\"%C3%A9\"" },
    { "Permissions-Policy", "Permissions-Policy: a=%\"%c3\"", "bad", "a=%\"%c3\"" },
    { "Permissions-Policy", "Permissions-Policy: a=%\"b", "bad", "a=%\"b" },
    { "Permissions-Policy", "Permissions-Policy: a=%b", "bad", "a=%b" },
    { "Permissions-Policy", "Permissions-Policy: a=:Y=Q=:", "bad", "a=:Y=Q=:" },
    { "Permissions-Policy", "Permissions-Policy: a=1.", "bad", "a=1." },
    { "Permissions-Policy", "Permissions-Policy: a=\"b", "bad", "a=\"b" },
    { "Permissions-Policy", "Permissions-Policy: a=(b", "bad", "a=(b" },
    { "Cross-Origin-Opener-Policy", "X-A: b", "info", NULL },
    { "Cross-Origin-Opener-Policy", "Cross-Origin-Opener-Policy: same-origin", "good", "same-origin" },
    { "Cross-Origin-Opener-Policy", "Cross-Origin-Opener-Policy: unsafe-none", "weak", "unsafe-none" },
    { "Cross-Origin-Opener-Policy", "Cross-Origin-Opener-Policy: x", "bad", "x" },
    { "Cross-Origin-Embedder-Policy", "X-A: b", "info", NULL },
    { "Cross-Origin-Embedder-Policy", "Cross-Origin-Embedder-Policy: require-corp", "good", "require-corp" },
    { "Cross-Origin-Embedder-Policy", "Cross-Origin-Embedder-Policy: unsafe-none", "weak", "unsafe-none" },
    { "Cross-Origin-Embedder-Policy", "Cross-Origin-Embedder-Policy: x", "bad", "x" },
    { "Cross-Origin-Resource-Policy", "X-A: b", "info", NULL },
    { "Cross-Origin-Resource-Policy", "Cross-Origin-Resource-Policy: same-site", "good", "same-site" },
    { "Cross-Origin-Resource-Policy", "Cross-Origin-Resource-Policy: cross-origin", "weak", "cross-origin" },
    { "Cross-Origin-Resource-Policy", "Cross-Origin-Resource-Policy: x", "bad", "x" },
    { "Access-Control-Allow-Origin", "X-A: b", "good", NULL },
    { "Access-Control-Allow-Origin", "Access-Control-Allow-Origin: *\noptions 405", "weak", "*" },
    { "Access-Control-Allow-Origin", "Access-Control-Allow-Origin: x\noptions 204\nAccess-Control-Allow-Origin: *", "weak", "*" },
    { "Access-Control-Allow-Origin", "options 204\nAccess-Control-Allow-Origin: " ORIGIN "\nAccess-Control-Allow-Credentials: true", "bad", ORIGIN },
    { "Access-Control-Allow-Origin", "Access-Control-Allow-Origin: https://a.example", "good", "https://a.example" },
    { "Set-Cookie", "X-A: b", "good", NULL },
    { "Set-Cookie", "Set-Cookie: a=secret; Secure", "good", "a=…; Secure" },
    { "Set-Cookie", "Strict-Transport-Security: max-age=31536000\nSet-Cookie: a=secret", "weak", "a=…" },
    { "Set-Cookie", "Set-Cookie: a=secret; Path=/\nSet-Cookie: secret", "bad", "a=…; Path=/, …" },
    { "Set-Cookie", "Set-Cookie: a=b=secret;Secure; SameSite=Lax", "good", "a=…;Secure; SameSite=Lax" },
    { "Content-Security-Policy-Report-Only", "X-A: b", "info", NULL },
    { "Content-Security-Policy-Report-Only", "Content-Security-Policy-Report-Only: x", "info", "x" },
    { "Reporting-Endpoints", "Reporting-Endpoints: a=\"/b\"", "info", "a=\"/b\"" },
    { "Report-To", "Report-To: {}", "info", "{}" },
    { "NEL", "NEL: {}", "info", "{}" },
    { "Cache-Control", "X-A: b", "info", NULL },
    { "Cache-Control", "Set-Cookie: a=b", "info", NULL },
    { "Cache-Control", "Set-Cookie: session=1", "weak", NULL },
    { "Cache-Control", "Set-Cookie: session=1\nCache-Control: max-age=5, PRIVATE=\"a\"", "info", "max-age=5, PRIVATE=\"a\"" },
    { "Cache-Control", "Set-Cookie: session=1\nCache-Control: no-store", "info", "no-store" },
    { "Cache-Control", "Set-Cookie: a=session\nCache-Control: public", "info", "public" },
    { "Clear-Site-Data", "Clear-Site-Data: \"*\"", "info", "\"*\"" },
    { "Origin-Agent-Cluster", "Origin-Agent-Cluster: ?1", "good", "?1" },
    { "Origin-Agent-Cluster", "Origin-Agent-Cluster: ?0", "info", "?0" },
    { "X-Permitted-Cross-Domain-Policies", "X-Permitted-Cross-Domain-Policies: none", "good", "none" },
    { "X-Permitted-Cross-Domain-Policies", "X-Permitted-Cross-Domain-Policies: all", "info", "all" },
    { "X-DNS-Prefetch-Control", "X-DNS-Prefetch-Control: off", "info", "off" },
    { "X-XSS-Protection", "X-A: b", "good", NULL },
    { "X-XSS-Protection", "X-XSS-Protection: 0", "good", "0" },
    { "X-XSS-Protection", "X-XSS-Protection: 1; mode=block", "weak", "1; mode=block" },
    { "X-XSS-Protection", "X-XSS-Protection: 1", "bad", "1" },
    { "X-XSS-Protection", "X-XSS-Protection: 1; report=/x", "bad", "1; report=/x" },
    { "Expect-CT", "X-A: b", "good", NULL },
    { "Expect-CT", "Expect-CT: max-age=0", "weak", "max-age=0" },
    { "Public-Key-Pins", "X-A: b", "good", NULL },
    { "Public-Key-Pins", "Public-Key-Pins: x", "bad", "x" },
    { "Feature-Policy", "X-A: b", "good", NULL },
    { "Feature-Policy", "Feature-Policy: camera 'none'", "weak", "camera 'none'" },
    { "Server", "X-A: b", "good", NULL },
    { "Server", "Server: AmazonS3", "good", "AmazonS3" },
    { "Server", "Server: nginx/1.18.0", "weak", "nginx/1.18.0" },
    { "X-Powered-By", "X-A: b", "good", NULL },
    { "X-Powered-By", "X-Powered-By: Express", "weak", "Express" },
    { "X-Powered-By", "X-Powered-By: PHP/8.1", "bad", "PHP/8.1" },
    { "X-AspNet-Version", "X-AspNet-Version: 4.0.30319", "bad", "4.0.30319" },
    { "X-AspNet-Version", "X-AspNet-Version: x", "weak", "x" },
    { "X-AspNet-Version", "X-A: b", "good", NULL },
    { "X-AspNetMvc-Version", "X-AspNetMvc-Version: v5.2", "bad", "v5.2" },
    { "X-AspNetMvc-Version", "X-AspNetMvc-Version: x", "weak", "x" },
    { "X-AspNetMvc-Version", "X-A: b", "good", NULL },
    { "X-Generator", "X-Generator: Drupal 10 (https://a.example)", "bad", "Drupal 10 (https://a.example)" },
    { "X-Generator", "X-Generator: Drupal", "weak", "Drupal" },
    { "X-Generator", "X-A: b", "good", NULL },
    { "X-Generator", "X-Generator: \xFF" "a", "weak", "\xEF\xBF\xBD" "a" },
};
/* clang-format on */

static cJSON *result_of(const char *text)
{
    scoped(site_free) struct site site = { 0 };
    scoped(assessment_free) struct assessment assessment;
    cJSON *result = json_object();
    site_read(text_of(text), &site);
    site_assess(&site, knowledge, &assessment);
    assessment_print(&assessment, "https://www.example.com/", 0, result);
    return result;
}

static void check_row(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = result_of(row->site);
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result, "headers")) {
        if (strcmp(json_text(item, "/header"), row->name) != 0)
            continue;
        assert_string_equal(json_text(item, "/rating"), row->rating);
        assert_string_equal(json_text(item, "/value"), row->value ? row->value : "");
        assert_int_equal(json_is(json_get(item, "present"), cJSON_True), row->value != NULL);
        assert_int_equal(*json_text(item, "/recommendation") == '\0',
                         strcmp(row->rating, "good") == 0);
        return;
    }
    fail_msg("no entry");
}

static void assert_row(const char *header, const char *rating, const char *recommendation)
{
    size_t i = 0;
    if (!recommendation)
        return;
    while (i < countof(rows) &&
           (strcmp(rows[i].name, header) != 0 || strcmp(rows[i].rating, rating) != 0))
        i++;
    if (i == countof(rows))
        fail_msg("%s has no row that is %s", header, rating);
}

static void each_rating_has_a_row(void **state)
{
    (void)state;
#define HEADER(name, rate, missing, weak, bad, info) \
    assert_row(name, "missing", missing);            \
    assert_row(name, "weak", weak);                  \
    assert_row(name, "bad", bad);                    \
    assert_row(name, "info", info);
#include "security-headers/headers.def"
#undef HEADER
}

static void whole_result(void **state)
{
    static const char text[] = "https https://www.example.com/ 302\n"
                               "Location: /home\n"
                               "Set-Cookie: __Host-a=secret; Secure; Domain=example.com\n"
                               "https https://www.example.com/home 404\n"
                               "Content-Security-Policy: default-src 'self' \xFF, img-src *\n"
                               "Content-Security-Policy-Report-Only: script-src *\n"
                               "http http://www.example.com/ 301\n"
                               "http https://www.example.com/ 302\n"
                               "http https://www.example.com/home 404\n";
    scoped(job_free) struct job *job = job_of("security-headers", "{'url':'a.example'}");
    scoped(json_free) cJSON *result = result_of(text);
    (void)state;
    assert_fits(job, result);
    assert_string_equal(json_text(result, "/final_url"), "https://www.example.com/home");
    assert_int_equal(json_get(result, "status_code")->valueint, 404);
    assert_int_equal(json_size(json_get(result, "redirects")), 2);
    assert_string_equal(json_text(result, "/redirects/0/url"), "http://www.example.com/");
    assert_string_equal(json_text(result, "/redirects/1/url"), "https://www.example.com/");
    assert_int_equal(json_size(json_get(result, "checks")), CHECKS);
    assert_string_equal(json_text(result, "/checks/0/name"), "content-security-policy");
    assert_int_equal(json_size(json_get(result, "headers")), 29);
    assert_string_equal(json_text(result, "/csp/policies/0"), "default-src 'self' \xEF\xBF\xBD");
    assert_string_equal(json_text(result, "/csp/directives/default-src/0"), "'self'");
    assert_string_equal(json_text(result, "/csp_report_only/directives/script-src/0"), "*");
    assert_string_equal(json_text(result, "/cookies/0/name"), "__Host-a");
    assert_string_equal(json_text(result, "/cookies/0/domain"), "example.com");
    assert_string_equal(json_text(result, "/cookies/0/findings/0"), "cookie-prefix-violated");
    assert_int_equal(json_get(result, "tests_passed")->valueint +
                         json_get(result, "tests_failed")->valueint,
                     CHECKS);
}

/* clang-format off */
static const struct rejection {
    const char *name;
    const char *site;
    const char *want; /* the finding; NULL: browsers accept the cookie */
} refusals[] = {
    { "__Host- as it must be", "Set-Cookie: __Host-a=1; Secure; Path=/", NULL },
    { "__Host- with a domain", "Set-Cookie: __Host-a=1; Secure; Path=/; Domain=www.example.com", "cookie-prefix-violated" },
    { "__Host- without a path", "Set-Cookie: __Host-a=1; Secure", "cookie-prefix-violated" },
    { "__Host- with another path", "Set-Cookie: __Host-a=1; Secure; Path=/a", "cookie-prefix-violated" },
    { "__Host- not Secure", "Set-Cookie: __Host-a=1; Path=/", "cookie-prefix-violated" },
    { "__Secure- as it must be", "Set-Cookie: __Secure-a=1; Secure", NULL },
    { "__Secure- not Secure", "Set-Cookie: __secure-a=1", "cookie-prefix-violated" },
    { "__Secure- over HTTP", "http http://a.example/ 200\nSet-Cookie: __Secure-a=1", "cookie-prefix-violated" },
    { "__Http- as it must be", "Set-Cookie: __Http-a=1; Secure; HttpOnly", NULL },
    { "__Http- for scripts", "Set-Cookie: __Http-a=1; Secure", "cookie-prefix-violated" },
    { "__Host-Http- as it must be", "Set-Cookie: __Host-Http-a=1; Secure; HttpOnly; Path=/", NULL },
    { "__Host-Http- for scripts", "Set-Cookie: __Host-Http-a=1; Secure; Path=/", "cookie-prefix-violated" },
    { "a value instead of a name", "Set-Cookie: =__Host-a=1; Secure; Path=/", "cookie-prefix-violated" },
    { "no prefix", "Set-Cookie: a=1", NULL },
    { "another site's domain", "Set-Cookie: a=1; Domain=example.org", "cookie-domain-rejected" },
    { "a public suffix", "Set-Cookie: a=1; Domain=com", "cookie-domain-rejected" },
    { "Partitioned", "Set-Cookie: a=1; Secure; Partitioned", NULL },
    { "Partitioned and not Secure", "Set-Cookie: a=1; Partitioned", "cookie-partitioned-without-secure" },
    { "a control character", "Set-Cookie: a=1\x01", "cookie-control-character" },
    { "a tab", "Set-Cookie: a=1\t2", NULL },
};
/* clang-format on */

static void check_refusal(void **state)
{
    const struct rejection *row = *state;
    scoped(json_free) cJSON *result = result_of(row->site);
    assert_int_equal(json_size(json_get(result, "cookies")), 1);
    assert_int_equal(json_size(json_at(result, "/cookies/0/findings")), row->want != NULL);
    if (row->want)
        assert_string_equal(json_text(result, "/cookies/0/findings/0"), row->want);
}

/* Name and value together must be at most 4,096 bytes. */
static void cookies_that_are_too_large(void **state)
{
    (void)state;
    for (int size = 4096; size <= 4097; size++) {
        scoped(mem_free) char *line = str_format("Set-Cookie: a=%0*d", size - 1, 0);
        scoped(json_free) cJSON *result = result_of(line);
        assert_int_equal(json_size(json_at(result, "/cookies/0/findings")), size > 4096);
        if (size > 4096)
            assert_string_equal(json_text(result, "/cookies/0/findings/0"), "cookie-too-large");
    }
}

/* A megabyte of headers, which only a test can create, and large markup. */
static void long_texts_are_cut(void **state)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    (void)state;
    buf_add_str(&text, "X-Generator: a");
    for (int i = 0; i < 2000; i++)
        buf_add_str(&text, "\xC3\xBC");
    scoped(json_free) cJSON *result = result_of(buf_str(&text));
    const char *value = json_text(result, "/headers/28/value");
    assert_int_equal(strlen(value), 2047 + 3);
    assert_string_equal(value + 2045, "\xC3\xBC\xE2\x80\xA6");
}

static void cookies_beyond_300_are_told(void **state)
{
    (void)state;
    for (int count = 300; count <= 301; count++) {
        scoped(buf_free) struct buf text = BUF(1 << 16);
        for (int i = 0; i < count; i++)
            buf_format(&text, "%sSet-Cookie: c%d=1\n",
                       i == 0     ? "https https://www.example.com/ 301\n"
                       : i == 150 ? "https https://www.example.com/b 200\n"
                                  : "",
                       i);
        scoped(json_free) cJSON *result = result_of(buf_str(&text));
        assert_int_equal(json_size(json_get(result, "cookies")), 300);
        assert_int_equal(json_is(json_get(result, "truncated"), cJSON_True), count > 300);
    }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(each_rating_has_a_row),       cmocka_unit_test(whole_result),
        cmocka_unit_test(long_texts_are_cut),          cmocka_unit_test(cookies_that_are_too_large),
        cmocka_unit_test(cookies_beyond_300_are_told),
    };
    knowledge = site_knowledge();
    int failed = RUN_ROWS(rows, check_row) + RUN_ROWS(refusals, check_refusal) +
                 cmocka_run_group_tests(others, NULL, NULL);
    knowledge_free(&knowledge);
    return failed;
}
