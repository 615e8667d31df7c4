/* svc-reports/carbon-footprint/model.c - the formula. */
#include "carbon-footprint/model.h"

#include <math.h>

static const double bytes_per_gb = 1e9;

void footprint_of(const struct model *model, const struct usage *usage, struct footprint *result)
{
    double gb = usage->bytes / bytes_per_gb;
    double visits = usage->new_ratio + usage->return_ratio * (1 - usage->cache_ratio);
    *result = (struct footprint){ 0 };
    for (int segment = 0; segment < SEGMENTS; segment++) {
        double share = segment == DATA_CENTER ? 1 - usage->green_factor : 1;
        double running = gb * model->kwh_per_gb[OPERATIONAL][segment];
        double making = gb * model->kwh_per_gb[EMBODIED][segment];
        double running_g = running * usage->grid_g[segment] * share;
        double making_g = making * model->embodied_g;
        result->kwh_per_view += (running + making) * visits;
        result->first_visit_g += running_g + making_g;
        result->grams[OPERATIONAL][segment] = running_g * visits;
        result->grams[EMBODIED][segment] = making_g * visits;
    }
    result->grams_per_view = result->first_visit_g * visits;
    if (usage->return_ratio > 0)
        result->return_visit_g = result->first_visit_g * (1 - usage->cache_ratio);
}

const char *rating_of(const struct model *model, double grams)
{
    for (size_t i = 0; i < model->rating_count; i++)
        if (grams <= model->rating[i].grams)
            return model->rating[i].name;
    return "F";
}

int cleaner_than_percent(const struct model *model, double grams)
{
    double below_g = 0;
    double below_percent = 100;
    for (size_t i = 0; i < model->rating_count; i++) {
        const struct rating *rating = &model->rating[i];
        if (grams <= rating->grams)
            return (int)lround(below_percent - (below_percent - rating->percent) *
                                                   (grams - below_g) / (rating->grams - below_g));
        below_g = rating->grams;
        below_percent = rating->percent;
    }
    double percent = round(below_percent * pow(below_g / grams, 0.9));
    return percent < 1 ? 1 : (int)percent;
}
