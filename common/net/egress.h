/*
 * common/net/egress.h - outbound access of the process: the operator's configuration, the trusted
 * certificates, the public suffixes, the resolvers. Made once at start, used by all threads.
 *
 * Fetch a customer's URL:
 *
 *     scoped(egress_session_free) struct egress_session *session =
 *         egress_session_new(egress, deadline_ms);
 *     scoped(target_free) struct target target = { 0 };
 *     if (!target_parse_url(url, &target, err))
 *         return false;
 *     return fetch_guarded(session, &target, &options, page, err);
 *
 * See net/egress-session.h, net/target.h and net/http/fetch.h. dial() in net/dial.h connects to a
 * port, dns_query() in net/dns.h asks for records. A job blocks its own thread, at most until the
 * session's deadline. For concurrent requests use base/os/parallel.h.
 */
#pragma once

#include "base/err.h"
#include "base/os/memory-budget.h"
#include "net/guard.h"
#include "text/conf.h"
#include "text/domains/public-suffix.h"

struct egress;
struct egress_filter; /* net/egress-filter.h */

/*
 * Read the egress.* keys and data.psl_file of the configuration. Logs a warning if egress.allow is
 * set. Errors: ERR_INVALID_VALUE with the key, for the operator.
 */
bool egress_open(const struct conf *conf, struct egress **egress, struct err *err) must_check;
void egress_close(struct egress **egress);

/* The rules for customers' targets; borrowed. */
const struct guard *egress_guard(const struct egress *egress);

/*
 * The User-Agent "Tollgate/1.0.0 (+https://example.com/bot)", used by exposed-files; and its form
 * with a browser's prefix, "Mozilla/5.0 (compatible; …)", used by fetches. Borrowed.
 */
const char *egress_agent(const struct egress *egress);
const char *egress_browser_agent(const struct egress *egress);

/*
 * The X509_STORE with the system's certificate authorities and egress.ca_file, borrowed. For
 * SSL_CTX_set1_cert_store(); do not change it.
 */
struct x509_store_st *egress_trust(const struct egress *egress);

/* The public suffix list of data.psl_file; borrowed. */
const struct public_suffixes *egress_suffixes(const struct egress *egress);

/*
 * The memory budget for data from sites. Fetches reserve from it, and so does a tool whose parsed
 * document is many times as large as the source. Borrowed.
 */
enum {
    BODY_ROOM_BYTES = 160 << 20,
    WORK_ROOM_BYTES = 128 << 20,
    ROOM_FREE_BYTES = 192 << 10, /* per job */
};
struct memory_budget *egress_body_budget(struct egress *egress);
struct memory_budget *egress_work_budget(struct egress *egress);

/*
 * The number of connections that egress.only blocked; each is also logged as an error. All tests
 * set egress.only, so a number above 0 is a bug.
 */
uint64_t egress_stray_count(const struct egress *egress);

/* ---- for net/ only ---- */

/* The filter for every socket; borrowed. */
struct egress_filter *egress_filter(struct egress *egress);

/* Does the system resolve targets, instead of the DoH resolvers? */
bool egress_asks_system(const struct egress *egress);

/* The resolvers of net/dns/resolvers.h; borrowed. */
struct resolvers *egress_resolvers(struct egress *egress);
