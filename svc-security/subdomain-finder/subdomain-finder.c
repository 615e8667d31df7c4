/* svc-security/subdomain-finder/subdomain-finder.c - find names below a domain in certificates.
 * Passive: queries certificate transparency services and resolvers, never the domain's hosts. */
#include "base/mem.h"
#include "base/num.h"
#include "base/os/deadline.h"
#include "collect.h"
#include "live.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum { WHOLE_CALL_MS = 30000, SHOWN_MAX = 2000 };

/* ---- data ---- */

static bool load_sources(const struct conf *conf, const char *folder, void **content,
                         struct err *err)
{
    scoped(mem_free) char *shipped = str_format("%s/subdomain-finder/ct-sources.yaml", folder);
    const char *own = conf_str(conf, "security.ct_sources_file");
    struct ct_sources *sources;
    if (!ct_sources_load(*own ? own : shipped, &sources, err))
        return false;
    *content = sources;
    return true;
}

static void free_sources(void *address_of_pointer)
{
    ct_sources_free(address_of_pointer);
}

const struct data_kind ct_sources_data = {
    .name = "subdomain-finder",
    .free = free_sources,
    .load_configured = load_sources,
};

/* ---- the report ---- */

/* Results of all sources. */
struct survey {
    const char *domain;
    const struct ct_sources *sources;
    struct source_report report[SOURCES_MAX];
    struct harvest *harvest;
    struct resolved live;
};

static void add_time(cJSON *item, const char *name, int64_t wall_ms)
{
    if (wall_ms == NO_TIME)
        json_null(item, name);
    else
        json_time(item, name, wall_ms);
}

static void add_addresses(cJSON *list, const struct addresses *addresses)
{
    for (size_t i = 0; addresses && i < addresses->count; i++) {
        struct host host;
        host_of_address(&addresses->item[i], &host);
        json_item_str(list, host.name);
    }
}

static void add_found(cJSON *list, const struct survey *survey, const struct found_name *found)
{
    cJSON *item = json_item(list);
    json_str(item, "name", found->name);
    json_bool(item, "resolves", found->addresses != NULL);
    json_bool(item, "resolved", found->is_resolved);
    add_addresses(json_list(item, "addresses"), found->addresses);
    json_bool(item, "wildcard", !found->is_plain);
    cJSON *sources = json_list(item, "sources");
    for (size_t i = 0; i < survey->sources->count; i++)
        if (found->sources & 1u << i)
            json_item_str(sources, survey->sources->item[i].name);
    add_time(item, "first_seen", found->first_seen_ms);
    add_time(item, "last_seen", found->last_seen_ms);
}

static void add_sources(cJSON *result, const struct survey *survey)
{
    cJSON *sources = json_list(result, "sources");
    cJSON *errors = json_list(result, "source_errors");
    for (size_t i = 0; i < survey->sources->count; i++) {
        const struct source_report *report = &survey->report[i];
        if (report->has_answered)
            json_item_str(sources, survey->sources->item[i].name);
        if (report->error[0]) {
            cJSON *error = json_item(errors);
            json_str(error, "source", survey->sources->item[i].name);
            json_str(error, "error", report->error);
        }
    }
}

static bool is_any_cut(const struct survey *survey)
{
    bool is_cut = harvest_is_cut(survey->harvest);
    for (size_t i = 0; i < survey->sources->count; i++)
        is_cut = is_cut || survey->report[i].is_cut;
    return is_cut;
}

static bool has_any_error(const struct survey *survey)
{
    for (size_t i = 0; i < survey->sources->count; i++)
        if (survey->report[i].error[0])
            return true;
    return false;
}

static void write_result(struct survey *survey, int64_t now_ms, cJSON *result)
{
    size_t count = harvest_count(survey->harvest);
    const struct found_name *found = harvest_by_label(survey->harvest);
    size_t live = 0;
    size_t resolved = 0;
    for (size_t i = 0; i < count; i++) {
        live += found[i].addresses != NULL;
        resolved += found[i].is_resolved;
    }
    json_str(result, "domain", survey->domain);
    json_int(result, "total", (int64_t)count);
    json_int(result, "live_count", (int64_t)live);
    cJSON *list = json_list(result, "subdomains");
    for (size_t i = 0; i < MIN(count, SHOWN_MAX); i++)
        add_found(list, survey, &found[i]);
    add_sources(result, survey);
    json_int(result, "resolved_count", (int64_t)resolved);
    json_int(result, "resolve_limit", RESOLVE_LIMIT);
    json_bool(result, "wildcard_dns", survey->live.has_wildcard);
    json_bool(result, "truncated", count > SHOWN_MAX || is_any_cut(survey));
    json_bool(result, "partial", has_any_error(survey) || survey->live.unanswered > 0);
    json_time(result, "scanned_at", now_ms);
}

/* ---- the call ---- */

static bool read_domain(const struct job *job, char domain[static HOST_BYTES], struct err *err)
{
    if (!domain_parse(arg_text(job, "domain"), DOMAIN_PLAIN, domain, err))
        return false;
    return !public_suffix_is(egress_suffixes(job->egress), domain) ||
           err_set(err, ERR_INVALID_DOMAIN,
                   "domain must not be a public suffix such as co.uk; send a registered domain");
}

static bool has_any_answer(const struct survey *survey)
{
    for (size_t i = 0; i < survey->sources->count; i++)
        if (survey->report[i].has_answered)
            return true;
    return false;
}

bool subdomain_finder(const struct job *job, cJSON *result, struct err *err)
{
    char domain[HOST_BYTES];
    struct survey survey = { .domain = domain, .sources = job->data };
    if (!read_domain(job, domain, err))
        return false;
    scoped(harvest_free) struct harvest *harvest = harvest_new(domain);
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(job->egress, deadline_within(job->deadline_ms, WHOLE_CALL_MS));
    survey.harvest = harvest;
    collect_names(session, survey.sources, domain, harvest, survey.report);
    if (!has_any_answer(&survey))
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE,
                       "no certificate transparency source responded; retry in a minute");
    size_t count = harvest_count(harvest);
    if (arg_bool(job, "resolve") && count > 0 &&
        !live_look_up(session, domain, harvest_by_interest(harvest), count, &survey.live, err))
        return false;
    write_result(&survey, job->now_ms, result);
    return true;
}
