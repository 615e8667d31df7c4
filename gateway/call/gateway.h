/*
 * gateway/call/gateway.h - what all requests of this process share. Filled by main.c before the
 * first request; only what is marked changes afterwards.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "admin/metrics.h"
#include "base/codec/cidr.h"
#include "base/os/memory-budget.h"
#include "db/pool.h"
#include "gateway/catalog/catalog.h"
#include "gateway/catalog/documents.h"
#include "gateway/dispatch/dispatch.h"
#include "gateway/ledger/ledger.h"
#include "svc/limits.h"
#include "web/status.h"

struct address_window; /* gateway/http/address-window.h */
struct mcp_tools;      /* gateway/mcp/tools.h */

struct tool_metrics {
    struct histogram *seconds; /* of the whole request */
    struct counter *credits;   /* charged */
};

struct gateway {
    struct catalog *catalog;
    struct ledger *ledger;
    struct dispatch *dispatch;
    struct address_window *window;    /* of each address */
    struct cidrs trusted_proxies;     /* whose X-Forwarded-* is believed */
    struct cidrs unlimited_addresses; /* without the limit of each address */
    const char *buy_url;              /* told to who is out of credits; "": there is none */
    int64_t hold_grace_ms;
    int64_t brief_ms; /* a retryable tool with no larger budget is paid afterwards */
    char **origins;   /* of pages that may use MCP, public_url's own among them */
    size_t origin_count;
    char *secret; /* key of the hashes that stand for requests with an Idempotency-Key */
    struct memory_budget answers; /* for what is on its way to customers */
    struct pool *usage;           /* one connection, for what gateway/account reads */
    struct metrics *metrics;
    struct tool_metrics *tool_metrics; /* one for each offer of the catalog */
    struct counter *responses[STATUS_CLASSES];
    struct counter *distrusted;   /* requests that no edge of ours lets through */
    atomic_bool is_draining;      /* changes: answers say Connection: close */
    atomic_bool is_closing;       /* changes: calls are refused, the last ones are finished */
    pthread_rwlock_t limits_lock; /* guards what follows, which a reload replaces */
    struct limits *limits;
    struct mcp_tools *mcp_tools; /* whose descriptions tell limits */
    struct documents *documents; /* likewise */
};
