/* svc-reports/html-report/quantities.c - format numbers with units and significant digits. */
#include "html-report/quantities.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scoped.h"
#include "text/json.h"

double number_at(const cJSON *tree, const char *pointer)
{
    const cJSON *node = json_at(tree, pointer);
    return json_is(node, cJSON_Number) ? node->valuedouble : 0;
}

/* Values below `below` use this unit; the last row has no limit. */
struct unit {
    double below;
    double divisor;
    int digits;
    const char *name;
};

static struct quantity in_units(double value, const struct unit *units, size_t count)
{
    struct quantity quantity;
    size_t i = 0;
    while (i + 1 < count && fabs(value) >= units[i].below)
        i++;
    snprintf(quantity.text, sizeof(quantity.text), "%.*f %s", units[i].digits,
             value / units[i].divisor, units[i].name);
    return quantity;
}

struct quantity size_text(double bytes)
{
    static const struct unit units[] = { { 1000, 1, 0, "B" },
                                         { 999950, 1e3, 1, "kB" },
                                         { 999995e3, 1e6, 2, "MB" },
                                         { 0, 1e9, 2, "GB" } };
    return in_units(bytes, units, countof(units));
}

struct quantity ms_text(double ms)
{
    static const struct unit units[] = { { 99.95, 1, 1, "ms" },
                                         { 999.5, 1, 0, "ms" },
                                         { 0, 1e3, 2, "s" } };
    return in_units(ms, units, countof(units));
}

struct quantity gram_text(double grams)
{
    static const struct unit units[] = {
        { 0.000995, 1e-6, 0, "\u00b5g" }, { 0.09995, 1e-3, 2, "mg" }, { 0.9995, 1, 3, "g" },
        { 999.995, 1, 2, "g" },           { 999995, 1e3, 2, "kg" },   { 0, 1e6, 2, "t" }
    };
    return in_units(grams, units, countof(units));
}

struct quantity percent_text(double percent)
{
    struct quantity quantity;
    snprintf(quantity.text, sizeof(quantity.text), "%.1f %%", percent);
    return quantity;
}

/* With commas as thousands separators. */
struct quantity count_text(double count)
{
    struct quantity quantity = { "" };
    char digits[40];
    bool is_whole = fabs(count - round(count)) < 0.05 || count >= 1000;
    snprintf(digits, sizeof(digits), "%.*f", is_whole ? 0 : 1, count);
    size_t whole = strcspn(digits, ".");
    size_t size = 0;
    for (size_t i = 0; digits[i] && size + 2 < sizeof(quantity.text); i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
            quantity.text[size++] = ',';
        quantity.text[size++] = digits[i];
    }
    return quantity;
}

int percent_of(double part, double whole)
{
    return whole > 0 ? (int)lround(100 * part / whole) : 0;
}

enum tone tone_of_grade(const char *grade)
{
    return *grade == 'A' ? TONE_GOOD : *grade == 'B' || *grade == 'C' ? TONE_FAIR : TONE_BAD;
}
