/* svc-reports/website-audit/tests/comparison.c - fingerprints of reports, their comparison, and the
 * texts to copy. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/file.h"
#include "rows.h"
#include "text/json.h"
#include "website-audit/fingerprint.h"
#include "website-audit/remedies.h"

static const struct site site = { "https://www.site.example/", "www.site.example", "site.example",
                                  443 };

static void add(struct site_audit *audit, enum section_id section, const char *id,
                enum severity severity)
{
    audit->section[section].status = SECTION_OK;
    audit->issues.item[audit->issues.count++] = (struct issue){
        .severity = severity,
        .section = section,
        .id = str_dup(id),
        .title = str_format("About %s", id),
        .detail = str_dup(""),
        .fix = str_dup(""),
    };
}

static struct site_audit *audit_new(void)
{
    struct site_audit *audit = mem_new(sizeof(*audit));
    audit->site = &site;
    audit->url = site.url;
    audit->score = 64;
    audit->now_ms = 1795774800000;
    return audit;
}

static void audit_free(struct site_audit **audit)
{
    site_audit_free(*audit);
    mem_free(audit);
}

static void check_changes(void **state)
{
    struct site_audit *old = audit_new();
    struct site_audit *new = audit_new();
    struct fingerprint *before = mem_new(sizeof(*before));
    scoped(buf_free) struct buf text = BUF(FINGERPRINT_MAX_BYTES);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    add(old, SECTION_TLS, "cert-expired", SEVERITY_CRITICAL);
    add(old, SECTION_TLS, "no-tls13", SEVERITY_LOW);
    add(old, SECTION_SEO, "title", SEVERITY_LOW);
    add(new, SECTION_TLS, "no-tls13", SEVERITY_LOW);
    add(new, SECTION_TLS, "weak-dh", SEVERITY_MEDIUM);
    add(new, SECTION_DNS, "caa", SEVERITY_LOW); /* this section is new */
    fingerprint_write(old, site.host, &text);
    assert_string_equal(buf_str(&text),
                        "wa1 1795774800000 64 www.site.example 011000000 c:tls/cert-expired "
                        "l:tls/no-tls13 l:seo/title");
    assert_true(fingerprint_read(buf_text(&text), site.host, before, &err));
    fingerprint_compare(before, new, result);
    assert_int_equal(json_size(json_at(result, "/changes/new")), 1);
    assert_string_equal(json_text(result, "/changes/new/0/id"), "tls/weak-dh");
    assert_string_equal(json_text(result, "/changes/new/0/title"), "About weak-dh");
    /* seo did not run now, so its issue is not known to be fixed */
    assert_int_equal(json_size(json_at(result, "/changes/fixed")), 1);
    assert_string_equal(json_text(result, "/changes/fixed/0/id"), "tls/cert-expired");
    assert_string_equal(json_text(result, "/changes/fixed/0/severity"), "critical");
    assert_int_equal(json_at(result, "/changes/score_before")->valueint, 64);
    mem_free(&before);
    audit_free(&old);
    audit_free(&new);
}

static void check_size(void **state)
{
    struct site_audit *audit = audit_new();
    struct fingerprint *before = mem_new(sizeof(*before));
    scoped(buf_free) struct buf text = BUF(FINGERPRINT_MAX_BYTES);
    struct err err = { 0 };
    (void)state;
    for (int i = 0; i < ISSUES_MAX; i++) {
        scoped(mem_free) char *id = str_format("/a path with \x80 and %040d", i);
        add(audit, SECTION_EXPOSED_FILES, id, SEVERITY_LOW);
    }
    fingerprint_write(audit, site.host, &text);
    assert_in_range(text.size, FINGERPRINT_MAX_BYTES - 100, FINGERPRINT_MAX_BYTES);
    assert_true(fingerprint_read(buf_text(&text), site.host, before, &err));
    assert_in_range(before->count, 50, ISSUES_MAX - 1);
    mem_free(&before);
    audit_free(&audit);
}

static const struct bad_row {
    const char *name;
    const char *text;
} bad[] = {
    { "empty", "" },
    { "another version", "wa2 1 64 www.site.example 000000000" },
    { "no time", "wa1 - 64 www.site.example 000000000" },
    { "a score above 100", "wa1 1 101 www.site.example 000000000" },
    { "another host", "wa1 1 64 other.example 000000000" },
    { "too few sections", "wa1 1 64 www.site.example 00000000" },
    { "an unknown severity", "wa1 1 64 www.site.example 000000000 x:tls/a" },
    { "markup in an id", "wa1 1 64 www.site.example 000000000 c:tls/<b>" },
    { "two blanks", "wa1 1 64 www.site.example 000000000  c:tls/a" },
    { "JSON", "{\"fingerprint\":\"wa1\"}" },
};

static void check_bad(void **state)
{
    const struct bad_row *row = *state;
    struct fingerprint *before = mem_new(sizeof(*before));
    struct err err = { 0 };
    assert_false(fingerprint_read(text_of(row->text), site.host, before, &err));
    assert_int_equal(err.kind, ERR_INVALID_PREVIOUS);
    mem_free(&before);
}

/* ---- remedies ---- */

static const struct remedy_row {
    const char *name; /* of the issue */
    enum section_id section;
    enum remedy_kind kind;
    const char *want; /* NULL: no text */
} remedies[] = {
    { "X-Content-Type-Options", SECTION_SECURITY_HEADERS, REMEDY_NGINX,
      "add_header X-Content-Type-Options \"nosniff\" always;" },
    { "X-Content-Type-Options", SECTION_SECURITY_HEADERS, REMEDY_APACHE,
      "Header always set X-Content-Type-Options \"nosniff\"" },
    { "X-Content-Type-Options", SECTION_SECURITY_HEADERS, REMEDY_CADDY,
      "header X-Content-Type-Options \"nosniff\"" },
    { "X-Content-Type-Options", SECTION_SECURITY_HEADERS, REMEDY_DNS, NULL },
    { "SPF_NONE", SECTION_EMAIL, REMEDY_DNS, "site.example. IN TXT \"v=spf1 mx -all\"" },
    { "DMARC_NONE", SECTION_EMAIL, REMEDY_DNS,
      "_dmarc.site.example. IN TXT \"v=DMARC1; p=none; rua=mailto:dmarc@site.example\"" },
    { "redirection", SECTION_SECURITY_HEADERS, REMEDY_CADDY,
      "# Caddy redirects automatically:\nwww.site.example {\n}" },
    { "caching", SECTION_PERFORMANCE, REMEDY_HTML, NULL },
    { "og_image", SECTION_SEO, REMEDY_HTML,
      "<meta property=\"og:image\" content=\"https://www.site.example/preview.png\">" },
    { "compression", SECTION_SEO, REMEDY_CADDY, "encode zstd gzip" },
};

static void check_remedy(void **state)
{
    const struct remedy_row *row = *state;
    const struct remedy *remedy = remedy_of(row->section, row->name);
    assert_non_null(remedy);
    scoped(mem_free) char *text = remedy_text(remedy, row->kind, &site);
    if (row->want)
        assert_string_equal(text, row->want);
    else
        assert_null(text);
}

static void address_has_no_zone(void **state)
{
    const struct site address = { "https://192.0.2.1/", "192.0.2.1", NULL, 443 };
    (void)state;
    assert_null(remedy_text(remedy_of(SECTION_DNS, "caa"), REMEDY_DNS, &address));
}

/* Each id of the table is one of the section's tool. */
static void ids_exist(void **state)
{
    static const struct {
        enum section_id section;
        const char *files[2];
    } sources[] = {
        { SECTION_SECURITY_HEADERS,
          { "svc-security/security-headers/headers.def",
            "svc-security/security-headers/results.def" } },
        { SECTION_TLS, { "svc-security/tls-check/issues.def" } },
        { SECTION_SEO, { "svc-security/seo-analyze/factors/factor.def" } },
        { SECTION_PERFORMANCE, { "svc-reports/performance-audit/checks.def" } },
        { SECTION_EMAIL, { "svc-email/email-deliverability/findings.def" } },
        { SECTION_DNS, { "svc-reports/website-audit/dns-issues.def" } },
    };
#define REMEDY(section, id, why, nginx, apache, caddy, dns) { SECTION_##section, id },
    static const struct {
        enum section_id section;
        const char *id;
    } used[] = {
#include "website-audit/remedies.def"
    };
    (void)state;
    for (size_t i = 0; i < countof(sources); i++) {
        scoped(buf_free) struct buf text = BUF(1 << 20);
        for (size_t j = 0; j < countof(sources[i].files) && sources[i].files[j]; j++) {
            scoped(mem_free) char *path = str_format("%s/%s", SOURCE_ROOT, sources[i].files[j]);
            assert_true(file_read(path, &text, NULL));
        }
        for (size_t j = 0; j < countof(used); j++) {
            if (used[j].section != sources[i].section || !used[j].id)
                continue;
            bool is_code = used[j].section == SECTION_EMAIL;
            scoped(mem_free) char *id =
                is_code ? str_format("FINDING(%s,", used[j].id) : str_format("\"%s\"", used[j].id);
            if (!text_has(buf_text(&text), id))
                fail_msg("%s is not in %s", used[j].id, sources[i].files[0]);
        }
    }
}

/* Every factor that can be an issue has a title, a reason, and nothing else has. */
static void factors_are_described(void **state)
{
    static const char *const described[] = {
#define SEO_ISSUE(id, title, why, html) id,
#include "website-audit/seo-issues.def"
#undef SEO_ISSUE
    };
    scoped(buf_free) struct buf text = BUF(1 << 20);
    size_t count = 0;
    char name[64];
    int weight;
    (void)state;
    assert_true(file_read(SOURCE_ROOT "/svc-security/seo-analyze/factors/factor.def", &text, NULL));
    for (const char *at = buf_str(&text); (at = strstr(at, "\nFACTOR(")); at++) {
        if (sscanf(at, "\nFACTOR(%*[A-Z0-9_], \"%63[a-z0-9_]\", %d", name, &weight) != 2 ||
            weight == 0)
            continue;
        assert_string_not_equal(remedy_seo_title(name), name);
        assert_non_null(remedy_of(SECTION_SEO, name));
        count++;
    }
    assert_int_equal(count, countof(described));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_changes),         cmocka_unit_test(check_size),
        cmocka_unit_test(address_has_no_zone),   cmocka_unit_test(ids_exist),
        cmocka_unit_test(factors_are_described),
    };
    return RUN_ROWS(bad, check_bad) + RUN_ROWS(remedies, check_remedy) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
