/* tests/unit/portal/password/hash-queue.c - which password gets a turn, waits or is rejected.
 * Hashing takes as long as the test says. */
#include "portal/password/hash-queue.h"

#include <pthread.h>
#include <semaphore.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "rows.h"

static sem_t queued;       /* a caller has a place, and begins to wait */
static sem_t begun, go_on; /* a hash: it was begun; it may end */
static atomic_int niceness;
static char turns[8]; /* first letters of the passwords, in the order of their turns */
static atomic_size_t turn_count;
static _Atomic int64_t wait_ms; /* replaces PASSWORD_WAIT_MS; 0: unchanged */
static atomic_uint network_count;

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
    const char *network; /* of an unknown device; NULL: one without other tries */
    bool has_place, ok, fits;
    struct err err;
    pthread_t thread;
};

static void *ask(void *argument)
{
    struct visitor *visitor = argument;
    struct password_place place = { 0 };
    char own[32];
    snprintf(own, sizeof(own), "network %u", network_count++);
    const char *network = visitor->network ? visitor->network : own;
    visitor->has_place = visitor->is_known || password_place_take(visitor->queue, network, &place);
    visitor->ok =
        visitor->has_place &&
        hash_queue_check(visitor->queue, visitor->is_known ? NULL : &place,
                         text_of(visitor->password), "right", &visitor->fits, &visitor->err);
    password_place_free(&place);
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
    clock_stop(clock_ms(), 0); /* debts do not change during a test */
    turn_count = 0;
    memset(turns, 0, sizeof(turns));
    metrics = metrics_new("1", "test");
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sem_destroy(&queued);
    sem_destroy(&begun);
    sem_destroy(&go_on);
    clock_run();
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
    assert_int_equal(next.has_place, is_known);
    if (is_known) {
        assert_int_equal(next.err.kind, ERR_OVERLOADED);
        assert_string_equal(next.err.message,
                            "Too many people are signing in. Try again in 2 seconds.");
    }
    assert_int_equal(sem_trywait(&queued), -1);
}

/* All of them, if need be: those of unknown devices that wait, too. */
static void the_last_places_are_for_known_devices(void **state)
{
    (void)state;
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    enum { STRANGERS = PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES };
    struct visitor served = { queue, false, "right" };
    struct visitor strangers[STRANGERS];
    struct visitor members[PASSWORD_QUEUE_PLACES];

    wait_ms = 60000;
    come(&served);
    sem_wait(&begun);
    sem_wait(&queued);
    fill(queue, false, strangers, STRANGERS);
    fill(queue, true, members, PASSWORD_QUEUE_PLACES);
    for (size_t i = 0; i < 1 + PASSWORD_QUEUE_PLACES; i++)
        sem_post(&go_on);
    pthread_join(served.thread, NULL);
    assert_true(served.ok && served.fits); /* had its turn */
    for (size_t i = 0; i < STRANGERS; i++) {
        pthread_join(strangers[i].thread, NULL);
        assert_false(strangers[i].ok);
    }
    for (size_t i = 0; i < PASSWORD_QUEUE_PLACES; i++) {
        pthread_join(members[i].thread, NULL);
        assert_true(members[i].ok && members[i].fits);
    }
    assert_true(counted("rejected", STRANGERS + 2));
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
        assert_true(password_place_take(queue, "a", &places[i]));
    assert_false(password_place_take(queue, "a", &late));
    assert_true(counted("rejected", 1));
    password_place_free(&late); /* has none to give */
    assert_false(password_place_take(queue, "a", &late));
    password_place_free(&places[0]);
    password_place_free(&places[0]);
    assert_true(password_place_take(queue, "a", &late));
    assert_false(password_place_take(queue, "a", &places[0]));
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

/*
 * A flood from ten networks, which have tried before, takes all places. A person comes from another
 * network: the last of the flood loses its place, and the person is next.
 */
static void a_person_is_next_in_a_flood(void **state)
{
    (void)state;
    enum { FLOOD = 1 + PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES, NETWORKS = 10 };
    static const char *const names[NETWORKS] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    struct visitor flood[FLOOD];
    struct visitor person = { queue, false, "person" };
    size_t lost = 0;

    for (size_t i = 0; i < NETWORKS; i++) {
        struct password_place place = { 0 };
        assert_true(password_place_take(queue, names[i], &place));
        password_place_free(&place);
    }
    wait_ms = 60000;
    for (size_t i = 0; i < FLOOD; i++) {
        flood[i] = (struct visitor){ queue, false, names[i % NETWORKS], names[i % NETWORKS] };
        come(&flood[i]);
        sem_wait(&queued);
        if (i == 0)
            sem_wait(&begun);
    }
    come(&person);
    sem_wait(&queued);
    for (size_t i = 0; i < FLOOD; i++)
        sem_post(&go_on);
    pthread_join(person.thread, NULL);
    assert_true(person.ok);
    for (size_t i = 0; i < FLOOD; i++) {
        pthread_join(flood[i].thread, NULL);
        lost += !flood[i].ok;
    }
    assert_int_equal(lost, 1);
    assert_false(flood[FLOOD - 1].ok); /* the last one of a network with two */
    assert_int_equal(flood[FLOOD - 1].err.kind, ERR_OVERLOADED);
    assert_memory_equal(turns, "apb", 3);
    assert_true(counted("rejected", 1));
    assert_true(counted("done", FLOOD));
}

/* A lost place is not given back a second time, and all places are there again afterwards. */
static void a_lost_place_is_lost_once(void **state)
{
    (void)state;
    enum { FLOOD = 1 + PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES };
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    struct password_place places[FLOOD] = { 0 };
    struct password_place late = { 0 };
    struct visitor flood[FLOOD];
    struct visitor people[3];

    wait_ms = 60000;
    for (size_t i = 0; i < FLOOD; i++) {
        flood[i] = (struct visitor){ queue, false, "flood", "a" };
        come(&flood[i]);
        sem_wait(&queued);
    }
    for (size_t i = 0; i < countof(people); i++) {
        people[i] = (struct visitor){ queue, false, "person" };
        come(&people[i]);
        sem_wait(&queued);
    }
    for (size_t i = 0; i < FLOOD; i++)
        sem_post(&go_on);
    for (size_t i = 0; i < FLOOD; i++)
        pthread_join(flood[i].thread, NULL);
    for (size_t i = 0; i < countof(people); i++) {
        pthread_join(people[i].thread, NULL);
        assert_true(people[i].ok);
    }
    assert_true(counted("rejected", countof(people)));
    for (size_t i = 0; i < FLOOD; i++)
        assert_true(password_place_take(queue, "b", &places[i]));
    assert_false(password_place_take(queue, "b", &late));
    for (size_t i = 0; i < FLOOD; i++)
        password_place_free(&places[i]);
}

/* Sign-ins that do not wait yet, because they query the database, lose their places too. */
static void a_place_is_lost_before_it_waits(void **state)
{
    (void)state;
    enum { FLOOD = 1 + PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES };
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    struct password_place places[FLOOD] = { 0 };
    struct password_place person = { 0 };
    struct password_place equal = { 0 };
    struct err err = { 0 };
    bool fits;

    for (size_t i = 0; i < FLOOD; i++)
        assert_true(password_place_take(queue, "flood", &places[i]));
    assert_true(password_place_take(queue, "person", &person));
    assert_false(password_place_take(queue, "flood", &equal));
    sem_post(&go_on);
    assert_true(hash_queue_check(queue, &person, TEXT("right"), "right", &fits, &err));
    assert_false(hash_queue_check(queue, &places[FLOOD - 1], TEXT("flood"), "", &fits, &err));
    assert_int_equal(err.kind, ERR_OVERLOADED);
    for (size_t i = 0; i < FLOOD; i++)
        password_place_free(&places[i]);
    password_place_free(&person);
}

/* Not from a network that tried as often, and not from a known device. */
static void who_may_not_displace(void **state)
{
    (void)state;
    enum { FLOOD = 1 + PASSWORD_QUEUE_PLACES - PASSWORD_KNOWN_PLACES };
    scoped(hash_queue_free) struct hash_queue *queue = hash_queue_new(1, metrics);
    struct visitor waits[FLOOD];
    struct visitor known = { queue, true, "known" };
    struct visitor equal = { queue, false, "equal" };

    wait_ms = 60000;
    for (size_t i = 0; i < FLOOD; i++) {
        waits[i] = (struct visitor){ queue, false, "wait" };
        come(&waits[i]);
        sem_wait(&queued);
    }
    ask(&equal);
    assert_false(equal.has_place);
    come(&known);
    sem_wait(&queued);
    for (size_t i = 0; i < FLOOD + 1; i++)
        sem_post(&go_on);
    pthread_join(known.thread, NULL);
    assert_true(known.ok);
    for (size_t i = 0; i < FLOOD; i++) {
        pthread_join(waits[i].thread, NULL);
        assert_true(waits[i].ok);
    }
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
    assert_true(hash_queue_hash(queue, TEXT("correct horse battery"), hash, &err));
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
        cmocka_unit_test_setup_teardown(a_person_is_next_in_a_flood, open, close_all),
        cmocka_unit_test_setup_teardown(a_lost_place_is_lost_once, open, close_all),
        cmocka_unit_test_setup_teardown(a_place_is_lost_before_it_waits, open, close_all),
        cmocka_unit_test_setup_teardown(who_may_not_displace, open, close_all),
        cmocka_unit_test_setup_teardown(a_wait_that_is_too_long_leaves_the_queue, open, close_all),
        cmocka_unit_test_setup_teardown(a_password_gets_a_hash, open, close_all),
    };
    return sodium_init() < 0 || cmocka_run_group_tests(tests, NULL, NULL);
}
