/* portal/password/hash-queue.c - see hash-queue.h. */
#include "portal/password/hash-queue.h"

#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "portal/password/networks.h"

enum {
    THREADS_MAX = 8,
    NICENESS = 10,
    UNKNOWN_PLACES = PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES,
};

enum request_state { REQUEST_WAITS, REQUEST_RUNS, REQUEST_DONE, REQUEST_LOST };

/* On the stack of the thread that waits for it. */
struct hash_request {
    struct text password;
    const char *fits;             /* check the password against this hash */
    char *hash;                   /* or, if not NULL: write its hash here */
    bool result;                  /* the password matches, or was hashed */
    struct err err;               /* if it could not be hashed */
    struct password_place *place; /* NULL: of a known device, or a signed-in member */
    enum request_state state;
    struct hash_request *next; /* the next in the queue */
};

struct hash_queue {
    struct counter *done, *rejected;
    pthread_mutex_t mutex; /* guards the fields below */
    pthread_cond_t has_request, has_result;
    struct hash_request *first;
    size_t request_count;          /* waiting or running */
    struct password_place *places; /* in use and not lost, the newest first */
    size_t unknown;                /* their number */
    struct networks *networks;
    bool is_ending;
    size_t count;
    pthread_t thread[THREADS_MAX];
};

/* ---- the queue; the caller holds the mutex ---- */

/* Known devices have less than any debt. */
static int debt_of(const struct hash_request *request)
{
    return request->place ? request->place->debt : -1;
}

static void insert_request(struct hash_queue *queue, struct hash_request *request)
{
    struct hash_request **at = &queue->first;
    while (*at && debt_of(*at) <= debt_of(request))
        at = &(*at)->next;
    request->next = *at;
    *at = request;
}

static void remove_request(struct hash_queue *queue, const struct hash_request *request)
{
    struct hash_request **at = &queue->first;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
}

/* ---- places; the caller holds the mutex ---- */

static void remove_place(struct hash_queue *queue, const struct password_place *place)
{
    struct password_place **at = &queue->places;
    while (*at != place)
        at = &(*at)->next;
    *at = place->next;
    queue->unknown--;
}

/* Its sign-in is rejected: now, if it waits, or as soon as it would wait. */
static void lose_place(struct hash_queue *queue, struct password_place *place)
{
    remove_place(queue, place);
    place->is_lost = true;
    if (!place->request)
        return;
    remove_request(queue, place->request);
    place->request->state = REQUEST_LOST;
    queue->request_count--;
    pthread_cond_broadcast(&queue->has_result);
}

/* Take the place of the newest device with the largest debt, if that is larger than this one. */
static bool displace_place(struct hash_queue *queue, int debt)
{
    struct password_place *largest = NULL;
    for (struct password_place *at = queue->places; at; at = at->next)
        if (at->debt > (largest ? largest->debt : debt) &&
            (!at->request || at->request->state == REQUEST_WAITS))
            largest = at;
    if (largest)
        lose_place(queue, largest);
    return largest != NULL;
}

/* Take the place of the last one that waits, if it has a larger debt. */
static bool displace_last(struct hash_queue *queue, int debt)
{
    struct hash_request *last = queue->first;
    while (last && last->next)
        last = last->next;
    if (!last || debt_of(last) <= debt)
        return false;
    lose_place(queue, last->place);
    return true;
}

/* ---- the threads ---- */

static void run_hash(struct hash_request *request)
{
    request->result = request->hash ? password_hash(request->password, request->hash, &request->err)
                                    : password_fits(request->password, request->fits);
}

static struct hash_request *next_request(struct hash_queue *queue)
{
    while (!queue->first && !queue->is_ending)
        pthread_cond_wait(&queue->has_request, &queue->mutex);
    struct hash_request *request = queue->first;
    if (request) {
        remove_request(queue, request);
        request->state = REQUEST_RUNS;
    }
    return request;
}

static void *serve_requests(void *argument)
{
    struct hash_queue *queue = argument;
    struct hash_request *request;

    if (setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICENESS) !=
        0) /* on Linux: of this thread only */
        log_line(LOG_WARN, "password hashing keeps its priority");
    pthread_mutex_lock(&queue->mutex);
    while ((request = next_request(queue))) {
        pthread_mutex_unlock(&queue->mutex);
        run_hash(request);
        pthread_mutex_lock(&queue->mutex);
        request->state = REQUEST_DONE;
        queue->request_count--;
        pthread_cond_broadcast(&queue->has_result);
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

struct hash_queue *hash_queue_new(size_t threads, struct metrics *metrics)
{
    static const char name[] = "tollgate_password_hashes_total",
                      help[] = "Password hashes, by outcome";
    struct hash_queue *queue = mem_new(sizeof(*queue));
    queue->done = metrics_counter(metrics, name, help, (struct labels){ "outcome", "done" });
    queue->rejected =
        metrics_counter(metrics, name, help, (struct labels){ "outcome", "rejected" });
    queue->networks = networks_new();
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->has_request, NULL);
    pthread_cond_init(&queue->has_result, NULL);
    queue->count = threads < THREADS_MAX ? threads : THREADS_MAX;
    for (size_t i = 0; i < queue->count; i++) {
        bool is_started = pthread_create(&queue->thread[i], NULL, serve_requests, queue) == 0;
        assert(is_started);
    }
    return queue;
}

void hash_queue_free(struct hash_queue **freed)
{
    struct hash_queue *queue = *freed;
    if (!queue)
        return;
    pthread_mutex_lock(&queue->mutex);
    queue->is_ending = true;
    pthread_cond_broadcast(&queue->has_request);
    pthread_mutex_unlock(&queue->mutex);
    for (size_t i = 0; i < queue->count; i++)
        pthread_join(queue->thread[i], NULL);
    pthread_cond_destroy(&queue->has_result);
    pthread_cond_destroy(&queue->has_request);
    pthread_mutex_destroy(&queue->mutex);
    networks_free(&queue->networks);
    mem_free(freed);
}

/* ---- the callers ---- */

static bool enqueue_request(struct hash_queue *queue, struct hash_request *request)
{
    size_t places = request->place ? UNKNOWN_PLACES : PASSWORD_QUEUE_PLACES;
    if (request->place && request->place->is_lost)
        return false;
    if (queue->request_count >= queue->count + places && !displace_last(queue, debt_of(request)))
        return false;
    queue->request_count++;
    if (request->place)
        request->place->request = request;
    insert_request(queue, request);
    pthread_cond_signal(&queue->has_request);
    return true;
}

/* False: the request was not started in time. Once it runs, the caller must wait: the thread uses
 * the caller's memory. */
static bool wait_for_result(struct hash_queue *queue, struct hash_request *request)
{
    struct timespec until = deadline_in(PASSWORD_WAIT_MS);
    bool is_late = false;
    while (request->state == REQUEST_RUNS || (request->state == REQUEST_WAITS && !is_late)) {
        if (is_late)
            pthread_cond_wait(&queue->has_result, &queue->mutex);
        else
            is_late = pthread_cond_clockwait(&queue->has_result, &queue->mutex, CLOCK_MONOTONIC,
                                             &until) != 0;
    }
    if (request->state == REQUEST_WAITS) {
        remove_request(queue, request);
        queue->request_count--;
    }
    return request->state == REQUEST_DONE;
}

static bool run_request(struct hash_queue *queue, struct hash_request *request, struct err *err)
{
    pthread_mutex_lock(&queue->mutex);
    bool is_done = enqueue_request(queue, request) && wait_for_result(queue, request);
    if (request->place)
        request->place->request = NULL;
    pthread_mutex_unlock(&queue->mutex);
    counter_add(is_done ? queue->done : queue->rejected, 1);
    return is_done ||
           err_set(err, ERR_OVERLOADED, "Too many people are signing in. Try again in %d seconds.",
                   PASSWORD_RETRY_S);
}

bool password_place_take(struct hash_queue *queue, const char *network,
                         struct password_place *place)
{
    int64_t now_ms = clock_ms();
    pthread_mutex_lock(&queue->mutex);
    int debt = networks_debt(queue->networks, network, now_ms);
    bool is_free = queue->unknown < queue->count + UNKNOWN_PLACES || displace_place(queue, debt);
    if (is_free) {
        networks_add_try(queue->networks, network, now_ms);
        *place = (struct password_place){ .queue = queue, .debt = debt, .next = queue->places };
        queue->places = place;
        queue->unknown++;
    }
    pthread_mutex_unlock(&queue->mutex);
    if (!is_free)
        counter_add(queue->rejected, 1);
    return is_free;
}

void password_place_free(struct password_place *place)
{
    struct hash_queue *queue = place->queue;
    if (!queue)
        return;
    pthread_mutex_lock(&queue->mutex);
    if (!place->is_lost)
        remove_place(queue, place);
    pthread_mutex_unlock(&queue->mutex);
    place->queue = NULL;
}

bool hash_queue_check(struct hash_queue *queue, struct password_place *place, struct text password,
                      const char *hash, bool *fits, struct err *err)
{
    struct hash_request request = { .password = password, .fits = hash, .place = place };
    if (!run_request(queue, &request, err))
        return false;
    *fits = request.result;
    return true;
}

bool hash_queue_hash(struct hash_queue *queue, struct text password,
                     char hash[static PASSWORD_HASH_BYTES], struct err *err)
{
    struct hash_request request = { .password = password, .hash = hash };
    if (!run_request(queue, &request, err))
        return false;
    if (!request.result)
        *err = request.err;
    return request.result;
}
