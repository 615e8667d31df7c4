/* tests/unit/web/own-address.c - the own address in a network; every machine has 127.0.0.1. */
#include "web/own-address.h"

#include "base/mem.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *listen;
    const char *want;    /* NULL: rejected */
    const char *message; /* on an error */
} rows[] = {
    { "address", "192.0.2.1:80", "192.0.2.1:80", NULL },
    { "IPv6 address", "[::1]:80", "[::1]:80", NULL },
    { "own network", "127.0.0.0/8:8080", "127.0.0.1:8080", NULL },
    { "network of one", "127.0.0.1/32:0", "127.0.0.1:0", NULL },
    { "somebody else's network", "192.0.2.128/25:80", NULL,
      "no address of this machine lies in 192.0.2.128/25" },
    { "IPv6 network", "2001:db8::/32:80", NULL,
      "no address of this machine lies in 2001:db8::/32" },
    { "no port", "127.0.0.0/8", NULL, "127.0.0.0/8 has no port" },
    { "bits behind the prefix", "127.0.0.1/8:80", NULL, "" },
    { "no network", "a/b:80", NULL, "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) char *made = NULL;
    struct err err = { 0 };

    bool ok = own_address(row->listen, &made, &err);
    assert_int_equal(ok, row->want != NULL);
    if (ok)
        assert_string_equal(made, row->want);
    else if (row->message[0])
        assert_string_equal(err.message, row->message);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
