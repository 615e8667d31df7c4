/*
 * svc-security/tech-detect/releases.h - newest versions, ends of life and known vulnerabilities of
 * products, from releases.yaml, which operators may replace. The head of the file documents the
 * format.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct cycle {
    char *name;
    char *latest;
    char *end_of_life; /* a date, "ended" or NULL */
};

struct affected {
    char *from;
    char *fixed; /* the first version without it */
};

struct vulnerability {
    char *id;
    char *severity;
    size_t affected_count;
    struct affected *affected;
};

/* What is known of one product. */
struct releases {
    size_t cycle_count;
    struct cycle *cycle;
    size_t vulnerability_count;
    struct vulnerability *vulnerability;
};

/* The empty data of a product for releases_read() to fill; NULL if the product is unknown. */
typedef struct releases *releases_find(void *context, const char *name);

/* Read the file; *date becomes its date, which the caller frees also after an error. Errors:
 * ERR_INVALID_VALUE with the file and the problem. */
bool releases_read(const char *file, releases_find *find, void *context, char **date,
                   struct err *err) must_check;

/* Add a member `release` for this version to the item. today is a date. Adds nothing without
 * data. */
void releases_write(const struct releases *releases, const char *version, const char *today,
                    cJSON *item);

void releases_free(struct releases *releases);
