/* svc-reports/carbon-footprint/page.c - the result as an HTML report. */
#include "carbon-footprint/page.h"

#include <stdio.h>

#include "base/num.h"
#include "html-report/quantities.h"
#include "text/json.h"

enum { LINE_BYTES = 200 };

static void write_head(const cJSON *result, struct html_report *page)
{
    const char *rating = json_text(result, "/rating");
    const cJSON *warning;
    char meaning[LINE_BYTES];
    char others[32];
    int percent = (int)number_at(result, "/cleaner_than_percent");
    snprintf(others, sizeof(others), "about %d of 100", percent);
    snprintf(meaning, sizeof(meaning), "%s of CO2e per view, cleaner than %s sites",
             gram_text(number_at(result, "/co2_grams_per_view")).text,
             percent < 100 ? others : "nearly all");
    html_report_grade(page, tone_of_grade(rating), rating, meaning);
    html_report_text(page, json_text(result, "/summary"));
    cJSON_ArrayForEach(warning, json_get(result, "warnings"))
        html_report_note(page, TONE_FAIR, json_text_of(warning).bytes);
}

static const char *green_words(const cJSON *result)
{
    const cJSON *green = json_get(result, "green_hosting");
    return json_is(green, cJSON_True) ? "Yes" : json_is(green, cJSON_False) ? "No" : "Unknown";
}

static void write_figures(const cJSON *result, struct html_report *page)
{
    html_report_figures_begin(page);
    html_report_figure(page, "Transferred", size_text(number_at(result, "/bytes")).text);
    html_report_figure(page, "Per month",
                       gram_text(1000 * number_at(result, "/monthly/co2_kg")).text);
    html_report_figure(page, "Per year",
                       gram_text(1000 * number_at(result, "/yearly/co2_kg")).text);
    html_report_figure(page, "Views per month",
                       count_text(number_at(result, "/monthly/views")).text);
    html_report_figure(page, "Green hosting", green_words(result));
    html_report_figures_end(page);
}

static void write_segments(const cJSON *result, struct html_report *page)
{
    static const struct {
        const char *name;
        const char *pointer;
    } segments[] = {
        { "Data center", "/segments/data_center" },
        { "Network", "/segments/network" },
        { "Visitors' devices", "/segments/device" },
    };
    static const char *const heads[] = { "Segment", "Operation", "Manufacturing" };
    double whole = number_at(result, "/co2_grams_per_view");
    html_report_section(page, "Emissions by segment");
    for (size_t i = 0; i < countof(segments); i++) {
        double grams = number_at(json_at(result, segments[i].pointer), "/total_g");
        html_report_bar(page, segments[i].name, gram_text(grams).text, percent_of(grams, whole),
                        TONE_PLAIN);
    }
    html_report_table_begin(page, heads, countof(heads));
    for (size_t i = 0; i < countof(segments); i++) {
        const cJSON *segment = json_at(result, segments[i].pointer);
        html_report_cell(page, segments[i].name);
        html_report_cell(page, gram_text(number_at(segment, "/operational_g")).text);
        html_report_cell(page, gram_text(number_at(segment, "/embodied_g")).text);
    }
    html_report_table_end(page);
}

static void write_suggestions(const cJSON *result, struct html_report *page)
{
    const cJSON *item;
    if (json_size(json_get(result, "suggestions")) == 0)
        return;
    html_report_section(page, "Largest savings");
    cJSON_ArrayForEach(item, json_get(result, "suggestions")) {
        char detail[LINE_BYTES + 400];
        snprintf(detail, sizeof(detail), "%s, %s of CO2e per view: %s.",
                 size_text(number_at(item, "/saving_bytes")).text,
                 gram_text(number_at(item, "/saving_g_per_view")).text, json_text(item, "/how"));
        html_report_finding_begin(page, TONE_FAIR, "Saves", json_text(item, "/title"), detail,
                                  NULL);
        html_report_finding_end(page);
    }
}

static void write_breakdown(const cJSON *result, struct html_report *page)
{
    const cJSON *breakdown = json_get(result, "breakdown");
    const cJSON *type;
    double most = 0;
    if (!json_is(breakdown, cJSON_Object))
        return;
    html_report_section(page, "Resources by type");
    cJSON_ArrayForEach(type, breakdown)
        most = MAX(most, number_at(type, "/bytes"));
    cJSON_ArrayForEach(type, breakdown) {
        double bytes = number_at(type, "/bytes");
        char value[LINE_BYTES];
        if (bytes <= 0)
            continue;
        snprintf(value, sizeof(value), "%s, %s", size_text(bytes).text,
                 percent_text(number_at(type, "/percent")).text);
        html_report_bar(page, type->string, value, percent_of(bytes, most), TONE_PLAIN);
    }
}

static void write_equivalents(const cJSON *result, struct html_report *page)
{
    static const struct {
        const char *label;
        const char *pointer;
    } rows[] = {
        { "Kilometers in a car", "/equivalents/car_km" },
        { "Smartphones charged", "/equivalents/smartphone_charges" },
        { "Kettles boiled", "/equivalents/kettle_boils" },
        { "Trees absorbing it in a year", "/equivalents/tree_years" },
    };
    html_report_section(page, "Equivalents of a year");
    html_report_figures_begin(page);
    for (size_t i = 0; i < countof(rows); i++)
        html_report_figure(page, rows[i].label,
                           count_text(number_at(result, rows[i].pointer)).text);
    html_report_figures_end(page);
}

static void write_model(const cJSON *result, struct html_report *page)
{
    const cJSON *source;
    char line[LINE_BYTES + 200];
    html_report_section(page, "Calculation");
    snprintf(line, sizeof(line),
             "%s, version %s. Grams of CO2e per kWh: data center %s, network %s, devices %s. Green "
             "share of the data center: %s.",
             json_text(result, "/model/name"), json_text(result, "/model/version"),
             count_text(number_at(result, "/model/grid_intensity/data_center")).text,
             count_text(number_at(result, "/model/grid_intensity/network")).text,
             count_text(number_at(result, "/model/grid_intensity/device")).text,
             percent_text(100 * number_at(result, "/model/green_hosting_factor")).text);
    html_report_text(page, line);
    cJSON_ArrayForEach(source, json_at(result, "/model/sources"))
        html_report_small(page, json_text_of(source).bytes);
}

void footprint_page(const cJSON *result, struct html_report *page)
{
    write_head(result, page);
    write_figures(result, page);
    write_suggestions(result, page);
    write_segments(result, page);
    write_breakdown(result, page);
    write_equivalents(result, page);
    write_model(result, page);
}
