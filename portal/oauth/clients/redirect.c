/* portal/oauth/clients/redirect.c - see redirect.h. */
#include "portal/oauth/clients/redirect.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "net/host.h"

/* RFC 3986 appendix A, without the fragment's # and the brackets, which only a host has. */
#define URI_BYTES ASCII_ALNUM "-._~:/?@!$&'()*+,;=%"

static const char *const loopbacks[] = { "localhost", "127.0.0.1", "[::1]" };

static bool is_loopback(struct text host)
{
    for (size_t i = 0; i < countof(loopbacks); i++)
        if (text_is(host, loopbacks[i]))
            return true;
    return false;
}

/* These run or open something in the browser itself, whatever the operator lists. */
static const char *const browser_schemes[] = { "about", "blob",       "data",
                                               "file",  "javascript", "vbscript" };

static bool is_app_scheme(struct text scheme, const struct conf *conf)
{
    const char *known;
    for (size_t i = 0; i < countof(browser_schemes); i++)
        if (text_is(scheme, browser_schemes[i]))
            return false;
    for (size_t i = 0; (known = conf_item(conf, "oauth.app_schemes", i)); i++)
        if (text_is(scheme, known))
            return true;
    return false;
}

/* A name with at least one dot, spelled canonically. */
static bool is_public_name(struct text name)
{
    struct host host = { 0 };
    return name.size < HOST_BYTES && text_has(name, ".") && !host_read(name, &host) &&
           !host.is_address && text_is(name, host.name);
}

static bool is_app_host(struct text name)
{
    return name.size > 0 && name.size < REDIRECT_HOST_BYTES &&
           text_is_made_of(name, ASCII_ALNUM "-._");
}

/* ":" and 1 to 65535 without a leading zero; or empty. */
static bool is_port(struct text port)
{
    int64_t number;
    return port.size == 0 ||
           (port.size > 1 && port.bytes[1] != '0' && num_parse(text_skip(port, 1), 65535, &number));
}

/* Cut the text at the first of these bytes; *rest gets it and what follows. */
static struct text cut_before(struct text text, const char *bytes, struct text *rest)
{
    struct text front = text_before(text, bytes);
    *rest = text_skip(text, front.size);
    return front;
}

static bool check_host(struct redirect *redirect, struct text host, const struct conf *conf)
{
    if (text_is(redirect->scheme, "https"))
        redirect->kind = REDIRECT_HTTPS;
    else if (text_is(redirect->scheme, "http"))
        redirect->kind = REDIRECT_LOOPBACK;
    else if (is_app_scheme(redirect->scheme, conf))
        redirect->kind = REDIRECT_APP;
    else
        return false;
    return redirect->kind == REDIRECT_HTTPS      ? is_public_name(host)
           : redirect->kind == REDIRECT_LOOPBACK ? is_loopback(host)
                                                 : is_app_host(host);
}

bool redirect_read(struct text uri, const struct conf *conf, struct redirect *redirect)
{
    struct text after;
    struct redirect read = { 0 };
    if (uri.size > REDIRECT_MAX_BYTES)
        return false;
    read.scheme = cut_before(uri, ":", &after);
    if (!text_begins(after, "://"))
        return false;
    struct text authority = cut_before(text_skip(after, 3), "/?", &read.rest);
    struct text host = authority;
    if (text_begins(authority, "["))
        host.size = text_before(authority, "]").size + 1;
    else
        host = text_before(authority, ":");
    if (host.size > authority.size || !text_is_made_of(read.rest, URI_BYTES))
        return false;
    if (read.rest.size == 0 && text_is(read.scheme, "http"))
        read.rest = TEXT("/"); /* RFC 3986 section 6.2.3 */
    read.port = text_skip(authority, host.size);
    if (!check_host(&read, host, conf) || !is_port(read.port) ||
        (read.port.size > 0 && read.port.bytes[0] != ':'))
        return false;
    if (read.kind == REDIRECT_APP && text_has(read.rest, "?"))
        return false; /* such links can mean something to that program */
    snprintf(read.host, sizeof(read.host), "%.*s", (int)host.size, host.bytes);
    *redirect = read;
    return true;
}

bool redirect_fits(const struct redirect *registered, const struct redirect *requested)
{
    return text_equals(registered->scheme, requested->scheme) &&
           strcmp(registered->host, requested->host) == 0 &&
           text_equals(registered->rest, requested->rest) &&
           (registered->kind == REDIRECT_LOOPBACK ||
            text_equals(registered->port, requested->port));
}

void redirect_add_portless(const struct redirect *redirect, struct buf *out)
{
    struct text port = redirect->kind == REDIRECT_LOOPBACK ? TEXT("") : redirect->port;
    buf_add(out, redirect->scheme.bytes, redirect->scheme.size);
    buf_add_str(out, "://");
    buf_add_str(out, redirect->host);
    buf_add(out, port.bytes, port.size);
    buf_add(out, redirect->rest.bytes, redirect->rest.size);
}
