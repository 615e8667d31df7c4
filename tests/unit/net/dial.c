/* tests/unit/net/dial.c - connections to checked addresses, by many threads of one egress session
 * at once. */
#include "net/dial.h"

#include <string.h>

#include "base/os/parallel.h"
#include "world.h"

static struct egress *egress;

static const struct row {
    const char *name;
    const char *host;
    uint16_t port; /* 0: that of the server */
    enum err_kind error;
} rows[] = {
    { "an open port", "127.0.0.1", 0, ERR_NONE },
    { "a closed port", "127.0.0.1", 1, ERR_TARGET_REFUSED },
    { "an inner address", "10.0.0.1", 80, ERR_TARGET_NOT_ALLOWED },
    { "the operator's own", "127.9.9.9", 0, ERR_TARGET_NOT_ALLOWED },
    { "the same, mapped", "::ffff:127.9.9.9", 0, ERR_TARGET_NOT_ALLOWED },
    { "a name of our network", "db.internal", 80, ERR_TARGET_NOT_ALLOWED },
    { "a name that opted out", "www.opted-out.com", 80, ERR_TARGET_NOT_ALLOWED },
    { "a name and no resolver", "example.com", 80, ERR_UPSTREAM_UNAVAILABLE },
};

static void check(void **state)
{
    const struct row *row = *state;
    static const char *const answers[] = { "hello", NULL };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, clock_ms() + 5000);
    scoped(dial_close) int fd = -1;
    struct server server;
    struct host host;
    struct err err = { 0 };
    char bytes[16] = "";
    assert_true(host_parse(text_of(row->host), &host, &err));
    server_start(&server, answers);
    bool ok = dial(session, &host, row->port ? row->port : server.port, 2000, &fd, NULL, &err);
    if (ok) {
        assert_true(dial_send(fd, TEXT("x\r\n\r\n"), clock_ms() + 2000));
        assert_int_equal(dial_receive(fd, bytes, sizeof(bytes), clock_ms() + 2000), 5);
        assert_string_equal(bytes, "hello");
        assert_int_equal(dial_receive(fd, bytes, sizeof(bytes), clock_ms() + 2000), 0);
    }
    server_stop(&server);
    assert_string_equal(err_code(err.kind), err_code(row->error));
    assert_int_equal(ok, row->error == ERR_NONE);
}

/* The time is over: nothing arrives, and nothing can be sent any more. */
static void check_deadlines(void **state)
{
    (void)state;
    static const char *const silent[] = { NULL };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, clock_ms() + 60000);
    scoped(dial_close) int fd = -1;
    scoped(mem_free) char *much = mem_new(64 << 20);
    struct server server;
    struct host host;
    struct err err = { 0 };
    char byte;
    host_of_address(&(struct in6_addr){ { { [10] = 0xff, 0xff, 127, 0, 0, 1 } } }, &host);
    server_start(&server, silent);
    assert_true(dial(session, &host, server.port, 20000, &fd, NULL, &err));
    int64_t begin_ms = clock_ms();
    assert_int_equal(dial_receive(fd, &byte, 1, clock_ms() + 50), -1);
    assert_false(dial_send(fd, (struct text){ much, 64 << 20 }, clock_ms() + 50));
    assert_in_range(clock_ms() - begin_ms, 50, 20000);
    dial_close(&fd);
    server_stop(&server);
}

/* ---- many threads ---- */

struct caller {
    struct egress_session *session;
    bool ok;
    struct err err;
};

static void call(void *item)
{
    struct caller *caller = item;
    struct host host = { .name = "example.com" };
    struct addresses addresses;
    caller->ok = egress_session_resolve(caller->session, &host, &addresses, &caller->err);
}

/* A name is resolved once per session, for all threads: all get the same failure. */
static void check_threads(void **state)
{
    (void)state;
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, clock_ms() + 5000);
    struct caller callers[32] = { 0 };
    for (size_t i = 0; i < countof(callers); i++)
        callers[i].session = session;
    parallel(callers, countof(callers), sizeof(callers[0]), 8, call);
    for (size_t i = 0; i < countof(callers); i++) {
        assert_false(callers[i].ok);
        assert_string_equal(err_code(callers[i].err.kind), "upstream_unavailable");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_deadlines),
                                        cmocka_unit_test(check_threads) };
    egress = egress_of("ALLOW=127.0.0.0/8;DENY=127.9.9.9;DENY_HOSTS=opted-out.com;"
                       "DOH_URLS=https://127.0.0.1:1/");
    int failed = RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
    egress_close(&egress);
    return failed;
}
