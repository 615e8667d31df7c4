/*
 * common/net/dns/message.h - DNS messages (RFC 1035, EDNS RFC 6891) in wire format, written and
 * read. What is read is hostile: names are bounded and point backwards only, every length is
 * checked, unknown types keep their bytes.
 *
 * Why not a library of Debian 12: ldns (1.8.3) accepts data longer than its type and pointers that
 * lead forwards, and drops a message cut by TC whole. libknot (3.2) is as strict as this, but
 * stands under GPL-3 where Tollgate is MIT, and links LMDB, libbpf and libxdp.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/os/memory-budget.h"

/* clang-format off */
enum dns_type {
    DNS_A = 1, DNS_NS = 2, DNS_CNAME = 5, DNS_SOA = 6, DNS_PTR = 12, DNS_MX = 15, DNS_TXT = 16,
    DNS_AAAA = 28, DNS_SRV = 33, DNS_DNAME = 39, DNS_OPT = 41, DNS_DS = 43, DNS_TLSA = 52,
    DNS_CAA = 257,
};
enum dns_rcode {
    DNS_NOERROR = 0, DNS_FORMERR = 1, DNS_SERVFAIL = 2, DNS_NXDOMAIN = 3, DNS_NOTIMP = 4,
    DNS_REFUSED = 5,
};
/* clang-format on */

/* of a message's head */
enum dns_flag {
    DNS_QR = 0x8000,
    DNS_OPCODES = 0x7800,
    DNS_TC = 0x0200,
    DNS_RD = 0x0100,
    DNS_AD = 0x0020,
    DNS_RCODES = 0x000f,
};

enum { DNS_CLASS_IN = 1 };

enum {
    DNS_NAME_BYTES = 1025, /* presentation form: at worst 254 times \DDD, dots and a NUL */
    DNS_MESSAGE_BYTES = 65535,
    DNS_QUERY_BYTES = 320,
};

/* One record; all texts are borrowed from its message. Names are in presentation form without
 * final dot, the root is ".": \. \\ and \DDD for what is no visible ASCII, case as it came.
 * What a type has is filled, the rest is zero. */
struct dns_record {
    const char *name; /* its owner */
    uint16_t type;
    uint32_t ttl;
    struct text rdata;       /* as it came: names in it may be compressed */
    struct in6_addr address; /* A (IPv4-mapped), AAAA */
    const char *target;      /* CNAME, DNAME, NS, PTR; MX's exchange, SRV's target, SOA's mname */
    uint16_t priority;       /* MX, SRV */
    uint16_t weight;         /* SRV */
    uint16_t port;           /* SRV */
    const char *rname;       /* SOA */
    uint32_t serial, refresh, retry, expire, minimum; /* SOA */
    size_t string_count;                              /* TXT: each may hold any byte */
    struct text *string;
    uint8_t flags; /* CAA */
    struct text tag, value;
};

struct dns_extended_error { /* RFC 8914 */
    uint16_t code;
    struct text text; /* as it came; perhaps no UTF-8 */
};

/* By value; release with dns_message_free(). Zero is an empty message. */
struct dns_message {
    unsigned rcode; /* extended bits included */
    bool is_truncated;
    bool is_authenticated; /* AD */
    size_t answer_count;
    struct dns_record *answer; /* in their order, repeated ones dropped, class IN only */
    size_t authority_count;
    struct dns_record *authority;
    size_t error_count;
    struct dns_extended_error *error;
    struct dns_arena *arena; /* what all of the above points into */
};

/* Append the query of RFC 8484: id 0, RD and AD set, OPT with 1232 bytes and without DO. The name
 * is that of domain_parse(). */
bool dns_message_write(const char *name, uint16_t type, struct buf *out) must_check;

/*
 * Read the answer to that query. Errors: ERR_UPSTREAM_UNAVAILABLE for anything that is no
 * well-formed answer (QR, opcode, id 0) to this very question. A message cut by TC is read as far
 * as it goes. Until it is freed it holds what it takes of the room (base/os/memory-budget.h; NULL:
 * it is not counted): in memory it can be sixty times as large as on the wire, for each name is
 * written out. A message that finds no room is refused like a malformed one.
 */
bool dns_message_read(struct memory_budget *budget, struct text bytes, const char *name,
                      uint16_t type, struct dns_message *message, struct err *err) must_check;

void dns_message_free(struct dns_message *message);

/* ---- for net/ itself: parts of a message ---- */

void dns_add_u16(struct buf *out, unsigned value);

/* Append a name of presentation form, with or without the final dot. False when it is none: a label
 * is empty or longer than 63 octets, or all are longer than 255. */
bool dns_add_name(struct buf *out, struct text name) must_check;

/* Take the first octet of text in presentation form (RFC 1035 section 5.1): itself, \X for X, \DDD
 * for that number. False when there is none, or no such number. */
bool dns_take_octet(struct text *text, char *octet) must_check;

/* Do two names in presentation form name the same, whatever their case? */
bool dns_same_name(const char *a, const char *b);

/* Of "AAAA", in any case; 0 for a name that we do not have. */
uint16_t dns_type_of(const char *name);
