/* svc-reports/carbon-footprint/knowledge.c - read the data file strictly: a misspelled constant
 * must not become 0. */
#include "carbon-footprint/knowledge.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "carbon-footprint/green.h"
#include "text/json.h"
#include "text/yaml.h"

enum { PATH_BYTES = 4096 };

struct source {
    const char *file;
    const cJSON *tree;
    struct err *err;
};

static bool reject_value(const struct source *source, const char *what, const char *must)
{
    return err_set(source->err, ERR_INVALID_VALUE, "%s: %s must be %s", source->file, what, must);
}

static bool read_number(const struct source *source, const char *pointer, double *number)
{
    const cJSON *node = json_at(source->tree, pointer);
    if (!json_is(node, cJSON_Number) || !(node->valuedouble >= 0))
        return reject_value(source, pointer, "a number of 0 or more");
    *number = node->valuedouble;
    return true;
}

static bool read_numbers(const struct source *source, struct knowledge *knowledge)
{
    struct model *model = &knowledge->model;
    const struct {
        const char *pointer;
        double *number;
    } rows[] = {
        { "/kwh_per_gb/operational/data_center", &model->kwh_per_gb[OPERATIONAL][DATA_CENTER] },
        { "/kwh_per_gb/operational/network", &model->kwh_per_gb[OPERATIONAL][NETWORK] },
        { "/kwh_per_gb/operational/device", &model->kwh_per_gb[OPERATIONAL][DEVICE] },
        { "/kwh_per_gb/embodied/data_center", &model->kwh_per_gb[EMBODIED][DATA_CENTER] },
        { "/kwh_per_gb/embodied/network", &model->kwh_per_gb[EMBODIED][NETWORK] },
        { "/kwh_per_gb/embodied/device", &model->kwh_per_gb[EMBODIED][DEVICE] },
        { "/intensity/world", &model->world_g },
        { "/intensity/embodied", &model->embodied_g },
        { "/equivalents/car_km", &knowledge->equivalents.car_km },
        { "/equivalents/smartphone_charge", &knowledge->equivalents.smartphone_charge },
        { "/equivalents/tree_year", &knowledge->equivalents.tree_year },
        { "/equivalents/kettle_boil", &knowledge->equivalents.kettle_boil },
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (!read_number(source, rows[i].pointer, rows[i].number))
            return false;
    const struct equivalents *one = &knowledge->equivalents;
    return (one->car_km > 0 && one->smartphone_charge > 0 && one->tree_year > 0 &&
            one->kettle_boil > 0) ||
           reject_value(source, "each of equivalents", "above 0");
}

static bool read_ratings(const struct source *source, struct model *model)
{
    const cJSON *item;
    double last_g = 0;
    cJSON_ArrayForEach(item, json_get(source->tree, "ratings")) {
        struct text name = json_text_of(json_get(item, "rating"));
        const cJSON *grams = json_get(item, "grams");
        const cJSON *percent = json_get(item, "percent");
        if (model->rating_count == RATINGS_MAX || name.size == 0 || name.size >= RATING_BYTES ||
            !json_is(grams, cJSON_Number) || grams->valuedouble <= last_g ||
            !json_is(percent, cJSON_Number))
            return reject_value(source, "ratings",
                                "at most 12 of rating, grams and percent, with grams that ascend");
        struct rating *rating = &model->rating[model->rating_count++];
        snprintf(rating->name, sizeof(rating->name), "%s", name.bytes);
        rating->grams = last_g = grams->valuedouble;
        rating->percent = percent->valuedouble;
    }
    return model->rating_count > 0 || reject_value(source, "ratings", "a list");
}

static bool read_lists(const struct source *source, struct knowledge *knowledge)
{
    const cJSON *item;
    knowledge->date = json_text(source->tree, "/date");
    knowledge->sources = json_get(source->tree, "sources");
    knowledge->countries = json_get(source->tree, "countries");
    if (!knowledge->date)
        return reject_value(source, "date", "a string");
    if (!json_is(knowledge->sources, cJSON_Array))
        return reject_value(source, "sources", "a list of strings");
    cJSON_ArrayForEach(item, knowledge->countries) {
        const cJSON *grams = item->child ? item->child->next : NULL;
        if (!json_is(item, cJSON_Array) || json_size(item) != 2 ||
            json_text_of(item->child).size != 2 || strlen(item->string) != 3 || !grams ||
            !json_is(grams, cJSON_Number) || !(grams->valuedouble >= 0))
            return reject_value(source, "each of countries", "such as \"FRA\": [\"FR\", 44.18]");
    }
    return json_is(knowledge->countries, cJSON_Object) ||
           reject_value(source, "countries", "a mapping");
}

void knowledge_free(void *address_of_pointer)
{
    struct knowledge **knowledge = address_of_pointer;
    if (!*knowledge)
        return;
    json_free(&(*knowledge)->tree);
    mem_free(&(*knowledge)->green_url);
    mem_free(&(*knowledge)->browser_url);
    cache_free(&(*knowledge)->green);
    mem_free(knowledge);
}

/* Without trailing slashes. */
static char *base_url(const char *url)
{
    return mem_dup(url, text_strip(text_of(url), "", "/").size);
}

bool knowledge_read(const char *file, const char *green_url, struct knowledge **result,
                    struct err *err)
{
    scoped(knowledge_free) struct knowledge *knowledge = mem_new(sizeof(*knowledge));
    if (!yaml_load(file, &knowledge->tree, err))
        return false;
    const struct source source = { file, knowledge->tree, err };
    if (!read_numbers(&source, knowledge) || !read_ratings(&source, &knowledge->model) ||
        !read_lists(&source, knowledge))
        return false;
    knowledge->green_url = base_url(green_url);
    knowledge->green = cache_new(&green_kind);
    *result = take(knowledge);
    return true;
}

bool knowledge_load(const struct conf *conf, const char *folder, void **content, struct err *err)
{
    struct knowledge *knowledge = NULL;
    char own_file[PATH_BYTES];
    const char *configured = conf_str(conf, "reports.carbon_file");
    snprintf(own_file, sizeof(own_file), "%s/carbon-footprint/carbon.yaml", folder);
    if (!knowledge_read(*configured ? configured : own_file,
                        conf_str(conf, "reports.green_check_url"), &knowledge, err))
        return false;
    knowledge->browser_url = base_url(conf_str(conf, "reports.browser_url"));
    *content = knowledge;
    return true;
}

bool grid_of_country(const struct knowledge *knowledge, const char *code, double *grams)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, knowledge->countries)
        if (strcasecmp(item->string, code) == 0 ||
            text_is_any_case(json_text_of(item->child), code)) {
            *grams = item->child->next->valuedouble;
            return true;
        }
    return false;
}
