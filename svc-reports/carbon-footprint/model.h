/*
 * svc-reports/carbon-footprint/model.h - the Sustainable Web Design Model, version 4: from bytes to
 * grams of CO2e. Pure arithmetic; the constants are in carbon.yaml.
 *
 * A segment (data center, network, device) has operational and embodied emissions: kWh = GB *
 * constant, grams = kWh * grid intensity, GB = bytes / 10^9. Green hosting reduces only the
 * operational emissions of the data center.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum segment { DATA_CENTER, NETWORK, DEVICE, SEGMENTS };
enum phase { OPERATIONAL, EMBODIED, PHASES };
enum { RATINGS_MAX = 12, RATING_BYTES = 8 };

/* Rating up to this many grams per view; percent of all sites emit more. */
struct rating {
    char name[RATING_BYTES];
    double grams;
    double percent;
};

struct model {
    double kwh_per_gb[PHASES][SEGMENTS];
    double world_g;    /* per kWh, if the request has no country */
    double embodied_g; /* per kWh, everywhere */
    size_t rating_count;
    struct rating rating[RATINGS_MAX]; /* ascending; above the last it is F */
};

struct usage {
    double bytes;
    double green_factor; /* 0 to 1, of the data center's electricity */
    double grid_g[SEGMENTS];
    double new_ratio, return_ratio; /* of the visits */
    double cache_ratio;             /* of the bytes, cached on return visits */
};

struct footprint {
    double grams[PHASES][SEGMENTS]; /* per view, including green hosting and return visits */
    double grams_per_view;          /* their sum */
    double first_visit_g;
    double return_visit_g; /* 0 without return visits */
    double kwh_per_view;
};

void footprint_of(const struct model *model, const struct usage *usage, struct footprint *result);

/* "A+" to "F". */
const char *rating_of(const struct model *model, double grams);

/* Estimated percentage of sites that emit more, interpolated between the ratings. */
int cleaner_than_percent(const struct model *model, double grams);
