/*
 * common/net/dns.h - questions to the operator's DNS-over-HTTPS resolvers (RFC 8484).
 */
#pragma once

#include "net/addresses.h"
#include "net/dns/message.h"

struct egress; /* whose resolvers are asked, net/egress.h */

struct dns_question {
    const char *name; /* of domain_parse(); borrowed */
    uint16_t type;
};

/* What became of a question. */
enum dns_status {
    DNS_ANSWERED, /* the resolver's word: message.rcode, also SERVFAIL and NXDOMAIN */
    DNS_TIMEOUT,  /* no resolver in time */
    DNS_ERROR,    /* none that answered sensibly */
};

/* By value; release with dns_answer_free(). */
struct dns_answer {
    enum dns_status status;
    struct dns_message message; /* TTLs are less the age of the answer */
    const char *resolver;       /* URL of who answered, borrowed from the egress; NULL: nobody */
};

enum { DNS_QUESTIONS_MAX = 128 };

/*
 * Ask all at once, over one connection, until the deadline (by clock_ms()); answers has as many
 * items as questions and is the caller's to release, whatever is returned. A question goes to the
 * next resolver when one fails as a server. Errors: ERR_UPSTREAM_UNAVAILABLE when not a single
 * question was answered.
 */
bool dns_query(struct egress *egress, const struct dns_question *questions, size_t count,
               int64_t deadline_ms, struct dns_answer *answers, struct err *err) must_check;

void dns_answer_free(struct dns_answer *answer);

/*
 * What an answer says about its question. Aliases are followed from the question's name; *owner
 * (may be NULL) becomes the name at their end, borrowed. Returns how many records of the
 * question's type that name has; 0 with rcode 0 is NODATA.
 */
size_t dns_follow(const struct dns_message *message, const struct dns_question *question,
                  const char **owner);

/* Add the addresses that an answer has for its question, A or AAAA, behind any aliases. */
void dns_add_addresses(const struct dns_message *message, const struct dns_question *question,
                       struct addresses *addresses);

/*
 * Addresses of a name, A and then AAAA, without any judgement: nothing may be connected to that did
 * not come from egress_session_resolve(). Errors: ERR_TARGET_DNS_FAILURE when the name has none,
 * and those of dns_query().
 */
bool dns_addresses(struct egress *egress, const char *name, int64_t deadline_ms,
                   struct addresses *addresses, struct err *err) must_check;
