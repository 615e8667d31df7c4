/* portal/password/jobs.c - a queue of those who wait, and the threads that serve it. */
#include "portal/password/jobs.h"

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
    STRANGERS_PLACES = PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES,
};

enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE };

/* One question; lies on the stack of who asks. */
struct job {
    struct text password;
    const char *fits; /* does the password fit this hash? */
    char *hash;       /* or, not NULL: where its hash goes */
    bool answer;      /* it fits; it was hashed */
    struct err err;   /* why not */
    bool is_known;
    enum job_state state;
    struct job *next; /* behind it in the queue */
};

struct password_jobs {
    struct counter *done, *refused;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t asked, answered;
    struct job *first;
    size_t asking;    /* who wait, and whose hash is being made */
    size_t strangers; /* who have a password_place */
    bool is_ending;
    size_t count;
    pthread_t thread[THREADS_MAX];
};

/* ---- the queue; the caller has the mutex ---- */

static void put_in(struct password_jobs *jobs, struct job *job)
{
    struct job **at = &jobs->first;
    while (*at && ((*at)->is_known || !job->is_known))
        at = &(*at)->next;
    job->next = *at;
    *at = job;
}

static void take_out(struct password_jobs *jobs, const struct job *job)
{
    struct job **at = &jobs->first;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
}

/* ---- serving ---- */

static void work(struct job *job)
{
    job->answer = job->hash ? password_hash(job->password, job->hash, &job->err)
                            : password_fits(job->password, job->fits);
}

static struct job *next_job(struct password_jobs *jobs)
{
    while (!jobs->first && !jobs->is_ending)
        pthread_cond_wait(&jobs->asked, &jobs->mutex);
    struct job *job = jobs->first;
    if (job) {
        take_out(jobs, job);
        job->state = JOB_RUNS;
    }
    return job;
}

static void *serve(void *argument)
{
    struct password_jobs *jobs = argument;
    struct job *job;

    if (setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICENESS) != 0) /* Linux: a thread's */
        log_line(LOG_WARN, "hashing of passwords keeps its priority");
    pthread_mutex_lock(&jobs->mutex);
    while ((job = next_job(jobs))) {
        pthread_mutex_unlock(&jobs->mutex);
        work(job);
        pthread_mutex_lock(&jobs->mutex);
        job->state = JOB_DONE;
        jobs->asking--;
        pthread_cond_broadcast(&jobs->answered);
    }
    pthread_mutex_unlock(&jobs->mutex);
    return NULL;
}

struct password_jobs *password_jobs_new(size_t threads, struct metrics *metrics)
{
    static const char name[] = "tollgate_password_hashes_total",
                      help[] = "Passwords hashed, or not, by outcome";
    struct password_jobs *jobs = mem_new(sizeof(*jobs));
    jobs->done = metrics_counter(metrics, name, help, (struct labels){ "outcome", "done" });
    jobs->refused = metrics_counter(metrics, name, help, (struct labels){ "outcome", "refused" });
    pthread_mutex_init(&jobs->mutex, NULL);
    pthread_cond_init(&jobs->asked, NULL);
    pthread_cond_init(&jobs->answered, NULL);
    jobs->count = threads < THREADS_MAX ? threads : THREADS_MAX;
    for (size_t i = 0; i < jobs->count; i++) {
        bool is_started = pthread_create(&jobs->thread[i], NULL, serve, jobs) == 0;
        assert(is_started);
    }
    return jobs;
}

void password_jobs_free(struct password_jobs **freed)
{
    struct password_jobs *jobs = *freed;
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->mutex);
    jobs->is_ending = true;
    pthread_cond_broadcast(&jobs->asked);
    pthread_mutex_unlock(&jobs->mutex);
    for (size_t i = 0; i < jobs->count; i++)
        pthread_join(jobs->thread[i], NULL);
    pthread_cond_destroy(&jobs->answered);
    pthread_cond_destroy(&jobs->asked);
    pthread_mutex_destroy(&jobs->mutex);
    mem_free(freed);
}

/* ---- asking ---- */

static bool enqueue(struct password_jobs *jobs, struct job *job)
{
    size_t places = job->is_known ? PASSWORD_QUEUE_PLACES : STRANGERS_PLACES;
    if (jobs->asking >= jobs->count + places)
        return false;
    jobs->asking++;
    put_in(jobs, job);
    pthread_cond_signal(&jobs->asked);
    return true;
}

/* False: its turn did not come. Once it has, the end is near, and the thread has our memory. */
static bool wait_for(struct password_jobs *jobs, struct job *job)
{
    struct timespec until = deadline_in(PASSWORD_WAIT_MS);
    bool is_late = false;
    while (job->state == JOB_RUNS || (job->state == JOB_WAITS && !is_late)) {
        if (is_late)
            pthread_cond_wait(&jobs->answered, &jobs->mutex);
        else
            is_late =
                pthread_cond_clockwait(&jobs->answered, &jobs->mutex, CLOCK_MONOTONIC, &until) != 0;
    }
    if (job->state == JOB_WAITS) {
        take_out(jobs, job);
        jobs->asking--;
    }
    return job->state == JOB_DONE;
}

static bool run(struct password_jobs *jobs, struct job *job, struct err *err)
{
    pthread_mutex_lock(&jobs->mutex);
    bool is_done = enqueue(jobs, job) && wait_for(jobs, job);
    pthread_mutex_unlock(&jobs->mutex);
    counter_add(is_done ? jobs->done : jobs->refused, 1);
    return is_done ||
           err_set(err, ERR_OVERLOADED, "Too many people are signing in. Try again in %d seconds.",
                   PASSWORD_RETRY_S);
}

bool password_place_take(struct password_jobs *jobs, struct password_place *place)
{
    pthread_mutex_lock(&jobs->mutex);
    bool is_free = jobs->strangers < jobs->count + STRANGERS_PLACES;
    if (is_free)
        jobs->strangers++;
    pthread_mutex_unlock(&jobs->mutex);
    if (is_free)
        place->jobs = jobs;
    else
        counter_add(jobs->refused, 1);
    return is_free;
}

void password_place_free(struct password_place *place)
{
    struct password_jobs *jobs = place->jobs;
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->mutex);
    jobs->strangers--;
    pthread_mutex_unlock(&jobs->mutex);
    place->jobs = NULL;
}

bool password_jobs_fits(struct password_jobs *jobs, bool is_known, struct text password,
                        const char *hash, bool *fits, struct err *err)
{
    struct job job = { .password = password, .fits = hash, .is_known = is_known };
    if (!run(jobs, &job, err))
        return false;
    *fits = job.answer;
    return true;
}

bool password_jobs_hash(struct password_jobs *jobs, bool is_known, struct text password,
                        char hash[static PASSWORD_HASH_BYTES], struct err *err)
{
    struct job job = { .password = password, .hash = hash, .is_known = is_known };
    if (!run(jobs, &job, err))
        return false;
    if (!job.answer)
        *err = job.err;
    return job.answer;
}
