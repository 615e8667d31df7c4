/*
 * tests/bench/libraries/judge-page.c - what security-headers, seo-analyze and tech-detect do with
 * the responses of a site, without fetching them. For `make bench-tools`; batches.h has the
 * protocol. A request is {"answer": TEXT}, with responses as in security-headers/tests/site.h.
 */
#include "base/os/clock.h"
#include "base/scoped.h"
#include "batches.h"
#include "security-headers/report.h"
#include "security-headers/tests/site.h"
#include "seo-analyze/factors/factors.h"
#include "svc/data.h"
#include "tech-detect/detect.h"
#include "text/conf.h"
#include "text/json.h"
#include "tools.h"

enum { REQUEST_DEPTH = 8 };

struct bench {
    void (*judge)(const struct bench *bench, const struct site *site, cJSON *result);
    const void *knowledge;
    struct public_suffixes *suffixes;
};

static void judge_headers(const struct bench *bench, const struct site *site, cJSON *result)
{
    struct assessment assessment;
    assess(&site->responses, bench->knowledge, bench->suffixes, &assessment);
    assessment_print(&assessment, "https://www.example.com/", clock_wall_ms(), result);
    assessment_free(&assessment);
}

static void judge_seo(const struct bench *bench, const struct site *site, cJSON *result)
{
    const struct fetch_hop *last = fetch_last(&site->https);
    scoped(survey_free) struct survey survey = { 0 };
    scoped(robots_free) struct robots robots = { 0 };
    struct report report;
    (void)bench;
    robots_read(TEXT(""), &robots);
    survey_read(buf_text(&site->https.body), fetch_header(last, "content-type"), &last->target,
                &survey);
    const struct subject subject = { .page = &site->https,
                                     .survey = &survey,
                                     .robots_file = { .status = 404, .body = TEXT("") },
                                     .robots = &robots,
                                     .sitemap_file = { .status = 404, .body = TEXT("") },
                                     .favicon = { .status = 404, .body = TEXT("") },
                                     .now_ms = clock_wall_ms() };
    rate_page(&subject, &report);
    json_int(result, "score", report_score(&report));
    report_write(&report, json_list(result, "findings"));
}

static void judge_tech(const struct bench *bench, const struct site *site, cJSON *result)
{
    const struct fetch_hop *last = fetch_last(&site->https);
    scoped(detected_free) struct detected findings = { 0 };
    const struct response response = { .target = &last->target,
                                       .header = last->header,
                                       .header_count = last->header_count,
                                       .body = buf_text(&site->https.body),
                                       .suffixes = bench->suffixes };
    detect(bench->knowledge, &response, &findings);
    cJSON *list = json_list(result, "technologies");
    for (size_t i = 0; i < findings.count; i++)
        json_item_str(list, findings.item[i].technology->name);
}

static const struct kind {
    const char *tool;
    const struct data_kind *data;
    void (*judge)(const struct bench *bench, const struct site *site, cJSON *result);
} kinds[] = {
    { "security-headers", &security_headers_data, judge_headers },
    { "seo-analyze", NULL, judge_seo },
    { "tech-detect", &tech_signatures_data, judge_tech },
};

static void judge(void *context, struct text request, struct buf *out)
{
    const struct bench *bench = context;
    scoped(json_free) cJSON *args = NULL;
    scoped(json_free) cJSON *result = json_object();
    scoped(site_free) struct site site = { 0 };
    struct err err = { 0 };
    if (!json_parse(request, REQUEST_DEPTH, &args, &err))
        give_up("request", err.message);
    site_read(json_text_of(json_get(args, "answer")), &site);
    bench->judge(bench, &site, result);
    json_print(result, out);
}

int main(int argc, char **argv)
{
    scoped(conf_free) struct conf *conf = NULL;
    scoped(public_suffixes_free) struct public_suffixes *suffixes = NULL;
    struct data *data = NULL;
    struct bench bench = { 0 };
    struct err err = { 0 };
    const struct kind *kind = NULL;
    for (size_t i = 0; argc > 2 && i < countof(kinds); i++)
        if (strcmp(kinds[i].tool, argv[2]) == 0)
            kind = &kinds[i];
    if (!kind || !conf_load(NULL, &conf, &err) ||
        !public_suffixes_load(conf_str(conf, "data.psl_file"), &suffixes, &err))
        give_up("usage: judge-page SOURCES TOOL [--show]", err.message);
    scoped(mem_free) char *folder = str_format("%s/svc-security", argv[1]);
    if (kind->data && !data_open_configured(kind->data, conf, folder, &data, &err))
        give_up(folder, err.message);
    struct data_version *version = data_hold(data);
    bench = (struct bench){ kind->judge, data_content(version), suffixes };
    answer_batches(judge, &bench, argc > 3);
    data_drop(&version);
    data_close(&data);
    return EXIT_SUCCESS;
}
