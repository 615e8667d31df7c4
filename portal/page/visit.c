/* portal/page/visit.c - see visit.h. */
#include "portal/page/visit.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "portal/base/throttle.h"
#include "portal/session/browser.h"
#include "text/json.h"

enum { AGENT_MAX_BYTES = 200, ERROR_MAX_BYTES = 1024 };

void visit_begin(struct visit *visit, struct portal *portal, const struct http_request *request,
                 struct http_response *response)
{
    visit->portal = portal;
    visit->request = request;
    visit->response = response;
    visit->path = request->path;
    visit->is_post = strcmp(request->method, "POST") == 0;
    visit->address = request->peer;
    visit->begun_ms = clock_ms();
}

void visit_end(struct visit *visit)
{
    form_free(&visit->form);
    json_free(&visit->errors);
    arena_free(&visit->arena);
    explicit_bzero(visit, sizeof(*visit));
}

/* ---- errors ---- */

const char *visit_error(const struct visit *visit, const char *field)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, visit->errors) {
        const char *name = json_text(item, "/field");
        if (name && strcmp(name, field) == 0)
            return json_text(item, "/text");
    }
    return NULL;
}

bool visit_add_error(struct visit *visit, const char *field, const char *format, ...)
{
    char text[ERROR_MAX_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (field && visit_error(visit, field))
        return false;
    text_repair(text);
    if (!visit->errors)
        visit->errors = json_array();
    cJSON *item = json_item(visit->errors);
    if (field)
        json_str(item, "field", field);
    json_str(item, "text", text);
    return false;
}

bool visit_add_wait(struct visit *visit, int64_t retry_ms, const char *source,
                    const char *otherwise)
{
    buf_format(&visit->response->headers, "Retry-After: %lld\r\n",
               (long long)(retry_ms + 999) / 1000);
    return visit_add_error(visit, NULL, "Too many attempts%s. Try again in %s%s.", source,
                           throttle_wait(retry_ms).words, otherwise);
}

/* ---- the visitor ---- */

void visit_network(const struct visit *visit, char out[static NETWORK_TEXT_BYTES])
{
    struct in6_addr address = visit->address;
    bool is_ipv4 = address_is_ipv4(&address);
    unsigned kept =
        is_ipv4 ? 15 : 6; /* bytes to keep: /24 of IPv4 (in the mapped form), /48 of IPv6 */
    char text[INET6_ADDRSTRLEN];
    memset(address.s6_addr + kept, 0, sizeof(address.s6_addr) - kept);
    inet_ntop(is_ipv4 ? AF_INET : AF_INET6, is_ipv4 ? address.s6_addr + 12 : address.s6_addr, text,
              sizeof(text));
    snprintf(out, NETWORK_TEXT_BYTES, "%s/%d", text, is_ipv4 ? 24 : 48);
}

const char *visit_agent(struct visit *visit)
{
    const char *header = http_header(visit->request, "User-Agent");
    struct text text = text_of(header);
    if (!utf8_is_valid(text))
        return "";
    char *agent = arena_copy(&visit->arena, utf8_cut(text, AGENT_MAX_BYTES));
    for (char *at = agent; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return agent;
}

cJSON *visit_data(struct visit *visit)
{
    cJSON *data = json_object();
    char network[NETWORK_TEXT_BYTES];
    char browser[BROWSER_BYTES];
    visit_network(visit, network);
    json_str(data, "network", network);
    browser_name(visit_agent(visit), browser);
    json_str(data, "browser", browser);
    return data;
}
