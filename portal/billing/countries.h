/*
 * portal/billing/countries.h - the countries of billing addresses (countries.def).
 */
#pragma once

#include <cjson/cJSON.h>

/* The English name of a country by its ISO 3166-1 code, or NULL. */
const char *country_name(const char *code);

/* Add each country, and an empty choice first, to the options of a select. */
void country_options(cJSON *options, const char *chosen);
