/* tests/unit/portal/oauth/clients/redirect.c - which URIs may be redirects, and which is which. */
#include "portal/oauth/clients/redirect.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"

static struct conf *conf;

#define N256 N64 N64 N64 N64
#define N64  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct row {
    const char *name; /* the URI */
    bool want;
} rows[] = {
    { "https://app.test/back", true },
    { "https://app.test", true },
    { "https://app.test/", true },
    { "https://app.test:8443/back?a=b&c=d", true },
    { "https://app.test/a%2Fb/%2e%2e/c", true },
    { "https://xn--bcher-kva.test/back", true },
    { "http://localhost/callback", true },
    { "http://localhost:3118/callback", true },
    { "http://127.0.0.1:33418/", true },
    { "http://[::1]:1/x", true },
    { "http://[::1]/x", true },
    { "cursor://anysphere.cursor-mcp/oauth/callback", true },
    { "vscode://vscode.example/x", true },
    { "", false },
    { "https", false },
    { "https:", false },
    { "https://", false },
    { "https:///back", false },
    { "https:/app.test/back", false },
    { "//app.test/back", false },
    { "/back", false },
    { " https://app.test/back", false },
    { "https://app.test/back ", false },
    { "https://app.test/ba ck", false },
    { "https://app.test/back\r\nX: y", false },
    { "https://app.test/back\t", false },
    { "https://app.test/back#", false },
    { "https://app.test/back#code=1", false },
    { "https://app.test/<script>", false },
    { "https://app.test/\"onload", false },
    { "https://app.test/b\\ack", false },
    { "https://app.test\\@evil.test/", false },
    { "https://app.test/\xc3\xa4", false },
    { "https://b\xc3\xbc"
      "cher.test/",
      false },
    { "HTTPS://app.test/back", false },
    { "https://App.test/back", false },
    { "https://app.test./back", false },
    { "https://user@app.test/back", false },
    { "https://user:password@app.test/back", false },
    { "https://@app.test/back", false },
    { "https://app%2Etest/back", false },
    { "https://app.test%2f.evil.test/", false },
    { "https://app", false },
    { "https://localhost/back", false },
    { "https://127.0.0.1/back", false },
    { "https://127.1/back", false },
    { "https://2130706433/back", false },
    { "https://0x7f.0.0.1/back", false },
    { "https://192.0.2.1/back", false },
    { "https://[2001:db8::1]/back", false },
    { "https://[::1]/back", false },
    { "https://app.test:/back", false },
    { "https://app.test:0/back", false },
    { "https://app.test:080/back", false },
    { "https://app.test:65536/back", false },
    { "https://app.test:99999999999999999999/back", false },
    { "https://app.test:8443:1/back", false },
    { "https://app.test:x/back", false },
    { "https://app.test;evil.test/", false },
    { "https://app_.te st/", false },
    { "https://-app.test/", false },
    { "https://app..test/", false },
    { "https://.test/", false },
    { "http://app.test/back", false },
    { "http://localhost.evil.test/", false },
    { "http://evil.test/localhost", false },
    { "http://localhost@evil.test/", false },
    { "http://LOCALHOST/callback", false },
    { "http://localhost./callback", false },
    { "http://127.0.0.2/callback", false },
    { "http://127.1/callback", false },
    { "http://2130706433/callback", false },
    { "http://0177.0.0.1/callback", false },
    { "http://0.0.0.0/callback", false },
    { "http://[::ffff:127.0.0.1]/callback", false },
    { "http://[0:0:0:0:0:0:0:1]/callback", false },
    { "http://[::1%25lo]/callback", false },
    { "http://[::1/callback", false },
    { "http://::1/callback", false },
    { "http://[::1]x/callback", false },
    { "javascript://app.test/%0aalert(1)", false },
    { "data://text/html", false },
    { "file:///etc/passwd", false },
    { "cursor://anysphere.cursor-deeplink/mcp/install?config=x", false },
    { "cursor://anysphere.cursor-deeplink/mcp/install?", false },
    { "ftp://app.test/back", false },
    { "cursor:/x", false },
    { "cursor:", false },
    { "cursor://", false },
    { "cursor:///x", false },
    { "cursors://x/y", false },
    { "Cursor://x/y", false },
    { "vscode-insider://x/y", false },
    { "urn:ietf:wg:oauth:2.0:oob", false },
    { "https://app.test/*", true },
    { "https://*.app.test/", false },
    { "https://app.test/" N256 N64 N64 N64, true },
    { "https://app.test/" N256 N256, false },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct redirect redirect = { 0 };
    assert_int_equal(redirect_read(text_of(row->name), conf, &redirect), row->want);
}

/* ---- matching ---- */

static const struct pair {
    const char *name; /* as registered */
    const char *asked;
    bool want;
} pairs[] = {
    { "https://app.test/back", "https://app.test/back", true },
    { "https://app.test/back", "https://app.test/back/", false },
    { "https://app.test/back", "https://app.test/Back", false },
    { "https://app.test/back", "https://app.test/back?", false },
    { "https://app.test/back", "https://app.test/back?x=y", false },
    { "https://app.test/back?a=1&b=2", "https://app.test/back?b=2&a=1", false },
    { "https://app.test/back", "https://app.test/%62ack", false },
    { "https://app.test/back", "https://app.test/x/../back", false },
    { "https://app.test/back", "https://app.test//back", false },
    { "https://app.test/back", "https://app.test:443/back", false },
    { "https://app.test:8443/back", "https://app.test:8444/back", false },
    { "https://app.test:8443/back", "https://app.test/back", false },
    { "https://app.test/back", "https://www.app.test/back", false },
    { "https://app.test/back", "https://app.test.evil.test/back", false },
    { "https://app.test", "https://app.test/", false },
    { "http://127.0.0.1:33418/", "http://127.0.0.1:5", true },
    { "http://localhost", "http://localhost:5/", true },
    { "http://localhost/callback", "http://localhost:5/callback", true },
    { "http://localhost:3118/callback", "http://localhost:5/callback", true },
    { "http://localhost:3118/callback", "http://localhost/callback", true },
    { "http://127.0.0.1/callback", "http://127.0.0.1:5/callback", true },
    { "http://[::1]/callback", "http://[::1]:5/callback", true },
    { "http://localhost/callback", "http://127.0.0.1/callback", false },
    { "http://localhost/callback", "http://localhost:5/callback2", false },
    { "http://localhost/callback", "http://localhost:5/", false },
    { "cursor://a/b", "cursor://a/b", true },
    { "cursor://a:1/b", "cursor://a:2/b", false },
    { "cursor://a/b", "vscode://a/b", false },
};

static void check_pair(void **state)
{
    const struct pair *row = *state;
    struct redirect registered, asked;
    assert_true(redirect_read(text_of(row->name), conf, &registered));
    assert_true(redirect_read(text_of(row->asked), conf, &asked));
    assert_int_equal(redirect_fits(&registered, &asked), row->want);
}

int main(void)
{
    struct err err = { 0 };
    setenv("TOLLGATE_OAUTH_APP_SCHEMES", "cursor,vscode,javascript,data", 1); /* the rows of both */
    if (!conf_load(NULL, &conf, &err))
        return 1;
    int failures = RUN_ROWS(rows, check) + RUN_ROWS(pairs, check_pair);
    conf_free(&conf);
    return failures;
}
