/*
 * svc-security/tls-check/scan/scan.h - a scan under way: which questions are asked, and what the
 * answers mean. Fills the part of the facts that the handshake shows.
 */
#pragma once

#include "facts.h"
#include "prober.h"

struct scan {
    struct prober prober;
    const char *host; /* for server_name; NULL: the target is an address */
    struct facts *facts;
    bool is_short;           /* the server drops hellos that are not short */
    struct buf certificates; /* the list of a Certificate message, see certificate_at() */
};

#define SCAN_INIT                          \
    {                                      \
        .certificates = BUF(FLIGHT_BYTES), \
    }

/* Ask everything, within the prober's means. Returns whether the server speaks any version. */
bool scan_run(struct scan *scan);

/* ---- what its parts call: what any answer shows beside its question ---- */

void scan_note(struct scan *scan, const struct flight *flight);
void scan_accept(struct scan *scan, enum version version, const struct suite *suite);
void scan_add_group(struct scan *scan, uint16_t id);

/* A hello with what all hellos of the scan share. */
struct hello scan_hello(const struct scan *scan, enum version highest, enum version lowest);

/* ---- its parts, each in a file of its own; scan_run() is plan.c ---- */

void scan_versions(struct scan *scan);   /* which versions, and what a client of today is given */
void scan_properties(struct scan *scan); /* groups, suites of TLS 1.3, fallback, tolerance */
void scan_suites(struct scan *scan);     /* all suites below TLS 1.3 */
void scan_order(struct scan *scan);      /* who decides on the suite */
