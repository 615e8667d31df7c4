/* svc-reports/carbon-footprint/tests/carbon-footprint.c - the model's results, and the tool with
 * given bytes. */
#include "carbon-footprint/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carbon-footprint/knowledge.h"
#include "tool.h"
#include "tools.h"

static struct knowledge *knowledge;

#define FILE_OF_OURS SOURCE_ROOT "/svc-reports/carbon-footprint/carbon.yaml"

static int open(void **state)
{
    struct err err = { 0 };
    (void)state;
    bool ok = knowledge_read(FILE_OF_OURS, "", &knowledge, &err);
    assert_string_equal(err.message, "");
    return ok ? 0 : -1;
}

static int close(void **state)
{
    (void)state;
    knowledge_free(&knowledge);
    return 0;
}

/* ---- whole calls ---- */

static const struct row {
    const char *name;
    const char *request; /* 'single quotes' */
    const char *pointer;
    double want;
    const char *text;    /* its replacement */
    enum err_kind error; /* ERR_NONE: success */
} rows[] = {
    { "a gigabyte", "{'bytes':1000000000}", "/co2_grams_per_view", 148.2 },
    { "on green electricity", "{'bytes':1000000000,'green':true}", "/co2_grams_per_view", 121.03 },
    { "half of it", "{'bytes':1000000000,'green_hosting_factor':0.5}", "/co2_grams_per_view",
      134.615 },
    { "the factor wins over green", "{'bytes':1000000000,'green':true,'green_hosting_factor':0.5}",
      "/co2_grams_per_view", 134.615 },
    { "visitors who come back",
      "{'bytes':1000000000,'new_visitor_ratio':0.75,'return_visitor_ratio':0.25,"
      "'data_cache_ratio':0.8}",
      "/co2_grams_per_view", 118.56 },
    { "what new visitors leave",
      "{'bytes':1000000000,'new_visitor_ratio':0.75,"
      "'data_cache_ratio':0.8}",
      "/co2_grams_per_view", 118.56 },
    { "what those who come back leave",
      "{'bytes':1000000000,'return_visitor_ratio':0.25,"
      "'data_cache_ratio':0.8}",
      "/co2_grams_per_view", 118.56 },
    { "0.6, 0.4, 0.9",
      "{'bytes':1000000000,'new_visitor_ratio':0.6,'return_visitor_ratio':0.4,"
      "'data_cache_ratio':0.9}",
      "/co2_grams_per_view", 94.848 },
    { "a return visit", "{'bytes':1000000000,'new_visitor_ratio':0.75,'data_cache_ratio':0.8}",
      "/visits/return_visit_g", 29.64 },
    { "no return visit", "{'bytes':1000000000}", "/visits/return_visit_g", 0 },
    { "a megabyte", "{'bytes':1000000}", "/co2_grams_per_view", 0.1482 },
    { "nothing", "{'bytes':0}", "/co2_grams_per_view", 0 },
    { "nothing is the best", "{'bytes':0}", "/rating", .text = "A+" },
    { "a byte", "{'bytes':1}", "/co2_grams_per_view", 0 },
    { "the example", "{'bytes':2000000,'green':true}", "/co2_grams_per_view", 0.24206 },
    { "its rating", "{'bytes':2000000,'green':true}", "/rating", .text = "D" },
    { "its data centre", "{'bytes':2000000,'green':true}", "/segments/data_center/total_g",
      0.011856 },
    { "its network", "{'bytes':2000000,'green':true}", "/segments/network/operational_g",
      0.058292 },
    { "its devices", "{'bytes':2000000,'green':true}", "/segments/device/embodied_g", 0.080028 },
    { "a month of it", "{'bytes':2000000,'green':true}", "/monthly/co2_kg", 2.4206 },
    { "a year of it", "{'bytes':2000000,'green':true}", "/yearly/co2_kg", 29.0472 },
    { "as kilometres", "{'bytes':2000000,'green':true}", "/equivalents/car_km", 170.9 },
    { "as smartphones", "{'bytes':2000000,'green':true}", "/equivalents/smartphone_charges",
      2342.5 },
    { "as trees", "{'bytes':2000000,'green':true}", "/equivalents/tree_years", 1.3 },
    { "as kettles", "{'bytes':2000000,'green':true}", "/equivalents/kettle_boils", 1936.5 },
    { "the electricity", "{'bytes':2000000}", "/energy_kwh_per_view", 0.0006 },
    { "no visits at all", "{'bytes':1000000,'monthly_views':0}", "/yearly/co2_kg", 0 },
    { "who says so", "{'bytes':1,'green':false}", "/hosting/source", .text = "request" },
    { "unknown", "{'bytes':1}", "/hosting/source", .text = "unknown" },
    { "France, by two letters", "{'bytes':1000000000,'country':'fr'}",
      "/model/grid_intensity/device", 44.18 },
    { "France, by three", "{'bytes':1000000000,'country':'FRA'}", "/model/grid_intensity/network",
      44.18 },
    { "the data centre is elsewhere", "{'bytes':1,'country':'FRA'}",
      "/model/grid_intensity/data_center", 494 },
    { "Namibia is not null", "{'bytes':1,'country':'NA'}", "/model/grid_intensity/device", 47.62 },
    { "hosted in Germany", "{'bytes':1000000000,'hosting_country':'DEU'}", "/co2_grams_per_view",
      139.8433 },
    { "a grid of one's own", "{'bytes':1000000000,'country':'FRA','grid_intensity':{'device':0}}",
      "/model/grid_intensity/device", 0 },
    { "making costs the world's", "{'bytes':1000000000,'country':'FRA'}",
      "/segments/device/embodied_g", 40.014 },
    { "no country", "{'bytes':1,'country':'ZZ'}", .error = ERR_INVALID_VALUE },
    { "a country of five letters", "{'bytes':1,'country':'Italy'}", .error = ERR_INVALID_VALUE },
    { "more visitors than there are",
      "{'bytes':1,'new_visitor_ratio':0.6,"
      "'return_visitor_ratio':0.5}",
      .error = ERR_INVALID_VALUE },
    { "neither page nor bytes", "{}", .error = ERR_MISSING_FIELD },
    { "fewer bytes than none", "{'bytes':-1}", .error = ERR_INVALID_VALUE },
    { "an invalid URL", "{'bytes':1,'url':'ftp://example.com/'}", .error = ERR_INVALID_URL },
};

/* assert_float_equal() takes floats, not doubles. */
static void assert_near(double got, double want, double off)
{
    if (!(fabs(got - want) <= off))
        fail_msg("%.12g is not %.12g", got, want);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    bool ok = run_tool_with(knowledge, carbon_footprint, "carbon-footprint", row->request, result,
                            NULL, &err);
    assert_string_equal(err_code(err.kind), err_code(row->error));
    if (!ok)
        return;
    if (row->text)
        assert_string_equal(json_text(result, row->pointer), row->text);
    else
        assert_near(json_at(result, row->pointer)->valuedouble, row->want, 1e-9);
}

/* ---- parts and whole ---- */

static double number(const cJSON *tree, const char *pointer)
{
    return json_at(tree, pointer)->valuedouble;
}

static void parts_add_up(void **state)
{
    (void)state;
    for (int64_t bytes = 1; bytes < 3000000000; bytes = bytes * 3 + 7) {
        scoped(json_free) cJSON *result = json_object();
        scoped(mem_free) char *request = str_format(
            "{'bytes':%lld,'green_hosting_factor':0.3,'country':'SE'}", (long long)bytes);
        struct err err = { 0 };
        assert_true(run_tool_with(knowledge, carbon_footprint, "carbon-footprint", request, result,
                                  NULL, &err));
        double sum = 0;
        static const char *const segments[] = { "data_center", "network", "device" };
        for (size_t i = 0; i < countof(segments); i++) {
            const cJSON *segment = json_get(json_get(result, "segments"), segments[i]);
            sum += number(segment, "/total_g");
            assert_near(number(segment, "/total_g"),
                        number(segment, "/operational_g") + number(segment, "/embodied_g"), 1e-9);
        }
        assert_near(sum, number(result, "/co2_grams_per_view"), 1e-9);
    }
}

/* ---- ratings ---- */

static const struct rated {
    const char *name;
    double grams;
    const char *rating;
    int percent;
} ratings[] = {
    { "nothing", 0, "A+", 100 },
    { "A+", 0.040, "A+", 95 },
    { "above it", 0.0400001, "A", 95 },
    { "A", 0.079, "A", 90 },
    { "B", 0.145, "B", 80 },
    { "C", 0.209, "C", 70 },
    { "D", 0.278, "D", 60 },
    { "E", 0.359, "E", 50 },
    { "F", 0.3590001, "F", 50 },
    { "between", 0.3185, "E", 55 },
    { "twice E", 0.718, "F", 27 },
    { "a hundred times", 35.9, "F", 1 },
    { "a million times", 1e6, "F", 1 },
};

static void check_rating(void **state)
{
    const struct rated *row = *state;
    assert_string_equal(rating_of(&knowledge->model, row->grams), row->rating);
    assert_int_equal(cleaner_than_percent(&knowledge->model, row->grams), row->percent);
}

/* ---- files of the operator ---- */

#define HEAD                                                                                      \
    "date: x\nsources: []\nkwh_per_gb:\n  operational: {data_center: 1, network: 1, device: 1}\n" \
    "  embodied: {data_center: 1, network: 1, device: 1}\n"
#define TAIL                                             \
    "ratings:\n  - {rating: A, grams: 1, percent: 50}\n" \
    "equivalents: {car_km: 1, smartphone_charge: 1, tree_year: 1, kettle_boil: 1}\n"

static const struct file {
    const char *name;
    const char *content;
    const char *problem; /* or NULL */
} files[] = {
    { "a good one", HEAD "intensity: {world: 1, embodied: 1}\n" TAIL "countries: {}\n", NULL },
    { "no constant", HEAD "intensity: {world: 1}\n" TAIL "countries: {}\n",
      "/intensity/embodied must be a number of 0 or more" },
    { "a word for one", HEAD "intensity: {world: a, embodied: 1}\n" TAIL "countries: {}\n",
      "/intensity/world must be a number of 0 or more" },
    { "a country without grams",
      HEAD "intensity: {world: 1, embodied: 1}\n" TAIL "countries: {FRA: [FR]}\n",
      "each of countries must be such as \"FRA\": [\"FR\", 44.18]" },
    { "no countries", HEAD "intensity: {world: 1, embodied: 1}\n" TAIL,
      "countries must be a mapping" },
    { "ratings that fall",
      HEAD "intensity: {world: 1, embodied: 1}\nratings:\n  - {rating: A, grams: 0, percent: 1}\n"
           "equivalents: {car_km: 1, smartphone_charge: 1, tree_year: 1, kettle_boil: 1}\n"
           "countries: {}\n",
      "ratings must be at most 12 of rating, grams and percent, with grams that ascend" },
    { "a car without exhaust",
      HEAD "intensity: {world: 1, embodied: 1}\nratings:\n  - {rating: A, grams: 1, percent: 1}\n"
           "equivalents: {car_km: 0, smartphone_charge: 1, tree_year: 1, kettle_boil: 1}\n"
           "countries: {}\n",
      "each of equivalents must be above 0" },
};

static void check_file(void **state)
{
    const struct file *row = *state;
    struct knowledge *read = NULL;
    struct err err = { 0 };
    char path[] = "/tmp/carbon-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(row->content, file);
    fclose(file);
    bool ok = knowledge_read(path, "http://127.0.0.1/", &read, &err);
    remove(path);
    assert_int_equal(ok, row->problem == NULL);
    if (row->problem)
        assert_non_null(strstr(err.message, row->problem));
    else
        assert_string_equal(read->green_url, "http://127.0.0.1");
    knowledge_free(&read);
}

int main(void)
{
    static const struct {
        const char *name;
    } sums[] = { { "parts add up" } };
    return RUN_ROWS_ON(rows, check, open, close) + RUN_ROWS_ON(sums, parts_add_up, open, close) +
           RUN_ROWS_ON(ratings, check_rating, open, close) + RUN_ROWS(files, check_file);
}
