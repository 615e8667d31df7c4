/* portal/main.c - starts, reloads and drains the portal. */
#include <sodium.h>
#include <string.h>
#include <sys/resource.h>
#include <sysexits.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "net/egress.h"
#include "portal/base/assets.h"
#include "portal/base/places.h"
#include "portal/base/portal.h"
#include "portal/base/secret.h"
#include "portal/entry/disposable-domains.h"
#include "portal/entry/mail-check.h"
#include "portal/entry/mail-hosts.h"
#include "portal/front.h"
#include "portal/jobs/jobs.h"
#include "portal/oauth/clients/client.h"
#include "portal/oauth/clients/documents.h"
#include "portal/oauth/oauth.h"
#include "portal/oauth/program.h"
#include "portal/outbox/sender.h"
#include "portal/password/hash-queue.h"
#include "portal/payments/hook.h"
#include "portal/payments/payments.h"
#include "portal/payments/stripe/event.h"
#include "portal/payments/worker.h"
#include "portal/playground/gateways.h"
#include "portal/public/catalog-cache.h"
#include "portal/public/docs.h"
#include "portal/template/template.h"
#include "server/server.h"

enum {
    THREADS_MIN = 48, /* slow work can take all but a few of them */
    THREADS_MAX = 1024,
    PASSWORD_THREADS_MAX = 8,
    CONNECTIONS_MIN = 2,
    CONNECTIONS_MAX = 64,
    DB_WAIT_MS = 2000,    /* for a free connection, then the page is 503 */
    DB_TIMEOUT_MS = 6000, /* above the statement timeout of 5 s (deploy/database/roles.sql) */
    FORM_MS = 2000,       /* for the rest of a body that the edge did not buffer */
    PING_MS = 1000,       /* between two checks of the database */
    PLAYGROUND_MS =
        25000,        /* more than a call of the playground waits beyond the tool's time budget */
    POLL_MIN_MS = 10, /* the least portal.poll_ms */
    POLL_MAX_MS = 60000,
    EXPORTS_MAX = 4,
    HEAPS = 8,
};

/* Owned by main(). Requests see only struct portal. */
struct process {
    struct server server;
    struct portal portal;
    char *public_url;
    struct sql *ping;
    struct sender *sender;
    struct mail_check *mail_check;
    struct jobs *jobs;
    struct payments_worker *payments_worker;
    atomic_bool has_database;
};

/* ---- configuration ---- */

static bool check_one_of(const struct conf *conf, const char *key, const char *a, const char *b,
                         struct err *err)
{
    const char *value = conf_str(conf, key);
    return strcmp(value, a) == 0 || strcmp(value, b) == 0 ||
           err_set(err, ERR_INVALID_VALUE, "%s must be %s or %s", key, a, b);
}

/* Links and origins are made from it, so it must not have a trailing slash. */
static bool read_public_url(struct process *process, struct err *err)
{
    struct text url = text_of(conf_str(process->server.conf, "gateway.public_url"));
    while (url.size > 0 && url.bytes[url.size - 1] == '/')
        url.size--;
    if (!text_begins(url, "https://") || strchr(url.bytes + strlen("https://"), '?') ||
        memchr(url.bytes + strlen("https://"), '/', url.size - strlen("https://")))
        return err_set(err, ERR_INVALID_VALUE,
                       "gateway.public_url must be https://host or https://host:port for a portal");
    process->public_url = mem_dup(url.bytes, url.size);
    process->portal.public_url = process->public_url;
    return true;
}

static bool read_files(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct portal *portal = &process->portal;
    const char *files = conf_str(conf, "portal.files_dir");
    scoped(mem_free) char *pages = str_format("%s/pages", files);
    scoped(mem_free) char *assets = str_format("%s/static", files);
    return server_read_password(&process->server, "portal.db_password_file", err) &&
           secrets_load(conf, &portal->secrets, err) &&
           disposable_domains_load(conf, &portal->disposable_domains, err) &&
           mail_hosts_load(conf, &portal->mail_hosts, err) &&
           assets_load(assets, &portal->assets, err) &&
           templates_load(pages, TEMPLATE_HTML, &portal->pages, err) &&
           docs_add(portal->pages, err) &&
           catalog_cache_load(conf_str(conf, "contracts_dir"),
                              conf_str(conf, "gateway.limits_file"), &portal->catalog, err) &&
           gateways_open(conf, portal->egress, &portal->gateways, err);
}

static bool read_configuration(struct process *process, struct err *err)
{
    struct portal *portal = &process->portal;
    const struct conf *conf = process->server.conf;
    portal->conf = conf;
    portal->contact = conf_str(conf, "portal.contact");
    return conf_check_range(conf, "portal.threads", THREADS_MIN, THREADS_MAX, err) &&
           conf_check_range(conf, "portal.db_connections", CONNECTIONS_MIN, CONNECTIONS_MAX, err) &&
           conf_check_range(conf, "portal.poll_ms", POLL_MIN_MS, POLL_MAX_MS, err) &&
           conf_check_range(conf, "portal.password_hash_concurrency", 1, PASSWORD_THREADS_MAX,
                            err) &&
           check_one_of(conf, "portal.signup", "open", "closed", err) &&
           check_one_of(conf, "portal.signup_mx_check", "on", "off", err) &&
           check_one_of(conf, "oauth.registration", "open", "closed", err) &&
           client_hosts_check(conf, err) &&
           conf_check_range(conf, "oauth.access_ttl_s", 600, 86400, err) &&
           conf_check_range(conf, "oauth.refresh_grace_s", 0, 86400, err) &&
           conf_check_range(conf, "oauth.cap_daily", 0, 1000000000, err) &&
           conf_networks(conf, "gateway.trusted_proxies", &portal->trusted_proxies, err) &&
           egress_open(conf, &portal->egress, err) && read_public_url(process, err) &&
           payments_open(portal, err) && read_files(process, err);
}

/* ---- start ---- */

static const char *why_not_ready(void *argument)
{
    const struct process *process = argument;
    if (!process->server.is_serving)
        return "starting";
    if (process->portal.is_draining)
        return "draining";
    return process->has_database ? NULL : "the database does not respond";
}

static double database_is_up(void *argument)
{
    const struct process *process = argument;
    return process->has_database ? 1 : 0;
}

static void make_metrics(struct process *process)
{
    struct portal *portal = &process->portal;
    struct metrics *metrics = process->server.metrics;
    portal->metrics = metrics;
    server_count(&process->server, portal->responses, &portal->distrusted);
    portal->seconds = metrics_histogram(metrics, "tollgate_http_server_request_duration_seconds",
                                        "Duration of page requests", NO_LABELS);
    for (size_t i = 0; i < countof(portal->signups); i++)
        portal->signups[i] = metrics_counter(
            metrics, "tollgate_signups_total", "Accounts created, by the outcome of their grant",
            (struct labels){ "grant", i == 0 ? "given" : "withheld" });
    metrics_gauge_of(metrics, "tollgate_database_up", "1 while the database responds", NO_LABELS,
                     database_is_up, process);
    payments_count(portal, metrics);
    if (oauth_is_on(portal)) {
        oauth_replays(portal);
        program_make_metrics(portal);
    }
}

static bool start(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct portal *portal = &process->portal;

    make_metrics(process);
    portal->exports = places_new(EXPORTS_MAX, 1);
    portal->documents = documents_new();
    portal->pool =
        pool_new(conf_str(conf, "portal.db_url"), process->server.db_password,
                 (size_t)conf_int(conf, "portal.db_connections"), DB_WAIT_MS, DB_TIMEOUT_MS);
    portal->hash_queue =
        hash_queue_new((size_t)conf_int(conf, "portal.password_hash_concurrency"), portal->metrics);
    struct admin_options options = { .listen = conf_str(conf, "portal.admin"),
                                     .ready = why_not_ready,
                                     .arg = process };
    return server_start_admin(&process->server, &options, err);
}

static bool open_http(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct http_options options = { .threads = (size_t)conf_int(conf, "portal.threads"),
                                    .body_max_bytes = BODY_MAX_BYTES,
                                    .large_path = HOOK_PATH,
                                    .large_max_bytes = EVENT_MAX_BYTES,
                                    .body_ms = FORM_MS,
                                    .handler = front_handle,
                                    .context = &process->portal,
                                    .write_error = front_write_error };
    if (!server_listen(&process->server, conf_str(conf, "portal.listen"), &options, err))
        return false;
    log_line(LOG_INFO, "serving", log_str("listen", process->server.address));
    return true;
}

/* ---- is the database up? ---- */

/* Over a separate connection: the pages' connections may all be in use. */
static void ping_database(struct process *process)
{
    struct err err = { 0 };
    bool is_up = process->ping ||
                 sql_open_brisk(conf_str(process->server.conf, "portal.db_url"),
                                process->server.db_password, DB_WAIT_MS, &process->ping, &err);
    is_up = is_up && sql_run(process->ping, "select ledger_now()", NO_PARAMS, &err);
    if (!is_up)
        sql_close(&process->ping);
    if (is_up != process->has_database)
        log_line(is_up ? LOG_INFO : LOG_WARN,
                 is_up ? "the database responds" : "the database does not respond",
                 log_str("error", is_up ? NULL : err.message));
    process->has_database = is_up;
}

/* ---- reload: an invalid file keeps the old one ---- */

static void reload(struct process *process)
{
    struct err err = { 0 };
    if (!secrets_reload(process->portal.secrets, process->server.conf, &err))
        log_line(LOG_ERROR, "portal.secret_file not reloaded", log_str("error", err.message));
    if (!disposable_domains_reload(process->portal.disposable_domains, process->server.conf, &err))
        log_line(LOG_ERROR, "portal.disposable_file not reloaded", log_str("error", err.message));
    if (!mail_hosts_reload(process->portal.mail_hosts, process->server.conf, &err))
        log_line(LOG_ERROR, "portal.mail_hosts_file not reloaded", log_str("error", err.message));
    if (!catalog_cache_reload(process->portal.catalog,
                              conf_str(process->server.conf, "gateway.limits_file"), &err))
        log_line(LOG_ERROR, "gateway.limits_file not reloaded", log_str("error", err.message));
    if (!sender_reload(process->sender, &err))
        log_line(LOG_ERROR, "mail.password_file not reloaded", log_str("error", err.message));
    if (!payments_reload(&process->portal, &err))
        log_line(LOG_ERROR, "payment keys not reloaded", log_str("error", err.message));
    log_line(LOG_INFO, "reloaded");
}

/* ---- end ---- */

static void stop(struct process *process)
{
    struct portal *portal = &process->portal;
    server_stop(&process->server);
    sql_close(&process->ping);
    hash_queue_free(&portal->hash_queue);
    payments_worker_stop(&process->payments_worker);
    jobs_stop(&process->jobs);
    mail_check_stop(&process->mail_check);
    sender_stop(&process->sender);
    pool_free(&portal->pool);
    payments_close(portal);
    templates_free(&portal->pages);
    catalog_cache_free(&portal->catalog);
    places_free(&portal->exports);
    documents_free(&portal->documents);
    gateways_close(&portal->gateways);
    assets_free(&portal->assets);
    secrets_free(&portal->secrets);
    disposable_domains_free(&portal->disposable_domains);
    mail_hosts_free(&portal->mail_hosts);
    cidrs_free(&portal->trusted_proxies);
    egress_close(&portal->egress);
    mem_free(&process->public_url);
    server_close(&process->server);
}

int main(int argc, char **argv)
{
    struct process *process = mem_new(sizeof(*process));
    struct err err = { 0 };

    mem_bound_heaps(HEAPS);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); /* memory contains passwords and keys */
    if (sodium_init() < 0)
        return EX_OSERR;
    if (!server_open(&process->server, "portal", argc, argv, &err) ||
        !read_configuration(process, &err) || !start(process, &err) ||
        !sender_start(&process->portal, &process->sender, &err) ||
        !mail_check_start(&process->portal, &process->mail_check, &err) ||
        !jobs_start(&process->portal, &process->jobs, &err) ||
        !payments_worker_start(&process->portal, &process->payments_worker, &err) ||
        !open_http(process, &err))
        return server_refuse(&process->server, &err);
    enum signal_kind told = SIGNAL_NONE;
    while (told != SIGNAL_STOP) {
        ping_database(process);
        told = signals_wait(process->server.signals, PING_MS);
        if (told == SIGNAL_RELOAD)
            reload(process);
    }
    server_announce_end(&process->server, &process->portal.is_draining);
    const struct catalog_cache *catalog = process->portal.catalog;
    server_finish(&process->server,
                  contracts_longest_ms(catalog->contracts, catalog->count) + PLAYGROUND_MS, NULL,
                  NULL);
    stop(process);
    log_line(LOG_INFO, "stopped");
    mem_free(&process);
    return 0;
}
