/* portal/password/hash-queue.c - see hash-queue.h. */
#include "portal/password/hash-queue.h"

#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/deadline.h"
#include "base/os/log.h"

enum {
    THREADS_MAX = 8,
    NICENESS = 10,
    UNKNOWN_PLACES = PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES,
};

enum request_state { REQUEST_WAITS, REQUEST_RUNS, REQUEST_DONE };

/* On the stack of the thread that waits for it. */
struct hash_request {
    struct text password;
    const char *fits; /* check the password against this hash */
    char *hash;       /* or, if not NULL: write its hash here */
    bool result;      /* the password matches, or was hashed */
    struct err err;   /* if it could not be hashed */
    bool is_known;
    enum request_state state;
    struct hash_request *next; /* the next in the queue */
};

struct hash_queue {
    struct counter *done, *rejected;
    pthread_mutex_t mutex; /* guards the fields below */
    pthread_cond_t has_request, has_result;
    struct hash_request *first;
    size_t request_count; /* waiting or running */
    size_t unknown;       /* password_place structs in use */
    bool is_ending;
    size_t count;
    pthread_t thread[THREADS_MAX];
};

/* ---- the queue; the caller holds the mutex ---- */

static void insert_request(struct hash_queue *queue, struct hash_request *request)
{
    struct hash_request **at = &queue->first;
    while (*at && ((*at)->is_known || !request->is_known))
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
    mem_free(freed);
}

/* ---- the callers ---- */

static bool enqueue_request(struct hash_queue *queue, struct hash_request *request)
{
    size_t places = request->is_known ? PASSWORD_QUEUE_PLACES : UNKNOWN_PLACES;
    if (queue->request_count >= queue->count + places)
        return false;
    queue->request_count++;
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
    pthread_mutex_unlock(&queue->mutex);
    counter_add(is_done ? queue->done : queue->rejected, 1);
    return is_done ||
           err_set(err, ERR_OVERLOADED, "Too many people are signing in. Try again in %d seconds.",
                   PASSWORD_RETRY_S);
}

bool password_place_take(struct hash_queue *queue, struct password_place *place)
{
    pthread_mutex_lock(&queue->mutex);
    bool is_free = queue->unknown < queue->count + UNKNOWN_PLACES;
    if (is_free)
        queue->unknown++;
    pthread_mutex_unlock(&queue->mutex);
    if (is_free)
        place->queue = queue;
    else
        counter_add(queue->rejected, 1);
    return is_free;
}

void password_place_free(struct password_place *place)
{
    struct hash_queue *queue = place->queue;
    if (!queue)
        return;
    pthread_mutex_lock(&queue->mutex);
    queue->unknown--;
    pthread_mutex_unlock(&queue->mutex);
    place->queue = NULL;
}

bool hash_queue_check(struct hash_queue *queue, bool is_known, struct text password,
                      const char *hash, bool *fits, struct err *err)
{
    struct hash_request request = { .password = password, .fits = hash, .is_known = is_known };
    if (!run_request(queue, &request, err))
        return false;
    *fits = request.result;
    return true;
}

bool hash_queue_hash(struct hash_queue *queue, bool is_known, struct text password,
                     char hash[static PASSWORD_HASH_BYTES], struct err *err)
{
    struct hash_request request = { .password = password, .hash = hash, .is_known = is_known };
    if (!run_request(queue, &request, err))
        return false;
    if (!request.result)
        *err = request.err;
    return request.result;
}
