/*
 * svc-reports/carbon-footprint/knowledge.h - what is reckoned with: carbon.yaml beside this one or
 * the operator's file (reports.carbon_file), and who is asked about green hosting
 * (reports.green_check_url), with what he said. Read at start and again at SIGHUP, which forgets
 * the answers.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/os/cache.h"
#include "carbon-footprint/model.h"
#include "text/conf.h"

struct equivalents {
    double car_km, smartphone_charge, tree_year, kettle_boil; /* kg of CO2e of one */
};

struct knowledge {
    cJSON *tree;
    const char *date;
    const cJSON *sources;   /* texts */
    const cJSON *countries; /* alpha-3: [alpha-2, grams] */
    struct model model;
    struct equivalents equivalents;
    char *green_url; /* without a final slash; "" is nobody */
    struct cache *green;
};

/* For struct data_kind. Errors: ERR_INVALID_VALUE with the file and what is wrong in it. */
bool knowledge_load(const struct conf *conf, const char *folder, void **content,
                    struct err *err) must_check;
void knowledge_free(void *address_of_pointer);

/* The same from the file's path. */
bool knowledge_read(const char *file, const char *green_url, struct knowledge **knowledge,
                    struct err *err) must_check;

/* Grams of CO2e per kWh of a country by its code of two or three letters, in any case; false when
 * it is not known. */
bool grid_of_country(const struct knowledge *knowledge, const char *code, double *grams) must_check;
