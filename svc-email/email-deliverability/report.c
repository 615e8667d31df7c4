/* svc-email/email-deliverability/report.c - write the result, without the data of each check. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "net/host.h"
#include "text/idn.h"
#include "text/json.h"

enum { ADVICE_MAX = 12, ADVICE_ALL = CHECKS * FOUND_MAX };

static void add_findings(const struct verdict *verdict, cJSON *row)
{
    cJSON *list = json_list(row, "findings");
    for (size_t i = 0; i < verdict->count; i++) {
        const struct found *found = &verdict->found[i];
        cJSON *item = json_item(list);
        json_str(item, "code", finding_rows[found->which].code);
        json_str(item, "severity", severity_names[found->severity]);
        json_str(item, "message", found->message);
        json_int(item, "points", verdict->has_points ? -found->cost : 0);
    }
}

static void add_checks(const struct facts *facts, const struct judgement *judgement, cJSON *result)
{
    cJSON *list = json_list(result, "checks");
    for (unsigned check = 0; check < CHECKS; check++) {
        const struct verdict *verdict = &judgement->verdict[check];
        if (!verdict->is_made)
            continue;
        cJSON *row = json_item(list);
        json_str(row, "name", check_names[check]);
        json_str(row, "status", status_names[verdict->status]);
        json_str(row, "detail", verdict->detail);
        json_int_if(row, "points", verdict->has_points, verdict->points);
        json_int_if(row, "max_points", verdict->has_points, verdict->max);
        add_findings(verdict, row);
        report_data(facts, (enum check)check, row);
    }
}

static void add_summary(const struct judgement *judgement, cJSON *result)
{
    int counts[STATUSES] = { 0 };
    cJSON *summary = json_map(result, "summary");
    for (size_t i = 0; i < CHECKS; i++)
        counts[judgement->verdict[i].status] += judgement->verdict[i].is_made;
    for (unsigned status = 0; status < STATUSES; status++)
        json_int(summary, status_names[status], counts[status]);
}

/* Sort by points, then severity, then the order of findings.def. */
static int by_gain(const void *a, const void *b)
{
    const struct found *left = *(const struct found *const *)a;
    const struct found *right = *(const struct found *const *)b;
    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    if (left->severity != right->severity)
        return left->severity < right->severity ? -1 : 1;
    return left->which < right->which ? -1 : left->which > right->which;
}

static void add_recommendations(const struct judgement *judgement, cJSON *result)
{
    const struct found *order[ADVICE_ALL];
    size_t count = 0;
    cJSON *list = json_list(result, "recommendations");
    for (size_t i = 0; i < CHECKS; i++)
        for (size_t k = 0; k < judgement->verdict[i].count; k++) {
            const struct found *found = &judgement->verdict[i].found[k];
            if (finding_rows[found->which].action &&
                (found->cost > 0 || found->severity < SEVERITY_INFO))
                order[count++] = found;
        }
    qsort(order, count, sizeof(order[0]), by_gain);
    for (size_t i = 0; i < count && i < ADVICE_MAX; i++) {
        cJSON *item = json_item(list);
        json_int(item, "priority", (int64_t)i + 1);
        json_str(item, "check", check_names[finding_rows[order[i]->which].check]);
        json_str(item, "code", finding_rows[order[i]->which].code);
        json_str(item, "action", finding_rows[order[i]->which].action);
    }
}

static void add_mail(const struct facts *facts, cJSON *result)
{
    const struct mx_facts *mx = &facts->mx;
    json_str(result, "mail_provider", facts_provider(facts));
    json_bool(result, "receives_mail", mx->host_count > 0 || mx->has_address);
    json_bool_if(result, "sends_mail", facts->spf.result == SPF_RESULT_VALID,
                 !facts_spf_rejects_all(facts));
}

void report_print(const struct facts *facts, const struct judgement *judgement, int64_t now_ms,
                  cJSON *result)
{
    scoped(buf_free) struct buf unicode = BUF(4 * HOST_BYTES);
    idn_to_unicode(facts->domain, &unicode);
    json_str(result, "domain", facts->domain);
    json_int(result, "score", judgement->score);
    json_str(result, "grade", judgement->grade);
    add_checks(facts, judgement, result);
    json_time(result, "scanned_at", now_ms);
    if (strcmp(buf_str(&unicode), facts->domain) != 0)
        json_str(result, "domain_unicode", buf_str(&unicode));
    json_bool(result, "partial", facts->is_partial);
    json_str(result, "org_domain", facts->org_domain);
    add_mail(facts, result);
    add_summary(judgement, result);
    add_recommendations(judgement, result);
}
