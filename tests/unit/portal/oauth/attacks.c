/* tests/unit/portal/oauth/attacks.c - redirects that resemble those of a client: no code goes
 * there, and no link leads there. */
#include <sodium.h>

#include "../secrets.h"
#include "portal/oauth/request.h"

static struct portal portal = { .public_url = "https://api.example.test" };
static char *client_id;

static const char *const registered[] = { "https://app.example.net/back?x=1&y=2",
                                          "http://localhost:3118/callback", "http://127.0.0.1/cb",
                                          "cursor://app/back" };

#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" /* RFC 7636 appendix B */

static const struct row {
    const char *name; /* the redirect that is asked for */
    bool is_good;
} rows[] = {
    { "https://app.example.net/back?x=1&y=2", true },
    { "http://localhost:3118/callback", true },
    { "http://localhost:50000/callback", true },
    { "http://localhost/callback", true },
    { "http://127.0.0.1:1/cb", true },
    { "cursor://app/back", true },
    /* case */
    { "HTTPS://app.example.net/back?x=1&y=2", false },
    { "https://APP.example.net/back?x=1&y=2", false },
    { "https://app.example.net/Back?x=1&y=2", false },
    { "https://app.example.net/back?X=1&y=2", false },
    { "http://LocalHost:3118/callback", false },
    { "CURSOR://app/back", false },
    { "cursor://App/back", false },
    /* another port or scheme */
    { "https://app.example.net:443/back?x=1&y=2", false },
    { "https://app.example.net:8443/back?x=1&y=2", false },
    { "https://app.example.net:/back?x=1&y=2", false },
    { "http://app.example.net/back?x=1&y=2", false },
    { "https://localhost:3118/callback", false },
    { "https://127.0.0.1/cb", false },
    { "cursor://app:1/back", false },
    { "vscode://app/back", false },
    { "javascript://app/back", false },
    /* users */
    { "https://app.example.net@evil.test/back?x=1&y=2", false },
    { "https://evil.test@app.example.net/back?x=1&y=2", false },
    { "https://app.example.net:x@evil.test/back?x=1&y=2", false },
    { "https://evil.test%40app.example.net/back?x=1&y=2", false },
    { "http://localhost:3118@evil.test/callback", false },
    { "http://localhost@evil.test:3118/callback", false },
    /* hosts */
    { "https://app.example.net.evil.test/back?x=1&y=2", false },
    { "https://evil.app.example.net/back?x=1&y=2", false },
    { "https://example.net/back?x=1&y=2", false },
    { "https://appexample.net/back?x=1&y=2", false },
    { "https://app.example.net./back?x=1&y=2", false },
    { "https://app.example.ne/back?x=1&y=2", false },
    { "https://app.example.net%00.evil.test/back?x=1&y=2", false },
    { "https://app.example.net%2f.evil.test/back?x=1&y=2", false },
    { "https://app.example.net%2eevil.test/back?x=1&y=2", false },
    { "https://\xd0\xb0pp.example.net/back?x=1&y=2", false }, /* Cyrillic a */
    { "https://xn--pp-6kc.example.net/back?x=1&y=2", false },
    { "https://evil.test#app.example.net/back?x=1&y=2", false },
    { "https://evil.test?app.example.net/back?x=1&y=2", false },
    { "https://evil.test\\app.example.net/back?x=1&y=2", false },
    { "https://evil.test\\@app.example.net/back?x=1&y=2", false },
    { "https://evil.test;app.example.net/back?x=1&y=2", false },
    { "https://[app.example.net]/back?x=1&y=2", false },
    { "//app.example.net/back?x=1&y=2", false },
    { "///app.example.net/back?x=1&y=2", false },
    { "https:app.example.net/back?x=1&y=2", false },
    { "https:/app.example.net/back?x=1&y=2", false },
    { "https:///app.example.net/back?x=1&y=2", false },
    { "https:\\\\app.example.net/back?x=1&y=2", false },
    /* this computer in another spelling */
    { "http://localhost.evil.test:3118/callback", false },
    { "http://localhost.:3118/callback", false },
    { "http://127.0.0.1.evil.test/cb", false },
    { "http://127.1/cb", false },
    { "http://127.0.1/cb", false },
    { "http://2130706433/cb", false },
    { "http://0x7f000001/cb", false },
    { "http://0177.0.0.1/cb", false },
    { "http://127.0.0.2/cb", false },
    { "http://0.0.0.0/cb", false },
    { "http://[::1]/cb", false },
    { "http://[::ffff:127.0.0.1]/cb", false },
    { "http://[::1%25eth0]/callback", false },
    { "http://127.0.0.1/callback", false },
    { "http://localhost/cb", false },
    /* paths */
    { "https://app.example.net/back/?x=1&y=2", false },
    { "https://app.example.net//back?x=1&y=2", false },
    { "https://app.example.net/./back?x=1&y=2", false },
    { "https://app.example.net/a/../back?x=1&y=2", false },
    { "https://app.example.net/back/..?x=1&y=2", false },
    { "https://app.example.net/%62ack?x=1&y=2", false },
    { "https://app.example.net/back%2f..%2fopen?x=1&y=2", false },
    { "https://app.example.net/back;/open?x=1&y=2", false },
    { "https://app.example.net/back%00?x=1&y=2", false },
    { "https://app.example.net/?x=1&y=2", false },
    { "https://app.example.net?x=1&y=2", false },
    { "http://localhost:3118/callback/", false },
    { "http://localhost:3118/callback/../open", false },
    { "http://localhost:3118/", false },
    { "cursor://app/back/../install", false },
    { "cursor://app", false },
    /* queries and fragments */
    { "https://app.example.net/back", false },
    { "https://app.example.net/back?", false },
    { "https://app.example.net/back?x=1", false },
    { "https://app.example.net/back?y=2&x=1", false },
    { "https://app.example.net/back?x=1&y=2&", false },
    { "https://app.example.net/back?x=1&y=2&z=3", false },
    { "https://app.example.net/back?x=1&y=%32", false },
    { "https://app.example.net/back?x=1;y=2", false },
    { "https://app.example.net/back?x=1&y=2#", false },
    { "https://app.example.net/back?x=1&y=2#access_token", false },
    { "http://localhost:3118/callback?to=https://evil.test", false },
    { "http://localhost:3118/callback?", false },
    { "cursor://app/back?config=x", false },
    /* bytes */
    { " https://app.example.net/back?x=1&y=2", false },
    { "https://app.example.net/back?x=1&y=2 ", false },
    { "https://app.example.net/back?x=1&y=2\r\nLocation: https://evil.test", false },
    { "https://app.example.net\t/back?x=1&y=2", false },
    { "https://app.example.net/back?x=1&y=2\x7f", false },
    { "https://app.example.net/back?x=1&y=2,https://evil.test", false },
    { "*", false },
    { "", false },
};

static void add_encoded(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_format(out, "%%%02X", (unsigned char)*text);
}

static enum authorize_fault ask(const char *redirect, struct authorize_request *request)
{
    scoped(buf_free) struct buf query = BUF(16384);
    scoped(form_free) struct form form = { 0 };
    struct err err = { 0 };
    buf_format(&query,
               "response_type=code&client_id=%s&code_challenge=" CHALLENGE
               "&code_challenge_method=S256&redirect_uri=",
               client_id);
    add_encoded(&query, redirect);
    if (!form_parse(buf_text(&query), "resource", &form, &err))
        fail_msg("%s", err.message);
    assert_true(client_read(portal.secrets, portal.conf, client_id, &request->client));
    return authorize_read(&portal, &form, request);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) struct authorize_request *request = mem_new(sizeof(*request));
    assert_int_equal(ask(row->name, request), row->is_good ? AUTHORIZE_FINE : AUTHORIZE_UNKNOWN);
}

int main(void)
{
    struct conf *conf = NULL;
    struct err err = { 0 };
    struct redirect redirects[countof(registered)];
    struct buf id = BUF(CLIENT_ID_MAX_BYTES);
    if (sodium_init() < 0 || !conf_load(NULL, &conf, &err))
        return 1;
    for (size_t i = 0; i < countof(registered); i++)
        if (!redirect_read(text_of(registered[i]), conf, &redirects[i]))
            return 1;
    portal.conf = conf;
    portal.secrets = secrets_of(OLD);
    if (!client_id_write(portal.secrets, "An app", redirects, countof(redirects), &id))
        return 1;
    client_id = buf_take(&id);
    int failures = RUN_ROWS(rows, check);
    mem_free(&client_id);
    secrets_free(&portal.secrets);
    conf_free(&conf);
    return failures;
}
