/* tests/unit/net/http/fetch-all.c - several requests in one thread: order, number, pace and end. */
#include "net/http/fetch-all.h"

#include <poll.h>

#include "net/world.h"

enum { ITEMS = 6, AT_ONCE = 3, CONNECT_WITHIN_MS = 200 };

#define HI "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

static struct egress *egress;

struct ends {
    size_t count;
    size_t order[4 * ITEMS];
    const struct fetch_item *first;
    enum fetch_next then; /* said once, at the first end */
};

static enum fetch_next note_end(struct fetch_item *item, void *context)
{
    struct ends *ends = context;
    ends->order[ends->count++] = (size_t)(item - ends->first);
    if (ends->count > 1 || ends->then == FETCH_ON)
        return FETCH_ON;
    fetch_free(&item->fetch);
    return ends->then;
}

struct guests {
    struct target target;
    struct fetch_item item[ITEMS];
    struct ends ends;
};

static void invite(struct guests *guests, uint16_t port)
{
    char url[64];
    *guests = (struct guests){ .ends = { .first = guests->item } };
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/", port);
    assert_true(target_parse_url(text_of(url), &guests->target, NULL));
    for (size_t i = 0; i < ITEMS; i++)
        guests->item[i].target = &guests->target;
}

static void say_goodbye(struct guests *guests)
{
    for (size_t i = 0; i < ITEMS; i++)
        fetch_free(&guests->item[i].fetch);
    target_free(&guests->target);
}

static void run_plan(struct guests *guests, const struct fetch_plan *plan, int64_t deadline_ms)
{
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, clock_ms() + deadline_ms);
    fetch_all(session, guests->item, ITEMS, plan);
}

static void run_for(struct guests *guests, size_t at_once, int64_t apart_ms, int64_t deadline_ms)
{
    const struct fetch_plan plan = { at_once, apart_ms, note_end, &guests->ends };
    run_plan(guests, &plan, deadline_ms);
}

static void run(struct guests *guests, size_t at_once, int64_t apart_ms)
{
    run_for(guests, at_once, apart_ms, 5000);
}

static void all_are_answered_in_order(void **state)
{
    (void)state;
    static const char *const answers[] = { HI, NULL };
    struct server server;
    struct guests guests;
    server_start(&server, answers);
    invite(&guests, server.port);
    run(&guests, 1, 0);
    server_stop(&server);
    assert_int_equal(guests.ends.count, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(guests.ends.order[i], i);
        assert_true(guests.item[i].ok);
        assert_string_equal(buf_str(&guests.item[i].fetch.body), "hi");
        assert_int_equal(fetch_last(&guests.item[i].fetch)->status, 200);
    }
    say_goodbye(&guests);
}

/* Responds when a whole group has arrived, and checks whether more come. */
static void *receive_groups(void *argument)
{
    struct server *server = argument;
    for (size_t group = 0; group < ITEMS / AT_ONCE; group++) {
        int fd[AT_ONCE];
        struct pollfd more = { .fd = server->listener, .events = POLLIN };
        for (size_t i = 0; i < AT_ONCE; i++) {
            fd[i] = accept(server->listener, NULL, NULL);
            server_read(server, fd[i]);
        }
        server->connections += poll(&more, 1, 100) > 0; /* one too many */
        for (size_t i = 0; i < AT_ONCE; i++) {
            server_send(server, fd[i], HI);
            close(fd[i]);
        }
    }
    return NULL;
}

static void run_groups(size_t at_once, size_t per_host)
{
    struct server server;
    struct guests guests;
    server_start_as(&server, NULL, receive_groups);
    invite(&guests, server.port);
    const struct fetch_plan plan = {
        .at_once = at_once, .per_host = per_host, .ended = note_end, .context = &guests.ends
    };
    run_plan(&guests, &plan, 5000);
    for (size_t i = 0; i < ITEMS; i++)
        assert_true(guests.item[i].ok);
    server_stop(&server);
    assert_int_equal(server.connections, 0);
    say_goodbye(&guests);
}

static void at_most_this_many_at_once(void **state)
{
    (void)state;
    run_groups(AT_ONCE, 0);
}

static void at_most_this_many_per_host(void **state)
{
    (void)state;
    run_groups(FETCH_AT_ONCE_MAX, AT_ONCE);
}

/* Responds to all requests of one connection, and to those of the others. */
static void *keep_connections(void *argument)
{
    struct server *server = argument;
    int fd;
    while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
        server->connections++;
        while (server_read(server, fd), *server->request)
            server_send(server, fd, HI);
        close(fd);
    }
    return NULL;
}

static void connections_are_used_again(void **state)
{
    (void)state;
    static const struct fetch_options options = { .reuses_connections = true };
    struct server server;
    struct guests guests;
    server_start_as(&server, NULL, keep_connections);
    invite(&guests, server.port);
    for (size_t i = 0; i < ITEMS; i++)
        guests.item[i].options = &options;
    run(&guests, 1, 0);
    server_stop(&server);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_true(guests.item[i].ok);
        assert_string_equal(buf_str(&guests.item[i].fetch.body), "hi");
    }
    assert_int_equal(server.connections, 1);
    assert_int_equal(guests.item[ITEMS - 1].fetch.hop[0].times.tcp_us, 0);
    say_goodbye(&guests);
}

/* The same, each response after the first one late. */
static void *keep_connections_slowly(void *argument)
{
    struct server *server = argument;
    int fd;
    while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
        server->connections++;
        for (int requests = 0; server_read(server, fd), *server->request; requests++) {
            poll(NULL, 0, requests > 0 ? 3 * CONNECT_WITHIN_MS : 0);
            server_send(server, fd, HI);
        }
        close(fd);
    }
    return NULL;
}

/* A response may take longer than a connection, also on one that is used again. */
static void a_used_connection_has_the_time_of_a_response(void **state)
{
    (void)state;
    static const struct fetch_options options = { .reuses_connections = true,
                                                  .connect_ms = CONNECT_WITHIN_MS };
    struct server server;
    struct guests guests;
    server_start_as(&server, NULL, keep_connections_slowly);
    invite(&guests, server.port);
    for (size_t i = 0; i < ITEMS; i++)
        guests.item[i].options = &options;
    run(&guests, 1, 0);
    server_stop(&server);
    for (size_t i = 0; i < ITEMS; i++)
        assert_true(guests.item[i].ok);
    assert_int_equal(server.connections, 1);
    say_goodbye(&guests);
}

static void begins_are_apart(void **state)
{
    (void)state;
    static const char *const answers[] = { HI, NULL };
    struct server server;
    struct guests guests;
    server_start(&server, answers);
    invite(&guests, server.port);
    guests.item[0].begin_ms = clock_ms() + 60; /* the others do not wait for it */
    int64_t begin_ms = clock_ms();
    run(&guests, 4, 20);
    server_stop(&server);
    assert_true(clock_ms() - begin_ms >= (ITEMS - 1) * 20);
    assert_int_not_equal(guests.ends.order[0], 0);
    assert_int_equal(guests.ends.count, ITEMS);
    say_goodbye(&guests);
}

static void one_may_go_again(void **state)
{
    (void)state;
    static const char *const answers[] = { HI, NULL };
    struct server server;
    struct guests guests;
    server_start(&server, answers);
    invite(&guests, server.port);
    guests.ends.then = FETCH_AGAIN;
    run(&guests, 2, 0);
    server_stop(&server);
    assert_int_equal(guests.ends.count, ITEMS + 1);
    assert_int_equal(server.connections, ITEMS + 1);
    for (size_t i = 0; i < ITEMS; i++)
        assert_true(guests.item[i].ok);
    say_goodbye(&guests);
}

static void nothing_begins_after_a_stop(void **state)
{
    (void)state;
    static const char *const answers[] = { HI, NULL };
    struct server server;
    struct guests guests;
    server_start(&server, answers);
    invite(&guests, server.port);
    guests.ends.then = FETCH_STOP;
    run(&guests, 1, 0);
    server_stop(&server);
    assert_int_equal(guests.ends.count, 1);
    assert_int_equal(server.connections, 1);
    assert_true(guests.item[0].is_begun);
    assert_false(guests.item[1].is_begun);
    say_goodbye(&guests);
}

static void each_has_its_own_end(void **state)
{
    (void)state;
    static const char *const answers[] = { NULL };
    struct server server;
    struct guests guests;
    server_start(&server, answers);
    invite(&guests, server.port);
    for (size_t i = 0; i < ITEMS; i++)
        guests.item[i].limit_ms = 50;
    guests.item[1].url = "http://127.0.0.1:1/";
    guests.item[1].target = NULL;
    run(&guests, 8, 0);
    server_stop(&server);
    for (size_t i = 0; i < ITEMS; i++)
        assert_string_equal(err_code(guests.item[i].err.kind),
                            i == 1 ? "upstream_unavailable" : "target_timeout");
    say_goodbye(&guests);
}

static void the_deadline_stops_all(void **state)
{
    (void)state;
    static const char *const answers[] = { NULL };
    struct server server;
    struct guests guests;
    server_start(&server, answers);
    invite(&guests, server.port);
    run_for(&guests, 2, 0, 80);
    server_stop(&server);
    assert_int_equal(guests.ends.count, 2);
    assert_string_equal(err_code(guests.item[0].err.kind), "target_timeout");
    assert_false(guests.item[2].is_begun);
    say_goodbye(&guests);
}

static void the_guard_judges_each(void **state)
{
    (void)state;
    scoped(target_free) struct target inner = { 0 };
    static const char *const answers[] = { HI, NULL };
    struct server server;
    struct guests guests;
    server_start(&server, answers);
    invite(&guests, server.port);
    assert_true(target_parse_url(TEXT("http://10.0.0.1/"), &inner, NULL));
    guests.item[2].target = &inner;
    run(&guests, 2, 0);
    server_stop(&server);
    assert_string_equal(err_code(guests.item[2].err.kind), "target_not_allowed");
    assert_int_equal(server.connections, ITEMS - 1);
    assert_int_equal(egress_stray_count(egress), 0);
    say_goodbye(&guests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_answered_in_order),
        cmocka_unit_test(at_most_this_many_at_once),
        cmocka_unit_test(at_most_this_many_per_host),
        cmocka_unit_test(connections_are_used_again),
        cmocka_unit_test(a_used_connection_has_the_time_of_a_response),
        cmocka_unit_test(begins_are_apart),
        cmocka_unit_test(one_may_go_again),
        cmocka_unit_test(nothing_begins_after_a_stop),
        cmocka_unit_test(each_has_its_own_end),
        cmocka_unit_test(the_deadline_stops_all),
        cmocka_unit_test(the_guard_judges_each),
    };
    egress = egress_of("ALLOW=127.0.0.0/8;PORTS=*");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    egress_close(&egress);
    return failed;
}
