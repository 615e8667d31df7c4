/*
 * svc-email/blocklists/reading.h - interpret the answer of a list (RFC 5782, and
 * operators' extensions): rules, without network.
 */
#pragma once

#include "base/buf.h"
#include "blocklists/lists.h"
#include "dns/lookups.h"
#include "net/addresses.h"

enum listing_status { LISTING_LISTED, LISTING_CLEAN, LISTING_BLOCKED, LISTING_ERROR };

extern const char *const listing_status_names[];

/* A list's answer to one query. */
struct list_answer {
    enum lookup_status status; /* LOOKUP_OPEN: not sent, because the list is silent */
    struct addresses addresses;
};

enum { MEANING_BYTES = 400 };

/* By value; release with reading_free(). */
struct reading {
    enum listing_status status;
    const char *reason; /* reason for blocked or error; otherwise NULL */
    struct buf meaning; /* meanings joined by "; " */
};

/* Interpret an answer, given the list's health. */
void reading_of(const struct dnsbl *list, enum health health, const struct list_answer *answer,
                struct reading *reading);
void reading_free(struct reading *reading);

/* The health by the answers to a list's two test queries; HEALTH_UNKNOWN if they are
 * inconclusive. */
enum health health_of(const struct dnsbl *list, const struct list_answer *listed,
                      const struct list_answer *clean);

/* Append the name to query for an address: its numbers or its 32 hexadecimal digits, reversed,
 * before the zone. */
enum { QUERY_NAME_BYTES = 64 + 2 * ZONE_BYTES };
void query_name_of_address(const struct in6_addr *address, bool is_ipv4, const char *zone,
                           char name[static QUERY_NAME_BYTES]);
