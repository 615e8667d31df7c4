/* tests/unit/portal/oauth/clients/document.c - which URLs and documents may describe a client. */
#include "portal/oauth/clients/document.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "net/egress.h"
#include "rows.h"
#include "text/json.h"

static struct portal portal = { .public_url = "https://api.example.com:8443" };

#define ID "https://app.example.net/client.json"

/* ---- URLs ---- */

static const struct url_row {
    const char *name;
    const char *url;
    bool is_good;
} urls[] = {
    { "a file", ID, true },
    { "a path", "https://app.example.net/oauth/x", true },
    { "a path that ends with a slash", "https://app.example.net/oauth/", true },
    { "an A-label", "https://xn--mnchen-3ya.example.net/c", true },
    { "another port of web servers", "https://app.example.net:8443/c", true },
    { "an encoded byte", "https://app.example.net/a%41", true },
    { "two slashes", "https://app.example.net//c", true },
    { "nothing", "", false },
    { "http", "http://app.example.net/c", false },
    { "an upper case scheme", "HTTPS://app.example.net/c", false },
    { "an upper case host", "https://App.example.net/c", false },
    { "no path", "https://app.example.net", false },
    { "the root", "https://app.example.net/", false },
    { "a query", ID "?x=y", false },
    { "an empty query", ID "?", false },
    { "a fragment", ID "#x", false },
    { "an empty fragment", ID "#", false },
    { "a user", "https://user@app.example.net/c", false },
    { "a user and a password", "https://a:b@app.example.net/c", false },
    { "an empty user", "https://@app.example.net/c", false },
    { "a dot", "https://app.example.net/./c", false },
    { "two dots", "https://app.example.net/a/../c", false },
    { "two dots at the end", "https://app.example.net/a/..", false },
    { "encoded dots", "https://app.example.net/a/%2e%2e/c", false },
    { "encoded dots in upper case", "https://app.example.net/a/%2E./c", false },
    { "a backslash", "https://app.example.net\\c", false },
    { "a blank", "https://app.example.net/a b", false },
    { "a blank before it", " " ID, false },
    { "a line feed", ID "\n", false },
    { "a tab in the host", "https://app.exa\tmple.net/c", false },
    { "a byte above ASCII", "https://app.example.net/\xc3\xa9", false },
    { "an IDN", "https://m\xc3\xbcnchen.example.net/c", false },
    { "the port of https", "https://app.example.net:443/c", false },
    { "the port of ssh", "https://app.example.net:22/c", false },
    { "port 0", "https://app.example.net:0/c", false },
    { "no port after the colon", "https://app.example.net:/c", false },
    { "an address", "https://192.0.2.1/c", false },
    { "an address of IPv6", "https://[2001:db8::1]/c", false },
    { "a number", "https://2130706433/c", false },
    { "this computer", "https://127.0.0.1/c", false },
    { "this computer by name", "https://localhost/c", false },
    { "one label", "https://gateway/c", false },
    { "a local name", "https://printer.local/c", false },
    { "an internal name", "https://db.internal/c", false },
    { "a final dot", "https://app.example.net./c", false },
    { "an encoded host", "https://%61pp.example.net/c", false },
    { "our host", "https://api.example.com/c", false },
    { "our host and port", "https://api.example.com:8443/c", false },
    { "our host in another case", "https://API.example.com/c", false },
    { "a host that was blocked", "https://evil.example.org/c", false },
    { "a host below it", "https://a.evil.example.org/c", false },
    { "javascript", "javascript:alert(1)", false },
    { "a registration", "tgc_AAAA", false },
};

static void check_url(void **state)
{
    const struct url_row *row = *state;
    scoped(target_free) struct target target = { 0 };
    assert_int_equal(document_url_read(&portal, row->url, &target), row->is_good);
    if (row->is_good)
        assert_string_equal(target.url, row->url);
}

static void a_url_has_at_most_1000_bytes(void **state)
{
    (void)state;
    char url[CLIENT_ID_MAX_BYTES + 2] = ID;
    memset(url + strlen(url), 'x', sizeof(url) - 1 - strlen(url));
    for (size_t size = CLIENT_ID_MAX_BYTES + 1; size >= CLIENT_ID_MAX_BYTES; size--) {
        scoped(target_free) struct target target = { 0 };
        url[size] = '\0';
        assert_int_equal(document_url_read(&portal, url, &target), size == CLIENT_ID_MAX_BYTES);
    }
}

/* ---- documents ---- */

#define SELF "'client_id':'" ID "','client_name':'App'"
#define BACK "'redirect_uris':['https://app.example.net/back']"
#define FIVE                                                                      \
    "'https://a.example.net/','https://a.example.net/','https://a.example.net/'," \
    "'https://a.example.net/','https://a.example.net/'"

enum { OPEN = 1, SIGNS = 2, WEB = 4 };

static const struct row {
    const char *name;
    const char *json; /* with 'single quotes' for JSON's double ones */
    const char *want; /* part of the reason; NULL: good */
    int kind;         /* of a good one */
} rows[] = {
    { "the least", "{" SELF "," BACK "}", NULL, OPEN },
    { "as Claude's", "{" SELF "," BACK ",'token_endpoint_auth_method':'none'}", NULL, OPEN },
    { "as ChatGPT's",
      "{" SELF "," BACK ",'token_endpoint_auth_method':'private_key_jwt','jwks_uri':'https://x'}",
      NULL, SIGNS },
    { "keys inside",
      "{" SELF "," BACK ",'token_endpoint_auth_method':'private_key_jwt','jwks':{'keys':[]}}", NULL,
      SIGNS },
    { "both methods",
      "{" SELF "," BACK ",'token_endpoint_auth_method':'private_key_jwt','jwks_uri':'https://x',"
      "'token_endpoint_auth_methods_supported':['none','private_key_jwt']}",
      NULL, OPEN },
    { "keys without a method", "{" SELF "," BACK ",'jwks_uri':'https://x'}", NULL, SIGNS },
    { "a web application", "{" SELF "," BACK ",'application_type':'web'}", NULL, OPEN | WEB },
    { "more members", "{" SELF "," BACK ",'logo_uri':'javascript:x','x':{'y':[1]}}", NULL, OPEN },
    { "a redirect of an unknown kind is left out",
      "{" SELF ",'redirect_uris':['weird://x','https://app.example.net/back','javascript:x']}",
      NULL, OPEN },
    { "twenty redirects", "{" SELF ",'redirect_uris':[" FIVE "," FIVE "," FIVE "," FIVE "]}", NULL,
      OPEN },
    { "nothing", "", "valid JSON", 0 },
    { "not JSON", "<html>", "valid JSON", 0 },
    { "not UTF-8", "{" SELF "," BACK ",'x':'\xff'}", "valid JSON", 0 },
    { "a byte-order mark", "\xef\xbb\xbf{" SELF "," BACK "}", "valid JSON", 0 },
    { "two documents", "{" SELF "," BACK "}{}", "valid JSON", 0 },
    { "a member twice", "{" SELF "," BACK ",'client_id':'" ID "'}", "valid JSON", 0 },
    { "too deep", "{" SELF "," BACK ",'x':[[[[[[[[[[]]]]]]]]]]}", "valid JSON", 0 },
    { "a list", "[" SELF "]", "valid JSON", 0 },
    { "an empty list", "[]", "a JSON object", 0 },
    { "a text", "'x'", "a JSON object", 0 },
    { "no client_id", "{'client_name':'App'," BACK "}", "its own URL", 0 },
    { "another client_id", "{'client_id':'https://evil.test/c','client_name':'App'," BACK "}",
      "its own URL", 0 },
    { "a slash more", "{'client_id':'" ID "/','client_name':'App'," BACK "}", "its own URL", 0 },
    { "another case",
      "{'client_id':'https://APP.example.net/client.json','client_name':'App'," BACK "}",
      "its own URL", 0 },
    { "a client_id with a NUL", "{'client_id':'" ID "\\u0000','client_name':'App'," BACK "}",
      "its own URL", 0 },
    { "a client_id that is a list", "{'client_id':['" ID "'],'client_name':'App'," BACK "}",
      "its own URL", 0 },
    { "no name", "{'client_id':'" ID "'," BACK "}", "client_name", 0 },
    { "a name that is a number", "{'client_id':'" ID "','client_name':1," BACK "}", "client_name",
      0 },
    { "no redirects", "{" SELF "}", "redirect_uris", 0 },
    { "an empty list of redirects", "{" SELF ",'redirect_uris':[]}", "redirect_uris", 0 },
    { "redirects that are a text", "{" SELF ",'redirect_uris':'https://app.example.net/back'}",
      "redirect_uris", 0 },
    { "a redirect that is a number", "{" SELF ",'redirect_uris':[1]}", "redirect_uris", 0 },
    { "twenty-one redirects",
      "{" SELF ",'redirect_uris':[" FIVE "," FIVE "," FIVE "," FIVE ",'https://a.example.net/']}",
      "redirect_uris", 0 },
    { "only unknown redirects", "{" SELF ",'redirect_uris':['http://app.example.net/back']}",
      "can use", 0 },
    { "a secret", "{" SELF "," BACK ",'client_secret':'x'}", "client_secret", 0 },
    { "when a secret expires", "{" SELF "," BACK ",'client_secret_expires_at':0}", "client_secret",
      0 },
    { "a method with a secret",
      "{" SELF "," BACK ",'token_endpoint_auth_method':'client_secret_basic'}", "client_secret",
      0 },
    { "a symmetric signature",
      "{" SELF "," BACK ",'token_endpoint_auth_method':'client_secret_jwt'}", "client_secret", 0 },
    { "an unknown method", "{" SELF "," BACK ",'token_endpoint_auth_method':'tls_client_auth'}",
      "the token_endpoint_auth_method none", 0 },
    { "only unknown methods",
      "{" SELF "," BACK ",'token_endpoint_auth_methods_supported':['tls_client_auth']}",
      "the token_endpoint_auth_method none", 0 },
    { "a method that is a number", "{" SELF "," BACK ",'token_endpoint_auth_method':1}",
      "the token_endpoint_auth_method none", 0 },
    { "signatures without keys",
      "{" SELF "," BACK ",'token_endpoint_auth_method':'private_key_jwt'}", "jwks_uri", 0 },
};

static char *json_of(const char *quoted)
{
    char *json = str_dup(quoted);
    for (char *at = json; *at; at++)
        if (*at == '\'')
            *at = '"';
    return json;
}

static const char *read_document(const char *json, struct client *client)
{
    scoped(target_free) struct target target = { 0 };
    assert_true(document_url_read(&portal, ID, &target));
    return document_read(&portal, &target, text_of(json), client);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    scoped(mem_free) char *json = json_of(row->json);
    const char *problem = read_document(json, client);
    if (row->want) {
        assert_non_null(problem);
        assert_non_null(strstr(problem, row->want));
        return;
    }
    uint8_t key[CLIENT_KEY_BYTES];
    assert_null(problem);
    assert_int_equal(client->needs_key, (row->kind & SIGNS) != 0);
    assert_int_equal(client->is_web, (row->kind & WEB) != 0);
    assert_string_equal(client->name, "App");
    assert_string_equal(client->host, "app.example.net");
    assert_true(client_key(ID, key));
    assert_memory_equal(client->key, key, sizeof(key));
    assert_true(client->count > 0);
}

static void a_document_has_at_most_10240_bytes(void **state)
{
    (void)state;
    for (size_t size = DOCUMENT_MAX_BYTES; size <= DOCUMENT_MAX_BYTES + 1; size++) {
        scoped(mem_free) struct client *client = mem_new(sizeof(*client));
        scoped(mem_free) char *bare = json_of("{" SELF "," BACK "}");
        scoped(mem_free) char *json = str_format("%*s", (int)size, bare);
        assert_int_equal(read_document(json, client) == NULL, size == DOCUMENT_MAX_BYTES);
    }
}

/* Programs on a computer listen on any port; a web application does not. */
static void loopback_ports_of_a_web_application(void **state)
{
    (void)state;
    for (int is_web = 0; is_web < 2; is_web++) {
        scoped(mem_free) struct client *client = mem_new(sizeof(*client));
        scoped(mem_free) char *json = json_of(
            is_web ? "{" SELF ",'application_type':'web','redirect_uris':['http://localhost:1/x']}"
                   : "{" SELF ",'redirect_uris':['http://localhost:1/x']}");
        struct redirect redirect;
        assert_null(read_document(json, client));
        assert_true(redirect_read(TEXT("http://localhost:1/x"), portal.conf, &redirect));
        assert_true(client_has_redirect(client, &redirect));
        assert_true(redirect_read(TEXT("http://localhost:2/x"), portal.conf, &redirect));
        assert_int_equal(client_has_redirect(client, &redirect), !is_web);
    }
}

/* ---- keys ---- */

static const struct keys_row {
    const char *name;
    const char *json;
    const char *url; /* NULL: none; "": inside */
} places[] = {
    { "inside", "{'jwks':{'keys':[]}}", "" },
    { "inside and at a URL", "{'jwks':{'keys':[]},'jwks_uri':'" ID "'}", "" },
    { "on the same host", "{'jwks_uri':'https://app.example.net/jwks.json'}",
      "https://app.example.net/jwks.json" },
    { "on a host of the same domain", "{'jwks_uri':'https://keys.example.net/jwks.json'}",
      "https://keys.example.net/jwks.json" },
    { "on a foreign host", "{'jwks_uri':'https://keys.example.org/jwks.json'}", NULL },
    { "on a host with a similar name", "{'jwks_uri':'https://notexample.net/jwks.json'}", NULL },
    { "on an internal host", "{'jwks_uri':'https://db.internal/jwks.json'}", NULL },
    { "by http", "{'jwks_uri':'http://app.example.net/jwks.json'}", NULL },
    { "at the root", "{'jwks_uri':'https://app.example.net/'}", NULL },
    { "nowhere", "{}", NULL },
    { "a number", "{'jwks_uri':1}", NULL },
    { "keys that are a list", "{'jwks':[]}", NULL },
};

static void check_place(void **state)
{
    const struct keys_row *row = *state;
    scoped(target_free) struct target id = { 0 }, url = { 0 };
    scoped(mem_free) char *json = json_of(row->json);
    scoped(json_free) cJSON *document = NULL;
    const cJSON *keys = NULL;
    struct err err = { 0 };
    assert_true(document_url_read(&portal, ID, &id));
    assert_true(json_parse(text_of(json), 8, &document, &err));
    assert_int_equal(document_keys_place(&portal, &id, document, &keys, &url), row->url != NULL);
    if (row->url && row->url[0])
        assert_string_equal(url.url, row->url);
    else
        assert_null(url.url);
    assert_int_equal(keys != NULL, row->url && !row->url[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_has_at_most_1000_bytes),
        cmocka_unit_test(a_document_has_at_most_10240_bytes),
        cmocka_unit_test(loopback_ports_of_a_web_application),
    };
    struct conf *conf = NULL;
    struct err err = { 0 };
    setenv("TOLLGATE_EGRESS_DENY_HOSTS", "evil.example.org", 1);
    if (sodium_init() < 0 || !conf_load(NULL, &conf, &err) ||
        !egress_open(conf, &portal.egress, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    portal.conf = conf;
    int failures = cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(urls, check_url) +
                   RUN_ROWS(rows, check) + RUN_ROWS(places, check_place);
    egress_close(&portal.egress);
    conf_free(&conf);
    return failures;
}
