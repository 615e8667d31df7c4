/* tests/fuzz/portal/app-client.c - any bytes as an assertion, a key set, a client's document and
 * its URL: no foreign assertion is signed, and a document that is accepted has a redirect. */
#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"
#include "net/egress.h"
#include "portal/oauth/clients/assertion.h"
#include "portal/oauth/clients/document.h"
#include "text/json.h"

#define ID     "https://app.example.net/client.json"
#define ISSUER "https://api.example.test"

static struct portal portal = { .public_url = ISSUER };
static struct target id;

/* {"alg":"ES256","kid":"1"}, {"sub":"x"} and a signature by nobody. */
#define UNSIGNED                                          \
    "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJ4In0." \
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

/* RFC 7517 appendix A.1. */
static const char keys_json[] = "{\"keys\":[{\"kty\":\"EC\",\"kid\":\"1\",\"crv\":\"P-256\","
                                "\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\","
                                "\"y\":\"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM\"}]}";

static void open_portal(void)
{
    struct conf *conf = NULL;
    struct err err = { 0 };
    bool ok = sodium_init() >= 0 && conf_load(NULL, &conf, &err) &&
              egress_open(conf, &portal.egress, &err) && document_url_read(&portal, ID, &id);
    assert(ok);
    portal.conf = conf;
}

static void check_assertion(struct text jwt)
{
    scoped(json_free) cJSON *keys = NULL;
    struct assertion assertion;
    struct err err = { 0 };
    bool ok = json_parse(text_of(keys_json), 8, &keys, &err);
    assert(ok);
    if (!assertion_read(jwt, &assertion)) {
        assert(assertion.subject[0] && assertion.kid[0]);
        assert(!assertion_is_signed(&assertion, keys));
        (void)assertion_check(&assertion, ID, ISSUER, 0);
    }
    assertion_free(&assertion);
}

static void check_keys(struct text json)
{
    scoped(json_free) cJSON *keys = NULL;
    struct assertion assertion;
    struct err err = { 0 };
    if (json_parse(json, 8, &keys, &err)) {
        const char *problem = assertion_read(TEXT(UNSIGNED), &assertion);
        assert(!problem && !assertion_is_signed(&assertion, keys));
        assertion_free(&assertion);
    }
}

static void check_document(struct text json)
{
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    if (document_read(&portal, &id, json, client))
        return;
    assert(client->count > 0 && client->count <= CLIENT_DOCUMENT_REDIRECTS_MAX);
    assert(client->name[0] && strcmp(client->host, "app.example.net") == 0);
}

static void check_url(const char *text)
{
    scoped(target_free) struct target target = { 0 };
    if (!document_url_read(&portal, text, &target))
        return;
    assert(strcmp(target.url, text) == 0 && target.is_https && !target.host.is_address);
    const char *path = strchr(text + strlen("https://"), '/');
    assert(path && !memchr(text, '@', (size_t)(path - text))); /* no user; a path may have an @ */
    assert(!strpbrk(text, "?#\\ ") && !strstr(text, "/../"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *text = mem_dup(bytes, size);
    if (!portal.conf)
        open_portal();
    check_assertion((struct text){ text, size });
    check_keys((struct text){ text, size });
    check_document((struct text){ text, size });
    check_url(text);
    return 0;
}
