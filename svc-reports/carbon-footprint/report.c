/* svc-reports/carbon-footprint/report.c - write the result. Grams are rounded to millionths so that
 * the parts add up to the total. */
#include "carbon-footprint/report.h"

#include <math.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/num.h"
#include "crawl/savings.h"
#include "text/json.h"

enum {
    MONTHS = 12,
    SUGGESTIONS_MAX = 5,
    GRAM_DIGITS = 6,
    KWH_DIGITS = 9,
    PARTS = PHASES * SEGMENTS
};

static const char *const segment_names[SEGMENTS] = { "data_center", "network", "device" };

static double rounded(double value, int digits)
{
    double scale = pow(10, digits);
    return round(value * scale) / scale;
}

/* ---- segments ---- */

/* Round each part down to millionths of a gram. The parts with the largest remainders get what is
 * missing from the rounded total. */
static void round_parts(const struct footprint *footprint, int64_t parts[static PARTS],
                        int64_t *whole)
{
    const double *grams = &footprint->grams[0][0];
    double lost[PARTS];
    int64_t sum = 0;
    *whole = llround(footprint->grams_per_view * 1e6);
    for (int i = 0; i < PARTS; i++) {
        parts[i] = (int64_t)floor(grams[i] * 1e6);
        lost[i] = grams[i] * 1e6 - (double)parts[i];
        sum += parts[i];
    }
    for (; sum < *whole; sum++) {
        int most = 0;
        for (int i = 1; i < PARTS; i++)
            most = lost[i] > lost[most] ? i : most;
        parts[most]++;
        lost[most] = -1;
    }
}

static void write_segments(const int64_t parts[static PARTS], cJSON *segments)
{
    for (int i = 0; i < SEGMENTS; i++) {
        int64_t running = parts[OPERATIONAL * SEGMENTS + i];
        int64_t making = parts[EMBODIED * SEGMENTS + i];
        cJSON *segment = json_map(segments, segment_names[i]);
        json_num(segment, "operational_g", (double)running / 1e6);
        json_num(segment, "embodied_g", (double)making / 1e6);
        json_num(segment, "total_g", (double)(running + making) / 1e6);
    }
}

/* ---- sums ---- */

static void write_visits(const struct report *report, cJSON *visits)
{
    json_num(visits, "first_visit_g", rounded(report->footprint.first_visit_g, GRAM_DIGITS));
    json_num(visits, "return_visit_g", rounded(report->footprint.return_visit_g, GRAM_DIGITS));
    json_num(visits, "new_visitor_ratio", report->usage.new_ratio);
    json_num(visits, "return_visitor_ratio", rounded(report->usage.return_ratio, KWH_DIGITS));
    json_num(visits, "data_cache_ratio", report->usage.cache_ratio);
}

static double kg_of(const struct report *report, int64_t views)
{
    return report->footprint.grams_per_view * (double)views / 1000;
}

static void write_sum(const struct report *report, int64_t views, cJSON *sum)
{
    json_int(sum, "views", views);
    json_num(sum, "co2_kg", rounded(kg_of(report, views), GRAM_DIGITS));
    json_num(sum, "energy_kwh",
             rounded(report->footprint.kwh_per_view * (double)views, GRAM_DIGITS));
}

static void write_equivalents(const struct report *report, cJSON *equivalents)
{
    const struct equivalents *one = &report->knowledge->equivalents;
    double kg = kg_of(report, MONTHS * report->monthly_views);
    json_num(equivalents, "car_km", rounded(kg / one->car_km, 1));
    json_num(equivalents, "smartphone_charges", rounded(kg / one->smartphone_charge, 1));
    json_num(equivalents, "tree_years", rounded(kg / one->tree_year, 1));
    json_num(equivalents, "kettle_boils", rounded(kg / one->kettle_boil, 1));
}

/* ---- measurements ---- */

static double grams_of_bytes(const struct report *report, size_t bytes)
{
    return report->bytes > 0
               ? report->footprint.grams_per_view * (double)bytes / (double)report->bytes
               : 0;
}

static void write_breakdown(const struct report *report, cJSON *result)
{
    if (!report->crawl) {
        json_null(result, "breakdown");
        return;
    }
    cJSON *breakdown = json_map(result, "breakdown");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        size_t bytes = report->totals.by_kind[kind].transfer_bytes;
        cJSON *entry = json_map(breakdown, kind_name(kind));
        json_int(entry, "bytes", (int64_t)bytes);
        json_num(entry, "co2_g", rounded(grams_of_bytes(report, bytes), GRAM_DIGITS));
        json_num(entry, "percent", rounded(100 * (double)bytes / (double)MAX(report->bytes, 1), 1));
    }
}

/* Savings on return visits are weighted by the share of return visits. */
static size_t find_suggestions(const struct report *report, struct saving savings[SAVINGS_MAX])
{
    size_t kept = 0;
    size_t count = report->crawl ? savings_find(report->crawl, savings) : 0;
    for (size_t i = 0; i < count && kept < SUGGESTIONS_MAX; i++) {
        if (savings[i].is_on_return)
            savings[i].bytes = (size_t)((double)savings[i].bytes * report->usage.return_ratio);
        if (savings[i].bytes > 0)
            savings[kept++] = savings[i];
    }
    return kept;
}

static void write_suggestions(const struct report *report, const struct saving *savings,
                              size_t count, cJSON *list)
{
    for (size_t i = 0; i < count; i++) {
        cJSON *item = json_item(list);
        json_str(item, "id", savings[i].id);
        json_str(item, "title", savings[i].title);
        json_int(item, "saving_bytes", (int64_t)savings[i].bytes);
        json_num(item, "saving_g_per_view",
                 rounded(grams_of_bytes(report, savings[i].bytes), GRAM_DIGITS));
        json_str(item, "how", savings[i].how);
    }
}

/* ---- method ---- */

static void write_model(const struct report *report, cJSON *model)
{
    const struct equivalents *one = &report->knowledge->equivalents;
    json_str(model, "name", "Sustainable Web Design Model");
    json_str(model, "version", "4");
    json_str(model, "data_date", report->knowledge->date);
    cJSON *grid = json_map(model, "grid_intensity");
    for (int i = 0; i < SEGMENTS; i++)
        json_num(grid, segment_names[i], report->usage.grid_g[i]);
    json_num(grid, "embodied", report->knowledge->model.embodied_g);
    json_num(model, "green_hosting_factor", report->usage.green_factor);
    cJSON *equivalents = json_map(model, "equivalents");
    json_num(equivalents, "car_km", one->car_km);
    json_num(equivalents, "smartphone_charge", one->smartphone_charge);
    json_num(equivalents, "tree_year", one->tree_year);
    json_num(equivalents, "kettle_boil", one->kettle_boil);
    json_add(model, "sources", json_copy(report->knowledge->sources));
}

static void write_hosting(const struct hosting *hosting, cJSON *object)
{
    const char *provider = hosting->green.provider;
    json_bool(object, "checked", hosting->host != NULL);
    json_str(object, "host", hosting->host);
    json_str(object, "provider", *provider ? provider : NULL);
    json_str(object, "source",
             hosting->is_stated  ? "request"
             : hosting->is_known ? "green-web-dataset"
                                 : "unknown");
    json_str(object, "error", hosting->error && !hosting->is_known ? hosting->error : NULL);
}

static void write_warnings(const struct report *report, bool is_cut, cJSON *warnings)
{
    const struct crawl *crawl = report->crawl;
    if (report->hosting.error && !report->hosting.is_known)
        json_item_str(warnings, "It is unknown whether the hosting is green; it counts as not "
                                "green.");
    if (!crawl)
        return;
    json_item_str(warnings, "Resources that scripts load at run time are not measured: the "
                            "value is a lower bound.");
    if (fetch_last(&crawl->page)->status >= 400)
        json_item_str(warnings, "The page returned an error; the error page was measured.");
    if (!crawl->is_verified)
        json_item_str(warnings, "The site's certificate is not valid.");
    if (is_cut)
        json_item_str(warnings, "The page loads more than the limits allow to measure.");
    if (crawl->is_late)
        json_item_str(warnings, "Time ran out before the measurement was complete.");
    if (report->totals.failed > 0)
        json_item_str(warnings, "Some resources of the page could not be fetched.");
}

/* ---- summary ---- */

static void summarize(const struct report *report, const struct saving *savings, size_t count,
                      struct buf *out)
{
    double grams = report->footprint.grams_per_view;
    int percent = cleaner_than_percent(&report->knowledge->model, grams);
    double yearly_kg = kg_of(report, MONTHS * report->monthly_views);
    buf_format(out, "A view transfers %.1f kB and emits %.3g g of CO2e: rating %s, cleaner than ",
               (double)report->bytes / 1000, grams, rating_of(&report->knowledge->model, grams));
    if (percent < 100)
        buf_format(out, "about %d of 100 sites.", percent);
    else
        buf_add_str(out, "nearly all sites.");
    buf_format(out, " At %lld views a month, a year emits %.3g kg, as much as %.1f km in a car.",
               (long long)report->monthly_views, yearly_kg,
               yearly_kg / report->knowledge->equivalents.car_km);
    if (report->hosting.is_known)
        buf_format(out, report->hosting.green.is_green ? " The hosting counts as green."
                                                       : " The hosting does not count as green.");
    if (count > 0)
        buf_format(out, " Largest saving: %s, about %.0f %% of the bytes.", savings[0].title,
                   100 * (double)savings[0].bytes / (double)MAX(report->bytes, 1));
}

/* ---- entry points ---- */

void report_write(const struct report *report, int64_t now_ms, cJSON *result)
{
    enum { SUMMARY_BYTES = 1000 };
    const struct model *model = &report->knowledge->model;
    double grams = report->footprint.grams_per_view;
    struct saving savings[SAVINGS_MAX];
    scoped(buf_free) struct buf summary = BUF(SUMMARY_BYTES);
    size_t suggestions = find_suggestions(report, savings);
    bool is_cut = report->crawl && crawl_is_truncated(report->crawl);
    int64_t parts[PARTS];
    int64_t whole;
    round_parts(&report->footprint, parts, &whole);

    json_str(result, "url", report->url);
    json_str(result, "final_url", report->final_url);
    json_int(result, "bytes", report->bytes);
    if (report->hosting.is_known)
        json_bool(result, "green_hosting", report->hosting.green.is_green);
    else
        json_null(result, "green_hosting");
    json_num(result, "co2_grams_per_view", (double)whole / 1e6);
    json_str(result, "rating", rating_of(model, grams));
    json_int(result, "cleaner_than_percent", cleaner_than_percent(model, grams));
    json_num(result, "energy_kwh_per_view", rounded(report->footprint.kwh_per_view, KWH_DIGITS));
    write_segments(parts, json_map(result, "segments"));
    write_visits(report, json_map(result, "visits"));
    write_sum(report, report->monthly_views, json_map(result, "monthly"));
    write_sum(report, MONTHS * report->monthly_views, json_map(result, "yearly"));
    write_equivalents(report, json_map(result, "equivalents"));
    write_breakdown(report, result);
    write_model(report, json_map(result, "model"));
    write_hosting(&report->hosting, json_map(result, "hosting"));
    write_suggestions(report, savings, suggestions, json_list(result, "suggestions"));
    summarize(report, savings, suggestions, &summary);
    json_str(result, "summary", buf_str(&summary));
    json_int(result, "measured_requests", report->crawl ? (int64_t)report->totals.measured : 0);
    json_bool(result, "truncated", is_cut);
    write_warnings(report, is_cut, json_list(result, "warnings"));
    json_time(result, "scanned_at", now_ms);
}
