/*
 * svc-email/blocklists/lists.h - the lists of lists.yaml or of the operator's file
 * (email.dnsbl_file), with the operator's keys (email.dnsbl_keys_file).
 */
#pragma once

#include <cjson/cJSON.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "text/conf.h"

/* Kinds of queries. */
enum list_subject { SUBJECT_IPV4, SUBJECT_IPV6, SUBJECT_DOMAIN, SUBJECTS };

/* Answers in 127/8, by the last two numbers of the first and last address. */
struct code {
    uint32_t first, last; /* in host order */
    const char *meaning;
    bool is_listing;
};

/* A list's health by its test queries. */
enum health {
    HEALTH_UNKNOWN, /* not tested yet, or the test was not answered */
    HEALTH_GOOD,
    HEALTH_EVERYTHING, /* it lists what it must not list: a wildcard, a seized zone */
    HEALTH_NOTHING,    /* it does not list what it must list, so clean means nothing */
    HEALTH_REFUSED,    /* it rejects our queries */
};

enum { CODES_MAX = 24, BITS_MAX = 8, REFUSED_MAX = 4, LISTS_MAX = 100, ZONE_BYTES = 256 };

struct dnsbl {
    const char *id, *name, *zone, *category, *delist_url; /* delist_url may be NULL */
    char query_zone[ZONE_BYTES]; /* with the operator's key: never show it */
    bool knows[SUBJECTS];
    bool has_full_host;
    bool may_query;          /* its terms are open, or there is a key */
    const char *test_listed; /* names for SUBJECT_DOMAIN */
    const char *test_clean;
    size_t code_count;
    struct code code[CODES_MAX];
    size_t bit_count;
    struct code bit[BITS_MAX]; /* first is the mask */
    size_t refused_count;
    uint32_t refused[REFUSED_MAX];
};

/* A list's health, and until when it is valid. */
struct checkup {
    enum health health;
    int64_t until_ms; /* by clock_ms() */
};

struct dnsbls {
    cJSON *tree;
    size_t count;
    struct dnsbl *item;
    pthread_mutex_t mutex; /* guards what follows */
    struct checkup (*checkups)[SUBJECTS];
    int64_t *silent_until_ms; /* for each list, by clock_ms(); 0: it answers */
};

/* The configured lists, or those of the folder. Errors: ERR_INVALID_VALUE with the file and the
 * problem, never with a key. */
bool dnsbls_load(const struct conf *conf, const char *folder, struct dnsbls **lists,
                 struct err *err) must_check;
void dnsbls_free(void *address_of_pointer);

/* The same from paths; keys_file "" means none. */
bool dnsbls_read(const char *file, const char *keys_file, struct dnsbls **lists,
                 struct err *err) must_check;

/* The known health, shared by all job threads. HEALTH_UNKNOWN if it has expired. */
enum health dnsbls_health(struct dnsbls *lists, size_t which, enum list_subject subject);
void dnsbls_note_health(struct dnsbls *lists, size_t which, enum list_subject subject,
                        enum health health);

/* Whether a list may be queried now. A list that timed out is not queried for a minute, then by one
 * job at a time until it answers. So a silent list delays one call, not every call. */
bool dnsbls_may_query(struct dnsbls *lists, size_t which);
void dnsbls_note_silence(struct dnsbls *lists, size_t which, bool is_silent);
