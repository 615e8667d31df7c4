/*
 * svc-email/email-blacklist-check/reading.h - what the answer of a list means (RFC 5782, and what
 * operators made of it): rules, without network.
 */
#pragma once

#include "base/buf.h"
#include "dns/lookups.h"
#include "email-blacklist-check/lists.h"
#include "net/addresses.h"

enum listing_status { LISTING_LISTED, LISTING_CLEAN, LISTING_BLOCKED, LISTING_ERROR };

extern const char *const listing_status_names[];

/* What a list said to one question. */
struct said {
    enum lookup_status status; /* LOOKUP_OPEN: it was not asked, for it is silent */
    struct addresses addresses;
};

enum { MEANING_BYTES = 400 };

/* By value; release with reading_free(). */
struct reading {
    enum listing_status status;
    const char *reason; /* why it is blocked or an error; NULL else */
    struct buf meaning; /* of the answers, joined by "; " */
};

/* Read an answer about something, knowing the list's health. */
void reading_of(const struct dnsbl *list, enum health health, const struct said *said,
                struct reading *reading);
void reading_free(struct reading *reading);

/* What the answers to a list's two test points say of it; HEALTH_UNKNOWN when they say nothing. */
enum health health_of(const struct dnsbl *list, const struct said *listed,
                      const struct said *clean);

/* The name to ask for an address: its numbers, or its 32 hexadecimal digits, backwards, before the
 * zone. */
enum { QUESTION_BYTES = 64 + 2 * ZONE_BYTES };
void question_of_address(const struct in6_addr *address, bool is_ipv4, const char *zone,
                         char name[static QUESTION_BYTES]);
