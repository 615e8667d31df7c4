/* tests/unit/browser/tunnels.c - the proxy's requests, also hostile ones, and its limits. */
#include "tunnels.h"

#include <semaphore.h>

#include "net/world.h"

enum { WAIT_MS = 20000 };

static struct egress *egress;

/* A proxy, and the one site that it may reach. */
struct stage {
    struct server site, front;
    struct tunnels *tunnels;
    sem_t ended;
};

static void on_end(void *context)
{
    struct stage *stage = context;
    sem_post(&stage->ended);
}

static void open_stage(struct stage *stage, const struct tunnels_limits *limits)
{
    static const char *const answers[] = { "hello", NULL };
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof(place);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&place, size), 0);
    assert_int_equal(listen(listener, 16), 0);
    getsockname(listener, (struct sockaddr *)&place, &size);
    server_start(&stage->site, answers);
    stage->front.port = ntohs(place.sin_port);
    sem_init(&stage->ended, 0, 0);
    stage->tunnels = tunnels_open(egress, listener, limits, on_end, stage);
}

/* Also waits until every connection has ended. */
static void close_stage(struct stage *stage, struct tunnels_totals *totals)
{
    tunnels_close(&stage->tunnels, totals);
    sem_wait(&stage->ended);
    server_stop(&stage->site);
    sem_destroy(&stage->ended);
}

/* A connection to the proxy, as the browser's. */
static int call_proxy(const struct stage *stage)
{
    struct sockaddr_in place = { .sin_family = AF_INET,
                                 .sin_port = htons(stage->front.port),
                                 .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&place, sizeof(place)), 0);
    return fd;
}

/* Everything until the proxy closes, as hexadecimal digits. */
static void receive_all(int fd, char *out, size_t size)
{
    unsigned char bytes[256];
    size_t count = 0;
    ssize_t got;
    while (count < sizeof(bytes) && (got = recv(fd, bytes + count, sizeof(bytes) - count, 0)) > 0)
        count += (size_t)got;
    for (size_t i = 0; i < count; i++)
        snprintf(out + 2 * i, size - 2 * i, "%02x", bytes[i]);
}

#define HELLO       "050100"
#define GREETED     "0500"
#define REPLY(code) "05" code "0001000000000000"

static const struct row {
    const char *name;
    const char *sent; /* in hexadecimal; PPPP is the site's port */
    const char *wanted;
    size_t opened, refused;
} rows[] = {
    { "an address", HELLO "050100017f000001PPPP780d0a0d0a", GREETED REPLY("00") "68656c6c6f", 1,
      0 },
    { "an address as a name",
      HELLO "050100030931"
            "32372e302e302e31PPPP780d0a0d0a",
      GREETED REPLY("00") "68656c6c6f", 1, 0 },
    { "an inner address", HELLO "050100010a0000010050", GREETED REPLY("02"), 0, 1 },
    { "the operator's own", HELLO "050100017f090909PPPP", GREETED REPLY("02"), 0, 1 },
    { "the same, mapped", HELLO "0501000400000000000000000000ffff7f090909PPPP", GREETED REPLY("02"),
      0, 1 },
    { "metadata", HELLO "05010001a9fea9fe0050", GREETED REPLY("02"), 0, 1 },
    { "localhost", HELLO "05010003096c6f63616c686f7374PPPP", GREETED REPLY("02"), 0, 1 },
    { "a name without a dot", HELLO "050100030378797aPPPP", GREETED REPLY("02"), 0, 1 },
    { "an address in another notation", HELLO "050100030a307837662e392e392e39PPPP",
      GREETED REPLY("02"), 0, 1 },
    { "an empty name", HELLO "0501000300PPPP", GREETED REPLY("02"), 0, 1 },
    { "a name with NUL", HELLO "0501000305612e620063PPPP", GREETED REPLY("02"), 0, 1 },
    { "a name with a line end", HELLO "0501000305612e620a63PPPP", GREETED REPLY("02"), 0, 1 },
    { "no port", HELLO "050100017f0000010000", GREETED REPLY("02"), 0, 1 },
    { "a name and no resolver", HELLO "050100030b6578616d706c652e636f6d0050", GREETED REPLY("04"),
      0, 0 },
    { "to listen (BIND)", HELLO "050200017f000001PPPP", GREETED REPLY("07"), 0, 0 },
    { "UDP", HELLO "050300017f000001PPPP", GREETED REPLY("07"), 0, 0 },
    { "an unknown kind of address", HELLO "050100027f000001PPPP", "0500", 0, 0 },
    { "a request that ends early", HELLO "0501000310616263", "0500", 0, 0 },
    { "a login only", "050102", "", 0, 0 },
    { "SOCKS4", "0401005000000001", "", 0, 0 },
    { "HTTP", "474554202f20485454502f312e310d0a0d0a", "", 0, 0 },
    { "nothing", "", "", 0, 0 },
};

static size_t to_bytes(const char *digits, uint16_t port, unsigned char *out)
{
    char number[5];
    size_t count = 0;
    snprintf(number, sizeof(number), "%04x", port);
    for (; *digits; digits += 2) {
        bool is_port = *digits == 'P';
        const char *from = is_port ? number + 2 * (digits[2] != 'P') : digits;
        unsigned value = 0;
        sscanf(from, "%2x", &value);
        out[count++] = (unsigned char)value;
    }
    return count;
}

static void check(void **state)
{
    const struct row *row = *state;
    const struct tunnels_limits limits = { clock_ms() + WAIT_MS, 4, 10, 1 << 20 };
    struct stage stage;
    struct tunnels_totals totals;
    unsigned char bytes[64];
    char got[600] = "";
    open_stage(&stage, &limits);
    size_t size = to_bytes(row->sent, stage.site.port, bytes);
    int fd = call_proxy(&stage);
    assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
    if (row->opened == 0)
        shutdown(fd, SHUT_WR);
    receive_all(fd, got, sizeof(got));
    close(fd);
    close_stage(&stage, &totals);
    assert_string_equal(got, row->wanted);
    assert_int_equal(totals.opened, row->opened);
    assert_int_equal(totals.refused, row->refused);
    assert_int_equal(stage.site.connections, row->opened);
}

/* ---- limits ---- */

static void fetch_hello(const struct stage *stage, char *got, size_t size)
{
    unsigned char bytes[64];
    int fd = call_proxy(stage);
    size_t count = to_bytes(rows[0].sent, stage->site.port, bytes);
    send(fd, bytes, count, MSG_NOSIGNAL);
    receive_all(fd, got, size);
    close(fd);
}

static void check_limits(void **state)
{
    (void)state;
    const struct tunnels_limits limits = { clock_ms() + WAIT_MS, 4, 2, 1 << 20 };
    struct stage stage;
    struct tunnels_totals totals;
    open_stage(&stage, &limits);
    for (int i = 0; i < 4; i++) {
        char got[600] = "";
        fetch_hello(&stage, got, sizeof(got));
        assert_string_equal(got, i < 2 ? rows[0].wanted : "");
    }
    close_stage(&stage, &totals);
    assert_int_equal(totals.opened, 2);
    assert_true(totals.is_full);
}

static void check_bytes(void **state)
{
    (void)state;
    const struct tunnels_limits limits = { clock_ms() + WAIT_MS, 4, 10, 7 };
    struct stage stage;
    struct tunnels_totals totals;
    char got[600] = "";
    open_stage(&stage, &limits);
    fetch_hello(&stage, got, sizeof(got)); /* 5 bytes there, 5 bytes back */
    close_stage(&stage, &totals);
    assert_string_equal(got, GREETED REPLY("00"));
    assert_true(totals.is_full);
}

/* A connection that says nothing ends at the deadline. */
static void check_deadline(void **state)
{
    (void)state;
    const struct tunnels_limits limits = { clock_ms() + 100, 4, 10, 1 << 20 };
    struct stage stage;
    struct tunnels_totals totals;
    char got[600] = "";
    open_stage(&stage, &limits);
    int fd = call_proxy(&stage);
    receive_all(fd, got, sizeof(got));
    close(fd);
    close_stage(&stage, &totals);
    assert_string_equal(got, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_limits),
                                        cmocka_unit_test(check_bytes),
                                        cmocka_unit_test(check_deadline) };
    egress = egress_of("ALLOW=127.0.0.0/8;DENY=127.9.9.9;PORTS=*;DOH_URLS=https://127.0.0.1:1/");
    int failed = RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
    egress_close(&egress);
    return failed;
}
