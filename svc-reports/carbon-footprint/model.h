/*
 * svc-reports/carbon-footprint/model.h - the Sustainable Web Design Model, version 4: from bytes to
 * grams of CO2e. Arithmetic alone; its constants are in carbon.yaml.
 *
 * A segment (data centre, network, device) uses electricity as it runs and has used some when it
 * was made: kWh = GB * constant, grams = kWh * grid intensity, GB = bytes / 10^9. Green hosting
 * takes its share off the data centre's running alone.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum segment { DATA_CENTER, NETWORK, DEVICE, SEGMENTS };
enum phase { OPERATIONAL, EMBODIED, PHASES };
enum { RATINGS_MAX = 12, RATING_BYTES = 8 };

/* The rating up to so many grams a view; percent of all sites are dirtier then. */
struct rating {
    char name[RATING_BYTES];
    double grams;
    double percent;
};

struct model {
    double kwh_per_gb[PHASES][SEGMENTS];
    double world_g;    /* per kWh, where no country is named */
    double embodied_g; /* per kWh, wherever */
    size_t rating_count;
    struct rating rating[RATINGS_MAX]; /* ascending; beyond the last it is F */
};

struct usage {
    double bytes;
    double green_factor; /* 0 to 1, of the data centre's electricity */
    double grid_g[SEGMENTS];
    double new_ratio, return_ratio; /* of the visits */
    double cache_ratio;             /* of the bytes that a return visit has already */
};

struct footprint {
    double grams[PHASES][SEGMENTS]; /* of a view, green hosting and return visits counted */
    double grams_per_view;          /* their sum */
    double first_visit_g;
    double return_visit_g; /* 0 when there is none */
    double kwh_per_view;
};

void footprint_of(const struct model *model, const struct usage *usage, struct footprint *result);

/* "A+" to "F". */
const char *rating_of(const struct model *model, double grams);

/* Of a hundred sites, how many are dirtier: an estimate, straight between the ratings. */
int cleaner_than_percent(const struct model *model, double grams);
