/* svc-security/security-headers/tests/csp/findings.c - all findings, with counterexamples, and
 * merged policies. */
#include "rows.h"
#include "security-headers/tests/site.h"

static struct knowledge *knowledge;

#define STRICT                                                                                 \
    "script-src 'nonce-abcdefgh' 'strict-dynamic' https: 'unsafe-inline'; object-src 'none'; " \
    "base-uri 'none'"

/* clang-format off */
static const struct row {
    const char *name;
    const char *csp;  /* policies of headers, one per line */
    const char *want; /* "id directive value", trimmed; after a !, not found */
} rows[] = {
    { "no script-src", "object-src 'none'", "missing-directives script-src" },
    { "no object-src", "script-src 'self'", "missing-directives object-src" },
    { "default-src is both", "default-src 'none'", "!missing-directives" },
    { "another policy has it", "script-src 'self'; object-src 'none'\nframe-ancestors 'none'", "!missing-directives" },
    { "no base-uri with nonces", "default-src 'nonce-abcdefgh'", "missing-directives base-uri" },
    { "no base-uri with hashes and strict-dynamic", "default-src 'sha256-a' 'strict-dynamic'", "missing-directives base-uri" },
    { "no base-uri with hashes", "default-src 'sha256-a'", "!missing-directives" },

    { "inline scripts", "script-src 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline scripts by default", "default-src 'unsafe-inline'", "script-unsafe-inline default-src 'unsafe-inline'" },
    { "inline handlers", "script-src-attr 'unsafe-inline'", "script-unsafe-inline script-src-attr 'unsafe-inline'" },
    { "inline with a nonce", STRICT, "!script-unsafe-inline" },
    { "inline with a nonce in CSP2", "script-src 'nonce-aB3+/-_=' 'unsafe-inline'", "!script-unsafe-inline" },
    { "inline with a hash", "script-src 'sha256-abc=' 'unsafe-inline'", "!script-unsafe-inline" },
    { "inline with an empty nonce", "script-src 'nonce-' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with a nonce of padding", "script-src 'nonce-==' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with a nonce with too much padding", "script-src 'nonce-abcdefgh===' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with an unterminated nonce", "script-src 'nonce-abcdefgh 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with a nonce with invalid characters", "script-src 'nonce-{{nonce}}' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with a nonce with two closing quotes", "script-src 'nonce-abcdefgh'' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with an empty hash", "script-src 'sha256-' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with a hash of another kind", "script-src 'md5-abcd' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with a hash with invalid characters", "script-src 'sha256-a$b' 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with a nonce without quotes", "script-src nonce-abcdefgh 'unsafe-inline'", "script-unsafe-inline script-src 'unsafe-inline'" },
    { "inline with strict-dynamic", "script-src 'strict-dynamic' 'unsafe-inline'", "!script-unsafe-inline" },
    { "eval", "script-src 'unsafe-eval'", "script-unsafe-eval script-src 'unsafe-eval'" },
    { "no eval", "script-src 'wasm-unsafe-eval'", "!script-unsafe-eval" },
    { "hashes for handlers", "script-src 'unsafe-hashes' 'sha256-a'", "script-unsafe-hashes script-src 'unsafe-hashes'" },
    { "no hashes for handlers", "script-src 'sha256-a'", "!script-unsafe-hashes" },

    { "a scheme for scripts", "script-src https:", "plain-url-schemes script-src https:" },
    { "data: for objects", "object-src data:", "plain-url-schemes object-src data:" },
    { "http: for base", "base-uri http:", "plain-url-schemes base-uri http:" },
    { "a scheme that is ignored", STRICT, "!plain-url-schemes" },
    { "a scheme for pictures", "img-src https:", "!plain-url-schemes" },
    { "*", "default-src *", "plain-wildcard script-src *" },
    { "* for objects", "default-src *", "plain-wildcard object-src *" },
    { "http://*", "script-src http://*", "plain-wildcard script-src http://*" },
    { "//*", "script-src //*", "plain-wildcard script-src //*" },
    { "*:443", "script-src *:443", "plain-wildcard script-src *:443" },
    { "* for pictures", "img-src *", "!plain-wildcard" },
    { "hosts below", "script-src https://*.a.example", "wildcard-url script-src https://*.a.example" },
    { "hosts below, for pictures", "img-src https://*.a.example", "!wildcard-url" },

    { "a host of AngularJS", "script-src https://ajax.googleapis.com", "script-allowlist-bypass script-src https://ajax.googleapis.com" },
    { "its folder", "script-src https://ajax.googleapis.com/ajax/libs/", "script-allowlist-bypass script-src https://ajax.googleapis.com/ajax/libs/" },
    { "a file in it", "script-src https://ajax.googleapis.com/ajax/libs/angularjs/1.8.2/angular.min.js", "script-allowlist-bypass script-src https://ajax.googleapis.com/ajax/libs/angularjs/1.8.2/angular.min.js" },
    { "a file in the same folder", "script-src https://ajax.googleapis.com/ajax/libs/jquery/3.7.1/jquery.min.js", "!script-allowlist-bypass" },
    { "hosts below one with JSONP", "script-src *.google.com", "script-allowlist-bypass script-src *.google.com" },
    { "a host with a port", "script-src unpkg.com:443", "script-allowlist-bypass script-src unpkg.com:443" },
    { "a host that only ends alike", "script-src notunpkg.com", "!script-allowlist-bypass" },
    { "a bypass that is ignored", "script-src 'nonce-abcdefgh' 'strict-dynamic' unpkg.com", "!script-allowlist-bypass" },
    { "a host that runs text", "script-src https://www.googletagmanager.com", "!script-allowlist-bypass" },
    { "a host that runs text, and eval", "script-src https://www.googletagmanager.com 'unsafe-eval'", "script-allowlist-bypass script-src https://www.googletagmanager.com" },
    { "a host of feeds", "script-src https://www.blogger.com", "script-allowlist-bypass script-src https://www.blogger.com" },
    { "hosts below one of maps", "script-src https://*.tiles.mapbox.com", "script-allowlist-bypass script-src https://*.tiles.mapbox.com" },
    { "a host of which nothing is known", "script-src https://a.example", "script-allowlist-unproven script-src https://a.example" },
    { "one that is known", "script-src unpkg.com", "!script-allowlist-unproven" },
    { "the site itself", "default-src 'self'", "script-allowlist-unproven script-src 'self'" },
    { "the site's elements", "script-src-elem 'self'", "script-allowlist-unproven script-src-elem 'self'" },
    { "a scheme, a wildcard, no host", "script-src https: * localhost 'nonce-abcdefgh' 'none'", "!script-allowlist-unproven" },
    { "what is ignored", "script-src 'nonce-abcdefgh' 'strict-dynamic' 'self' a.example", "!script-allowlist-unproven" },
    { "scripts' attributes load nothing from a place with bypasses", "script-src 'none'; script-src-attr *.googleapis.com", "!script-allowlist-bypass" },
    { "scripts' attributes load nothing", "script-src 'none'; script-src-attr 'self'", "!script-allowlist-unproven" },
    { "objects of the site", "object-src 'self'", "object-allowlist-unproven object-src 'self'" },
    { "object-src 'none'", "object-src 'none'", "!object-allowlist-unproven" },
    { "objects by default", "default-src 'self'", "!object-allowlist-unproven" },
    { "a host of films", "object-src https://vk.com/swf/", "object-allowlist-bypass object-src https://vk.com/swf/" },
    { "the same for scripts", "script-src https://vk.com/swf/", "!object-allowlist-bypass" },

    { "a short nonce", "script-src 'nonce-abcdefg'", "nonce-length script-src 'nonce-abcdefg'" },
    { "a nonce of eight", "script-src 'nonce-abcdefgh'", "!nonce-length" },
    { "a nonce with odd letters", "script-src 'nonce-abc$efgh'", "nonce-charset script-src 'nonce-abc$efgh'" },
    { "a nonce of Base64", "script-src 'nonce-aB3+/-_='", "!nonce-charset" },
    { "case of a nonce is kept", "script-src 'NONCE-AbC'", "nonce-length script-src 'nonce-AbC'" },

    { "an address", "img-src 203.0.113.7", "ip-source img-src 203.0.113.7" },
    { "an IPv6 address", "img-src https://[2001:db8::1]:8443/", "ip-source img-src https://[2001:db8::1]:8443/" },
    { "one's own machine", "img-src http://127.0.0.1:8000", "ip-source-local img-src http://127.0.0.1:8000" },
    { "one's own machine is not any address", "img-src http://127.0.0.1:8000", "!ip-source img-src" },
    { "HTTP", "img-src http://a.example", "src-http img-src http://a.example" },
    { "reports over HTTP", "report-uri http://a.example/r", "src-http report-uri http://a.example/r" },
    { "HTTPS", "img-src https://a.example", "!src-http" },
    { "no scheme", "script-src a.example", "src-no-protocol script-src a.example" },
    { "no scheme, for pictures", "img-src a.example", "!src-no-protocol" },
    { "keywords need no scheme", "script-src 'self'", "!src-no-protocol" },

    { "mixed content", "block-all-mixed-content", "deprecated-directive block-all-mixed-content" },
    { "plug-in types", "plugin-types a/b", "deprecated-directive plugin-types" },
    { "referrer", "referrer no-referrer", "deprecated-directive referrer" },
    { "reflected-xss", "reflected-xss block", "deprecated-directive reflected-xss" },
    { "prefetch-src", "prefetch-src 'self'", "deprecated-directive prefetch-src" },
    { "navigate-to", "navigate-to 'self'", "deprecated-directive navigate-to" },
    { "disown-opener", "disown-opener", "deprecated-directive disown-opener" },
    { "require-sri-for", "require-sri-for script", "deprecated-directive require-sri-for" },
    { "report-uri", "report-uri /r", "deprecated-directive report-uri" },
    { "report-uri with report-to", "report-uri /r; report-to r", "!deprecated-directive" },
    { "report-to alone", "report-to r", "report-to-only report-to" },
    { "report-to with report-uri", "report-uri /r; report-to r", "!report-to-only" },
    { "no reports", "default-src 'none'", "reporting-destination-missing report-to" },
    { "reports", "report-uri /r", "!reporting-destination-missing" },

    { "an unknown directive", "script-srv 'self'", "unknown-directive script-srv" },
    { "a known one", "upgrade-insecure-requests", "!unknown-directive" },
    { "a semicolon is missing", "script-src 'self' object-src 'none'", "missing-semicolon script-src object-src" },
    { "no semicolon is missing", "script-src 'self'; object-src 'none'", "!missing-semicolon" },
    { "a keyword without quotes", "script-src self", "invalid-keyword script-src self" },
    { "a nonce without quotes", "script-src nonce-abcdefgh", "invalid-keyword script-src nonce-abcdefgh" },
    { "a quoted word that is not a keyword", "script-src 'inline'", "invalid-keyword script-src 'inline'" },
    { "a quote that does not end", "script-src 'self", "invalid-keyword script-src 'self" },
    { "a nonce of nothing", "script-src 'nonce-'", "invalid-keyword script-src 'nonce-'" },
    { "a hash of nothing", "script-src 'sha384-'", "invalid-keyword script-src 'sha384-'" },
    { "a nonce that does not end", "script-src 'nonce-abcdefgh", "invalid-keyword script-src 'nonce-abcdefgh" },
    { "secrets", "script-src 'nonce-abcdefgh' 'sha512-a+/-_=='", "!invalid-keyword" },
    { "keywords", "script-src 'self' 'report-sample' 'wasm-unsafe-eval'; require-trusted-types-for 'script'", "!invalid-keyword" },

    { "hosts", "script-src https://a.example", "strict-dynamic script-src" },
    { "no hosts", "script-src 'self'", "!strict-dynamic" },
    { "strict-dynamic alone", "script-src 'strict-dynamic'", "strict-dynamic-not-standalone script-src 'strict-dynamic'" },
    { "strict-dynamic with a nonce", STRICT, "!strict-dynamic" },
    { "no fallback for inline", "script-src 'nonce-abcdefgh'", "unsafe-inline-fallback script-src" },
    { "a fallback for inline", STRICT, "!unsafe-inline-fallback" },
    { "no fallback for strict-dynamic", "script-src 'nonce-abcdefgh' 'strict-dynamic'", "allowlist-fallback script-src" },
    { "a fallback for strict-dynamic", STRICT, "!allowlist-fallback" },
    { "inline is ignored", STRICT, "ignored script-src 'unsafe-inline'" },
    { "hosts are ignored", STRICT, "ignored script-src https:" },
    { "inline styles are ignored", "style-src 'nonce-abcdefgh' 'unsafe-inline'", "ignored style-src 'unsafe-inline'" },
    { "inline styles", "style-src 'unsafe-inline'", "style-unsafe-inline style-src 'unsafe-inline'" },
    { "no inline styles", "style-src 'self'", "!style-unsafe-inline" },
    { "no trusted types", "script-src 'self'", "require-trusted-types-for-scripts require-trusted-types-for" },
    { "trusted types", "script-src 'self'; require-trusted-types-for 'script'", "!require-trusted-types-for-scripts" },
    { "no policy at all", "", "!missing-directives" },
    { "a policy of nothing", ";;; ;;;;", "!missing-directives" },
    { "a finding is there once", "script-src self self", "invalid-keyword script-src self" },
};

static const struct merge {
    const char *name;
    const char *csp;
    const char *want; /* one directive of the merged policy */
} merges[] = {
    { "one policy", "script-src b A 'SELF'", "script-src b a 'self'" },
    { "two, in one line", "script-src a b, script-src b c", "script-src b" },
    { "nothing in common", "script-src a\nscript-src b", "script-src 'none'" },
    { "'none' is nothing in common", "script-src 'none'\nscript-src 'none'", "script-src 'none'" },
    { "a folder covers what is in it", "img-src https://a/b/\nimg-src https://a/b/c", "img-src https://a/b/c" },
    { "from either side", "img-src https://a/b/c\nimg-src https://a/b/", "img-src https://a/b/c" },
    { "no folder", "img-src https://a/b\nimg-src https://a/b/c", "img-src 'none'" },
    { "* covers hosts", "img-src *\nimg-src a 'self' https: data: 'unsafe-inline'", "img-src a 'self' https:" },
    { "a scheme covers its hosts", "img-src https:\nimg-src https://a http://b", "img-src https://a" },
    { "keywords only themselves", "script-src 'unsafe-inline' 'self'\nscript-src 'unsafe-inline'", "script-src 'unsafe-inline'" },
    { "nonces with their case", "script-src 'nonce-A'\nscript-src 'nonce-a'", "script-src 'none'" },
    { "by what it falls back to", "default-src 'self'\nimg-src 'self' a", "img-src 'self'" },
    { "by what that falls back to", "script-src 'self'\nscript-src-elem 'self' a", "script-src-elem 'self'" },
    { "not what governs something else", "frame-ancestors 'none'\nimg-src a", "img-src a" },
    { "three", "img-src a b c\nimg-src b c d\nimg-src c d e", "img-src c" },
    { "reports go everywhere", "report-uri /a\nreport-uri /b", "report-uri /a /b" },
    { "of two in one policy the first", "img-src a; img-src b", "img-src a" },
    { "left out is 'none'", "img-src", "img-src 'none'" },
    { "a flag has no value", "upgrade-insecure-requests", "upgrade-insecure-requests" },
};
/* clang-format on */

static void read_lines(const char *lines, struct csp *csp)
{
    while (*lines) {
        size_t size = strcspn(lines, "\n");
        csp_add(csp, (struct text){ lines, size }, false);
        lines += size + (lines[size] != '\0');
    }
    csp_merge(csp);
}

static bool is_found(const struct csp_findings *findings, const char *wanted, size_t *times)
{
    bool is_negative = *wanted == '!';
    *times = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct csp_finding *finding = &findings->item[i];
        scoped(mem_free) char *line =
            str_format("%s %s%s%s", csp_rules[finding->rule].name, finding->directive,
                       *finding->value ? " " : "", finding->value);
        size_t size = strlen(wanted + is_negative);
        if (is_negative ? strncmp(line, wanted + 1, size) == 0 && (line[size] == ' ' || !line[size])
                        : strcmp(line, wanted) == 0)
            (*times)++;
    }
    return *times > 0;
}

static void check_finding(void **state)
{
    const struct row *row = *state;
    scoped(csp_free) struct csp csp = { 0 };
    struct csp_findings findings = { 0 };
    size_t times;
    read_lines(row->csp, &csp);
    csp_find_all(&csp, &knowledge->bypasses, &findings);
    assert_int_equal(is_found(&findings, row->want, &times), *row->want != '!');
    assert_true(times <= 1 || *row->want == '!');
}

static void check_merge(void **state)
{
    const struct merge *row = *state;
    scoped(csp_free) struct csp csp = { 0 };
    scoped(buf_free) struct buf left = BUF(1000);
    scoped(mem_free) char *name = mem_dup(row->want, strcspn(row->want, " "));
    read_lines(row->csp, &csp);
    const struct csp_directive *directive = csp_find(&csp.merged, name);
    assert_non_null(directive);
    buf_add_str(&left, name);
    for (size_t i = 0; i < directive->count; i++)
        buf_format(&left, " %s", directive->source[i]);
    assert_string_equal(buf_str(&left), row->want);
}

static void nonces_that_do_not_change(void **state)
{
    scoped(csp_free) struct csp csp = { 0 };
    scoped(csp_free) struct csp same = { 0 };
    scoped(csp_free) struct csp other = { 0 };
    struct csp_findings findings = { 0 };
    size_t times;
    (void)state;
    read_lines("script-src 'self' 'nonce-Abcdefgh'", &csp);
    read_lines("img-src 'self'; script-src 'self' 'nonce-Abcdefgh'", &same);
    read_lines("script-src 'self' 'nonce-abcdefgh'", &other);
    csp_find_static_nonces(&csp, &other, &findings);
    assert_int_equal(findings.count, 0);
    csp_find_static_nonces(&csp, &same, &findings);
    assert_true(is_found(&findings, "static-nonce script-src 'nonce-Abcdefgh'", &times));
    assert_true(csp_findings_have_high(&findings));
}

/* Both URLs lead to the same page with the same nonce. */
static void a_site_with_one_nonce(void **state)
{
    static const char text[] = "https https://a.example/ 200\n"
                               "Content-Security-Policy: script-src 'nonce-abcdefgh'\n"
                               "http http://a.example/ 301\n"
                               "http https://a.example/ 200\n"
                               "Content-Security-Policy: script-src 'nonce-abcdefgh'\n";
    scoped(site_free) struct site site = { 0 };
    scoped(assessment_free) struct assessment assessment;
    size_t times;
    (void)state;
    site_read(TEXT(text), &site);
    site_assess(&site, knowledge, &assessment);
    assert_true(is_found(&assessment.findings, "static-nonce script-src 'nonce-abcdefgh'", &times));
}

static void each_finding_has_a_row(void **state)
{
    static const char *const names[] = {
#define FINDING(id, name, severity, message) name,
#include "security-headers/csp/findings.def"
    };
    (void)state;
    for (size_t f = 0; f < countof(names); f++) {
        size_t size = strlen(names[f]);
        size_t i = 0;
        while (i < countof(rows) &&
               (strncmp(rows[i].want, names[f], size) != 0 || rows[i].want[size] != ' '))
            i++;
        if (i == countof(rows) && strcmp(names[f], "static-nonce") != 0)
            fail_msg("%s has no row", names[f]);
    }
}

/* Limits apply, and the time stays short. */
static void too_much(void **state)
{
    scoped(csp_free) struct csp csp = { 0 };
    scoped(buf_free) struct buf text = BUF(CSP_BYTES_MAX);
    struct csp_findings findings = { 0 };
    (void)state;
    for (int i = 0; i < 3000; i++)
        buf_format(&text, "a%d;", i);
    buf_add_str(&text, "img-src");
    for (int i = 0; i < 3000; i++)
        buf_format(&text, " h%d", i);
    for (int i = 0; i < 100; i++)
        csp_add(&csp, TEXT("img-src a b; default-src a"), false);
    csp_add(&csp, buf_text(&text), false);
    csp_merge(&csp);
    csp_find_all(&csp, &knowledge->bypasses, &findings);
    assert_int_equal(csp.count, CSP_POLICIES_MAX);
    assert_int_equal(csp_find(&csp.merged, "img-src")->count, 2);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(nonces_that_do_not_change),
        cmocka_unit_test(a_site_with_one_nonce),
        cmocka_unit_test(each_finding_has_a_row),
        cmocka_unit_test(too_much),
    };
    knowledge = site_knowledge();
    int failed = RUN_ROWS(rows, check_finding) + RUN_ROWS(merges, check_merge) +
                 cmocka_run_group_tests(others, NULL, NULL);
    knowledge_free(&knowledge);
    return failed;
}
