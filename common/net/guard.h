/*
 * common/net/guard.h - what customers may make us reach: names, addresses, ports.
 *
 * Everything here is a pure judgement; net/egress-session.h looks names up and asks it. The
 * sentence of a refusal is the same whatever the reason, so that nobody maps our network with it.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/codec/cidr.h"
#include "base/err.h"
#include "text/conf.h"

/* The operator's own rules, on top of the tables in guard.c. */
struct guard {
    struct cidrs allow; /* egress.allow: exempt from the tables (special-use networks) */
    struct cidrs deny;  /* egress.deny: never, whatever allow says */
    struct cidrs only;  /* egress.only: nothing else, configured services included; empty: all */
    size_t deny_host_count;
    char **deny_host;   /* egress.deny_hosts: names and everything below them */
    bool has_all_ports; /* egress.ports is * */
    size_t port_count;
    uint16_t *port; /* egress.ports: allowed beside those of the tables */
};

/* Which ports may be reached: those of web servers, or those where TLS is spoken. */
enum guard_ports { GUARD_WEB, GUARD_TLS };

/* Errors: ERR_INVALID_VALUE with the key. */
bool guard_read(const struct conf *conf, struct guard *guard, struct err *err) must_check;
void guard_free(struct guard *guard);

/*
 * May this address be connected to? Special-use networks of IPv4 and IPv6 may not, nor any address
 * that embeds an IPv4 one (6to4, Teredo, NAT64, ISATAP, translated, compatible). An IPv4-mapped one
 * is the IPv4 address that it holds.
 */
bool guard_allows_address(const struct guard *guard, const struct in6_addr *address);

/* The same for what a socket is about to connect to; families other than IP are refused. */
bool guard_allows_sockaddr(const struct guard *guard, const struct sockaddr *address);

/* May we connect there at all, for customers or for ourselves (egress.only)? */
bool guard_is_inside(const struct guard *guard, const struct sockaddr *address);

/* May this name (A-labels, lower case, no final dot) be looked up for a customer? localhost,
 * single labels, .local, .internal, .home.arpa, .onion and egress.deny_hosts may not. */
bool guard_allows_name(const struct guard *guard, const char *name);

bool guard_allows_port(const struct guard *guard, enum guard_ports ports, uint16_t port);

/* The refusal: ERR_TARGET_NOT_ALLOWED with its one sentence. Returns false. */
bool guard_refuse(struct err *err);

/* ERR_PORT_NOT_ALLOWED unless the port is allowed. */
bool guard_check_port(const struct guard *guard, enum guard_ports ports, uint16_t port,
                      struct err *err) must_check;
