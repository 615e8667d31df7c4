/*
 * browser/main.c - the browser service: POST /visit {"url", "budget_ms"} measures a page in
 * Chromium. For svc-reports alone (reports.browser_url), on a network that nobody else reaches.
 */
#include <semaphore.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/file.h"
#include "base/os/log.h"
#include "net/egress.h"
#include "net/target.h"
#include "server/server.h"
#include "text/json.h"
#include "visit.h"

enum {
    CONCURRENCY_MAX = 16,
    WAITING = 4, /* requests per running one that may wait for their turn */
    REQUEST_BYTES = 16 << 10,
    BUDGET_MIN_MS = 1000,
    BUDGET_MAX_MS = 300000, /* for slow machines; svc-reports asks for 15 s */
    DRAIN_MS = 60000,
    AXE_BYTES = 2 << 20,
    HEAPS = 4,
    POLL_MS = 1000,
};

struct process {
    struct server server;
    struct egress *egress;
    struct buf axe;
    const char *program;
    int concurrency;
    sem_t places; /* free ones */
    atomic_bool is_draining;
    struct counter *visits[2]; /* by outcome: failed, loaded */
    struct counter *refusals;
    struct counter *responses[STATUS_CLASSES];
    struct counter *distrusted;
};

/* ---- the request ---- */

static bool read_budget(const cJSON *request, int64_t *budget_ms, struct err *err)
{
    const cJSON *budget = json_get(request, "budget_ms");
    *budget_ms = json_integer(request, "budget_ms");
    if (!json_is_integer(budget) || *budget_ms < BUDGET_MIN_MS || *budget_ms > BUDGET_MAX_MS)
        return err_set(err, ERR_INVALID_VALUE, "budget_ms must be a number of %d to %d",
                       BUDGET_MIN_MS, BUDGET_MAX_MS);
    return true;
}

static bool read_request(const struct http_request *request, struct target *target,
                         int64_t *budget_ms, struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    if (request->is_body_cut || request->is_body_too_large)
        return err_set(err, ERR_BAD_REQUEST, "the body must have at most %d bytes", REQUEST_BYTES);
    return json_parse(request->body, JSON_DEPTH, &tree, err) && read_budget(tree, budget_ms, err) &&
           target_parse_url(json_text_of(json_get(tree, "url")), target, err);
}

/* ---- the response ---- */

static void respond(struct http_response *response, int status, const cJSON *body)
{
    response->status = status;
    buf_add_str(&response->headers, "Content-Type: application/json\r\n");
    json_print(body, &response->body);
}

static void respond_error(struct http_response *response, int status, const char *message)
{
    scoped(json_free) cJSON *body = json_object();
    json_str(body, "error", message);
    respond(response, status, body);
}

static void write_error(int status, struct http_response *response)
{
    respond_error(response, status, "the request is not valid HTTP");
}

/* ---- visits ---- */

static void free_place(void *context)
{
    struct process *process = context;
    sem_post(&process->places);
}

static bool take_place(struct process *process, int64_t deadline_ms)
{
    struct timespec until = deadline_at(deadline_ms);
    return sem_clockwait(&process->places, CLOCK_MONOTONIC, &until) == 0;
}

static void count_visit(struct process *process, const cJSON *body)
{
    counter_add(process->visits[json_is(json_get(body, "is_loaded"), cJSON_True)], 1);
    counter_add(process->refusals, (uint64_t)json_integer(body, "refused_connections"));
}

static void handle_visit(struct process *process, const struct http_request *request,
                         struct http_response *response)
{
    scoped(target_free) struct target target = { 0 };
    scoped(json_free) cJSON *body = json_object();
    int64_t budget_ms = 0;
    struct err err = { 0 };
    if (!read_request(request, &target, &budget_ms, &err)) {
        respond_error(response, 400, err.message);
        return;
    }
    int64_t deadline_ms = clock_ms() + budget_ms;
    if (process->is_draining || !take_place(process, clock_ms() + budget_ms / 3)) {
        respond_error(response, 503, "all browsers are in use");
        return;
    }
    const struct visit_order order = { .egress = process->egress,
                                       .program = process->program,
                                       .axe = process->axe.size > 0 ? buf_str(&process->axe) : NULL,
                                       .url = target.url,
                                       .deadline_ms = deadline_ms,
                                       .on_end = free_place,
                                       .context = process };
    visit_run(&order, body);
    count_visit(process, body);
    respond(response, 200, body);
}

static void handle(void *context, const struct http_request *request,
                   struct http_response *response)
{
    struct process *process = context;
    if (strcmp(request->path, "/visit") != 0)
        respond_error(response, 404, "only /visit exists");
    else if (strcmp(request->method, "POST") != 0)
        respond_error(response, 405, "only POST is allowed");
    else
        handle_visit(process, request, response);
    counter_add(process->responses[status_class(response->status)], 1);
}

/* ---- start and stop ---- */

static bool read_configuration(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    const char *axe = conf_str(conf, "browser.axe_file");
    process->program = conf_str(conf, "browser.chromium");
    process->concurrency = (int)conf_int(conf, "browser.concurrency");
    if (!conf_check_range(conf, "browser.concurrency", 1, CONCURRENCY_MAX, err))
        return false;
    if (access(process->program, X_OK) != 0)
        return err_set(err, ERR_INVALID_VALUE, "browser.chromium: %s cannot be executed",
                       process->program);
    sem_init(&process->places, 0, (unsigned)process->concurrency);
    return (!*axe || file_read(axe, &process->axe, err)) &&
           egress_open(conf, &process->egress, err);
}

static const char *why_not_ready(void *argument)
{
    const struct process *process = argument;
    return !process->server.is_serving ? "starting" : process->is_draining ? "draining" : NULL;
}

static double blocked_connections(void *argument)
{
    const struct process *process = argument;
    return (double)egress_stray_count(process->egress);
}

static void make_metrics(struct process *process)
{
    struct metrics *metrics = process->server.metrics;
    server_count(&process->server, process->responses, &process->distrusted);
    for (size_t i = 0; i < countof(process->visits); i++)
        process->visits[i] = metrics_counter(metrics, "tollgate_browser_visits_total",
                                             "Pages visited in Chromium, by outcome",
                                             (struct labels){ "outcome", i ? "loaded" : "failed" });
    process->refusals = metrics_counter(metrics, "tollgate_browser_refused_connections_total",
                                        "Connections of pages that the guard rejected", NO_LABELS);
    metrics_gauge_of(metrics, "tollgate_egress_blocked_connections",
                     "Connections blocked by egress.only", NO_LABELS, blocked_connections, process);
}

static bool start(struct process *process, struct err *err)
{
    const struct conf *conf = process->server.conf;
    struct admin_options admin = { .listen = conf_str(conf, "browser.admin"),
                                   .ready = why_not_ready,
                                   .arg = process };
    struct http_options options = { .threads = (size_t)process->concurrency * (1 + WAITING),
                                    .body_max_bytes = REQUEST_BYTES,
                                    .handler = handle,
                                    .context = process,
                                    .write_error = write_error };
    make_metrics(process);
    return server_start_admin(&process->server, &admin, err) &&
           server_listen(&process->server, conf_str(conf, "browser.listen"), &options, err);
}

static bool is_idle(void *context)
{
    struct process *process = context;
    int idle = 0;
    sem_getvalue(&process->places, &idle);
    return idle == process->concurrency;
}

int main(int argc, char **argv)
{
    struct process *process = mem_new(sizeof(*process));
    struct err err = { 0 };
    process->axe = (struct buf)BUF(AXE_BYTES);
    mem_bound_heaps(HEAPS);
    if (!server_open(&process->server, "browser", argc, argv, &err) ||
        !read_configuration(process, &err) || !start(process, &err))
        return server_refuse(&process->server, &err);
    log_line(LOG_INFO, "serving", log_str("listen", process->server.address));
    while (signals_wait(process->server.signals, POLL_MS) != SIGNAL_STOP)
        ;
    process->is_draining = true;
    server_finish(&process->server, DRAIN_MS, is_idle, process);
    server_stop(&process->server);
    egress_close(&process->egress);
    buf_free(&process->axe);
    sem_destroy(&process->places);
    server_close(&process->server);
    log_line(LOG_INFO, "stopped");
    mem_free(&process);
    return 0;
}
