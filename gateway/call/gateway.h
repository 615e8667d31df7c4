/*
 * gateway/call/gateway.h - shared by all requests of the process. main.c fills it before the first
 * request; only fields marked "changes" change later.
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
struct request_log;    /* gateway/requests/request-log.h */

struct tool_metrics {
    struct histogram *seconds; /* of the whole request */
    struct counter *credits;   /* charged */
    struct counter *failed;    /* calls, by no fault of the customer */
};

struct gateway {
    struct catalog *catalog;
    struct ledger *ledger;
    struct dispatch *dispatch;
    struct address_window *window;    /* of each address */
    struct cidrs trusted_proxies;     /* whose X-Forwarded-* headers are trusted */
    struct cidrs unlimited_addresses; /* exempt from the limit per address */
    const char *issuer;               /* public_url without a final slash */
    bool takes_apps;                  /* oauth.enabled: /mcp exists */
    char *challenge;                  /* oauth_challenge(), of a 401 */
    const char *buy_url;              /* named in a 402 response; "": unset */
    int64_t hold_grace_ms;
    int64_t progress_ms;         /* between two progress events of a long call over MCP */
    int64_t one_write_budget_ms; /* a retryable tool with a budget up to this is admitted and
                                    charged in one write */
    char **origins;              /* origins of web pages that may use MCP, with public_url's */
    size_t origin_count;
    const char *
        *ignored_arguments; /* that MCP does not report as unknown; from the configuration */
    size_t ignored_argument_count;
    char *secret;                 /* key of the hashes of Idempotency-Keys and requests */
    struct memory_budget answers; /* for responses in flight */
    struct pool *usage;           /* one connection, for gateway/account */
    struct large_responses *large_responses; /* gateway/ledger/large-response.h */
    struct request_log *requests;            /* NULL: requests.retention_days is 0 */
    struct traces *traces;                   /* NULL: traces.url is empty */
    struct metrics *metrics;
    struct tool_metrics *tool_metrics; /* one for each offer of the catalog */
    struct counter *errors[ERR_COUNT]; /* calls that ended with this kind */
    struct counter *responses[STATUS_CLASSES];
    struct counter *distrusted; /* requests that the edge should have rejected */
    atomic_bool is_draining;    /* changes: responses have Connection: close */
    atomic_bool is_closing;     /* changes: new calls are rejected, calls in flight are finished */
    pthread_rwlock_t limits_lock; /* guards the next fields; a reload replaces them */
    struct limits *limits;
    struct mcp_tools *mcp_tools; /* its descriptions contain limits */
    struct documents *documents; /* the same */
};
