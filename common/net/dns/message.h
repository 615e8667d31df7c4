/*
 * common/net/dns/message.h - writes and reads DNS messages (RFC 1035, EDNS RFC 6891) in wire
 * format. Messages are untrusted: names are bounded and point only backwards, every length is
 * checked, and unknown types keep their bytes.
 *
 * Why not a library of Debian 12: ldns (1.8.3) accepts data longer than its type and forward
 * pointers, and drops a message truncated by TC entirely. libknot (3.2) is as strict as this code,
 * but its license is GPL-3 while Tollgate's is MIT, and it links LMDB, libbpf and libxdp.
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

/* in a message's head */
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

/*
 * One record; all texts are borrowed from its message. Names are in presentation form without a
 * final dot, and the root is ".": \. \\ and \DDD for bytes that are not visible ASCII, case as
 * received. Members that the type does not have are zero.
 */
struct dns_record {
    const char *name; /* its owner */
    uint16_t type;
    uint32_t ttl;
    struct text rdata;       /* as received: names in it may be compressed */
    struct in6_addr address; /* A (IPv4-mapped), AAAA */
    const char *target;      /* CNAME, DNAME, NS, PTR; MX's exchange, SRV's target, SOA's mname */
    uint16_t priority;       /* MX, SRV */
    uint16_t weight;         /* SRV */
    uint16_t port;           /* SRV */
    const char *rname;       /* SOA */
    uint32_t serial, refresh, retry, expire, minimum; /* SOA */
    size_t string_count;                              /* TXT: each may contain any byte */
    struct text *string;
    uint8_t flags; /* CAA */
    struct text tag, value;
};

struct dns_extended_error { /* RFC 8914 */
    uint16_t code;
    struct text text; /* as received; may be invalid UTF-8 */
};

/* By value; release with dns_message_free(). Zero is an empty message. */
struct dns_message {
    unsigned rcode; /* with extended bits */
    bool is_truncated;
    bool is_authenticated; /* AD */
    size_t answer_count;
    struct dns_record *answer; /* in order, without repeated ones, only class IN */
    size_t authority_count;
    struct dns_record *authority;
    size_t error_count;
    struct dns_extended_error *error;
    struct dns_arena *arena; /* memory of all of the above */
};

/*
 * Append the query of RFC 8484: id 0, RD and AD set, OPT with 1232 bytes and without DO. The name
 * comes from domain_parse().
 */
bool dns_message_write(const char *name, uint16_t type, struct buf *out) must_check;

/*
 * Read the reply to that query. A message truncated by TC is read as far as it goes.
 *
 * Until it is freed, the message reserves its memory from the budget (base/os/memory-budget.h;
 * NULL: not counted). It can be sixty times as large as on the wire, because each name is written
 * out.
 *
 * Errors: ERR_UPSTREAM_UNAVAILABLE if it is not a well-formed reply (QR, opcode, id 0) to this
 * question, or if the budget has no space.
 */
bool dns_message_read(struct memory_budget *budget, struct text bytes, const char *name,
                      uint16_t type, struct dns_message *message, struct err *err) must_check;

void dns_message_free(struct dns_message *message);

/* ---- for net/ only: parts of a message ---- */

void dns_add_u16(struct buf *out, unsigned value);

/*
 * Append a name in presentation form, with or without a final dot. False if it is invalid: a label
 * is empty or longer than 63 octets, or the name is longer than 255.
 */
bool dns_add_name(struct buf *out, struct text name) must_check;

/*
 * Take the first octet of a text in presentation form (RFC 1035 section 5.1): itself, \X for X,
 * \DDD for that number. False if not found, or the number is invalid.
 */
bool dns_take_octet(struct text *text, char *octet) must_check;

/* Are two names in presentation form equal in any case? */
bool dns_same_name(const char *a, const char *b);

/* The type of "AAAA", in any case; 0 for an unknown name. */
uint16_t dns_type_of(const char *name);
