/* tests/check/run-carbon.c - the model on rows of standard input, for the check of the same name: a
 * country, bytes, the green factor, the shares of new and returning visitors, and of what is
 * cached. It prints a line for each: grams of a view, grams a kWh. */
#include <stdio.h>
#include <stdlib.h>

#include "carbon-footprint/knowledge.h"

int main(int argc, char **argv)
{
    scoped(knowledge_free) struct knowledge *knowledge = NULL;
    struct err err = { 0 };
    struct usage usage = { 0 };
    char country[4];
    double grams;

    if (argc != 2 || !knowledge_read(argv[1], "", &knowledge, &err)) {
        fprintf(stderr, "usage: %s DATA: %s\n", argv[0], err.message);
        return EXIT_FAILURE;
    }
    while (scanf("%3s %lf %lf %lf %lf %lf", country, &usage.bytes, &usage.green_factor,
                 &usage.new_ratio, &usage.return_ratio, &usage.cache_ratio) == 6) {
        struct footprint footprint;
        if (!grid_of_country(knowledge, country, &grams))
            return EXIT_FAILURE;
        for (int i = 0; i < SEGMENTS; i++)
            usage.grid_g[i] = grams;
        footprint_of(&knowledge->model, &usage, &footprint);
        printf("%.17g %.17g\n", footprint.grams_per_view, grams);
    }
    return EXIT_SUCCESS;
}
