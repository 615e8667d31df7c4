/* svc-security/tech-detect/tests/tech-detect.c - every technology is detected, none is confused
 * with another, and hostile pages take bounded time. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "rows.h"
#include "tech-detect/detect.h"
#include "text/json.h"

static struct signatures *signatures;
static struct public_suffixes *suffixes;

/* ---- matches of header lines and a page ---- */

enum { HEADERS_MAX = 20 };

static size_t read_headers(char *lines, struct fetch_header *header)
{
    size_t count = 0;
    for (char *line = lines; line && *line; count++) {
        char *end = strchr(line, '\n');
        char *colon = strstr(line, ": ");
        assert_non_null(colon);
        if (end)
            *end++ = '\0';
        header[count].name = (struct text){ line, (size_t)(colon - line) };
        header[count].value = text_of(colon + 2);
        line = end;
    }
    return count;
}

/* Header lines "mx: host" are mail servers. */
static void move_mail(struct fetch_header *header, size_t *count, struct dns_message *mx)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!text_is(header[i].name, "mx"))
            header[kept++] = header[i];
        else
            mx->answer[mx->answer_count++] =
                (struct dns_record){ .type = DNS_MX, .target = header[i].value.bytes };
    }
    *count = kept;
}

static void see(const char *url, const char *headers, struct text body, struct detected *findings)
{
    scoped(mem_free) char *lines = str_dup(headers);
    scoped(target_free) struct target target = { 0 };
    struct fetch_header header[HEADERS_MAX];
    struct dns_record mail[HEADERS_MAX];
    struct dns_message mx = { .answer = mail };
    struct err err = { 0 };

    assert_true(target_parse_url(text_of(url), &target, &err));
    size_t count = read_headers(lines, header);
    move_mail(header, &count, &mx);
    const struct response response = {
        .target = &target,
        .header = header,
        .header_count = count,
        .mx = &mx,
        .body = body,
        .suffixes = suffixes,
    };
    detect(signatures, &response, findings);
}

static void write_names(const struct detected *findings, struct buf *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->item[i];
        buf_format(out, "%s%s%s%s%s", i > 0 ? ", " : "", finding->is_implied ? "+" : "",
                   finding->technology->name, *finding->version ? " " : "", finding->version);
    }
}

static const struct seen {
    const char *want; /* also the row's name */
    const char *headers;
    const char *body;
} seen[] = {
#define SEEN(headers, body, want) { want, headers, body },
#include "seen-more.def"
#include "seen.def"
};

static void check_seen(void **state)
{
    const struct seen *row = *state;
    scoped(detected_free) struct detected findings = { 0 };
    scoped(buf_free) struct buf names = BUF(1000);
    see("https://www.example.com/", row->headers, text_of(row->body), &findings);
    write_names(&findings, &names);
    assert_string_equal(buf_str(&names), row->want);
    assert_false(findings.is_cut);
}

/* Does a row detect this name directly? */
static bool has_row(const char *name)
{
    for (size_t i = 0; i < countof(seen); i++) {
        const char *at = seen[i].want;
        while ((at = strstr(at, name))) {
            bool begins = at == seen[i].want || at[-1] == ' ';
            const char *behind = at + strlen(name);
            if (begins && (*behind == '\0' || *behind == ',' || *behind == ' '))
                return true;
            at = behind;
        }
    }
    return false;
}

static void each_technology_has_a_row(void **state)
{
    (void)state;
    scoped(mem_free) bool *has_evidence =
        mem_array(signatures->technology_count, sizeof(*has_evidence));
    for (size_t i = 0; i < signatures->evidence_count; i++)
        has_evidence[signatures->evidence[i].technology] = true;
    for (size_t i = 0; i < signatures->technology_count; i++)
        if (has_evidence[i] && !has_row(signatures->technology[i].name))
            fail_msg("%s has no row", signatures->technology[i].name);
    assert_true(signatures->technology_count >= 1500);
}

/* ---- false positives and other rules ---- */

/* clang-format off */
static const struct other {
    const char *name;
    const char *url;
    const char *headers;
    const char *body;
    const char *want;
} others[] = {
    { "nothing", "a.example", "", "<p>a</p>", "" },
    { "the vendor's name in text", "a.example", "", "<footer>Powered by WordPress, jQuery and Shopify</footer>", "" },
    { "a link to a vendor", "a.example", "", "<a href='https://www.hotjar.com/'>a</a><a href='https://js.stripe.com/v3/'>b</a>", "" },
    { "a page about generators", "a.example", "", "<code>&lt;meta name=generator content=WordPress&gt;</code>", "" },
    { "a script in a comment", "a.example", "", "<!-- <script src=/wp-content/a.js></script><div id=\"___gatsby\"> -->", "" },
    { "what a comment says, in text", "a.example", "", "<p>optimized with the Yoast SEO plugin v21.5</p>", "" },
    { "the text of a script is not markup", "a.example", "", "<script>var a='<script src=\"/js/jquery-3.7.1.js\">'</script>", "" },
    { "plugins of jQuery", "a.example", "", "<script src=/js/jquery.cookie.js></script><script src=/js/jqueryfoo-1.2.js></script>", "+jQuery, jQuery Cookie" },
    { "what only begins like a library", "a.example", "", "<script src=/js/react-router.js></script><script src=/js/vue-router-4.2.5.js></script><script src=/js/bootstrap-datepicker.min.js></script><script src=/js/angular-ui.js></script><script src=/js/underscore.string.js></script>", "Bootstrap Datepicker, React Router, Vue Router 4.2.5" },
    { "a name with a hash", "a.example", "", "<script src=/js/jquery-3.7.1.0123abcd.min.js></script>", "jQuery 3.7.1" },
    { "a name with a hash and no version", "a.example", "", "<script src=/js/jquery.0123abcd.js></script>", "jQuery" },
    { "a name's version before the theme's", "a.example", "", "<script src=/js/swiper-8.4.5.js?ver=6.4.2.1></script>", "Swiper 8.4.5" },
    { "a version behind the question mark alone", "a.example", "", "<script src=/js/swiper.min.js?ver=8.4.5></script>", "Swiper 8.4.5" },
    { "one policy's word is half a proof", "a.example", "content-security-policy: script-src 'self' https://js.stripe.com", "", "Stripe" },
    { "a button is a login, a kit is not", "a.example", "", "<div class=\"fb-login-button\"></div>", "Facebook Login" },
    { "a site's own chart", "a.example", "", "<script src=/assets/chart-1a2b3c4d.js></script>", "" },
    { "hashes are not versions", "a.example", "", "<script src=/js/jquery-3f786850e387550fdab836ed7e6dc881de23001b.js></script><script src=/js/jquery.min.js?ver=20231120></script>", "jQuery" },
    { "the best of several versions", "a.example", "", "<script src=/js/jquery-3.6.js></script><script src=/js/jquery-1.12.4.js></script><script src=/js/jquery-3.7.1.js></script><script src=/js/jquery-2.2.4.js></script>", "jQuery 3.7.1" },
    { "references in attributes", "a.example", "", "<script src='&#47;wp&#45;includes&#x2F;a.js'></script>", "WordPress, +MySQL, +PHP" },
    { "a relative script at its base", "a.example", "", "<base href='https://cdn.shopify.com/x/'><script src='a.js'></script>", "Shopify" },
    { "a path of another site", "a.example", "", "<script src=https://b.example/wp-content/x.js></script><link rel=stylesheet href=//b.example/wp-includes/a.css>", "" },
    { "a path of the same site's other host", "www.a.example", "", "<script src=https://static.a.example/wp-content/x.js></script>", "WordPress, +MySQL, +PHP" },
    { "a path at another site's base", "a.example", "", "<base href=https://b.example/><script src=/wp-content/x.js></script>", "" },
    { "a path at its own site, and at another", "a.example", "", "<script src=https://b.example/wp-content/x.js></script><script src=/wp-content/y.js></script>", "WordPress, +MySQL, +PHP" },
    { "a plug-in's path at another site", "a.example", "", "<script src=https://b.example/wp-content/plugins/elementor/a.js?ver=3.1.2></script>", "" },
    { "a path at another site, behind a user", "a.example", "", "<script src=https://a.example@b.example/wp-content/x.js></script>", "" },
    { "a path at another site, behind backslashes", "a.example", "", "<script src='\\\\b.example/wp-content/x.js'></script><link rel=stylesheet href='https:/\\b.example/wp-includes/a.css'>", "" },
    { "a path at another site, in two lines", "a.example", "", "<script src='ht\ntps://b.example/wp-content/x.js'></script>", "" },
    { "a path at a host with one label", "a.example", "", "<script src=http://localhost/wp-content/x.js></script>", "" },
    { "an import map of another site, behind a user", "a.example", "", "<script>{\"imports\":{\"x\":\"https://a.example:1@b.example/wp-includes/js/dist/script-modules/x.js\"}}</script>", "" },
    { "an import map of the site, with escaped slashes", "a.example", "", "<script>{\"imports\":{\"x\":\"https:\\/\\/a.example\\/wp-includes\\/js\\/dist\\/script-modules\\/x.js\"}}</script>", "WordPress, +MySQL, +PHP" },
    { "an import map alone", "a.example", "", "<script type=importmap id=wp-importmap>{}</script>", "WordPress, +MySQL, +PHP" },
    { "speculation rules of a blog", "a.example", "", "<script type=speculationrules>{\"not\":{\"href_matches\":[\"\\/wp-*.php\"]}}</script>", "WordPress, +MySQL, +PHP" },
    { "a path in another site's query", "a.example", "", "<script src='https://b.example/x.js?u=/wp-content/x.js'></script>", "" },
    { "a site with an address", "192.0.2.1", "", "<script src=http://192.0.2.2/wp-content/x.js></script>", "" },
    { "a library of another site", "a.example", "", "<script src=https://b.example/jquery-3.7.1.js></script>", "jQuery 3.7.1" },
    { "a framework's path at another site", "a.example", "", "<script src=https://b.example/livewire/livewire.js></script>", "" },
    { "utilities of another framework", "a.example", "", "<div class='min-h-screen antialiased flex px-4'>", "" },
    { "a class that only begins like a block", "a.example", "", "<div class='wp-blocks my-wp-block-x'>", "" },
    { "assets with other hashes", "a.example", "", "<script src=/assets/app-0123456789abcdef.js></script><link rel=stylesheet href=/assets/application-0123456789abcdef0123456789abcdef.css>", "" },
    { "htmx in a word", "a.example", "", "<div data-hxx=1 hx=2 data-hx-other=3>", "" },
    { "a mail server that names a provider", "a.example", "mx: aspmx.l.google.com.b.example\nmx: mx.zoho.com.b.example", "", "" },
    { "two mail servers of one provider", "a.example", "mx: aspmx.l.google.com\nmx: aspmx2.googlemail.com", "", "Google Workspace" },
    { "the page's own URL", "a.example/x.php?y", "", "", "PHP" },
    { "half the evidence", "a.example", "set-cookie: csrftoken=short; path=/\nx-runtime: 0.1", "", "" },
    { "two halves", "a.example", "x-shopid: 1", "<meta name=csrf-param content=authenticity_token>", "Shopify, +Ruby, Ruby on Rails" },
    { "a cookie's name is not part of another", "a.example", "set-cookie: MYPHPSESSID=1\nset-cookie: x=PHPSESSID=1", "", "" },
    { "header values that are not UTF-8", "a.example", "server: nginx/1.2\xFF.3 \xC3", "", "Nginx 1.2.3" },
    { "an unusual answer", "a.example", "server: \nset-cookie: \nset-cookie: =\nx-powered-by: ;", "<script src></script><link href=><meta name content>", "" },
};
/* clang-format on */

static void check_other(void **state)
{
    const struct other *row = *state;
    scoped(detected_free) struct detected findings = { 0 };
    scoped(buf_free) struct buf names = BUF(1000);
    see(row->url, row->headers, text_of(row->body), &findings);
    write_names(&findings, &names);
    assert_string_equal(buf_str(&names), row->want);
}

static void evidence_is_shown(void **state)
{
    (void)state;
    scoped(detected_free) struct detected findings = { 0 };
    see("https://a.example/", "set-cookie: wp-settings-1=a",
        TEXT("<meta name=generator content='WordPress 6.4'><script src='/wp-includes/a.js'>"
             "</script>"),
        &findings);
    const struct finding *finding = &findings.item[0];
    assert_string_equal(finding->technology->name, "WordPress");
    assert_int_equal(finding->confidence, 100);
    assert_int_equal(finding->evidence_count, 3);
    assert_string_equal(finding->evidence[0], "cookie:wp-settings-*");
    assert_string_equal(finding->evidence[1], "meta:generator");
    assert_string_equal(finding->evidence[2], "script:/wp-includes/");
}

/* ---- whose evidence ---- */

static const struct party {
    const char *name;
    const char *headers;
    const char *body;
    bool is_own; /* the first technology */
} parties[] = {
    { "a header", "server: nginx", "", true },
    { "a policy", "content-security-policy: script-src https://js.stripe.com", "", false },
    { "a script of the site", "", "<script src=/jquery.js></script>", true },
    { "a script of another host of the site", "", "<script src=//b.a.example/jquery.js></script>",
      true },
    { "a script of another site", "", "<script src=//b.example/jquery.js></script>", false },
    { "both", "", "<script src=//b.example/jquery.js></script><script src=/jquery.js></script>",
      true },
    { "an inline script that loads another site's", "",
      "<script>a.src='https://static.hotjar.com/c/hotjar-'</script>", false },
    { "a frame of another site", "", "<iframe src=https://www.youtube.com/embed/a></iframe>",
      false },
    { "an attribute", "", "<div ng-app=a></div>", true },
};

static void check_party(void **state)
{
    const struct party *row = *state;
    scoped(detected_free) struct detected findings = { 0 };
    see("https://a.example/", row->headers, text_of(row->body), &findings);
    assert_true(findings.count > 0);
    assert_int_equal(findings.item[0].is_own, row->is_own);
}

/* ---- releases ---- */

static const struct released {
    const char *name;
    const char *technology;
    const char *version;
    const char *want; /* with ' for "; "" for none */
} released[] = {
    { "an old series", "jQuery", "1.12.4",
      "{'newest':'4.0.0','newest_in_series':'1.12.4','end_of_life':null,'ended':true,"
      "'vulnerabilities':[{'id':'CVE-2015-9251','severity':'medium','fixed_in':'3.0.0'},"
      "{'id':'CVE-2019-11358','severity':'medium','fixed_in':'3.4.0'},"
      "{'id':'CVE-2020-11022','severity':'medium','fixed_in':'3.5.0'},"
      "{'id':'CVE-2020-11023','severity':'medium','fixed_in':'3.5.0'}]}" },
    { "a current one", "jQuery", "3.7.1",
      "{'newest':'4.0.0','newest_in_series':'3.7.1','end_of_life':null,'ended':false,"
      "'vulnerabilities':[]}" },
    { "a version of one part", "jQuery", "3",
      "{'newest':'4.0.0','newest_in_series':'3.7.1','end_of_life':null,'ended':false,"
      "'vulnerabilities':[]}" },
    { "an unknown series", "jQuery", "30.1",
      "{'newest':'4.0.0','newest_in_series':null,'end_of_life':null,'ended':null,"
      "'vulnerabilities':[]}" },
    { "the first fixed version", "Next.js", "14.2.25", NULL },
    { "only vulnerabilities", "Lodash", "4.17.20",
      "{'newest':null,'newest_in_series':null,'end_of_life':null,'ended':null,"
      "'vulnerabilities':[{'id':'CVE-2021-23337','severity':'high','fixed_in':'4.17.21'}]}" },
    { "no data", "Hotjar", "1.0", "" },
};

static void check_released(void **state)
{
    const struct released *row = *state;
    scoped(json_free) cJSON *item = json_object();
    scoped(buf_free) struct buf got = BUF(4096);
    size_t i = 0;
    while (strcmp(signatures->technology[i].name, row->technology) != 0)
        i++;
    releases_write(&signatures->technology[i].releases, row->version, "2026-11-27", item);
    const cJSON *release = json_get(item, "release");
    if (!row->want) {
        assert_int_equal(json_size(json_get(release, "vulnerabilities")), 0);
        return;
    }
    if (release)
        json_print(release, &got);
    for (size_t at = 0; at < got.size; at++)
        if (got.bytes[at] == '"')
            got.bytes[at] = '\'';
    assert_string_equal(buf_str(&got), row->want);
}

/* ---- versions ---- */

static const struct offered {
    const char *name;
    const char *first;
    const char *then;
    const char *want;
} offered[] = {
    { "more parts", "2", "1.2", "1.2" },
    { "fewer parts", "1.2", "2", "1.2" },
    { "higher", "1.9.0", "1.10.0", "1.10.0" },
    { "lower", "1.10.0", "1.9.9", "1.10.0" },
    { "a leading v", "", "v3.1", "3.1" },
    { "a final dot", "", "3.1.", "3.1" },
    { "too long", "1", "1.2.3.4.5.6.7.8.9.10.11", "1" },
    { "just long enough", "", "1.2.3.4.5.6.7.8.9.10", "1.2.3.4.5.6.7.8.9.10" },
    { "a bare hash", "", "da39a3ee", "" },
    { "a bare number", "", "1700000000", "" },
    { "a short number", "", "12", "12" },
    { "nothing", "", "", "" },
    { "a letter behind", "1.0.1e", "1.0.2k", "1.0.2k" },
};

static void check_offered(void **state)
{
    const struct offered *row = *state;
    char version[VERSION_BYTES] = "";
    version_offer(version, text_of(row->first));
    version_offer(version, text_of(row->then));
    assert_string_equal(version, row->want);
}

/* ---- 2 MiB of the worst case ---- */

static const struct hostile {
    const char *name;
    const char *once;
    const char *part;
} hostile[] = {
    { "scripts", "", "<script src=/jquery.js></script>" },
    { "scripts of every kind", "",
      "<script src=/jquery-react-vue-angular-bootstrap-swiper-slick-lodash-d3.js></script>" },
    { "one long script", "<script src='", "jquery-" },
    { "metas", "", "<meta name=generator content=drupal>" },
    { "attributes", "<a ", "ng-app=1 " },
    { "classes", "<a class='", "svelte- " },
    { "inline text", "<script>", "webpack MathJax.Hub gtag('config' " },
    { "markup", "", "<link rel= manifest data-drupal-selector __VIEWSTATE " },
    { "comments", "", "<!--optimized with the Yoast SEO plugin-->" },
    { "cookies' worth of text", "", "static.hotjar.com/c/hotjar- id=\"__nuxt <link <link <link " },
};

static void check_hostile(void **state)
{
    enum { SIZE = 2 << 20 };
    const struct hostile *row = *state;
    scoped(detected_free) struct detected findings = { 0 };
    scoped(buf_free) struct buf body = BUF(SIZE);

    buf_add_str(&body, row->once);
    while (body.size + strlen(row->part) <= SIZE)
        buf_add_str(&body, row->part);
    int64_t start_ms = clock_ms();
    see("https://a.example/", "", buf_text(&body), &findings);
    /* quadratic code, or every pattern tried everywhere, would take minutes */
    assert_true(clock_ms() - start_ms < 20000);
}

/* Everything repeated: a limited number of patterns is tried, and the result says so. */
static void everything_at_once(void **state)
{
    enum { SIZE = 2 << 20 };
    (void)state;
    scoped(detected_free) struct detected findings = { 0 };
    scoped(buf_free) struct buf body = BUF(SIZE);
    for (size_t i = 0; buf_add_str(&body, seen[i % countof(seen)].body); i++)
        continue;
    int64_t start_ms = clock_ms();
    see("https://a.example/", "", buf_text(&body), &findings);
    assert_true(clock_ms() - start_ms < 20000);
    assert_true(findings.is_cut);
    assert_true(findings.count > 200);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(everything_at_once),
        cmocka_unit_test(each_technology_has_a_row),
        cmocka_unit_test(evidence_is_shown),
    };
    void *content = NULL;
    if (!signatures_load(SOURCE_ROOT "/svc-security", &content, NULL) ||
        !public_suffixes_load("", &suffixes, NULL))
        return 1;
    signatures = content;
    int failed = RUN_ROWS(seen, check_seen) + RUN_ROWS(others, check_other) +
                 RUN_ROWS(offered, check_offered) + RUN_ROWS(parties, check_party) +
                 RUN_ROWS(released, check_released) + RUN_ROWS(hostile, check_hostile) +
                 cmocka_run_group_tests(singles, NULL, NULL);
    signatures_free(&content);
    public_suffixes_free(&suffixes);
    return failed;
}
