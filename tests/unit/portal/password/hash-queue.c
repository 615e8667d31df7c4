/* tests/unit/portal/password/hash-queue.c - which password gets a turn, waits or is rejected.
 * Hashing takes as long as the test says. */
#include "portal/password/hash-queue.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/os/deadline.h"
#include "rows.h"

static sem_t queued;       /* a caller has a place, and begins to wait */
static sem_t begun, go_on; /* a hash: it was begun; it may end */
static atomic_int niceness;
static char turns[8]; /* first letters of the passwords, in the order of their turns */
static atomic_size_t turn_count;
static _Atomic int64_t wait_ms; /* replaces PASSWORD_WAIT_MS; 0: unchanged */

bool __wrap_password_fits(struct text password, const char *hash);
bool __wrap_password_fits(struct text password, const char *hash)
{
    size_t turn = turn_count++;
    if (turn + 1 < sizeof(turns))
        turns[turn] = password.bytes[0];
    niceness = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
    sem_post(&begun);
    sem_wait(&go_on);
    return text_is(password, hash);
}

struct timespec __real_deadline_in(int64_t ms);
struct timespec __wrap_deadline_in(int64_t ms);
struct timespec __wrap_deadline_in(int64_t ms)
{
    sem_post(&queued);
    return __real_deadline_in(wait_ms > 0 ? wait_ms : ms);
}

/* A sign-in. */
struct visitor {
    struct hash_queue *queue;
    bool is_known;
    const char *password;
    bool ok, fits;
    struct err err;
    pthread_t thread;
};

static void *ask(void *argument)
{
    struct visitor *visitor = argument;
    visitor->ok = hash_queue_check(visitor->queue, visitor->is_known, text_of(visitor->password),
                                   "right", &visitor->fits, &visitor->err);
    return NULL;
}

static void come(struct visitor *visitor)
{
    assert_int_equal(pthread_create(&visitor->thread, NULL, ask, visitor), 0);
}

static struct metrics *metrics;

static int open(void **state)
{
    (void)state;
    sem_init(&queued, 0, 0);
    sem_init(&begun, 0, 0);
    sem_init(&go_on, 0, 0);
    wait_ms = 0;
    turn_count = 0;
    memset(turns, 0, sizeof(turns));
    metrics = metrics_new("1");
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sem_destroy(&queued);
    sem_destroy(&begun);
    sem_destroy(&go_on);
    metrics_free(&metrics);
    return 0;
}

/* A metric of this outcome. */
static bool counted(const char *outcome, int count)
{
    scoped(buf_free) struct buf text = BUF(1 << 16);
    scoped(mem_free) char *line =
        str_format("tollgate_password_hashes_total{outcome=\"%s\"} %d\n", outcome, count);
    assert_true(metrics_write(metrics, &text));
    return strstr(buf_str(&text), line) != NULL;
}

static void answers_are_those_of_the_hash(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(2, metrics);
    struct visitor visitors[] = { { queue, false, "right" }, { queue, false, "wrong" } };
    for (size_t i = 0; i < countof(visitors); i++)
        come(&visitors[i]);
    for (size_t i = 0; i < countof(visitors); i++)
        sem_wait(&begun); /* both at once */
    for (size_t i = 0; i < countof(visitors); i++)
        sem_post(&go_on);
    for (size_t i = 0; i < countof(visitors); i++)
        pthread_join(visitors[i].thread, NULL);
    assert_true(visitors[0].ok && visitors[0].fits);
    assert_true(visitors[1].ok && !visitors[1].fits);
    assert_int_equal(niceness, 10);
    assert_true(counted("done", 2));
}

/* Fill the places of a kind, and see the next one rejected at once. */
static void fill(struct hash_queue *queue, bool is_known, struct visitor *waits, size_t count)
{
    struct visitor next = { queue, is_known, "right" };
    for (size_t i = 0; i < count; i++) {
        waits[i] = next;
        come(&waits[i]);
    }
    for (size_t i = 0; i < count; i++)
        sem_wait(&queued);
    ask(&next);
    assert_false(next.ok);
    assert_int_equal(next.err.kind, ERR_OVERLOADED);
    assert_string_equal(next.err.message,
                        "Too many people are signing in. Try again in 2 seconds.");
    assert_int_equal(sem_trywait(&queued), -1);
}

static void the_last_places_are_for_known_devices(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    enum { STRANGERS = PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES };
    struct visitor served = { queue, false, "right" };
    struct visitor waits[PASSWORD_QUEUE_PLACES];

    wait_ms = 60000;
    come(&served);
    sem_wait(&begun);
    sem_wait(&queued);
    fill(queue, false, waits, STRANGERS);
    fill(queue, true, waits + STRANGERS, PASSWORD_KNOWN_PLACES);
    for (size_t i = 0; i < 1 + PASSWORD_QUEUE_PLACES; i++)
        sem_post(&go_on);
    pthread_join(served.thread, NULL);
    for (size_t i = 0; i < PASSWORD_QUEUE_PLACES; i++) {
        pthread_join(waits[i].thread, NULL);
        assert_true(waits[i].ok && waits[i].fits);
    }
    assert_true(counted("rejected", 2));
}

/* As many as have a turn or wait, and one more for each that left. */
static void unknown_devices_take_their_places_first(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(2, metrics);
    enum { STRANGERS = 2 + PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES };
    struct password_place places[STRANGERS] = { 0 };
    struct password_place late = { 0 };

    for (size_t i = 0; i < STRANGERS; i++)
        assert_true(password_place_take(queue, &places[i]));
    assert_false(password_place_take(queue, &late));
    assert_true(counted("rejected", 1));
    password_place_free(&late); /* has none to give */
    assert_false(password_place_take(queue, &late));
    password_place_free(&places[0]);
    password_place_free(&places[0]);
    assert_true(password_place_take(queue, &late));
    assert_false(password_place_take(queue, &places[0]));
    for (size_t i = 1; i < STRANGERS; i++)
        password_place_free(&places[i]);
    password_place_free(&late);
}

/* However late the thread wakes: a caller with a place gets a turn. */
static void all_places_at_once_have_a_turn(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    enum { ROUNDS = 50, STRANGERS = 1 + PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES };
    struct visitor visitors[STRANGERS];

    wait_ms = 60000;
    for (size_t i = 0; i < (size_t)ROUNDS * STRANGERS; i++)
        sem_post(&go_on);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < STRANGERS; i++) {
            visitors[i] = (struct visitor){ queue, false, "right" };
            come(&visitors[i]);
        }
        for (size_t i = 0; i < STRANGERS; i++)
            pthread_join(visitors[i].thread, NULL);
    }
    assert_true(counted("done", ROUNDS * STRANGERS));
}

static void a_known_device_goes_before_unknown_ones(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    struct visitor visitors[] = { { queue, false, "a outsider" },
                                  { queue, false, "b outsider" },
                                  { queue, true, "c known" },
                                  { queue, false, "d outsider" },
                                  { queue, true, "e known" } };

    wait_ms = 60000;
    for (size_t i = 0; i < countof(visitors); i++) {
        come(&visitors[i]);
        sem_wait(&queued);
        if (i == 0)
            sem_wait(&begun);
    }
    for (size_t i = 0; i < countof(visitors); i++)
        sem_post(&go_on);
    for (size_t i = 0; i < countof(visitors); i++)
        pthread_join(visitors[i].thread, NULL);
    assert_string_equal(turns, "acebd");
}

static void a_wait_that_is_too_long_leaves_the_queue(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    struct visitor served = { queue, false, "right" }, late = { queue, true, "right" },
                   next = { queue, false, "right" };

    come(&served);
    sem_wait(&begun);
    wait_ms = 50;
    ask(&late);
    assert_false(late.ok);
    assert_int_equal(late.err.kind, ERR_OVERLOADED);
    assert_true(counted("rejected", 1));
    sem_post(&go_on);
    sem_post(&go_on);
    pthread_join(served.thread, NULL);
    assert_true(served.ok); /* had its turn, however long it took */
    wait_ms = 0;
    ask(&next);
    assert_true(next.ok && next.fits);
    assert_true(counted("done", 2));
}

static void a_password_gets_a_hash(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    char hash[PASSWORD_HASH_BYTES];
    struct err err = { 0 };
    assert_true(hash_queue_hash(queue, true, TEXT("correct horse battery"), hash, &err));
    assert_int_equal(strncmp(hash, "$argon2id$", 10), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_those_of_the_hash, open, close_all),
        cmocka_unit_test_setup_teardown(the_last_places_are_for_known_devices, open, close_all),
        cmocka_unit_test_setup_teardown(unknown_devices_take_their_places_first, open, close_all),
        cmocka_unit_test_setup_teardown(all_places_at_once_have_a_turn, open, close_all),
        cmocka_unit_test_setup_teardown(a_known_device_goes_before_unknown_ones, open, close_all),
        cmocka_unit_test_setup_teardown(a_wait_that_is_too_long_leaves_the_queue, open, close_all),
        cmocka_unit_test_setup_teardown(a_password_gets_a_hash, open, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
