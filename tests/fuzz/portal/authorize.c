/* tests/fuzz/portal/authorize.c - any bytes as a redirect, a client id, a code, a token and a whole
 * request: nothing that we did not sign is ours, and an accepted redirect is spelled in one way. */
#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../target.h"
#include "base/mem.h"
#include "portal/oauth/request.h"
#include "portal/oauth/tokens.h"

static struct portal portal = { .public_url = "https://api.example.test" };

/* A secret that no input knows. */
static void open_portal(void)
{
    static const char line[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
    char path[] = "/tmp/authorize-XXXXXX";
    struct conf *conf = NULL;
    struct err err = { 0 };
    int fd = mkstemp(path);
    assert(fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line));
    close(fd);
    setenv("TOLLGATE_PORTAL_SECRET_FILE", path, 1);
    bool ok = sodium_init() >= 0 && conf_load(NULL, &conf, &err) &&
              secrets_load(conf, &portal.secrets, &err);
    assert(ok);
    portal.conf = conf;
    unlink(path);
}

static void check_redirect(struct text uri)
{
    scoped(buf_free) struct buf portless = BUF(2 * REDIRECT_MAX_BYTES);
    struct redirect redirect, again;
    if (!redirect_read(uri, portal.conf, &redirect))
        return;
    assert(uri.size <= REDIRECT_MAX_BYTES && redirect.host[0]);
    assert(!memchr(uri.bytes, '#', uri.size) && !memchr(uri.bytes, ' ', uri.size));
    assert(redirect_fits(&redirect, &redirect));
    redirect_add_portless(&redirect, &portless);
    assert(redirect_read(buf_text(&portless), portal.conf, &again));
    assert(redirect_fits(&redirect, &again) && again.kind == redirect.kind);
    assert(redirect.kind == REDIRECT_LOOPBACK || text_equals(buf_text(&portless), uri));
}

static void check_names(const char *text)
{
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    struct oauth_name name;
    assert(!client_read(portal.secrets, portal.conf, text, client));
    assert(!oauth_code_read(portal.secrets, text, &name));
    assert(!oauth_refresh_read(portal.secrets, text, &name));
}

static void check_request(struct text query)
{
    scoped(form_free) struct form form = { 0 };
    scoped(mem_free) struct authorize_request *request = mem_new(sizeof(*request));
    struct err err = { 0 };
    if (form_parse(query, "resource", &form, &err))
        assert(authorize_read(&portal, &form, request) == AUTHORIZE_UNKNOWN);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *text = mem_dup(bytes, size);
    if (!portal.conf)
        open_portal();
    check_redirect((struct text){ text, size });
    check_names(text);
    check_request((struct text){ text, size });
    return 0;
}
