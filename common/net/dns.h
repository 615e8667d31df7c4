/* common/net/dns.h - DNS questions to the operator's DNS-over-HTTPS resolvers (RFC 8484). */
#pragma once

#include "net/addresses.h"
#include "net/dns/message.h"

struct egress; /* with the resolvers, net/egress.h */

struct dns_question {
    const char *name; /* of domain_parse(); borrowed */
    uint16_t type;
};

/* The outcome of a question. */
enum dns_status {
    DNS_ANSWERED, /* a resolver's reply: message.rcode, which may be SERVFAIL or NXDOMAIN */
    DNS_TIMEOUT,  /* no resolver replied in time */
    DNS_ERROR,    /* no resolver returned a valid reply */
};

/* By value; release with dns_answer_free(). */
struct dns_answer {
    enum dns_status status;
    struct dns_message message; /* TTLs are reduced by the age of the reply */
    const char *resolver; /* URL of the resolver, borrowed from the egress; NULL: none replied */
};

enum { DNS_QUESTIONS_MAX = 128 };

/*
 * Ask all questions at once, over one connection, until the deadline (by clock_ms()). answers has
 * as many items as questions; the caller releases them in any case. If a resolver fails as a
 * server, the next one is asked. Errors: ERR_UPSTREAM_UNAVAILABLE if no question was answered.
 */
bool dns_query(struct egress *egress, const struct dns_question *questions, size_t count,
               int64_t deadline_ms, struct dns_answer *answers, struct err *err) must_check;

void dns_answer_free(struct dns_answer *answer);

/*
 * Read the reply to a question. Aliases are followed from the question's name; *owner (may be NULL)
 * becomes the name at their end, borrowed. Returns the number of records of the question's type for
 * that name; 0 with rcode 0 is NODATA.
 */
size_t dns_follow(const struct dns_message *message, const struct dns_question *question,
                  const char **owner);

/* Append the addresses in a reply to a question of type A or AAAA, after following aliases. */
void dns_add_addresses(const struct dns_message *message, const struct dns_question *question,
                       struct addresses *addresses);

/*
 * The addresses of a name, A before AAAA, unchecked. Never connect to them: only addresses from
 * egress_session_resolve() may be used. Errors: ERR_TARGET_DNS_FAILURE if the name has no address,
 * and errors of dns_query().
 */
bool dns_addresses(struct egress *egress, const char *name, int64_t deadline_ms,
                   struct addresses *addresses, struct err *err) must_check;
