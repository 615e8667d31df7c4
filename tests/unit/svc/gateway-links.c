/* tests/unit/svc/gateway-links.c - a worker stops at once although no name server responds for the
 * gateways' names. Built with -Db_sanitize=thread it also proves that there is no data race. */
#include "svc/gateway-links.h"

#include <netdb.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/os/clock.h"
#include "rows.h"

enum { AT_ONCE_MS = 5000 }; /* on a loaded machine; an unreachable name server takes ten seconds */

static sem_t asked;
static sem_t answers;
static atomic_int asked_for;

/* Replaces libc's function: an unreachable name server. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    (void)node;
    (void)service;
    (void)hints;
    (void)found;
    asked_for++;
    sem_post(&asked);
    while (sem_wait(&answers) != 0)
        ;
    return EAI_AGAIN;
}

static void ends_while_a_name_is_looked_up(void **state)
{
    const char *names[] = { "gateway.test:5570", "other.test:5570", NULL };
    struct wire_ready ready = { 0 };
    struct gateway_links_options options = { .names = names, .resolve_ms = 10, .ready = &ready };
    (void)state;

    struct gateway_links *gateway_links = gateway_links_new(&options);
    while (sem_wait(&asked) != 0)
        ;
    int64_t begun_ms = clock_ms();
    gateway_links_free(&gateway_links);
    assert_true(clock_ms() - begun_ms < AT_ONCE_MS);
    names[1] = NULL; /* its own copy is looked up */
    sem_post(&answers);
    while (sem_wait(&asked) != 0)
        ;
    assert_int_equal(asked_for, 2);
    sem_post(&answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ends_while_a_name_is_looked_up) };
    sem_init(&asked, 0, 0);
    sem_init(&answers, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
