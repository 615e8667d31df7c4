/* svc-security/exposed-files/exposed-files.c - find sensitive public files of a site. The result
 * never has their content. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/deadline.h"
#include "scan.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum { WHOLE_CALL_MS = 30000 };

/* ---- data ---- */

static bool load_exposures(const char *folder, void **content, struct err *err)
{
    scoped(mem_free) char *file = str_format("%s/exposed-files/paths.yaml", folder);
    struct exposures *exposures;
    if (!exposures_load(file, &exposures, err))
        return false;
    *content = exposures;
    return true;
}

static void free_exposures(void *address_of_pointer)
{
    exposures_free(address_of_pointer);
}

const struct data_kind exposures_data = { "exposed-files", load_exposures, free_exposures };

/* ---- the report ---- */

static void add_counts(cJSON *result, const struct scan *scan)
{
    size_t asked = 0;
    size_t exposed = 0;
    size_t counts[SEVERITIES] = { 0 };
    for (size_t i = 0; i < scan->count; i++) {
        const struct check *check = &scan->check[i];
        asked += check->outcome != OUTCOME_NONE;
        exposed += check->outcome == OUTCOME_EXPOSED;
        if (check->outcome == OUTCOME_EXPOSED)
            counts[check->finding.severity]++;
    }
    json_int(result, "checked_paths", (int64_t)asked);
    json_int(result, "exposed_count", (int64_t)exposed);
    cJSON *by_severity = json_map(result, "severity_counts");
    for (enum severity i = 0; i < SEVERITIES; i++)
        json_int(by_severity, severity_name(i), (int64_t)counts[i]);
}

static void add_exposed(cJSON *list, const struct check *check)
{
    cJSON *item = json_item(list);
    json_str(item, "path", check->exposure->path);
    json_int(item, "status", check->status);
    json_bool(item, "exposed", true);
    json_str(item, "severity", severity_name(check->finding.severity));
    json_str(item, "type", check->exposure->type);
    json_str(item, "confidence", check->finding.is_sure ? "high" : "medium");
    json_str(item, "evidence", check->finding.evidence);
    json_str(item, "content_type", check->media_type);
    if (check->size < 0)
        json_null(item, "size");
    else
        json_int(item, "size", check->size);
}

static void add_all_exposed(cJSON *list, const struct scan *scan)
{
    for (enum severity severity = 0; severity < SEVERITIES; severity++)
        for (size_t i = 0; i < scan->count; i++)
            if (scan->check[i].outcome == OUTCOME_EXPOSED &&
                scan->check[i].finding.severity == severity)
                add_exposed(list, &scan->check[i]);
}

static void add_checked(cJSON *list, const struct scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const struct check *check = &scan->check[i];
        if (check->outcome == OUTCOME_NONE)
            continue;
        cJSON *item = json_item(list);
        json_str(item, "path", check->exposure->path);
        if (check->status)
            json_int(item, "status", check->status);
        else
            json_null(item, "status");
        json_str(item, "outcome", outcome_name(check->outcome));
    }
}

static void write_result(const struct target *url, const struct scan *scan, int64_t now_ms,
                         cJSON *result)
{
    json_str(result, "url", url->url);
    add_counts(result, scan);
    json_bool(result, "soft_404_detected", scan->has_soft_404);
    add_all_exposed(json_list(result, "exposed"), scan);
    add_checked(json_list(result, "checked"), scan);
    json_str(result, "base_url", scan->base.url);
    if (scan->tls_verified < 0)
        json_null(result, "tls_verified");
    else
        json_bool(result, "tls_verified", scan->tls_verified);
    json_bool(result, "waf_suspected", scan->is_waf_suspected);
    json_bool(result, "partial", scan->is_partial);
    json_time(result, "scanned_at", now_ms);
}

bool exposed_files(const struct job *job, cJSON *result, struct err *err)
{
    scoped(target_free) struct target url = { 0 };
    scoped(scan_free) struct scan scan = { 0 };
    if (!target_parse_url(arg_text(job, "url"), &url, err))
        return false;
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(job->egress, deadline_within(job->deadline_ms, WHOLE_CALL_MS));
    if (!scan_site(session, &url, job->data, &scan, err))
        return false;
    write_result(&url, &scan, job->now_ms, result);
    return true;
}
