/* tests/unit/portal/page/csrf.c - the origin of a form. */
#include "portal/page/csrf.h"

#include "rows.h"

#define OURS "https://api.example.com"

static const struct row {
    const char *name;
    const char *site;   /* Sec-Fetch-Site; NULL: absent */
    const char *origin; /* Origin */
    bool want;
} rows[] = {
    { "our page", "same-origin", OURS, true },
    { "a page that the browser restored", "none", NULL, true },
    { "a subdomain", "same-site", OURS, false },
    { "another site", "cross-site", "https://evil.example", false },
    { "another site that names us", "cross-site", OURS, false },
    { "an empty site", "", OURS, false },
    { "a site that nobody knows", "same-origin2", OURS, false },
    { "an old browser, our page", NULL, OURS, true },
    { "an old browser, another site", NULL, "https://evil.example", false },
    { "an old browser, no origin", NULL, "null", false },
    { "an old browser, nothing", NULL, NULL, false },
    { "plain HTTP", NULL, "http://api.example.com", false },
    { "another port", NULL, OURS ":8443", false },
    { "a longer host", NULL, OURS ".evil.example", false },
    { "a slash behind it", NULL, OURS "/", false },
    { "in capitals", NULL, "HTTPS://API.EXAMPLE.COM", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(csrf_is_own_origin(row->site, row->origin, OURS), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
