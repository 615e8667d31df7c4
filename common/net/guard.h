/*
 * common/net/guard.h - which names, addresses and ports customers may make Tollgate connect to.
 *
 * These functions only check; net/egress-session.h looks names up and calls them. A rejection has
 * the same message for every reason, so that customers cannot map the operator's network.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/codec/cidr.h"
#include "base/err.h"
#include "text/conf.h"

/* The operator's rules, in addition to the tables in guard.c. */
struct guard {
    struct cidrs allow; /* egress.allow: exempt from the tables of special-use networks */
    struct cidrs deny;  /* egress.deny: never allowed, even if allow lists it */
    struct cidrs
        only; /* egress.only: no other network, not even for configured services; empty: all */
    size_t deny_host_count;
    char **deny_host;   /* egress.deny_hosts: names with all their subdomains */
    bool has_all_ports; /* egress.ports is * */
    size_t port_count;
    uint16_t *port; /* egress.ports: allowed in addition to the tables */
};

/* Which ports are allowed: those of web servers, or those with TLS. */
enum guard_ports { GUARD_WEB, GUARD_TLS };

/* Errors: ERR_INVALID_VALUE with the key. */
bool guard_read(const struct conf *conf, struct guard *guard, struct err *err) must_check;
void guard_free(struct guard *guard);

/*
 * May this address be connected to? Special-use networks of IPv4 and IPv6 may not, and neither may
 * addresses that embed an IPv4 address (6to4, Teredo, NAT64, ISATAP, translated, compatible). An
 * IPv4-mapped address counts as its IPv4 address.
 */
bool guard_allows_address(const struct guard *guard, const struct in6_addr *address);

/* The same for a socket's destination; families other than IP are rejected. */
bool guard_allows_sockaddr(const struct guard *guard, const struct sockaddr *address);

/* Does egress.only allow this destination, for customers and for the operator's services? */
bool guard_is_inside(const struct guard *guard, const struct sockaddr *address);

/*
 * May this name (A-labels, lowercase, no final dot) be looked up for a customer? Not allowed:
 * localhost, single labels, .local, .internal, .home.arpa, .onion and egress.deny_hosts.
 */
bool guard_allows_name(const struct guard *guard, const char *name);

bool guard_allows_port(const struct guard *guard, enum guard_ports ports, uint16_t port);

/* Set ERR_TARGET_NOT_ALLOWED with its only message. Returns false. */
bool guard_refuse(struct err *err);

/* ERR_PORT_NOT_ALLOWED unless the port is allowed. */
bool guard_check_port(const struct guard *guard, enum guard_ports ports, uint16_t port,
                      struct err *err) must_check;
