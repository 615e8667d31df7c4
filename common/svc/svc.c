/* common/svc/svc.c - the skeleton of a tool daemon: start, serve, drain, leave. */
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
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/os/signals.h"
#include "base/os/threads.h"
#include "svc/gateway-links.h"
#include "text/conf.h"

enum { POLL_MS = 100, NAMES_MAX = 16, SLOTS = 32, SLOTS_MAX = 1024, PROCESSORS_MAX = 1024 };

enum { HEAPS = 4, TRIM_PAUSE_MS = 1000 };

struct daemon {
    const char *group;
    const struct outside *outside; /* NULL: the group stays inside */
    struct egress *egress;
    struct conf *conf;
    struct metrics *metrics;
    struct contract **contracts;
    size_t contract_count;
    struct service *services;
    struct data **data; /* one of each kind that the tools name */
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
    struct gauge *live;    /* gateways that know us */
    struct gauge *running; /* jobs */
    bool is_full;          /* a job ran since the heaps were trimmed */
    int64_t trimmed_ms;
    atomic_bool is_live;
    int signals;
};

/* A job has sockets by the dozen; shells and engines give 1024 files and more to who asks. */
static void take_all_files(void)
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

static bool load_services(struct daemon *daemon, const struct tool *tools, size_t count,
                          struct err *err)
{
    if (!contract_load_all(conf_str(daemon->conf, "contracts_dir"), daemon->group,
                           &daemon->contracts, &daemon->contract_count, err))
        return false;
    if (daemon->contract_count != count || count > WIRE_TOOLS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%zu contracts of group %s for %zu tools in %s",
                       daemon->contract_count, daemon->group, count,
                       conf_str(daemon->conf, "contracts_dir"));
    daemon->services = mem_array(count, sizeof(*daemon->services));
    for (size_t i = 0; i < count; i++) {
        const struct contract *contract = daemon->contracts[i];
        struct service *service = &daemon->services[i];
        service->contract = contract;
        service->tool = find_tool(tools, count, contract->tool);
        if (!service->tool)
            return err_set(err, ERR_INVALID_VALUE, "no code for the contract %s", contract->tool);
        struct labels labels = { "tool", contract->tool };
        service->run_seconds = metrics_histogram(daemon->metrics, "tollgate_job_duration_seconds",
                                                 "Time inside the tool", labels);
        service->done = metrics_counter(daemon->metrics, "tollgate_jobs_succeeded_total",
                                        "Jobs answered with a result", labels);
        service->failed = metrics_counter(daemon->metrics, "tollgate_jobs_failed_total",
                                          "Jobs answered with an error", labels);
        snprintf(daemon->ready.tool[i].name, WIRE_NAME_BYTES, "%s", contract->tool);
        memcpy(daemon->ready.tool[i].digest, contract->digest, WIRE_DIGEST_BYTES);
    }
    daemon->ready.tool_count = count;
    daemon->ready.instance = uuid_new();
    snprintf(daemon->ready.group, sizeof(daemon->ready.group), "%s", daemon->group);
    snprintf(daemon->ready.build, sizeof(daemon->ready.build), "%s", TOLLGATE_VERSION);
    return true;
}

static struct data *find_data(const struct daemon *daemon, const struct data_kind *kind)
{
    for (size_t i = 0; i < daemon->data_count; i++)
        if (data_kind(daemon->data[i]) == kind)
            return daemon->data[i];
    return NULL;
}

/* What does the operator still have to do for this data? NULL: nothing. As long as it is held. */
static const char *lack_of(const struct data_kind *kind, const struct data_version *version)
{
    return kind->lacks ? kind->lacks(data_content(version)) : NULL;
}

static void log_lack(struct data *data)
{
    scoped(data_drop) struct data_version *version = data_hold(data);
    const char *lack = lack_of(data_kind(data), version);
    if (lack)
        log_line(LOG_WARN, lack, log_str("data", data_kind(data)->name));
}

/* The same for /readyz, of the first data that lacks something. */
static void write_lack(void *argument, char out[static ADMIN_NOTE_BYTES])
{
    const struct daemon *daemon = argument;
    for (size_t i = 0; i < daemon->data_count && !*out; i++) {
        scoped(data_drop) struct data_version *version = data_hold(daemon->data[i]);
        const char *lack = lack_of(data_kind(daemon->data[i]), version);
        snprintf(out, ADMIN_NOTE_BYTES, "%s", lack ? lack : "");
    }
}

static bool load_data(struct daemon *daemon, struct err *err)
{
    scoped(mem_free) char *folder =
        str_format("%s/svc-%s", conf_str(daemon->conf, "contracts_dir"), daemon->group);
    daemon->data = mem_array(daemon->contract_count, sizeof(*daemon->data));
    for (size_t i = 0; i < daemon->contract_count; i++) {
        struct service *service = &daemon->services[i];
        const struct data_kind *kind = service->tool->data;
        if (!kind)
            continue;
        service->data = find_data(daemon, kind);
        if (service->data)
            continue;
        if (!data_open_configured(kind, daemon->conf, folder, &service->data, err))
            return false;
        data_count(service->data, daemon->metrics);
        log_lack(service->data);
        daemon->data[daemon->data_count++] = service->data;
    }
    return true;
}

static double read_stray_count(void *argument)
{
    const struct daemon *daemon = argument;
    return (double)daemon->outside->stray_count(daemon->egress);
}

static bool open_outside(struct daemon *daemon, struct err *err)
{
    if (!daemon->outside)
        return true;
    if (!daemon->outside->open(daemon->conf, &daemon->egress, err))
        return false;
    for (size_t i = 0; i < daemon->contract_count; i++)
        daemon->services[i].egress = daemon->egress;
    metrics_gauge_of(daemon->metrics, "tollgate_egress_blocked_connections",
                     "Connections refused because egress.only does not have them", NO_LABELS,
                     read_stray_count, daemon);
    return true;
}

static void reload_data(const struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->data_count; i++) {
        const char *name = data_kind(daemon->data[i])->name;
        struct err err = { 0 };
        if (data_reload(daemon->data[i], &err)) {
            log_line(LOG_INFO, "read again", log_str("data", name));
            log_lack(daemon->data[i]);
        } else {
            log_line(LOG_ERROR, "not read again, the old stays", log_str("data", name),
                     log_str("why", err.message));
        }
    }
}

static bool read_options(struct daemon *daemon, struct err *err)
{
    int64_t slots = conf_int(daemon->conf, "svc.concurrency");
    if (slots == 0)
        slots = daemon->outside ? daemon->outside->slots : SLOTS;
    daemon->slots = (size_t)slots;
    for (size_t i = 0; i < NAMES_MAX; i++)
        daemon->names[i] = conf_item(daemon->conf, "bus.gateways", i);
    return conf_check_range(daemon->conf, "svc.concurrency", 0, SLOTS_MAX, err) &&
           conf_networks(daemon->conf, "admin.clients", &daemon->admin_clients, err) &&
           conf_secret(daemon->conf, "bus.secret_key_file", &daemon->secret_key, err) &&
           conf_secret(daemon->conf, "bus.server_key_file", &daemon->server_key, err);
}

/* Jobs that go out come in crowds and last for seconds, what everybody else does milliseconds. */
static bool leave_processors(const struct daemon *daemon, struct err *err)
{
    if (!conf_check_range(daemon->conf, "svc.reserved_cpus", 0, PROCESSORS_MAX, err))
        return false;
    if (daemon->outside)
        threads_leave_processors((size_t)conf_int(daemon->conf, "svc.reserved_cpus"));
    return true;
}

/* Jobs of tools that only compute, at once. A daemon that has no others leaves the order to the
 * system: with its few threads the short ones pass the long ones. */
static size_t computing_max(const struct daemon *daemon)
{
    return daemon->outside ? (size_t)get_nprocs() : daemon->slots;
}

/* Ready to be sent work: known to a gateway. */
static const char *why_not_ready(void *argument)
{
    const struct daemon *daemon = argument;
    return daemon->is_live ? NULL : "no gateway knows this daemon";
}

static bool start(struct daemon *daemon, struct err *err)
{
    struct admin_options admin = { .listen = conf_str(daemon->conf, "svc.admin"),
                                   .clients = &daemon->admin_clients,
                                   .metrics = daemon->metrics,
                                   .ready = why_not_ready,
                                   .note = write_lack,
                                   .arg = daemon };
    if (!bus_new(daemon->secret_key, &daemon->bus, err) ||
        !admin_start(&admin, &daemon->admin, err))
        return false;
    daemon->live = metrics_gauge(daemon->metrics, "tollgate_gateways_connected",
                                 "Gateways that know this daemon", NO_LABELS);
    daemon->running =
        metrics_gauge(daemon->metrics, "tollgate_jobs_running", "Jobs on a thread now", NO_LABELS);
    daemon->subjobs = subjobs_new();
    for (size_t i = 0; i < daemon->contract_count; i++)
        daemon->services[i].subjobs = daemon->subjobs;
    daemon->runner =
        runner_start(daemon->slots, computing_max(daemon), daemon->slots + GATEWAY_LINKS_MAX,
                     daemon->outside ? daemon->outside->niceness : 0);
    struct gateway_links_options options = { .bus = daemon->bus,
                                             .server_key = daemon->server_key,
                                             .names = daemon->names,
                                             .resolve_ms = conf_int(daemon->conf, "bus.resolve_ms"),
                                             .ready = &daemon->ready,
                                             .services = daemon->services,
                                             .runner = daemon->runner,
                                             .subjobs = daemon->subjobs,
                                             .slots = daemon->slots };
    daemon->gateway_links = gateway_links_new(&options);
    return true;
}

/* Has somebody asked us to stop? */
static bool read_signals(struct daemon *daemon)
{
    enum signal_kind told;
    bool stops = false;
    while ((told = signals_wait(daemon->signals, 0)) != SIGNAL_NONE) {
        if (told == SIGNAL_RELOAD)
            reload_data(daemon);
        else
            stops = true;
    }
    return stops;
}

static void send_replies(struct daemon *daemon)
{
    struct task *task;
    while ((task = runner_take_done(daemon->runner)))
        gateway_links_reply(daemon->gateway_links, task);
}

/* What many jobs took is the system's again once all of them are done, and not only some memory of
 * one of them: glibc gives back no more than the end of each heap. */
static void note_running(struct daemon *daemon, size_t running)
{
    int64_t now_ms = clock_ms();
    gauge_set(daemon->running, (int64_t)running);
    daemon->is_full = daemon->is_full || running > 0;
    if (running > 0 || !daemon->is_full || now_ms < daemon->trimmed_ms + TRIM_PAUSE_MS)
        return;
    malloc_trim(0);
    daemon->trimmed_ms = now_ms;
    daemon->is_full = false;
}

static void wait_and_step(struct daemon *daemon)
{
    struct pollfd fds[GATEWAY_LINKS_MAX + 4];
    size_t count = gateway_links_fds(daemon->gateway_links, fds);
    fds[count++] = (struct pollfd){ runner_fd(daemon->runner), POLLIN, 0 };
    fds[count++] = (struct pollfd){ daemon->signals, POLLIN, 0 };
    poll(fds, count, POLL_MS);
    send_replies(daemon);
    gateway_links_step(daemon->gateway_links);
    size_t live = gateway_links_live(daemon->gateway_links);
    daemon->is_live = live > 0;
    gauge_set(daemon->live, (int64_t)live);
    note_running(daemon, runner_running(daemon->runner));
}

static void serve(struct daemon *daemon)
{
    while (!read_signals(daemon))
        wait_and_step(daemon);
}

/* Finish what is there, take nothing new. Returns whether it ended in time. */
static bool drain(struct daemon *daemon)
{
    int64_t deadline_ms = clock_ms() + conf_int(daemon->conf, "svc.drain_ms");
    log_line(LOG_INFO, "draining", log_int("jobs", (int64_t)runner_load(daemon->runner)));
    gateway_links_drain(daemon->gateway_links);
    while (runner_load(daemon->runner) > 0 || !gateway_links_are_drained(daemon->gateway_links)) {
        if (clock_ms() >= deadline_ms || read_signals(daemon))
            return false;
        wait_and_step(daemon);
    }
    send_replies(daemon);
    gateway_links_leave(daemon->gateway_links);
    return true;
}

static void stop(struct daemon *daemon)
{
    gateway_links_free(&daemon->gateway_links);
    runner_stop(&daemon->runner);
    subjobs_free(&daemon->subjobs);
    bus_free(&daemon->bus);
    admin_stop(&daemon->admin);
    for (size_t i = 0; i < daemon->contract_count; i++)
        contract_free(&daemon->contracts[i]);
    for (size_t i = 0; i < daemon->data_count; i++)
        data_close(&daemon->data[i]);
    if (daemon->outside)
        daemon->outside->close(&daemon->egress);
    cidrs_free(&daemon->admin_clients);
    mem_free(&daemon->data);
    mem_free(&daemon->contracts);
    mem_free(&daemon->services);
    mem_free(&daemon->secret_key);
    mem_free(&daemon->server_key);
    metrics_free(&daemon->metrics);
    conf_free(&daemon->conf);
}

static int bad_configuration(const struct daemon *daemon, const struct err *err)
{
    fprintf(stderr, "svc-%s: %s\n", daemon->group, err->message);
    return EX_CONFIG;
}

int svc_main_outside(int argc, char **argv, const char *group, const struct tool *tools,
                     size_t count, const struct outside *outside)
{
    struct daemon daemon = { .group = group, .outside = outside };
    struct err err = { 0 };
    char name[32];

    if (outside) {
        mem_bound_heaps(HEAPS);
        take_all_files();
    }
    daemon.signals = signals_open();
    daemon.metrics = metrics_new(TOLLGATE_VERSION);
    snprintf(name, sizeof(name), "svc-%s", group);
    if (!conf_open(argc, argv, name, &daemon.conf, &err) || !leave_processors(&daemon, &err) ||
        !load_services(&daemon, tools, count, &err) || !load_data(&daemon, &err) ||
        !open_outside(&daemon, &err) || !read_options(&daemon, &err) || !start(&daemon, &err))
        return bad_configuration(&daemon, &err);

    log_line(LOG_INFO, "started", log_int("tools", (int64_t)count),
             log_int("slots", (int64_t)daemon.slots));
    serve(&daemon);
    if (!drain(&daemon)) {
        /* what still runs is lost: the gateways see the connection go and decide */
        log_line(LOG_WARN, "left before every job was finished");
        _exit(EXIT_FAILURE);
    }
    stop(&daemon);
    log_line(LOG_INFO, "stopped");
    return 0;
}

int svc_main(int argc, char **argv, const char *group, const struct tool *tools, size_t count)
{
    return svc_main_outside(argc, argv, group, tools, count, NULL);
}
