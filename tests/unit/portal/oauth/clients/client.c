/* tests/unit/portal/oauth/clients/client.c - ids of clients. */
#include "portal/oauth/clients/client.h"

#include <sodium.h>

#include "../../secrets.h"

static struct conf *conf;

/* The id of a client with this name and redirect. */
static char *id_of(struct secrets *secrets, const char *name, const char *uri)
{
    struct redirect redirect;
    struct buf id = BUF(CLIENT_ID_MAX_BYTES);
    assert_true(redirect_read(text_of(uri), conf, &redirect));
    assert_true(client_id_write(secrets, name, &redirect, 1, &id));
    return buf_take(&id);
}

static void an_id_is_the_registration(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(OLD);
    scoped(mem_free) char *id = id_of(secrets, "An app", "http://localhost:3118/callback");
    scoped(mem_free) char *again = id_of(secrets, "An app", "http://localhost:99/callback");
    scoped(mem_free) char *other = id_of(secrets, "An app", "http://localhost/other");
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    struct redirect asked;
    assert_string_equal(id, again);
    assert_string_not_equal(id, other);
    assert_true(client_read(secrets, conf, id, client));
    assert_string_equal(client->name, "An app");
    assert_true(redirect_read(TEXT("http://localhost:1234/callback"), conf, &asked));
    assert_true(client_has_redirect(client, &asked));
    assert_true(redirect_read(TEXT("http://localhost:1234/other"), conf, &asked));
    assert_false(client_has_redirect(client, &asked));
}

static void each_character_of_an_id_counts(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(OLD);
    scoped(mem_free) char *id = id_of(secrets, "An app", "https://app.test/back");
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    static const char *const others[] = { "", "tgc_", "tgc_AAAA", "https://app.test/client.json" };
    for (size_t i = 0; i < strlen(id); i++) {
        id[i] ^= 1;
        assert_false(client_read(secrets, conf, id, client));
        id[i] ^= 1;
    }
    assert_true(client_read(secrets, conf, id, client));
    for (size_t i = 0; i < countof(others); i++)
        assert_false(client_read(secrets, conf, others[i], client));
}

static void a_key_outlives_the_secret(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *old = secrets_of(OLD);
    scoped(secrets_free) struct secrets *both = secrets_of(NEW OLD);
    scoped(mem_free) char *id = id_of(old, "An app", "https://app.test/back");
    scoped(mem_free) char *later = id_of(both, "An app", "https://app.test/back");
    scoped(mem_free) char *other = id_of(old, "Another", "https://app.test/back");
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    uint8_t key[CLIENT_KEY_BYTES], later_key[CLIENT_KEY_BYTES], other_key[CLIENT_KEY_BYTES];
    assert_string_not_equal(id, later);
    assert_true(client_read(both, conf, id, client));
    assert_true(client_key(id, key) && client_key(later, later_key) &&
                client_key(other, other_key));
    assert_memory_equal(key, client->key, sizeof(key));
    assert_memory_equal(key, later_key, sizeof(key));
    assert_true(memcmp(key, other_key, sizeof(key)) != 0);
}

static void an_id_has_at_most_1000_bytes(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(OLD);
    scoped(buf_free) struct buf id = BUF(CLIENT_ID_MAX_BYTES);
    char uri[400] = "https://app.test/";
    struct redirect redirects[2];
    memset(uri + strlen(uri), 'x', sizeof(uri) - 1 - strlen(uri));
    assert_true(redirect_read(text_of(uri), conf, &redirects[0]));
    redirects[1] = redirects[0];
    assert_true(client_id_write(secrets, "An app", redirects, 1, &id));
    buf_clear(&id);
    assert_false(client_id_write(secrets, "An app", redirects, 2, &id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_the_registration),
        cmocka_unit_test(each_character_of_an_id_counts),
        cmocka_unit_test(a_key_outlives_the_secret),
        cmocka_unit_test(an_id_has_at_most_1000_bytes),
    };
    struct err err = { 0 };
    if (sodium_init() < 0 || !conf_load(NULL, &conf, &err))
        return 1;
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    conf_free(&conf);
    return failures;
}
