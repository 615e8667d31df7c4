/* portal/main.c - the members portal's start, reload and drain. */
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/admin.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/os/signals.h"
#include "net/egress.h"
#include "portal/base/assets.h"
#include "portal/base/portal.h"
#include "portal/base/secret.h"
#include "portal/entry/mail-check.h"
#include "portal/entry/mail-hosts.h"
#include "portal/entry/throwaways.h"
#include "portal/front.h"
#include "portal/jobs/jobs.h"
#include "portal/outbox/sender.h"
#include "portal/password/jobs.h"
#include "portal/payments/hook.h"
#include "portal/payments/payments.h"
#include "portal/payments/stripe/event.h"
#include "portal/payments/worker.h"
#include "portal/playground/gateways.h"
#include "portal/public/shelf.h"
#include "portal/template/template.h"
#include "portal/usage/export.h"
#include "web/http.h"
#include "web/own-address.h"

enum {
    THREADS_MIN = 48, /* what may be taken at once by all that is slow leaves a few for pages */
    THREADS_MAX = 1024,
    PASSWORD_JOBS_MAX = 8,
    CONNECTIONS_MIN = 2,
    CONNECTIONS_MAX = 64,
    DB_WAIT_MS = 2000,    /* for a free connection; then the 503 page */
    DB_TIMEOUT_MS = 6000, /* a statement has 5 s (deploy/database/roles.sql) */
    FORM_MS = 2000,       /* for what of a form or an event the edge has not held back */
    PING_MS = 1000,       /* between two looks whether the database answers */
    POLL_MS = 50,
    POLL_MIN_MS = 10, /* portal.poll_ms */
    POLL_MAX_MS = 60000,
    HEAPS = 8,
};

/* What main() owns; struct portal is what requests see of it. */
struct process {
    struct conf *conf;
    struct portal portal;
    struct http *http;
    struct admin *admin;
    struct cidrs admin_clients;
    char *db_password;
    char *public_url;
    struct sql *ping;
    struct sender *sender;
    struct mail_check *mail_check;
    struct jobs *jobs;
    struct payments_worker *payments_worker;
    atomic_bool is_serving;
    atomic_bool has_database;
    int signals;
};

enum wish { WISH_NONE, WISH_RELOAD, WISH_STOP };

/* ---- signals ---- */

static enum wish wait_for_wish(const struct process *process, int timeout_ms)
{
    struct signalfd_siginfo info;
    struct pollfd fd = { process->signals, POLLIN, 0 };
    poll(&fd, 1, timeout_ms);
    if (read(process->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return WISH_NONE;
    return info.ssi_signo == SIGHUP ? WISH_RELOAD : WISH_STOP;
}

/* ---- configuration ---- */

static bool check_range(const struct conf *conf, const char *key, int64_t min, int64_t max,
                        struct err *err)
{
    int64_t value = conf_int(conf, key);
    return (value >= min && value <= max) ||
           err_set(err, ERR_INVALID_VALUE, "%s must be %lld to %lld", key, (long long)min,
                   (long long)max);
}

static bool check_one_of(const struct conf *conf, const char *key, const char *a, const char *b,
                         struct err *err)
{
    const char *value = conf_str(conf, key);
    return strcmp(value, a) == 0 || strcmp(value, b) == 0 ||
           err_set(err, ERR_INVALID_VALUE, "%s must be %s or %s", key, a, b);
}

/* Origins and links are made of it: no slash at its end. */
static bool read_public_url(struct process *process, struct err *err)
{
    struct text url = text_of(conf_str(process->conf, "gateway.public_url"));
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
    const struct conf *conf = process->conf;
    struct portal *portal = &process->portal;
    const char *files = conf_str(conf, "portal.files");
    scoped(mem_free) char *pages = str_format("%s/pages", files);
    scoped(mem_free) char *assets = str_format("%s/static", files);
    if (conf_str(conf, "portal.db_password_file")[0] &&
        !conf_secret(conf, "portal.db_password_file", &process->db_password, err))
        return false;
    return secrets_load(conf, &portal->secrets, err) &&
           throwaways_load(conf, &portal->throwaways, err) &&
           mail_hosts_load(conf, &portal->mail_hosts, err) &&
           assets_load(assets, &portal->assets, err) &&
           templates_load(pages, TEMPLATE_HTML, &portal->pages, err) &&
           shelf_load(conf_str(conf, "contracts"), conf_str(conf, "gateway.limits_file"),
                      &portal->shelf, err) &&
           gateways_open(conf, portal->egress, &portal->gateways, err);
}

static bool read_configuration(struct process *process, int argc, char **argv, struct err *err)
{
    struct portal *portal = &process->portal;
    enum log_level level;

    if (!conf_open(argc, argv, &process->conf, err))
        return false;
    const struct conf *conf = process->conf;
    if (!log_level_parse(conf_str(conf, "log.level"), &level))
        return err_set(err, ERR_INVALID_VALUE, "log.level must be debug, info, warn or error");
    log_open("portal", level);
    portal->conf = conf;
    portal->contact = conf_str(conf, "portal.contact");
    return check_range(conf, "portal.threads", THREADS_MIN, THREADS_MAX, err) &&
           check_range(conf, "portal.db_connections", CONNECTIONS_MIN, CONNECTIONS_MAX, err) &&
           check_range(conf, "portal.poll_ms", POLL_MIN_MS, POLL_MAX_MS, err) &&
           check_range(conf, "portal.password_jobs", 1, PASSWORD_JOBS_MAX, err) &&
           check_one_of(conf, "portal.signup", "open", "closed", err) &&
           check_one_of(conf, "portal.signup_dns", "on", "off", err) &&
           conf_networks(conf, "gateway.trusted_proxies", &portal->trusted_proxies, err) &&
           conf_networks(conf, "admin.clients", &process->admin_clients, err) &&
           egress_open(conf, &portal->egress, err) && read_public_url(process, err) &&
           payments_open(portal, err) && read_files(process, err);
}

/* ---- start ---- */

static const char *why_not_ready(void *argument)
{
    const struct process *process = argument;
    if (!process->is_serving)
        return "starting";
    if (process->portal.is_draining)
        return "draining";
    return process->has_database ? NULL : "the database does not answer";
}

static double database_is_up(void *argument)
{
    const struct process *process = argument;
    return process->has_database ? 1 : 0;
}

static double active_requests(void *argument)
{
    const struct process *process = argument;
    return process->is_serving ? (double)http_active(process->http) : 0;
}

static void make_metrics(struct process *process)
{
    struct portal *portal = &process->portal;
    struct metrics *metrics = metrics_new(TOLLGATE_VERSION);
    for (size_t i = 0; i < STATUS_CLASSES; i++)
        portal->responses[i] =
            metrics_counter(metrics, "http_responses_total", "Answers by their status",
                            (struct labels){ "status", status_class_names[i] });
    portal->seconds = metrics_histogram(metrics, "http_server_request_duration_seconds",
                                        "From a page's request to its answer", NO_LABELS);
    portal->distrusted = metrics_counter(metrics, "http_distrusted_total",
                                         "Requests that the edge should have refused", NO_LABELS);
    for (size_t i = 0; i < countof(portal->signups); i++)
        portal->signups[i] = metrics_counter(
            metrics, "signups_total", "Accounts opened, by what became of their grant",
            (struct labels){ "grant", i == 0 ? "given" : "withheld" });
    metrics_gauge_of(metrics, "database_up", "1 while the database answers", NO_LABELS,
                     database_is_up, process);
    metrics_gauge_of(metrics, "http_server_active_requests", "Requests being served", NO_LABELS,
                     active_requests, process);
    payments_count(portal, metrics);
    portal->metrics = metrics;
}

static bool start(struct process *process, struct err *err)
{
    const struct conf *conf = process->conf;
    struct portal *portal = &process->portal;

    make_metrics(process);
    portal->exports = exports_new();
    portal->pool =
        pool_new(conf_str(conf, "portal.db_url"), process->db_password,
                 (size_t)conf_int(conf, "portal.db_connections"), DB_WAIT_MS, DB_TIMEOUT_MS);
    portal->passwords =
        password_jobs_new((size_t)conf_int(conf, "portal.password_jobs"), portal->metrics);
    struct admin_options options = { .listen = conf_str(conf, "portal.admin"),
                                     .clients = &process->admin_clients,
                                     .metrics = portal->metrics,
                                     .ready = why_not_ready,
                                     .arg = process };
    return admin_start(&options, &process->admin, err);
}

static bool open_http(struct process *process, struct err *err)
{
    const struct conf *conf = process->conf;
    scoped(mem_free) char *listen = NULL;
    struct http_options options = { .threads = (size_t)conf_int(conf, "portal.threads"),
                                    .body_max_bytes = BODY_MAX_BYTES,
                                    .large_path = HOOK_PATH,
                                    .large_max_bytes = EVENT_MAX_BYTES,
                                    .body_ms = FORM_MS,
                                    .handler = front_handle,
                                    .context = &process->portal,
                                    .write_error = front_write_error };
    if (!own_address(conf_str(conf, "portal.listen"), &listen, err))
        return false;
    options.listen = listen;
    if (!http_start(&options, &process->http, err))
        return false;
    process->is_serving = true;
    log_line(LOG_INFO, "serving", log_str("listen", listen));
    return true;
}

/* ---- the database: does it answer? ---- */

/* Over a connection of its own: that the pages' ones are all in use says nothing about it. */
static void ping_database(struct process *process)
{
    struct err err = { 0 };
    bool is_up =
        process->ping || sql_open_brisk(conf_str(process->conf, "portal.db_url"),
                                        process->db_password, DB_WAIT_MS, &process->ping, &err);
    is_up = is_up && sql_run(process->ping, "select ledger_now()", NO_PARAMS, &err);
    if (!is_up)
        sql_close(&process->ping);
    if (is_up != process->has_database)
        log_line(is_up ? LOG_INFO : LOG_WARN,
                 is_up ? "the database answers" : "the database does not answer",
                 log_str("why", is_up ? NULL : err.message));
    process->has_database = is_up;
}

/* ---- reload: a broken file keeps the old ---- */

static void reload(struct process *process)
{
    struct err err = { 0 };
    if (!secrets_reload(process->portal.secrets, process->conf, &err))
        log_line(LOG_ERROR, "the secrets are not reloaded", log_str("why", err.message));
    if (!throwaways_reload(process->portal.throwaways, process->conf, &err))
        log_line(LOG_ERROR, "the list of domains is not reloaded", log_str("why", err.message));
    if (!mail_hosts_reload(process->portal.mail_hosts, process->conf, &err))
        log_line(LOG_ERROR, "the lists of mail hosts are not reloaded",
                 log_str("why", err.message));
    if (!shelf_reload(process->portal.shelf, conf_str(process->conf, "gateway.limits_file"), &err))
        log_line(LOG_ERROR, "the limits are not reloaded", log_str("why", err.message));
    if (!sender_reload(process->sender, &err))
        log_line(LOG_ERROR, "mail.password_file is not reloaded", log_str("why", err.message));
    if (!payments_reload(&process->portal, &err))
        log_line(LOG_ERROR, "the keys of payments are not reloaded", log_str("why", err.message));
    log_line(LOG_INFO, "reloaded");
}

/* ---- end ---- */

/* Wait, but not when asked to stop a second time. */
static bool pause_drain(const struct process *process, int64_t until_ms)
{
    return clock_ms() < until_ms && wait_for_wish(process, POLL_MS) != WISH_STOP;
}

/* Stay until the edge has seen /readyz, then until the requests in flight are answered. */
static void drain(struct process *process)
{
    process->portal.is_draining = true;
    log_line(LOG_INFO, "draining");
    int64_t seen_ms = clock_ms() + conf_int(process->conf, "gateway.drain_wait_ms");
    while (pause_drain(process, seen_ms))
        ;
    int64_t end_ms = clock_ms() + conf_int(process->conf, "gateway.drain_ms");
    while (http_active(process->http) > 0 && pause_drain(process, end_ms))
        ;
}

static void stop(struct process *process)
{
    struct portal *portal = &process->portal;
    process->is_serving = false;
    http_stop(&process->http);
    admin_stop(&process->admin);
    sql_close(&process->ping);
    password_jobs_free(&portal->passwords);
    payments_worker_stop(&process->payments_worker);
    jobs_stop(&process->jobs);
    mail_check_stop(&process->mail_check);
    sender_stop(&process->sender);
    pool_free(&portal->pool);
    payments_close(portal);
    templates_free(&portal->pages);
    shelf_free(&portal->shelf);
    exports_free(&portal->exports);
    gateways_close(&portal->gateways);
    assets_free(&portal->assets);
    secrets_free(&portal->secrets);
    throwaways_free(&portal->throwaways);
    mail_hosts_free(&portal->mail_hosts);
    cidrs_free(&portal->trusted_proxies);
    cidrs_free(&process->admin_clients);
    metrics_free(&portal->metrics);
    egress_close(&portal->egress);
    mem_free(&process->public_url);
    if (process->db_password)
        explicit_bzero(process->db_password, strlen(process->db_password));
    mem_free(&process->db_password);
    conf_free(&process->conf);
}

static int bad_configuration(const struct err *err)
{
    fprintf(stderr, "tollgate-portal: %s\n", err->message);
    return EX_CONFIG;
}

int main(int argc, char **argv)
{
    struct process *process = mem_new(sizeof(*process));
    struct err err = { 0 };

    mem_bound_heaps(HEAPS);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); /* passwords and keys lie in memory */
    if (sodium_init() < 0)
        return EX_OSERR;
    process->signals = signals_open();
    if (!read_configuration(process, argc, argv, &err) || !start(process, &err) ||
        !sender_start(&process->portal, &process->sender, &err) ||
        !mail_check_start(&process->portal, &process->mail_check, &err) ||
        !jobs_start(&process->portal, &process->jobs, &err) ||
        !payments_worker_start(&process->portal, &process->payments_worker, &err) ||
        !open_http(process, &err))
        return bad_configuration(&err);
    enum wish wish = WISH_NONE;
    while (wish != WISH_STOP) {
        ping_database(process);
        wish = wait_for_wish(process, PING_MS);
        if (wish == WISH_RELOAD)
            reload(process);
    }
    drain(process);
    stop(process);
    log_line(LOG_INFO, "stopped");
    mem_free(&process);
    return 0;
}
