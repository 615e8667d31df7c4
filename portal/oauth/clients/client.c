/* portal/oauth/clients/client.c - see client.h. */
#include "portal/oauth/clients/client.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "portal/base/url-text.h"

enum { MAC_BYTES = 16, SIGNED_MAX_BYTES = (CLIENT_ID_MAX_BYTES - 4) / 4 * 3 };

static void sign(struct secrets *secrets, struct text registration, uint8_t mac[static MAC_BYTES])
{
    uint8_t whole[SECRET_MAC_BYTES];
    secret_mac(secrets, SECRET_REGISTRATION, registration, whole);
    memcpy(mac, whole, MAC_BYTES);
}

static bool is_signed(struct secrets *secrets, struct text registration, const uint8_t *mac)
{
    uint8_t whole[SECRET_MAC_BYTES];
    bool fits = false;
    for (size_t line = 0;
         secret_mac_of_line(secrets, line, SECRET_REGISTRATION, registration, whole); line++)
        fits |= sodium_memcmp(whole, mac, MAC_BYTES) == 0;
    return fits;
}

/* ---- writing ---- */

bool client_id_write(struct secrets *secrets, const char *name, const struct redirect *redirects,
                     size_t count, struct buf *id)
{
    scoped(buf_free) struct buf registration = BUF(SIGNED_MAX_BYTES - MAC_BYTES);
    uint8_t bytes[SIGNED_MAX_BYTES];
    char text[URL_TEXT_BYTES(SIGNED_MAX_BYTES)];
    buf_add_str(&registration, name);
    for (size_t i = 0; i < count; i++) {
        buf_add_byte(&registration, '\n');
        redirect_add_portless(&redirects[i], &registration);
    }
    if (registration.full)
        return false;
    sign(secrets, buf_text(&registration), bytes);
    memcpy(bytes + MAC_BYTES, registration.bytes, registration.size);
    url_text_write(bytes, MAC_BYTES + registration.size, text, sizeof(text));
    buf_format(id, CLIENT_PREFIX "%s", text);
    return !id->full && id->size <= CLIENT_ID_MAX_BYTES;
}

/* ---- reading ---- */

/* The MAC and the registration; *size is 0 if the id has another form. */
static void decode(const char *id, uint8_t bytes[static SIGNED_MAX_BYTES], size_t *size)
{
    struct text text = text_of(id);
    *size = 0;
    if (!text_begins(text, CLIENT_PREFIX) || text.size > CLIENT_ID_MAX_BYTES)
        return;
    struct text digits = text_skip(text, strlen(CLIENT_PREFIX));
    size_t decoded = digits.size * 3 / 4;
    if (decoded > MAC_BYTES && url_text_read(digits, bytes, decoded))
        *size = decoded;
}

static void hash_key(struct text registration, uint8_t key[static CLIENT_KEY_BYTES])
{
    crypto_hash_sha256(key, (const uint8_t *)registration.bytes, registration.size);
}

bool client_is_url(const char *id)
{
    return text_begins(text_of(id), "https://") && strlen(id) <= CLIENT_ID_MAX_BYTES;
}

/* A registration has a line feed after its name, and a URL has none: no two are alike. */
bool client_key(const char *id, uint8_t key[static CLIENT_KEY_BYTES])
{
    uint8_t bytes[SIGNED_MAX_BYTES];
    size_t size;
    if (client_is_url(id)) {
        hash_key(text_of(id), key);
        return true;
    }
    decode(id, bytes, &size);
    if (size == 0)
        return false;
    hash_key((struct text){ (const char *)bytes + MAC_BYTES, size - MAC_BYTES }, key);
    return true;
}

static bool read_redirects(struct client *client, const struct conf *conf, struct text lines)
{
    while (lines.size > 0) {
        if (client->count == CLIENT_REDIRECTS_MAX ||
            !redirect_read(text_cut(&lines, '\n'), conf, &client->redirects[client->count]))
            return false;
        client->count++;
    }
    return client->count > 0;
}

bool client_read(struct secrets *secrets, const struct conf *conf, const char *id,
                 struct client *client)
{
    uint8_t bytes[SIGNED_MAX_BYTES];
    size_t size;
    *client = (struct client){ 0 };
    decode(id, bytes, &size);
    if (size == 0)
        return false;
    memcpy(client->text, bytes + MAC_BYTES, size - MAC_BYTES);
    struct text rest = { client->text, size - MAC_BYTES };
    if (!is_signed(secrets, rest, bytes))
        return false;
    hash_key(rest, client->key);
    struct text name = text_cut(&rest, '\n');
    snprintf(client->name, sizeof(client->name), "%.*s", (int)name.size, name.bytes);
    return read_redirects(client, conf, rest);
}

bool client_has_redirect(const struct client *client, const struct redirect *requested)
{
    for (size_t i = 0; i < client->count; i++)
        if (redirect_fits(&client->redirects[i], requested) &&
            (!client->is_web || text_equals(client->redirects[i].port, requested->port)))
            return true;
    return false;
}

/* ---- the operator's list ---- */

bool client_is_admitted(const struct conf *conf, const char *host)
{
    const char *listed = conf_item(conf, "oauth.client_hosts", 0);
    if (!listed)
        return true;
    for (size_t i = 0; host && (listed = conf_item(conf, "oauth.client_hosts", i)); i++)
        if (strcmp(listed, host) == 0)
            return true;
    return false;
}

bool client_hosts_check(const struct conf *conf, struct err *err)
{
    const char *listed;
    char name[HOST_BYTES];
    struct err why = { 0 };
    for (size_t i = 0; (listed = conf_item(conf, "oauth.client_hosts", i)); i++)
        if (!domain_parse(text_of(listed), DOMAIN_PLAIN, name, &why) || strcmp(name, listed) != 0)
            return err_set(err, ERR_INVALID_VALUE,
                           "oauth.client_hosts: %.100s must be a host name in lowercase, such as "
                           "app.example.com",
                           listed);
    return true;
}
