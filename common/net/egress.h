/*
 * common/net/egress.h - the process's one way out: what the operator configured, the trusted
 * certificates, the public suffixes, the resolvers. Made once at start, used by any number of
 * threads.
 *
 * How a tool goes out:
 *
 *     scoped(egress_session_free) struct egress_session *trip = egress_session_new(egress,
 * deadline_ms); scoped(target_free) struct target target = { 0 }; if (!target_parse_url(url,
 * &target, err)) return false; return fetch_guarded(trip, &target, &options, page, err);
 *
 * See net/egress-session.h, net/target.h and net/http/fetch.h; dial() of net/dial.h connects to a
 * port, dns_query() of net/dns.h asks for records. A job blocks its own thread; whatever waits,
 * waits until the trip's deadline at most. Several things at once: base/os/parallel.h.
 */
#pragma once

#include "base/err.h"
#include "base/os/memory-budget.h"
#include "net/guard.h"
#include "text/conf.h"
#include "text/domains/public-suffix.h"

struct egress;
struct egress_filter; /* net/egress-filter.h */

/* Read the egress.* keys of the configuration, and data.psl_file. Logs a warning when egress.allow
 * is set. Errors: ERR_INVALID_VALUE with the key, for the operator. */
bool egress_open(const struct conf *conf, struct egress **egress, struct err *err) must_check;
void egress_close(struct egress **egress);

/* What may be reached; borrowed. */
const struct guard *egress_guard(const struct egress *egress);

/* Who we are: "Tollgate/0.1.0 (+https://example.com/bot)", as exposed-files says it, and the same
 * as browsers say it, "Mozilla/5.0 (compatible; …)", which fetches send. Borrowed. */
const char *egress_agent(const struct egress *egress);
const char *egress_browser_agent(const struct egress *egress);

/* The X509_STORE of the system's certificate authorities and egress.ca_file; borrowed. For
 * SSL_CTX_set1_cert_store(), not to be changed. */
struct x509_store_st *egress_trust(const struct egress *egress);

/* Below which names anybody may register one: the list of data.psl_file; borrowed. */
const struct public_suffixes *egress_suffixes(const struct egress *egress);

/* The memory for what sites send, which fetches claim, and for what a tool makes of a document that
 * is many times as large, which the tool claims; borrowed. */
enum {
    BODY_ROOM_BYTES = 160 << 20,
    WORK_ROOM_BYTES = 128 << 20,
    ROOM_FREE_BYTES = 192 << 10, /* of each job */
};
struct memory_budget *egress_body_budget(struct egress *egress);
struct memory_budget *egress_work_budget(struct egress *egress);

/* Connections that egress.only refused (each is also logged as an error): with it set, as in all
 * tests, a number other than 0 is a bug. */
uint64_t egress_stray_count(const struct egress *egress);

/* ---- for net/ itself ---- */

/* What each socket is opened behind; borrowed. */
struct egress_filter *egress_filter(struct egress *egress);

/* Are targets resolved by the system, and not by our resolvers? */
bool egress_asks_system(const struct egress *egress);

/* The resolvers of net/dns/resolvers.h; borrowed. */
struct resolvers *egress_resolvers(struct egress *egress);
