/* portal/playground/gateways.c - see gateways.h. */
#include "portal/playground/gateways.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "net/http/fetch.h"
#include "portal/base/places.h"

enum {
    CALLS_MAX = 16,
    CALLS_OF_ACCOUNT_MAX = 2,
    GATEWAYS_MAX = 64,
    ROOM_BYTES = 96 << 20,
    GRACE_MS = 10000,         /* for queues and the ledger, in addition to the tool's budget */
    DOWNLOAD_MS = 5000,       /* for the largest response, on the local network */
    REFUSED_WITHIN_MS = 2000, /* the connect timeout of one gateway */
    URL_BYTES = 70 << 10,
    HEADER_BYTES = 256,
};

struct gateways {
    struct egress *egress;
    struct memory_budget budget;
    size_t count;
    const char *address[GATEWAYS_MAX]; /* from the configuration: host:port */
    struct places *calls;
};

bool gateways_open(const struct conf *conf, struct egress *egress, struct gateways **made,
                   struct err *err)
{
    scoped(gateways_close) struct gateways *gateways = mem_new(sizeof(*gateways));
    const char *item;
    memory_budget_open(&gateways->budget, ROOM_BYTES, 0, "the playground is full");
    gateways->calls = places_new(CALLS_MAX, CALLS_OF_ACCOUNT_MAX);
    while ((item = conf_item(conf, "portal.gateways", gateways->count)) != NULL) {
        if (gateways->count == GATEWAYS_MAX)
            return err_set(err, ERR_INVALID_VALUE, "portal.gateways has more than %d",
                           GATEWAYS_MAX);
        gateways->address[gateways->count++] = item;
    }
    if (gateways->count == 0)
        return err_set(err, ERR_INVALID_VALUE, "portal.gateways is empty");
    gateways->egress = egress;
    *made = take(gateways);
    return true;
}

void gateways_close(struct gateways **address)
{
    struct gateways *gateways = *address;
    if (!gateways)
        return;
    memory_budget_close(&gateways->budget);
    places_free(&gateways->calls);
    mem_free(address);
}

/* ---- places ---- */

bool call_answer_claim(struct call_answer *answer, size_t bytes)
{
    return memory_budget_reserve(&answer->gateways->budget, bytes, 0, &answer->reservation, NULL);
}

void call_answer_free(struct call_answer *answer)
{
    if (answer->gateways)
        places_leave(answer->gateways->calls, answer->account);
    if (answer->fetch)
        fetch_free(answer->fetch);
    mem_free(&answer->fetch);
    reservation_free(&answer->reservation);
    answer->gateways = NULL;
}

/* ---- a call ---- */

/* As the edge does, count IPv6 addresses by /64. An address always gets the same gateway. */
static size_t first_gateway(const struct gateways *gateways, const struct in6_addr *member)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    size_t bytes = IN6_IS_ADDR_V4MAPPED(member) ? 16 : 8;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ member->s6_addr[i]) * 16777619U;
    return hash % gateways->count;
}

static void write_address(const struct in6_addr *member, char out[static INET6_ADDRSTRLEN])
{
    if (IN6_IS_ADDR_V4MAPPED(member))
        inet_ntop(AF_INET, member->s6_addr + 12, out, INET6_ADDRSTRLEN);
    else
        inet_ntop(AF_INET6, member, out, INET6_ADDRSTRLEN);
}

static bool call_gateway(struct gateways *gateways, const char *gateway,
                         const struct tool_call *call, struct call_answer *answer, struct err *err)
{
    scoped(buf_free) struct buf url = BUF(URL_BYTES);
    char member[INET6_ADDRSTRLEN];
    char token[HEADER_BYTES];
    char key[HEADER_BYTES];
    char from[HEADER_BYTES];
    const struct contract *contract = call->contract;
    write_address(&call->member, member);
    snprintf(token, sizeof(token), "Authorization: Bearer %s", call->token);
    snprintf(key, sizeof(key), "Idempotency-Key: %s", call->run);
    snprintf(from, sizeof(from), "X-Forwarded-For: %s", member);
    bool is_get = contract->is_get && !call->is_check;
    const char *prefer = call->is_lenient ? "Prefer: handling=lenient" : "Prefer: handling=strict";
    const char *headers[] = {
        "Content-Type: application/json", "Accept: */*", token, key, from, prefer,
        "X-Forwarded-Proto: https",       NULL
    };
    struct fetch_options options = { .method = is_get ? "GET" : "POST",
                                     .headers = is_get ? headers + 1 : headers,
                                     .body = is_get ? TEXT("") : call->request,
                                     .connect_ms = REFUSED_WITHIN_MS,
                                     .first_byte_ms = contract->budget_ms + GRACE_MS,
                                     .max_wire_bytes = contract->max_reply_bytes,
                                     .max_body_bytes = contract->max_reply_bytes };
    buf_format(&url, "http://%s/v1/client/%s/tools/%s%s", gateway, call->account, contract->tool,
               call->is_check ? "/dry-run" : "");
    if (is_get && call->request.size > 0) {
        buf_add_byte(&url, '?');
        buf_add(&url, call->request.bytes, call->request.size);
    }
    int64_t deadline_ms = clock_ms() + contract->budget_ms + GRACE_MS + DOWNLOAD_MS;
    bool ok =
        fetch_operator(gateways->egress, buf_str(&url), &options, deadline_ms, answer->fetch, err);
    explicit_bzero(token, sizeof(token));
    if (ok && answer->fetch->end != FETCH_WHOLE)
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the gateway's response is incomplete");
    return ok;
}

/* If a gateway rejects the connection, try the next one. */
static bool call_any_gateway(struct gateways *gateways, const struct tool_call *call,
                             struct call_answer *answer, struct err *err)
{
    size_t first = first_gateway(gateways, &call->member);
    for (size_t i = 0; i < gateways->count; i++) {
        int64_t begin_ms = clock_ms();
        fetch_free(answer->fetch);
        if (call_gateway(gateways, gateways->address[(first + i) % gateways->count], call, answer,
                         err))
            return true;
        if (clock_ms() - begin_ms > REFUSED_WITHIN_MS)
            return false;
    }
    return false;
}

bool gateways_call(struct gateways *gateways, const struct tool_call *call,
                   struct call_answer *answer, struct err *err)
{
    *answer = (struct call_answer){ .account = call->account };
    if (!places_enter(gateways->calls, call->account))
        return err_set(err, ERR_OVERLOADED, "the playground is full");
    answer->gateways = gateways;
    if (!memory_budget_reserve(&gateways->budget, call->contract->max_reply_bytes, 0,
                               &answer->reservation, err))
        return false;
    answer->fetch = mem_new(sizeof(*answer->fetch)); /* too large for a civetweb thread's stack */
    int64_t begin_ms = clock_ms();
    bool ok = call_any_gateway(gateways, call, answer, err);
    answer->took_ms = clock_ms() - begin_ms;
    return ok;
}
