/* tests/unit/portal/oauth/request.c - what an authorization request may say. */
#include "portal/oauth/request.h"

#include <sodium.h>

#include "../secrets.h"

static struct portal portal = { .public_url = "https://api.example.test" };
static char *client_id;

#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" /* RFC 7636 appendix B */

/* The parameters of a good request; a row replaces or adds some, or removes one with NULL. */
static const char *const good[][2] = {
    { "response_type", "code" },
    { "redirect_uri", "https://app.test/back" },
    { "code_challenge", CHALLENGE },
    { "code_challenge_method", "S256" },
    { "state", "s" },
};

static const struct row {
    const char *name;
    const char *parameter;
    const char *value; /* percent-encoded; NULL: absent */
    enum authorize_fault want;
    const char *error;
} rows[] = {
    { "as it should be", "x", "y", AUTHORIZE_FINE, NULL },
    { "without state", "state", NULL, AUTHORIZE_FINE, NULL },
    { "an empty state", "state", "", AUTHORIZE_FINE, NULL },
    { "prompt and nonce", "prompt", "consent", AUTHORIZE_FINE, NULL },
    { "no client", "client_id", "", AUTHORIZE_UNKNOWN, NULL },
    { "an unknown client", "client_id", "tgc_AAAA", AUTHORIZE_UNKNOWN, NULL },
    { "a client of a document", "client_id", "https://app.test/c.json", AUTHORIZE_UNKNOWN, NULL },
    { "no redirect", "redirect_uri", NULL, AUTHORIZE_UNKNOWN, NULL },
    { "a redirect that is not its own", "redirect_uri", "https://app.test/back2", AUTHORIZE_UNKNOWN,
      NULL },
    { "a redirect with a fragment", "redirect_uri", "https://app.test/back%23", AUTHORIZE_UNKNOWN,
      NULL },
    { "no response type", "response_type", NULL, AUTHORIZE_WRONG, "unsupported_response_type" },
    { "an implicit flow", "response_type", "token", AUTHORIZE_WRONG, "unsupported_response_type" },
    { "a hybrid flow", "response_type", "code+token", AUTHORIZE_WRONG,
      "unsupported_response_type" },
    { "a fragment as response", "response_mode", "fragment", AUTHORIZE_WRONG, "invalid_request" },
    { "a query as response", "response_mode", "query", AUTHORIZE_FINE, NULL },
    { "no challenge", "code_challenge", NULL, AUTHORIZE_WRONG, "invalid_request" },
    { "a short challenge", "code_challenge", "abc", AUTHORIZE_WRONG, "invalid_request" },
    { "a challenge with padding", "code_challenge", CHALLENGE "%3D", AUTHORIZE_WRONG,
      "invalid_request" },
    { "another alphabet", "code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw%2FcM",
      AUTHORIZE_WRONG, "invalid_request" },
    { "no method: plain", "code_challenge_method", NULL, AUTHORIZE_WRONG, "invalid_request" },
    { "plain", "code_challenge_method", "plain", AUTHORIZE_WRONG, "invalid_request" },
    { "a method in lower case", "code_challenge_method", "s256", AUTHORIZE_WRONG,
      "invalid_request" },
    { "a request object", "request", "e30", AUTHORIZE_WRONG, "invalid_request" },
    { "a pushed request", "request_uri", "urn:x", AUTHORIZE_WRONG, "invalid_request" },
    { "our resource", "resource", "https%3A%2F%2Fapi.example.test%2Fmcp", AUTHORIZE_FINE, NULL },
    { "with a slash", "resource", "https%3A%2F%2Fapi.example.test%2Fmcp%2F", AUTHORIZE_FINE, NULL },
    { "with a query", "resource", "https%3A%2F%2Fapi.example.test%2Fmcp%3Fgroups%3Dutils",
      AUTHORIZE_FINE, NULL },
    { "the host", "resource", "https%3A%2F%2Fapi.example.test", AUTHORIZE_FINE, NULL },
    { "the host in another case", "resource", "HTTPS%3A%2F%2FAPI.example.test%2F", AUTHORIZE_FINE,
      NULL },
    { "another host", "resource", "https%3A%2F%2Fevil.test%2Fmcp", AUTHORIZE_WRONG,
      "invalid_target" },
    { "a longer host", "resource", "https%3A%2F%2Fapi.example.test.evil.test%2Fmcp",
      AUTHORIZE_WRONG, "invalid_target" },
    { "another port", "resource", "https%3A%2F%2Fapi.example.test%3A444%2Fmcp", AUTHORIZE_WRONG,
      "invalid_target" },
    { "another path", "resource", "https%3A%2F%2Fapi.example.test%2Fv1", AUTHORIZE_WRONG,
      "invalid_target" },
    { "a deeper path", "resource", "https%3A%2F%2Fapi.example.test%2Fmcp%2Fx", AUTHORIZE_WRONG,
      "invalid_target" },
    { "a user", "resource", "https%3A%2F%2Fapi.example.test%40evil.test%2Fmcp", AUTHORIZE_WRONG,
      "invalid_target" },
    { "one of two", "resource", "https%3A%2F%2Fapi.example.test%2Fmcp&resource=https://evil.test",
      AUTHORIZE_WRONG, "invalid_target" },
};

/* The query of the row. */
static char *query_of(const struct row *row)
{
    struct buf query = BUF(8192);
    bool is_client = strcmp(row->parameter, "client_id") == 0;
    buf_format(&query, "client_id=%s", is_client ? row->value : client_id);
    bool is_done = is_client;
    for (size_t i = 0; i < countof(good); i++) {
        bool is_it = strcmp(good[i][0], row->parameter) == 0;
        is_done |= is_it;
        const char *value = is_it ? row->value : good[i][1];
        if (value)
            buf_format(&query, "&%s=%s", good[i][0], value);
    }
    if (!is_done)
        buf_format(&query, "&%s=%s", row->parameter, row->value);
    return buf_take(&query);
}

static enum authorize_fault read_query(const char *query, struct form *form,
                                       struct authorize_request *request)
{
    struct err err = { 0 };
    if (!form_parse(text_of(query), "resource", form, &err))
        fail_msg("%s", err.message);
    if (!client_read(portal.secrets, portal.conf, form_text(form, "client_id"), &request->client))
        request->client.count = 0;
    return authorize_read(&portal, form, request);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) struct authorize_request *request = mem_new(sizeof(*request));
    scoped(mem_free) char *query = query_of(row);
    scoped(form_free) struct form form = { 0 };
    assert_int_equal(read_query(query, &form, request), row->want);
    if (row->error)
        assert_string_equal(request->error, row->error);
}

static void a_state_has_at_most_1024_bytes(void **state)
{
    (void)state;
    scoped(mem_free) struct authorize_request *request = mem_new(sizeof(*request));
    char long_state[AUTHORIZE_STATE_MAX_BYTES + 2] = "";
    memset(long_state, 'x', AUTHORIZE_STATE_MAX_BYTES + 1);
    for (size_t extra = 0; extra < 2; extra++) {
        scoped(form_free) struct form form = { 0 };
        const struct row row = { "", "state", long_state + 1 - extra, AUTHORIZE_FINE, NULL };
        scoped(mem_free) char *query = query_of(&row);
        assert_int_equal(read_query(query, &form, request),
                         extra ? AUTHORIZE_WRONG : AUTHORIZE_FINE);
    }
}

static void unknown_scopes_are_ignored(void **state)
{
    (void)state;
    static const struct {
        const char *asked;
        size_t count;
    } asked[] = { { "utils+account", 2 }, { "utils+openid+nothing", 1 },
                  { "openid+email", 1 },  { "openid+profile", OAUTH_SCOPES },
                  { "", OAUTH_SCOPES },   { "offline_access", OAUTH_SCOPES } };
    for (size_t i = 0; i < countof(asked); i++) {
        scoped(mem_free) struct authorize_request *request = mem_new(sizeof(*request));
        scoped(form_free) struct form form = { 0 };
        const struct row row = { "", "scope", asked[i].asked, AUTHORIZE_FINE, NULL };
        scoped(mem_free) char *query = query_of(&row);
        size_t count = 0;
        assert_int_equal(read_query(query, &form, request), AUTHORIZE_FINE);
        for (size_t at = 0; at < OAUTH_SCOPES; at++)
            count += request->scopes[at];
        assert_int_equal(count, asked[i].count);
    }
}

static void the_ways_back(void **state)
{
    (void)state;
    scoped(mem_free) struct authorize_request *request = mem_new(sizeof(*request));
    scoped(form_free) struct form form = { 0 };
    scoped(buf_free) struct buf link = BUF(AUTHORIZE_LINK_BYTES);
    const struct row row = { "", "state", "a%26b%3D%C3%A4%22", AUTHORIZE_FINE, NULL };
    scoped(mem_free) char *query = query_of(&row);
    assert_int_equal(read_query(query, &form, request), AUTHORIZE_FINE);
    authorize_add_error(&portal, request, "access_denied", "no", &link);
    assert_string_equal(buf_str(&link),
                        "https://app.test/back?error=access_denied&error_description=no"
                        "&state=a%26b%3D%C3%A4%22&iss=https%3A%2F%2Fapi.example.test");
    buf_clear(&link);
    authorize_add_code(&portal, "https://app.test/back?x=y", NULL, "tg_code_A", &link);
    assert_string_equal(buf_str(&link), "https://app.test/back?x=y&code=tg_code_A"
                                        "&iss=https%3A%2F%2Fapi.example.test");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_has_at_most_1024_bytes),
        cmocka_unit_test(unknown_scopes_are_ignored),
        cmocka_unit_test(the_ways_back),
    };
    struct conf *conf = NULL;
    struct err err = { 0 };
    struct redirect redirect;
    struct buf id = BUF(CLIENT_ID_MAX_BYTES);
    if (sodium_init() < 0 || !conf_load(NULL, &conf, &err) ||
        !redirect_read(TEXT("https://app.test/back"), conf, &redirect))
        return 1;
    portal.conf = conf;
    portal.secrets = secrets_of(OLD);
    if (!client_id_write(portal.secrets, "An app", &redirect, 1, &id))
        return 1;
    client_id = buf_take(&id);
    int failures = cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
    mem_free(&client_id);
    secrets_free(&portal.secrets);
    conf_free(&conf);
    return failures;
}
