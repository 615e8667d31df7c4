/* svc-security/tech-detect/releases.c - read releases.yaml strictly, and look versions up. */
#include "releases.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "text/json.h"
#include "text/yaml.h"
#include "version.h"

/* ---- the file ---- */

/* Reader state, with the location for error messages. */
struct reading {
    const char *file;
    const char *product;
    struct err *err;
};

static bool reject_key(const struct reading *reading, const char *what, const char *why)
{
    return err_set(reading->err, ERR_INVALID_VALUE, "%s: %s: %s %s", reading->file,
                   reading->product, what, why);
}

static bool is_text(const cJSON *node)
{
    struct text text = json_text_of(node);
    return text.size > 0 && strlen(text.bytes) == text.size;
}

/* Read a string; without the key, *text stays NULL if it is optional. */
static bool read_text(const struct reading *reading, const cJSON *object, const char *key,
                      bool is_optional, char **text)
{
    const cJSON *node = json_get(object, key);
    if (!node && is_optional)
        return true;
    if (!is_text(node))
        return reject_key(reading, key, "must be a string");
    *text = str_dup(json_text_of(node).bytes);
    return true;
}

static bool is_version(const char *text)
{
    return text[0] >= '0' && text[0] <= '9' && strlen(text) < VERSION_BYTES;
}

/* YYYY-MM-DD, or "ended". */
static bool is_end(const char *text)
{
    static const char form[] = "0000-00-00";
    if (strcmp(text, "ended") == 0)
        return true;
    for (size_t i = 0; i < strlen(form); i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return text[strlen(form)] == '\0';
}

static bool read_cycle(const struct reading *reading, const cJSON *node, struct cycle *cycle)
{
    if (!read_text(reading, node, "cycle", false, &cycle->name) ||
        !read_text(reading, node, "latest", false, &cycle->latest) ||
        !read_text(reading, node, "end_of_life", true, &cycle->end_of_life))
        return false;
    if (!is_version(cycle->name) || !is_version(cycle->latest))
        return reject_key(reading, "cycles", "must have versions that begin with a digit");
    return !cycle->end_of_life || is_end(cycle->end_of_life) ||
           reject_key(reading, "end_of_life", "must be YYYY-MM-DD or ended");
}

/* "1.2 <1.5". */
static bool read_affected(const struct reading *reading, const cJSON *node,
                          struct affected *affected)
{
    struct text text = json_text_of(node);
    const char *mark = is_text(node) ? strstr(text.bytes, " <") : NULL;
    if (!mark)
        return reject_key(reading, "affected", "must be like 1.2 <1.5");
    affected->from = mem_dup(text.bytes, (size_t)(mark - text.bytes));
    affected->fixed = str_dup(mark + 2);
    return (is_version(affected->from) && is_version(affected->fixed)) ||
           reject_key(reading, "affected", "must have versions that begin with a digit");
}

static bool read_vulnerability(const struct reading *reading, const cJSON *node,
                               struct vulnerability *vulnerability)
{
    static const char *const severities[] = { "low", "medium", "high", "critical" };
    const cJSON *list = json_get(node, "affected");
    const cJSON *item;
    if (!read_text(reading, node, "id", false, &vulnerability->id) ||
        !read_text(reading, node, "severity", false, &vulnerability->severity))
        return false;
    size_t i = 0;
    while (i < countof(severities) && strcmp(severities[i], vulnerability->severity) != 0)
        i++;
    if (i == countof(severities))
        return reject_key(reading, "severity", "must be low, medium, high or critical");
    if (!json_is(list, cJSON_Array) || json_size(list) == 0)
        return reject_key(reading, "affected", "must be a list");
    vulnerability->affected = mem_array(json_size(list), sizeof(*vulnerability->affected));
    cJSON_ArrayForEach(item, list)
        if (!read_affected(reading, item,
                           &vulnerability->affected[vulnerability->affected_count++]))
            return false;
    return true;
}

static bool read_product(const struct reading *reading, const cJSON *node,
                         struct releases *releases)
{
    const cJSON *cycles = json_get(node, "cycles");
    const cJSON *vulnerabilities = json_get(node, "vulnerabilities");
    const cJSON *item;
    if (json_size(node) == 0 || json_size(node) != (size_t) !!cycles + !!vulnerabilities)
        return reject_key(reading, "it", "must have cycles or vulnerabilities, and nothing else");
    releases->cycle = mem_array(json_size(cycles) + 1, sizeof(*releases->cycle));
    cJSON_ArrayForEach(item, cycles)
        if (!read_cycle(reading, item, &releases->cycle[releases->cycle_count++]))
            return false;
    releases->vulnerability =
        mem_array(json_size(vulnerabilities) + 1, sizeof(*releases->vulnerability));
    cJSON_ArrayForEach(item, vulnerabilities)
        if (!read_vulnerability(reading, item,
                                &releases->vulnerability[releases->vulnerability_count++]))
            return false;
    return true;
}

bool releases_read(const char *file, releases_find *find, void *context, char **date,
                   struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    struct reading reading = { file, "the file", err };
    const cJSON *node;
    if (!yaml_load(file, &tree, err) || !read_text(&reading, tree, "date", false, date))
        return false;
    if (!is_end(*date) || !is_text(json_get(tree, "source")) ||
        !json_is(json_get(tree, "products"), cJSON_Object) || json_size(tree) != 3)
        return reject_key(&reading, "it", "must have a date, a source and products");
    cJSON_ArrayForEach(node, json_get(tree, "products")) {
        struct releases *releases = find(context, node->string);
        reading.product = node->string;
        if (!releases)
            return reject_key(&reading, "it", "is not a technology of signatures.yaml");
        if (!read_product(&reading, node, releases))
            return false;
    }
    return true;
}

void releases_free(struct releases *releases)
{
    for (size_t i = 0; i < releases->cycle_count; i++) {
        mem_free(&releases->cycle[i].name);
        mem_free(&releases->cycle[i].latest);
        mem_free(&releases->cycle[i].end_of_life);
    }
    for (size_t i = 0; i < releases->vulnerability_count; i++) {
        struct vulnerability *vulnerability = &releases->vulnerability[i];
        for (size_t k = 0; k < vulnerability->affected_count; k++) {
            mem_free(&vulnerability->affected[k].from);
            mem_free(&vulnerability->affected[k].fixed);
        }
        mem_free(&vulnerability->affected);
        mem_free(&vulnerability->id);
        mem_free(&vulnerability->severity);
    }
    mem_free(&releases->cycle);
    mem_free(&releases->vulnerability);
}

/* ---- looking up ---- */

static bool is_in_cycle(const char *version, const char *cycle)
{
    size_t size = strlen(cycle);
    return strncmp(version, cycle, size) == 0 && (version[size] < '0' || version[size] > '9');
}

/* The cycle with the longest name, or NULL. */
static const struct cycle *cycle_of(const struct releases *releases, const char *version)
{
    const struct cycle *found = NULL;
    for (size_t i = 0; i < releases->cycle_count; i++) {
        const struct cycle *cycle = &releases->cycle[i];
        if (is_in_cycle(version, cycle->name) &&
            (!found || strlen(cycle->name) > strlen(found->name)))
            found = cycle;
    }
    return found;
}

static const char *newest_of(const struct releases *releases)
{
    const char *newest = NULL;
    for (size_t i = 0; i < releases->cycle_count; i++)
        if (!newest || version_compare(releases->cycle[i].latest, newest) > 0)
            newest = releases->cycle[i].latest;
    return newest;
}

static void write_cycle(const struct cycle *cycle, const char *today, cJSON *release)
{
    bool is_ended = cycle && cycle->end_of_life && strcmp(cycle->end_of_life, "ended") == 0;
    const char *end = cycle && !is_ended ? cycle->end_of_life : NULL;
    json_str(release, "newest_in_series", cycle ? cycle->latest : NULL);
    json_str(release, "end_of_life", end);
    if (cycle)
        json_bool(release, "ended", is_ended || (end && strcmp(end, today) < 0));
    else
        json_null(release, "ended");
}

static const struct affected *affected_by(const struct vulnerability *vulnerability,
                                          const char *version)
{
    for (size_t i = 0; i < vulnerability->affected_count; i++) {
        const struct affected *affected = &vulnerability->affected[i];
        if (version_compare(version, affected->from) >= 0 &&
            version_compare(version, affected->fixed) < 0)
            return affected;
    }
    return NULL;
}

/* A version such as "3" may be any 3.x, so it shows no vulnerability. */
static void write_vulnerabilities(const struct releases *releases, const char *version, cJSON *list)
{
    for (size_t i = 0; i < releases->vulnerability_count && strchr(version, '.'); i++) {
        const struct vulnerability *vulnerability = &releases->vulnerability[i];
        const struct affected *affected = affected_by(vulnerability, version);
        if (!affected)
            continue;
        cJSON *item = json_item(list);
        json_str(item, "id", vulnerability->id);
        json_str(item, "severity", vulnerability->severity);
        json_str(item, "fixed_in", affected->fixed);
    }
}

void releases_write(const struct releases *releases, const char *version, const char *today,
                    cJSON *item)
{
    if (releases->cycle_count + releases->vulnerability_count == 0)
        return;
    cJSON *release = json_map(item, "release");
    json_str(release, "newest", newest_of(releases));
    write_cycle(cycle_of(releases, version), today, release);
    write_vulnerabilities(releases, version, json_list(release, "vulnerabilities"));
}
