/* svc-reports/carbon-footprint/carbon-footprint.c - the CO2e of a page view, from measured or given
 * bytes. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/os/deadline.h"
#include "base/text.h"
#include "carbon-footprint/from-crawl.h"
#include "carbon-footprint/green.h"
#include "carbon-footprint/page.h"
#include "carbon-footprint/report.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    CALL_MS = 12000,
    RESOURCES = 40,
    HOSTS = 30,
    BYTES = 10 << 20,
    MONTHLY_VIEWS = 10000, /* default of the contract, for website-audit */
};

const struct data_kind carbon_data = {
    .name = "carbon-footprint",
    .load_configured = knowledge_load,
    .free = knowledge_free,
};

/* ---- the request ---- */

static bool read_country(const struct job *job, const char *field, double *grams, struct err *err)
{
    const char *code = arg_str(job, field);
    return !code || grid_of_country(job->data, code, grams) ||
           err_set(err, ERR_INVALID_VALUE, "%s must be the ISO 3166-1 code of a supported country",
                   field);
}

static bool read_grid(const struct job *job, struct usage *usage, struct err *err)
{
    static const char *const names[SEGMENTS] = { "data_center", "network", "device" };
    const cJSON *given = arg_any(job, "grid_intensity");
    if (!read_country(job, "country", &usage->grid_g[DEVICE], err) ||
        !read_country(job, "hosting_country", &usage->grid_g[DATA_CENTER], err))
        return false;
    usage->grid_g[NETWORK] = usage->grid_g[DEVICE];
    for (int i = 0; i < SEGMENTS; i++) {
        const cJSON *grams = json_get(given, names[i]);
        if (json_is(grams, cJSON_Number))
            usage->grid_g[i] = grams->valuedouble;
    }
    return true;
}

/* The default of each ratio is 1 minus the other. */
static bool read_visits(const struct job *job, struct usage *usage, struct err *err)
{
    bool has_new = arg_has(job, "new_visitor_ratio");
    bool has_return = arg_has(job, "return_visitor_ratio");
    usage->cache_ratio = arg_num(job, "data_cache_ratio");
    usage->return_ratio = has_return ? arg_num(job, "return_visitor_ratio") : 0;
    usage->new_ratio = has_new ? arg_num(job, "new_visitor_ratio") : 1 - usage->return_ratio;
    if (!has_return)
        usage->return_ratio = 1 - usage->new_ratio;
    return usage->new_ratio + usage->return_ratio <= 1 + 1e-9 ||
           err_set(err, ERR_INVALID_VALUE,
                   "new_visitor_ratio and return_visitor_ratio must together be at most 1");
}

/* ---- green hosting ---- */

/* Query the green hosting service, and set the factor of *usage. */
static void look_up_green(const struct job *job, const struct host *host, int64_t deadline_ms,
                          struct usage *usage, struct hosting *hosting)
{
    const struct knowledge *knowledge = job->data;
    hosting->host = host->name;
    hosting->is_known = green_find(knowledge->green, knowledge->green_url, job->egress, host,
                                   deadline_ms, &hosting->green, &hosting->error);
    usage->green_factor = hosting->is_known && hosting->green.is_green;
}

/* From the request, otherwise from the green hosting service. */
static void determine_green(const struct job *job, const struct host *host, int64_t deadline_ms,
                            struct usage *usage, struct hosting *hosting)
{
    if (arg_has(job, "green") || arg_has(job, "green_hosting_factor")) {
        bool is_green = arg_bool(job, "green");
        usage->green_factor =
            arg_has(job, "green_hosting_factor") ? arg_num(job, "green_hosting_factor") : is_green;
        hosting->is_known = hosting->is_stated = true;
        hosting->green.is_green = arg_has(job, "green") ? is_green : usage->green_factor > 0;
        return;
    }
    if (host)
        look_up_green(job, host, deadline_ms, usage, hosting);
}

/* ---- the tool ---- */

static bool crawl_page(const struct job *job, int64_t deadline_ms, struct crawl **crawl,
                       struct err *err)
{
    const struct crawl_order order = {
        .egress = job->egress,
        .url = arg_text(job, "url"),
        .samples = 1,
        .max_resources = RESOURCES,
        .max_hosts = HOSTS,
        .max_bytes = BYTES,
        .deadline_ms = deadline_ms,
        .now_ms = job->now_ms,
    };
    return crawl_run(&order, crawl, err);
}

/* Defaults: first visits only, world grid. */
static void begin_report(const struct job *job, struct report *report)
{
    *report = (struct report){ .knowledge = job->data, .monthly_views = MONTHLY_VIEWS };
    report->usage.new_ratio = 1;
    for (int i = 0; i < SEGMENTS; i++)
        report->usage.grid_g[i] = report->knowledge->model.world_g;
}

static void use_crawl(const struct crawl *crawl, struct report *report)
{
    report->crawl = crawl;
    report->url = crawl->requested.url;
    report->final_url = fetch_last(&crawl->page)->target.url;
    totals_count(crawl, &report->totals);
    report->bytes = (int64_t)report->totals.all.transfer_bytes;
}

static void end_report(struct report *report, int64_t now_ms, cJSON *result)
{
    report->usage.bytes = (double)report->bytes;
    footprint_of(&report->knowledge->model, &report->usage, &report->footprint);
    report_write(report, now_ms, result);
}

void carbon_from_crawl(const struct job *job, const struct crawl *crawl, int64_t deadline_ms,
                       cJSON *result)
{
    struct report report;
    begin_report(job, &report);
    use_crawl(crawl, &report);
    look_up_green(job, &fetch_last(&crawl->page)->target.host, deadline_ms, &report.usage,
                  &report.hosting);
    end_report(&report, job->now_ms, result);
}

static void respond_with_page(const struct job *job, const cJSON *result)
{
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    const char *url = json_text(result, "/final_url");
    html_report_begin(&page, "Carbon footprint", url ? url : "page size from the request",
                      json_text(result, "/scanned_at"));
    footprint_page(result, &page);
    html_report_respond(&page, job, "carbon-footprint");
}

bool carbon_footprint(const struct job *job, cJSON *result, struct err *err)
{
    int64_t deadline_ms = deadline_within(job->deadline_ms, CALL_MS);
    scoped(crawl_free) struct crawl *crawl = NULL;
    scoped(target_free) struct target target = { 0 };
    struct report report;
    bool is_stated = arg_has(job, "bytes");

    begin_report(job, &report);
    report.monthly_views = arg_int(job, "monthly_views");
    if (!read_grid(job, &report.usage, err) || !read_visits(job, &report.usage, err))
        return false;
    if (arg_has(job, "url") && !target_parse_url(arg_text(job, "url"), &target, err))
        return false;
    if (!is_stated && !crawl_page(job, deadline_ms, &crawl, err))
        return false;
    const struct target *final = crawl        ? &fetch_last(&crawl->page)->target
                                 : target.url ? &target
                                              : NULL;
    determine_green(job, final ? &final->host : NULL, deadline_ms, &report.usage, &report.hosting);
    if (crawl) {
        use_crawl(crawl, &report);
    } else {
        report.url = report.final_url = target.url;
        report.bytes = arg_int(job, "bytes");
    }
    end_report(&report, job->now_ms, result);
    if (strcmp(arg_str(job, "format"), "html") == 0)
        respond_with_page(job, result);
    return true;
}
