/* svc-reports/carbon-footprint/page.c - what the result says, for people. */
#include "carbon-footprint/page.h"

#include <stdio.h>

#include "base/num.h"
#include "paper/words.h"
#include "text/json.h"

enum { LINE_BYTES = 200 };

static void write_head(const cJSON *result, struct paper *paper)
{
    const char *rating = json_text(result, "/rating");
    const cJSON *warning;
    char meaning[LINE_BYTES];
    char others[32];
    int percent = (int)number_at(result, "/cleaner_than_percent");
    snprintf(others, sizeof(others), "about %d of 100", percent);
    snprintf(meaning, sizeof(meaning), "%s of CO2e per view, cleaner than %s sites",
             gram_words(number_at(result, "/co2_grams_per_view")).text,
             percent < 100 ? others : "nearly all");
    paper_grade(paper, tone_of_grade(rating), rating, meaning);
    paper_text(paper, json_text(result, "/summary"));
    cJSON_ArrayForEach(warning, json_get(result, "warnings"))
        paper_note(paper, TONE_FAIR, json_text_of(warning).bytes);
}

static const char *green_words(const cJSON *result)
{
    const cJSON *green = json_get(result, "green_hosting");
    return json_is(green, cJSON_True) ? "Yes" : json_is(green, cJSON_False) ? "No" : "Unknown";
}

static void write_figures(const cJSON *result, struct paper *paper)
{
    paper_figures_begin(paper);
    paper_figure(paper, "Transferred", size_words(number_at(result, "/bytes")).text);
    paper_figure(paper, "Per month", gram_words(1000 * number_at(result, "/monthly/co2_kg")).text);
    paper_figure(paper, "Per year", gram_words(1000 * number_at(result, "/yearly/co2_kg")).text);
    paper_figure(paper, "Views per month", count_words(number_at(result, "/monthly/views")).text);
    paper_figure(paper, "Green hosting", green_words(result));
    paper_figures_end(paper);
}

static void write_segments(const cJSON *result, struct paper *paper)
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
    paper_section(paper, "Emissions by segment");
    for (size_t i = 0; i < countof(segments); i++) {
        double grams = number_at(json_at(result, segments[i].pointer), "/total_g");
        paper_bar(paper, segments[i].name, gram_words(grams).text, percent_of(grams, whole),
                  TONE_PLAIN);
    }
    paper_table_begin(paper, heads, countof(heads));
    for (size_t i = 0; i < countof(segments); i++) {
        const cJSON *segment = json_at(result, segments[i].pointer);
        paper_cell(paper, segments[i].name);
        paper_cell(paper, gram_words(number_at(segment, "/operational_g")).text);
        paper_cell(paper, gram_words(number_at(segment, "/embodied_g")).text);
    }
    paper_table_end(paper);
}

static void write_suggestions(const cJSON *result, struct paper *paper)
{
    const cJSON *item;
    if (json_size(json_get(result, "suggestions")) == 0)
        return;
    paper_section(paper, "Largest savings");
    cJSON_ArrayForEach(item, json_get(result, "suggestions")) {
        char detail[LINE_BYTES + 400];
        snprintf(detail, sizeof(detail), "%s, %s of CO2e per view: %s.",
                 size_words(number_at(item, "/saving_bytes")).text,
                 gram_words(number_at(item, "/saving_g_per_view")).text, json_text(item, "/how"));
        paper_finding_begin(paper, TONE_FAIR, "Saves", json_text(item, "/title"), detail, NULL);
        paper_finding_end(paper);
    }
}

static void write_breakdown(const cJSON *result, struct paper *paper)
{
    const cJSON *breakdown = json_get(result, "breakdown");
    const cJSON *type;
    double most = 0;
    if (!json_is(breakdown, cJSON_Object))
        return;
    paper_section(paper, "Resources by type");
    cJSON_ArrayForEach(type, breakdown)
        most = MAX(most, number_at(type, "/bytes"));
    cJSON_ArrayForEach(type, breakdown) {
        double bytes = number_at(type, "/bytes");
        char value[LINE_BYTES];
        if (bytes <= 0)
            continue;
        snprintf(value, sizeof(value), "%s, %s", size_words(bytes).text,
                 percent_words(number_at(type, "/percent")).text);
        paper_bar(paper, type->string, value, percent_of(bytes, most), TONE_PLAIN);
    }
}

static void write_equivalents(const cJSON *result, struct paper *paper)
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
    paper_section(paper, "Equivalents of a year");
    paper_figures_begin(paper);
    for (size_t i = 0; i < countof(rows); i++)
        paper_figure(paper, rows[i].label, count_words(number_at(result, rows[i].pointer)).text);
    paper_figures_end(paper);
}

static void write_model(const cJSON *result, struct paper *paper)
{
    const cJSON *source;
    char line[LINE_BYTES + 200];
    paper_section(paper, "Calculation");
    snprintf(line, sizeof(line),
             "%s, version %s. Grams of CO2e per kWh: data center %s, network %s, devices %s. Green "
             "share of the data center: %s.",
             json_text(result, "/model/name"), json_text(result, "/model/version"),
             count_words(number_at(result, "/model/grid_intensity/data_center")).text,
             count_words(number_at(result, "/model/grid_intensity/network")).text,
             count_words(number_at(result, "/model/grid_intensity/device")).text,
             percent_words(100 * number_at(result, "/model/green_hosting_factor")).text);
    paper_text(paper, line);
    cJSON_ArrayForEach(source, json_at(result, "/model/sources"))
        paper_small(paper, json_text_of(source).bytes);
}

void footprint_page(const cJSON *result, struct paper *paper)
{
    write_head(result, paper);
    write_figures(result, paper);
    write_suggestions(result, paper);
    write_segments(result, paper);
    write_breakdown(result, paper);
    write_equivalents(result, paper);
    write_model(result, paper);
}
