/* common/svc/svc.c - the skeleton of a worker: start, serve, drain, leave. */
#include "svc/svc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/admin.h"
#include "base/build.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/os/signals.h"
#include "base/os/threads.h"
#include "svc/gateway-links.h"
#include "text/conf.h"

enum { POLL_MS = 100, NAMES_MAX = 16, SLOTS = 32, SLOTS_MAX = 1024, PROCESSORS_MAX = 1024 };

enum { HEAPS = 4, TRIM_PAUSE_MS = 1000 };

enum { LAST_REPLY_MS = 2000, DRAIN_TOLD_MS = 10000 };

struct worker {
    const char *group;
    const struct outside *outside; /* NULL: no outbound access */
    struct egress *egress;
    struct conf *conf;
    struct metrics *metrics;
    struct contract **contracts;
    size_t contract_count;
    struct service *services;
    struct data **data; /* one for each kind that the tools name */
    size_t data_count;
    struct wire_ready ready;
    char *secret_key;
    char *server_key;
    const char *names[NAMES_MAX + 1];
    size_t slots;
    struct bus *bus;
    struct runner *runner;
    struct subjobs *subjobs;
    struct gateway_links *gateway_links;
    struct admin *admin;
    struct cidrs admin_clients;
    struct gauge *live;    /* connected gateways */
    struct gauge *running; /* jobs */
    bool is_full;          /* a job ran since the heaps were trimmed */
    int64_t trimmed_ms;
    atomic_bool is_live;
    int signals;
};

/* A job uses dozens of sockets; shells and container engines allow 1,024 files or more on
 * request. */
static void raise_file_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static const struct tool *find_tool(const struct tool *tools, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tools[i].name, name) == 0)
            return &tools[i];
    return NULL;
}

static bool load_services(struct worker *worker, const struct tool *tools, size_t count,
                          struct err *err)
{
    if (!contract_load_all(conf_str(worker->conf, "contracts_dir"), worker->group,
                           &worker->contracts, &worker->contract_count, err))
        return false;
    if (worker->contract_count != count || count > WIRE_TOOLS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%zu contracts of group %s for %zu tools in %s",
                       worker->contract_count, worker->group, count,
                       conf_str(worker->conf, "contracts_dir"));
    worker->services = mem_array(count, sizeof(*worker->services));
    for (size_t i = 0; i < count; i++) {
        const struct contract *contract = worker->contracts[i];
        struct service *service = &worker->services[i];
        service->contract = contract;
        service->tool = find_tool(tools, count, contract->tool);
        if (!service->tool)
            return err_set(err, ERR_INVALID_VALUE, "no code for the contract %s", contract->tool);
        struct labels labels = { "tool", contract->tool };
        service->run_seconds = metrics_histogram(worker->metrics, "tollgate_job_duration_seconds",
                                                 "Time inside the tool", labels);
        service->done = metrics_counter(worker->metrics, "tollgate_jobs_succeeded_total",
                                        "Jobs answered with a result", labels);
        service->failed = metrics_counter(worker->metrics, "tollgate_jobs_failed_total",
                                          "Jobs answered with an error", labels);
        snprintf(worker->ready.tool[i].name, WIRE_NAME_BYTES, "%s", contract->tool);
        memcpy(worker->ready.tool[i].digest, contract->digest, WIRE_DIGEST_BYTES);
    }
    worker->ready.tool_count = count;
    worker->ready.instance = uuid_new();
    snprintf(worker->ready.group, sizeof(worker->ready.group), "%s", worker->group);
    snprintf(worker->ready.build, sizeof(worker->ready.build), "%s (%s)", TOLLGATE_VERSION,
             build_name);
    return true;
}

static struct data *find_data(const struct worker *worker, const struct data_kind *kind)
{
    for (size_t i = 0; i < worker->data_count; i++)
        if (data_kind(worker->data[i]) == kind)
            return worker->data[i];
    return NULL;
}

/* What must the operator still do for this data? NULL: nothing. Valid while the version is held. */
static const char *lack_of(const struct data_kind *kind, const struct data_version *version)
{
    return kind->lacks ? kind->lacks(data_content(version)) : NULL;
}

static void log_lack(struct data *data)
{
    scoped(data_drop) struct data_version *version = data_hold(data);
    const char *lack = lack_of(data_kind(data), version);
    if (lack)
        log_line(LOG_WARN, lack, log_str("data_file", data_kind(data)->name));
}

/* The same for /readyz, for the first data that lacks something. */
static void write_lack(void *argument, char out[static ADMIN_NOTE_BYTES])
{
    const struct worker *worker = argument;
    for (size_t i = 0; i < worker->data_count && !*out; i++) {
        scoped(data_drop) struct data_version *version = data_hold(worker->data[i]);
        const char *lack = lack_of(data_kind(worker->data[i]), version);
        snprintf(out, ADMIN_NOTE_BYTES, "%s", lack ? lack : "");
    }
}

static bool load_data(struct worker *worker, struct err *err)
{
    scoped(mem_free) char *folder =
        str_format("%s/svc-%s", conf_str(worker->conf, "contracts_dir"), worker->group);
    worker->data = mem_array(worker->contract_count, sizeof(*worker->data));
    for (size_t i = 0; i < worker->contract_count; i++) {
        struct service *service = &worker->services[i];
        const struct data_kind *kind = service->tool->data;
        if (!kind)
            continue;
        service->data = find_data(worker, kind);
        if (service->data)
            continue;
        if (!data_open_configured(kind, worker->conf, folder, &service->data, err))
            return false;
        data_count(service->data, worker->metrics);
        log_lack(service->data);
        worker->data[worker->data_count++] = service->data;
    }
    return true;
}

static double read_stray_count(void *argument)
{
    const struct worker *worker = argument;
    return (double)worker->outside->stray_count(worker->egress);
}

static bool open_outside(struct worker *worker, struct err *err)
{
    if (!worker->outside)
        return true;
    if (!worker->outside->open(worker->conf, &worker->egress, err))
        return false;
    for (size_t i = 0; i < worker->contract_count; i++)
        worker->services[i].egress = worker->egress;
    metrics_gauge_of(worker->metrics, "tollgate_egress_blocked_connections",
                     "Connections blocked because egress.only does not allow them", NO_LABELS,
                     read_stray_count, worker);
    return true;
}

static void reload_data(const struct worker *worker)
{
    for (size_t i = 0; i < worker->data_count; i++) {
        const char *name = data_kind(worker->data[i])->name;
        struct err err = { 0 };
        if (data_reload(worker->data[i], &err)) {
            log_line(LOG_INFO, "read again", log_str("data_file", name));
            log_lack(worker->data[i]);
        } else {
            log_line(LOG_ERROR, "not read again, the old stays", log_str("data_file", name),
                     log_str("error", err.message));
        }
    }
}

static bool read_options(struct worker *worker, struct err *err)
{
    int64_t slots = conf_int(worker->conf, "svc.concurrency");
    if (slots == 0)
        slots = worker->outside ? worker->outside->slots : SLOTS;
    worker->slots = (size_t)slots;
    for (size_t i = 0; i < NAMES_MAX; i++)
        worker->names[i] = conf_item(worker->conf, "bus.gateways", i);
    return conf_check_range(worker->conf, "svc.concurrency", 0, SLOTS_MAX, err) &&
           conf_networks(worker->conf, "admin.clients", &worker->admin_clients, err) &&
           conf_secret(worker->conf, "bus.secret_key_file", &worker->secret_key, err) &&
           conf_secret(worker->conf, "bus.server_key_file", &worker->server_key, err);
}

/* Jobs with outbound access are many and run for seconds; other workers' jobs run for
 * milliseconds. */
static bool leave_processors(const struct worker *worker, struct err *err)
{
    if (!conf_check_range(worker->conf, "svc.reserved_cpus", 0, PROCESSORS_MAX, err))
        return false;
    if (worker->outside)
        threads_leave_processors((size_t)conf_int(worker->conf, "svc.reserved_cpus"));
    return true;
}

/*
 * The limit of concurrent jobs that only compute. If a worker has only such tools, the scheduler
 * decides: with few threads, short jobs overtake long ones.
 */
static size_t computing_max(const struct worker *worker)
{
    return worker->outside ? (size_t)get_nprocs() : worker->slots;
}

/* Ready means connected to a gateway. */
static const char *why_not_ready(void *argument)
{
    const struct worker *worker = argument;
    return worker->is_live ? NULL : "no gateway knows this daemon";
}

static bool start_worker(struct worker *worker, struct err *err)
{
    struct admin_options admin = { .listen = conf_str(worker->conf, "svc.admin"),
                                   .clients = &worker->admin_clients,
                                   .metrics = worker->metrics,
                                   .ready = why_not_ready,
                                   .note = write_lack,
                                   .arg = worker };
    if (!bus_new(worker->secret_key, &worker->bus, err) ||
        !admin_start(&admin, &worker->admin, err))
        return false;
    worker->live = metrics_gauge(worker->metrics, "tollgate_gateways_connected",
                                 "Gateways that know this daemon", NO_LABELS);
    worker->running =
        metrics_gauge(worker->metrics, "tollgate_jobs_running", "Jobs on a thread now", NO_LABELS);
    worker->subjobs = subjobs_new();
    for (size_t i = 0; i < worker->contract_count; i++)
        worker->services[i].subjobs = worker->subjobs;
    worker->runner =
        runner_start(worker->slots, computing_max(worker), worker->slots + GATEWAY_LINKS_MAX,
                     worker->outside ? worker->outside->niceness : 0);
    struct gateway_links_options options = { .bus = worker->bus,
                                             .server_key = worker->server_key,
                                             .names = worker->names,
                                             .resolve_ms = conf_int(worker->conf, "bus.resolve_ms"),
                                             .ready = &worker->ready,
                                             .services = worker->services,
                                             .runner = worker->runner,
                                             .subjobs = worker->subjobs,
                                             .slots = worker->slots };
    worker->gateway_links = gateway_links_new(&options);
    return true;
}

/* Has a signal requested a stop? */
static bool read_signals(struct worker *worker)
{
    enum signal_kind told;
    bool stops = false;
    while ((told = signals_wait(worker->signals, 0)) != SIGNAL_NONE) {
        if (told == SIGNAL_RELOAD)
            reload_data(worker);
        else
            stops = true;
    }
    return stops;
}

static void send_replies(struct worker *worker)
{
    struct task *task;
    while ((task = runner_take_done(worker->runner)))
        gateway_links_reply(worker->gateway_links, task);
}

/*
 * Return memory to the system when all jobs are done: glibc frees only the end of each heap, so the
 * memory of single jobs may stay.
 */
static void trim_when_idle(struct worker *worker, size_t running)
{
    int64_t now_ms = clock_ms();
    gauge_set(worker->running, (int64_t)running);
    worker->is_full = worker->is_full || running > 0;
    if (running > 0 || !worker->is_full || now_ms < worker->trimmed_ms + TRIM_PAUSE_MS)
        return;
    malloc_trim(0);
    worker->trimmed_ms = now_ms;
    worker->is_full = false;
}

static void wait_and_step(struct worker *worker)
{
    struct pollfd fds[GATEWAY_LINKS_MAX + 4];
    size_t count = gateway_links_fds(worker->gateway_links, fds);
    fds[count++] = (struct pollfd){ runner_fd(worker->runner), POLLIN, 0 };
    fds[count++] = (struct pollfd){ worker->signals, POLLIN, 0 };
    poll(fds, count, POLL_MS);
    send_replies(worker);
    gateway_links_step(worker->gateway_links);
    size_t live = gateway_links_live(worker->gateway_links);
    worker->is_live = live > 0;
    gauge_set(worker->live, (int64_t)live);
    trim_when_idle(worker, runner_running(worker->runner));
}

static void serve_jobs(struct worker *worker)
{
    while (!read_signals(worker))
        wait_and_step(worker);
}

/* svc.drain_ms; by default, a job that has just begun may use its whole time budget. */
static int64_t drain_time_ms(const struct worker *worker)
{
    int64_t set_ms = conf_int(worker->conf, "svc.drain_ms");
    int64_t longest_ms = contracts_longest_ms(worker->contracts, worker->contract_count);
    return set_ms > 0 ? set_ms : longest_ms + LAST_REPLY_MS;
}

/* Finish all jobs, accept no new ones. Returns whether it finished in time. */
static bool drain_jobs(struct worker *worker)
{
    int64_t now_ms = clock_ms(), deadline_ms = now_ms + drain_time_ms(worker), told_ms = now_ms;
    gateway_links_drain(worker->gateway_links);
    while (runner_load(worker->runner) > 0 || !gateway_links_are_drained(worker->gateway_links)) {
        if (now_ms >= told_ms) {
            log_line(LOG_INFO, "draining", log_int("jobs", (int64_t)runner_load(worker->runner)));
            told_ms = now_ms + DRAIN_TOLD_MS;
        }
        if (now_ms >= deadline_ms || read_signals(worker))
            return false;
        wait_and_step(worker);
        now_ms = clock_ms();
    }
    send_replies(worker);
    gateway_links_leave(worker->gateway_links);
    return true;
}

static void stop_worker(struct worker *worker)
{
    gateway_links_free(&worker->gateway_links);
    runner_stop(&worker->runner);
    subjobs_free(&worker->subjobs);
    bus_free(&worker->bus);
    admin_stop(&worker->admin);
    for (size_t i = 0; i < worker->contract_count; i++)
        contract_free(&worker->contracts[i]);
    for (size_t i = 0; i < worker->data_count; i++)
        data_close(&worker->data[i]);
    if (worker->outside)
        worker->outside->close(&worker->egress);
    cidrs_free(&worker->admin_clients);
    mem_free(&worker->data);
    mem_free(&worker->contracts);
    mem_free(&worker->services);
    mem_free(&worker->secret_key);
    mem_free(&worker->server_key);
    metrics_free(&worker->metrics);
    conf_free(&worker->conf);
}

static int bad_configuration(const struct worker *worker, const struct err *err)
{
    fprintf(stderr, "svc-%s: %s\n", worker->group, err->message);
    return EX_CONFIG;
}

int svc_main_outside(int argc, char **argv, const char *group, const struct tool *tools,
                     size_t count, const struct outside *outside)
{
    struct worker worker = { .group = group, .outside = outside };
    struct err err = { 0 };
    char name[32];

    snprintf(name, sizeof(name), "svc-%s", group);
    if (build_print_version(argc, argv, name))
        return EXIT_SUCCESS;
    if (outside) {
        mem_bound_heaps(HEAPS);
        raise_file_limit();
    }
    worker.signals = signals_open();
    worker.metrics = metrics_new(TOLLGATE_VERSION, build_name);
    if (!conf_open(argc, argv, name, &worker.conf, &err) || !leave_processors(&worker, &err) ||
        !load_services(&worker, tools, count, &err) || !load_data(&worker, &err) ||
        !open_outside(&worker, &err) || !read_options(&worker, &err) ||
        !start_worker(&worker, &err))
        return bad_configuration(&worker, &err);

    log_line(LOG_INFO, "started", log_str("version", TOLLGATE_VERSION),
             log_str("build", build_name), log_int("tools", (int64_t)count),
             log_int("concurrency", (int64_t)worker.slots));
    serve_jobs(&worker);
    if (!drain_jobs(&worker)) {
        /* running jobs are lost: the gateways detect that and decide */
        runner_log_running(worker.runner);
        log_line(LOG_WARN, "left before every job was finished");
        _exit(EXIT_FAILURE);
    }
    stop_worker(&worker);
    log_line(LOG_INFO, "stopped");
    return 0;
}

int svc_main(int argc, char **argv, const char *group, const struct tool *tools, size_t count)
{
    return svc_main_outside(argc, argv, group, tools, count, NULL);
}
