/*
 * svc-reports/carbon-footprint/knowledge.h - what the reports read from files and the
 * configuration: constants of the model, from carbon.yaml or the operator's file
 * (reports.carbon_file), the URL of the green hosting service (reports.green_check_url), a cache of
 * its results, and the URL of the browser service (reports.browser_url). Loaded at start and at
 * SIGHUP, which empties the cache.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/os/cache.h"
#include "carbon-footprint/model.h"
#include "text/conf.h"

struct equivalents {
    double car_km, smartphone_charge, tree_year, kettle_boil; /* kg of CO2e per unit */
};

struct knowledge {
    cJSON *tree;
    const char *date;
    const cJSON *sources;   /* strings */
    const cJSON *countries; /* alpha-3: [alpha-2, grams] */
    struct model model;
    struct equivalents equivalents;
    char *green_url; /* without a trailing slash; "" means no service */
    struct cache *green;
    char *browser_url; /* the same; "" or NULL means no service */
};

/* For struct data_kind. Errors: ERR_INVALID_VALUE with the file and the problem. */
bool knowledge_load(const struct conf *conf, const char *folder, void **content,
                    struct err *err) must_check;
void knowledge_free(void *address_of_pointer);

/* Read the file at this path. */
bool knowledge_read(const char *file, const char *green_url, struct knowledge **knowledge,
                    struct err *err) must_check;

/* Grams of CO2e per kWh of a country, by its code of two or three letters, in any case. Returns
 * false for an unknown code. */
bool grid_of_country(const struct knowledge *knowledge, const char *code, double *grams) must_check;
