/*
 * portal/entry/mail-hosts.h - the mail hosts of a domain, for the daily budgets of free sign-up
 * credits: fifty domains with the same mail host share that host's budget.
 */
#pragma once

#include "text/conf.h"

struct egress;

/* The lists of portal/mail-hosts.yaml, and the public suffix list. Any thread may use it, also
 * during a reload. */
struct mail_hosts;

/* Read portal.mail_hosts_file and data.psl_file. Errors: ERR_INVALID_VALUE, with the file and its
 * line or entry. */
bool mail_hosts_load(const struct conf *conf, struct mail_hosts **made, struct err *err) must_check;
void mail_hosts_free(struct mail_hosts **hosts);

/* Read the lists again. On an error the old ones stay. */
bool mail_hosts_reload(struct mail_hosts *hosts, const struct conf *conf,
                       struct err *err) must_check;

enum mail_reach {
    MAIL_REACHES,
    MAIL_REACHES_NOT,   /* the domain does not receive mail */
    MAIL_REACH_UNKNOWN, /* the DNS did not respond; try again later */
};

enum {
    MAIL_HOSTS_MAX = 8,     /* MX hosts that are looked up */
    MAIL_NETWORKS_MAX = 16, /* networks of a domain's hosts that become keys */
    MAIL_QUESTIONS_MAX = 3 + 2 * MAIL_HOSTS_MAX,
    MAIL_KEYS_MAX = 2 + MAIL_HOSTS_MAX + MAIL_NETWORKS_MAX,
    MAIL_KEYS_MAX_BYTES = 8 << 10, /* of all keys together; keys must hold this much */
};

/*
 * Find the hosts that receive a domain's mail, and append the keys of the budgets for a sign-up, as
 * the text form of a PostgreSQL text[]:
 *
 *     {"address 192.0.2.0/24","domain example.com","host example.net"}
 *
 *     domain   the registrable domain of the domain
 *     host     the registrable domain of a host
 *     address  the /24 of a host's IPv4 address or the /48 of its IPv6 address
 *
 * - The keys are sorted and distinct.
 * - The hosts are the domain's MX hosts. A domain without MX records but with addresses is its own
 *   host (RFC 5321 section 5.1).
 * - Public mail hosts do not add keys and are not looked up.
 * - A domain with more private hosts or networks than the limits above also gets the key "host
 *   many-mail-hosts", which all such domains share.
 * - A domain of a public mailbox provider has the keys {} and needs no DNS.
 *
 * domain comes from the key of email_parse(): lower-case A-labels; of jane@x.fastmail.com it is
 * "fastmail.com". There are at most two rounds of DNS queries, until the deadline (by clock_ms()).
 * With egress NULL nothing is queried, and the key of the domain is the only one.
 *
 * MAIL_REACHES_NOT: the domain does not exist, has a null MX record (RFC 7505), or its MX hosts do
 * not exist. keys is written only for MAIL_REACHES. For the others, *why is ERR_INVALID_DOMAIN or
 * ERR_UPSTREAM_UNAVAILABLE with a sentence for the log.
 */
enum mail_reach mail_hosts_find(struct mail_hosts *hosts, struct egress *egress, const char *domain,
                                int64_t deadline_ms, struct buf *keys, struct err *why) must_check;
