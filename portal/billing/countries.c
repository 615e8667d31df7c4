/* portal/billing/countries.c - see countries.h. */
#include "portal/billing/countries.h"

#include "base/table.h"
#include "portal/page/field.h"

#define COUNTRY(code, name) { code, name },
static const struct country {
    const char *code;
    const char *name;
} countries[] = {
#include "portal/billing/countries.def"
};

const char *country_name(const char *code)
{
    const struct country *country = TABLE_FIND(countries, code);
    return country ? country->name : NULL;
}

void country_options(cJSON *options, const char *chosen)
{
    option_add(options, "", "Choose a country", chosen);
    for (size_t i = 0; i < countof(countries); i++)
        option_add(options, countries[i].code, countries[i].name, chosen);
}
