/* gateway/main.c - starts, reloads and drains the gateway. */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "base/os/threads.h"
#include "gateway/account/usage.h"
#include "gateway/call/gateway.h"
#include "gateway/catalog/packs.h"
#include "gateway/front.h"
#include "gateway/http/address-window.h"
#include "gateway/ledger/large-response.h"
#include "gateway/ledger/secret.h"
#include "gateway/ledger/sweeps.h"
#include "gateway/mcp/tools.h"
#include "gateway/outcomes/unknown-outcomes.h"
#include "gateway/requests/request-log.h"
#include "gateway/traces/traces.h"
#include "net/egress.h"
#include "server/server.h"
#include "text/json.h"
#include "text/oauth/oauth.h"
#include "text/yaml.h"

enum {
    WINDOW_ADDRESSES = 1 << 17, /* addresses in the table; about 100 bytes each */
    REGISTER_TIMEOUT_MS = 3000,
    REGISTER_PAUSE_MS = 500,
    THREADS_MIN = 32,
    THREADS_MAX = 16384,
    POLL_MS = 50,
    QUEUES_MS = 10000, /* more than a call waits beyond its tool's time budget */
    HEAPS = 16,
    ANSWER_FREE_BYTES = 64 << 10, /* nearly all responses are smaller; not counted */
    ANSWERS_MB_MIN = 64, /* the largest response of any contract must fit, plain and wrapped */
    ANSWERS_MB_MAX = 1 << 20,
    RETENTION_DAYS_MAX = 90,
};

/* Owned by main(); struct gateway is the part that requests see. */
struct process {
    struct server server;
    struct gateway gateway;
    struct bus *bus;
    struct unknown_outcomes *outcomes;
    struct egress *egress;         /* of gateway.traces; NULL: none */
    cJSON *packs;                  /* as last read from the database; NULL: not yet */
    int64_t signup_credits;        /* as last read */
    const char *_Atomic waits_for; /* a static text, until the gateway serves */
};

/* ---- configuration ---- */

/* Tool descriptions contain the limits. */
static bool build_tools(struct process *process, const struct limits *limits,
                        struct mcp_tools **tools, struct err *err)
{
    const struct conf *conf = process->server.conf;
    if (!mcp_tools_build(process->gateway.catalog, limits,
                         conf_int(conf, "mcp.confirm_from_credits"), tools, err))
        return false;
    (*tools)->result_max_bytes = (size_t)conf_int(conf, "mcp.result_max_bytes");
    return true;
}

static bool build_documents(struct process *process, const struct limits *limits,
                            struct documents **documents, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct documents_options options = {
        .catalog = process->gateway.catalog,
        .limits = limits,
        .public_url = conf_str(conf, "gateway.public_url"),
        .issuer = process->gateway.issuer,
        .buy_url = conf_str(conf, "gateway.buy_url"),
        .signup_credits = process->signup_credits,
        .packs = process->packs,
    };
    return documents_build(&options, documents, err);
}

static void add_origin(struct gateway *gateway, const char *url)
{
    struct text host = text_of(strstr(url, "://") ? strstr(url, "://") + 3 : url);
    size_t before = (size_t)(host.bytes - url);
    size_t bytes = before + strcspn(host.bytes, "/");
    gateway->origins =
        mem_resize(gateway->origins, (gateway->origin_count + 1) * sizeof(*gateway->origins));
    gateway->origins[gateway->origin_count++] = str_format("%.*s", (int)bytes, url);
}

/* Keep scheme, host and port (RFC 6454 section 6.2) of URLs that may have a path. */
static void read_ignored_arguments(struct process *process)
{
    struct gateway *gateway = &process->gateway;
    const char *name;
    while ((name = conf_item(process->server.conf, "mcp.ignored_arguments",
                             gateway->ignored_argument_count))) {
        gateway->ignored_arguments =
            mem_resize(gateway->ignored_arguments,
                       (gateway->ignored_argument_count + 1) * sizeof(*gateway->ignored_arguments));
        gateway->ignored_arguments[gateway->ignored_argument_count++] = name;
    }
}

static void read_origins(struct process *process)
{
    const struct conf *conf = process->server.conf;
    const char *origin;
    add_origin(&process->gateway, conf_str(conf, "gateway.public_url"));
    for (size_t i = 0; (origin = conf_item(conf, "mcp.allowed_origins", i)); i++)
        add_origin(&process->gateway, origin);
}

/* bus.allow_file: a YAML map of group to list of public keys. A list without any key is an error:
 * an editor empties a file before it writes it again, and a reload at that moment would disconnect
 * every worker. */
static bool read_allow(const struct conf *conf, struct allow **made, struct err *err)
{
    scoped(json_free) cJSON *groups = NULL;
    scoped(allow_free) struct allow *allow = allow_new();
    const char *path = conf_str(conf, "bus.allow_file");
    const cJSON *keys;
    const cJSON *key;
    size_t count = 0;

    if (!yaml_load(path, &groups, err))
        return false;
    cJSON_ArrayForEach(keys, groups) {
        if (!json_is(keys, cJSON_Array))
            return err_set(err, ERR_INVALID_VALUE, "%s: %s must be a list of keys", path,
                           keys->string);
        cJSON_ArrayForEach(key, keys) {
            struct err why = { 0 };
            if (!allow_add(allow, json_text_of(key).bytes, keys->string, &why))
                return err_set(err, ERR_INVALID_VALUE, "%s: %s", path, why.message);
            count++;
        }
    }
    if (count == 0)
        return err_set(err, ERR_INVALID_VALUE, "%s: lists no key", path);
    *made = take(allow);
    return true;
}

/* An account has fewer places than there are. */
static bool check_large_responses(const struct conf *conf, struct err *err)
{
    return conf_check_range(conf, "ledger.large_responses", 2, LARGE_RESPONSES_MAX, err) &&
           conf_check_range(conf, "ledger.large_responses_per_account", 1,
                            conf_int(conf, "ledger.large_responses") - 1, err);
}

static bool read_configuration(struct process *process, struct err *err)
{
    struct gateway *gateway = &process->gateway;
    const struct conf *conf = process->server.conf;
    if (!conf_check_range(conf, "gateway.threads", THREADS_MIN, THREADS_MAX, err) ||
        !conf_check_range(conf, "gateway.response_memory_mb", ANSWERS_MB_MIN, ANSWERS_MB_MAX,
                          err) ||
        !conf_check_range(conf, "ledger.sweep_ms", SWEEP_MS_MIN, SWEEP_MS_MAX, err) ||
        !conf_check_range(conf, "requests.retention_days", 0, RETENTION_DAYS_MAX, err) ||
        !conf_check_range(conf, "traces.sample_per_million", 0, 1000000, err) ||
        !check_large_responses(conf, err))
        return false;
    gateway->buy_url = conf_str(conf, "gateway.buy_url");
    memory_budget_open(&gateway->answers,
                       (size_t)conf_int(conf, "gateway.response_memory_mb") << 20,
                       ANSWER_FREE_BYTES,
                       "too many large responses are in flight; nothing was charged, please "
                       "retry");
    read_origins(process);
    read_ignored_arguments(process);
    gateway->issuer = gateway->origins[0];
    gateway->challenge = oauth_challenge(gateway->issuer);
    gateway->takes_apps = conf_bool(conf, "oauth.enabled");
    gateway->hold_grace_ms = conf_int(conf, "ledger.hold_grace_ms");
    gateway->progress_ms = conf_int(conf, "mcp.progress_ms");
    gateway->one_write_budget_ms = conf_int(conf, "ledger.one_write_budget_ms");
    return conf_networks(conf, "gateway.trusted_proxies", &gateway->trusted_proxies, err) &&
           conf_networks(conf, "limits.unlimited_addresses", &gateway->unlimited_addresses, err) &&
           server_read_password(&process->server, "db.password_file", err) &&
           conf_secret(conf, "ledger.secret_file", &gateway->secret, err) &&
           limits_load(conf_str(conf, "gateway.limits_file"), &gateway->limits, err) &&
           catalog_load(conf_str(conf, "contracts_dir"), gateway->limits, &gateway->catalog, err) &&
           build_tools(process, gateway->limits, &gateway->mcp_tools, err) &&
           build_documents(process, gateway->limits, &gateway->documents, err);
}

/* ---- start ---- */

static void make_metrics(struct gateway *gateway)
{
    struct metrics *metrics = gateway->metrics;
    const struct catalog *catalog = gateway->catalog;

    gateway->tool_metrics = mem_array(catalog->count, sizeof(*gateway->tool_metrics));
    for (size_t i = 0; i < catalog->count; i++) {
        const struct offer *offer = &catalog->offers[i];
        struct labels labels = { "tool", offer->name, "group", offer->group };
        gateway->tool_metrics[i] = (struct tool_metrics){
            .seconds = metrics_histogram(metrics, "tollgate_http_server_request_duration_seconds",
                                         "Time from request to response", labels),
            .credits = metrics_counter(metrics, "tollgate_credits_charged_total", "Credits charged",
                                       labels),
            .failed = metrics_counter(metrics, "tollgate_failed_calls_total",
                                      "Calls that ended with a 5xx code that neither the "
                                      "customer's site nor the customer's text caused",
                                      labels),
        };
    }
    for (enum err_kind kind = ERR_NONE + 1; kind < ERR_COUNT; kind++)
        gateway->errors[kind] = metrics_counter(metrics, "tollgate_call_errors_total",
                                                "Calls that ended with this code",
                                                (struct labels){ "code", err_code(kind) });
}

static const char *why_not_ready(void *argument)
{
    const struct process *process = argument;
    return process->server.is_serving ? front_unready_reason(&process->gateway)
                                      : process->waits_for;
}

/* The gateway stays ready: no other gateway could write either. */
static void write_degraded_reason(void *argument, char out[static ADMIN_NOTE_BYTES])
{
    const struct process *process = argument;
    const char *reason =
        process->server.is_serving ? ledger_degraded_reason(process->gateway.ledger) : NULL;
    if (reason)
        snprintf(out, ADMIN_NOTE_BYTES, "%s", reason);
}

static double database_is_up(void *argument)
{
    const struct process *process = argument;
    return process->server.is_serving && ledger_is_ready(process->gateway.ledger) ? 1 : 0;
}

static double answer_bytes(void *argument)
{
    return (double)memory_budget_reserved(argument);
}

static bool read_packs(struct process *process, struct err *err)
{
    cJSON *packs = NULL;
    if (!packs_read(conf_str(process->server.conf, "db.url"), process->server.db_password,
                    REGISTER_TIMEOUT_MS, &packs, &process->signup_credits, err))
        return false;
    json_free(&process->packs);
    process->packs = packs;
    packs_count(packs, process->gateway.metrics);
    return true;
}

/* Before the first request. */
static bool add_packs(struct process *process, struct err *err)
{
    struct gateway *gateway = &process->gateway;
    documents_free(&gateway->documents);
    return build_documents(process, gateway->limits, &gateway->documents, err);
}

/* Wait for PostgreSQL, which may start later. False: asked to stop, or ERR_INVALID_VALUE: the
 * gateway does not match the database. */
static bool register_gateway(struct process *process, struct err *err)
{
    const char *url = conf_str(process->server.conf, "db.url");
    const char *password = process->server.db_password;
    struct gateway *gateway = &process->gateway;
    process->waits_for = "waiting for the database";
    while (!secret_agree(url, password, gateway->secret, REGISTER_TIMEOUT_MS, err) ||
           !catalog_number(gateway->catalog, url, password, REGISTER_TIMEOUT_MS, err) ||
           !read_packs(process, err)) {
        if (err->kind == ERR_INVALID_VALUE)
            return false;
        log_line(LOG_WARN, "waiting for the database", log_str("error", err->message));
        if (signals_wait(process->server.signals, REGISTER_PAUSE_MS) == SIGNAL_STOP)
            return false;
    }
    return add_packs(process, err);
}

static const char **group_names(const struct catalog *catalog)
{
    const char **names = mem_array(catalog->group_count, sizeof(*names));
    for (size_t i = 0; i < catalog->group_count; i++)
        names[i] = catalog->groups[i].name;
    return names;
}

static bool start_dispatch(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct gateway *gateway = &process->gateway;
    struct allow *allow;
    scoped(mem_free) char *key = NULL;
    scoped(mem_free) const char **groups = group_names(gateway->catalog);

    if (!conf_secret(conf, "bus.secret_key_file", &key, err) || !bus_new(key, &process->bus, err) ||
        !read_allow(conf, &allow, err))
        return false;
    struct dispatch_options options = {
        .bus = process->bus,
        .endpoint = conf_str(conf, "bus.listen"),
        .groups = groups,
        .group_count = gateway->catalog->group_count,
        .contracts = gateway->catalog->contracts,
        .contract_count = gateway->catalog->count,
        .threads = (size_t)conf_int(conf, "gateway.threads"),
        .answers = &gateway->answers,
        .metrics = gateway->metrics,
        .traces = gateway->traces,
    };
    if (!dispatch_start(&options, allow, &gateway->dispatch, err))
        return false;
    for (size_t i = 0; i < gateway->catalog->count; i++) {
        struct offer *offer = &gateway->catalog->offers[i];
        offer->daemons = dispatch_group(gateway->dispatch, offer->group);
    }
    return true;
}

static void start_outcomes(struct process *process)
{
    const struct conf *conf = process->server.conf;
    struct unknown_outcomes_options options = { .url = conf_str(conf, "db.url"),
                                                .password = process->server.db_password,
                                                .folder = conf_str(conf, "ledger.outcomes_dir"),
                                                .metrics = process->gateway.metrics };
    process->outcomes = unknown_outcomes_start(&options);
}

static void start_ledger(struct process *process)
{
    const struct conf *conf = process->server.conf;
    struct ledger_options options = { .url = conf_str(conf, "db.url"),
                                      .password = process->server.db_password,
                                      .timeout_ms = conf_int(conf, "ledger.timeout_ms"),
                                      .sweep_ms = conf_int(conf, "ledger.sweep_ms"),
                                      .metrics = process->gateway.metrics,
                                      .outcomes = unknown_outcomes_listener(process->outcomes) };
    process->gateway.ledger = ledger_start(&options);
    process->gateway.usage =
        pool_new(options.url, options.password, 1, USAGE_WAIT_MS, USAGE_TIMEOUT_MS);
    process->gateway.large_responses = large_responses_new(
        options.url, options.password, (size_t)conf_int(conf, "ledger.large_responses"),
        (size_t)conf_int(conf, "ledger.large_responses_per_account"));
}

static void start_request_log(struct process *process)
{
    const struct conf *conf = process->server.conf;
    struct request_log_options options = { .url = conf_str(conf, "db.url"),
                                           .password = process->server.db_password,
                                           .metrics = process->gateway.metrics };
    if (conf_int(conf, "requests.retention_days") > 0)
        process->gateway.requests = request_log_start(&options);
}

static bool start_traces(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    const char *url = conf_str(conf, "traces.url");
    if (url[0] == '\0')
        return true;
    if (!egress_open(conf, &process->egress, err))
        return false;
    struct traces_options options = { .egress = process->egress,
                                      .url = url,
                                      .per_million = conf_int(conf, "traces.sample_per_million"),
                                      .metrics = process->gateway.metrics };
    return traces_start(&options, &process->gateway.traces, err);
}

static bool start(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct gateway *gateway = &process->gateway;

    gateway->metrics = process->server.metrics;
    server_count(&process->server, gateway->responses, &gateway->distrusted);
    make_metrics(gateway);
    metrics_gauge_of(gateway->metrics, "tollgate_database_up",
                     "1 while the ledger is connected to PostgreSQL", NO_LABELS, database_is_up,
                     process);
    metrics_gauge_of(gateway->metrics, "tollgate_response_memory_reserved_bytes",
                     "Memory reserved for large responses, of gateway.response_memory_mb",
                     NO_LABELS, answer_bytes, &gateway->answers);
    gateway->window = address_window_new(WINDOW_ADDRESSES);
    pthread_rwlock_init(&gateway->limits_lock, NULL);
    if (!start_traces(process, err) || !start_dispatch(process, err))
        return false;
    start_outcomes(process);
    start_ledger(process);
    start_request_log(process);
    struct admin_options options = { .listen = conf_str(conf, "gateway.admin"),
                                     .ready = why_not_ready,
                                     .note = write_degraded_reason,
                                     .arg = process };
    return server_start_admin(&process->server, &options, err);
}

static bool open_http(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct http_options options = { .threads = (size_t)conf_int(conf, "gateway.threads"),
                                    .body_max_bytes = BODY_MAX_BYTES,
                                    .handler = front_handle,
                                    .context = &process->gateway,
                                    .write_error = front_write_error };
    if (!server_listen(&process->server, conf_str(conf, "gateway.listen"), &options, err))
        return false;
    log_line(LOG_INFO, "serving", log_str("listen", process->server.address),
             log_int("tools", (int64_t)process->gateway.catalog->count));
    return true;
}

/* ---- reload: on a bad file or database error the old values stay ---- */

/* Replace all at once, since requests read them; takes all over. */
static void replace(struct gateway *gateway, struct limits *limits, struct mcp_tools *tools,
                    struct documents *documents)
{
    struct limits *old_limits = gateway->limits;
    struct mcp_tools *old_tools = gateway->mcp_tools;
    struct documents *old_documents = gateway->documents;
    pthread_rwlock_wrlock(&gateway->limits_lock);
    gateway->limits = limits;
    gateway->mcp_tools = tools;
    gateway->documents = documents;
    pthread_rwlock_unlock(&gateway->limits_lock);
    limits_free(&old_limits);
    mcp_tools_free(&old_tools);
    documents_free(&old_documents);
}

static bool reload_limits(struct process *process, struct err *err)
{
    struct gateway *gateway = &process->gateway;
    scoped(limits_free) struct limits *limits = NULL;
    scoped(mcp_tools_free) struct mcp_tools *tools = NULL;
    scoped(documents_free) struct documents *documents = NULL;
    if (!limits_load(conf_str(process->server.conf, "gateway.limits_file"), &limits, err))
        return false;
    for (size_t i = 0; i <= gateway->catalog->count; i++) {
        const struct offer *offer =
            i < gateway->catalog->count ? &gateway->catalog->offers[i] : &gateway->catalog->credits;
        if (!limits_class(limits, offer->rate_class))
            return err_set(err, ERR_INVALID_VALUE, "limits.yaml has no class %s",
                           offer->rate_class);
    }
    if (!build_tools(process, limits, &tools, err) ||
        !build_documents(process, limits, &documents, err))
        return false;
    replace(gateway, take(limits), take(tools), take(documents));
    return true;
}

static void reload(struct process *process)
{
    struct err err = { 0 };
    struct allow *allow;
    if (!read_packs(process, &err))
        log_line(LOG_WARN, "packs are not read again", log_str("error", err.message));
    if (!reload_limits(process, &err))
        log_line(LOG_ERROR, "limits are not reloaded", log_str("error", err.message));
    if (read_allow(process->server.conf, &allow, &err))
        dispatch_allow(process->gateway.dispatch, allow);
    else
        log_line(LOG_ERROR, "the allow list is not reloaded", log_str("error", err.message));
    log_line(LOG_INFO, "reloaded");
}

/* HAProxy sends calls to a gateway that listens, before its first health check. So do not listen
 * before workers are connected. False: asked to stop. */
static bool wait_for_workers(struct process *process)
{
    process->waits_for = "waiting for workers";
    while (!dispatch_is_staffed(process->gateway.dispatch)) {
        enum signal_kind told = signals_wait(process->server.signals, POLL_MS);
        if (told == SIGNAL_STOP)
            return false;
        if (told == SIGNAL_RELOAD)
            reload(process);
    }
    return true;
}

/* ---- stop ---- */

static bool is_settled(void *ledger)
{
    return ledger_is_settled(ledger);
}

/* Drain: 1. wait until load balancers have seen /readyz; 2. wait for calls in flight; 3. wait until
 * all their holds and charges are settled. */
static void drain(struct process *process)
{
    struct gateway *gateway = &process->gateway;
    server_announce_end(&process->server, &gateway->is_draining);
    gateway->is_closing = true;
    const struct catalog *catalog = gateway->catalog;
    int64_t longest_ms = contracts_longest_ms(catalog->contracts, catalog->count);
    server_finish(&process->server, longest_ms + QUEUES_MS, is_settled, gateway->ledger);
}

static void stop(struct process *process)
{
    struct gateway *gateway = &process->gateway;
    server_stop(&process->server);
    dispatch_stop(&gateway->dispatch);
    ledger_stop(&gateway->ledger);
    unknown_outcomes_stop(&process->outcomes);
    request_log_stop(&gateway->requests);
    traces_stop(&gateway->traces);
    egress_close(&process->egress);
    pool_free(&gateway->usage);
    large_responses_free(&gateway->large_responses);
    bus_free(&process->bus);
    memory_budget_close(&gateway->answers);
    address_window_free(&gateway->window);
    catalog_free(&gateway->catalog);
    limits_free(&gateway->limits);
    cidrs_free(&gateway->trusted_proxies);
    cidrs_free(&gateway->unlimited_addresses);
    mcp_tools_free(&gateway->mcp_tools);
    for (size_t i = 0; i < gateway->origin_count; i++)
        mem_free(&gateway->origins[i]);
    mem_free(&gateway->origins);
    mem_free(&gateway->challenge);
    mem_free(&gateway->ignored_arguments);
    documents_free(&gateway->documents);
    json_free(&process->packs);
    mem_free(&gateway->secret);
    mem_free(&gateway->tool_metrics);
    server_close(&process->server);
}

int main(int argc, char **argv)
{
    struct process *process = mem_new(sizeof(*process));
    struct err err = { 0 };

    process->waits_for = "starting";
    mem_bound_heaps(HEAPS);
    threads_spread();

    if (sodium_init() < 0)
        return EX_OSERR;
    if (!server_open(&process->server, "gateway", argc, argv, &err) ||
        !read_configuration(process, &err) || !start(process, &err))
        return server_refuse(&process->server, &err);
    if (register_gateway(process, &err) && wait_for_workers(process)) {
        if (!open_http(process, &err))
            return server_refuse(&process->server, &err);
        enum signal_kind told;
        while ((told = signals_wait(process->server.signals, -1)) != SIGNAL_STOP)
            if (told == SIGNAL_RELOAD)
                reload(process);
        drain(process);
    } else if (err.kind == ERR_INVALID_VALUE) {
        return server_refuse(&process->server, &err);
    }
    stop(process);
    log_line(LOG_INFO, "stopped");
    mem_free(&process);
    return 0;
}
