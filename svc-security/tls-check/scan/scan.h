/*
 * svc-security/tls-check/scan/scan.h - scan a server: which probes to send, and what the responses
 * mean. Fills the facts of the handshake.
 */
#pragma once

#include "facts.h"
#include "prober.h"

enum { CERTIFICATE_LISTS_MAX = 4 };

/* A zero struct with its prober, host and facts. */
struct scan {
    struct prober prober;
    const char *host; /* for server_name; NULL for an IP address */
    struct facts *facts;
    bool is_short; /* the server drops long hellos */
    /* lists of Certificate messages in plaintext, see certificate_at(); each has another first
     * certificate */
    size_t list_count;
    struct buf list[CERTIFICATE_LISTS_MAX];
};

void scan_lists_free(struct scan *scan);

/* Run all tests within the prober's limits. Returns whether the server supports any version. */
bool scan_run(struct scan *scan);

/* ---- used by the parts: facts of any response ---- */

void scan_note(struct scan *scan, const struct flight *flight);
void scan_accept(struct scan *scan, enum version version, const struct suite *suite);
void scan_add_group(struct scan *scan, uint16_t id);

/* A hello with the common settings of the scan. */
struct hello scan_hello(const struct scan *scan, enum version highest, enum version lowest);

/* ---- parts, one per file; scan_run() is in plan.c ---- */

void scan_versions(struct scan *scan);   /* versions, and the result for a current client */
void scan_properties(struct scan *scan); /* groups, suites of TLS 1.3, fallback, tolerance */
void scan_suites(struct scan *scan);     /* all suites below TLS 1.3 */
void scan_order(struct scan *scan);      /* whose suite preference applies */
