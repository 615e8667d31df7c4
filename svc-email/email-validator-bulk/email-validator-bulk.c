/* svc-email/email-validator-bulk/email-validator-bulk.c - check up to ten addresses, each as
 * email-validator does. Each domain is looked up once, all at the same time, so the call takes as
 * long as the slowest one. */
#include <string.h>

#include "address/assess.h"
#include "address/evidence-cache.h"
#include "base/mem.h"
#include "base/os/deadline.h"
#include "base/os/parallel.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum { EMAILS_MAX = 10 };

/* A domain of at least one address. */
struct inquiry {
    const char *domain;
    const char *owner;
    struct evidence_cache *cache;
    struct egress *egress;
    int64_t deadline_ms;
    struct evidence evidence;
    bool cached;
    bool is_answered; /* by a resolver or the cache */
    struct err err;
};

struct batch {
    size_t count;
    struct assessment assessment[EMAILS_MAX];
    size_t inquiry_of[EMAILS_MAX];
    size_t inquiry_count;
    struct inquiry inquiry[EMAILS_MAX];
};

static void free_batch(struct batch **batch)
{
    for (size_t i = 0; i < (*batch)->count; i++)
        assessment_free(&(*batch)->assessment[i]);
    for (size_t i = 0; i < (*batch)->inquiry_count; i++)
        evidence_free(&(*batch)->inquiry[i].evidence);
    mem_free(batch);
}

static void look_up_domain(void *item)
{
    struct inquiry *inquiry = item;
    inquiry->is_answered = evidence_cache_find(inquiry->cache, inquiry->egress, inquiry->domain,
                                               inquiry->owner, false, inquiry->deadline_ms,
                                               &inquiry->evidence, &inquiry->cached, &inquiry->err);
    if (!inquiry->is_answered)
        inquiry->evidence.is_unavailable = true;
}

/* The inquiry for an address's domain, shared with earlier addresses. */
static size_t enter_domain(struct batch *batch, const struct assessment *assessment,
                           const struct job *job)
{
    const struct knowledge *knowledge = job->data;
    const char *domain = buf_str(&assessment->mailbox.domain);
    for (size_t i = 0; i < batch->inquiry_count; i++)
        if (strcmp(batch->inquiry[i].domain, domain) == 0)
            return i;
    batch->inquiry[batch->inquiry_count] = (struct inquiry){
        .domain = domain,
        .owner = assessment->facts.owner,
        .cache = knowledge->cache,
        .egress = job->egress,
        .deadline_ms = deadline_within(job->deadline_ms, ASSESS_MS),
    };
    return batch->inquiry_count++;
}

/* Whether there were queries, and none was answered. */
static bool is_cut_off(const struct batch *batch)
{
    for (size_t i = 0; i < batch->inquiry_count; i++)
        if (batch->inquiry[i].is_answered)
            return false;
    return batch->inquiry_count > 0;
}

static bool assess_all(const struct job *job, struct batch *batch, struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, arg_any(job, "emails")) {
        struct assessment *assessment = &batch->assessment[batch->count];
        assess_begin(json_text_of(item), job->data, job->egress, assessment);
        if (assessment->needs_evidence)
            batch->inquiry_of[batch->count] = enter_domain(batch, assessment, job);
        batch->count++;
    }
    parallel(batch->inquiry, batch->inquiry_count, sizeof(*batch->inquiry), EMAILS_MAX,
             look_up_domain);
    if (is_cut_off(batch)) {
        *err = batch->inquiry[0].err;
        return false;
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct assessment *assessment = &batch->assessment[i];
        const struct inquiry *inquiry = &batch->inquiry[batch->inquiry_of[i]];
        if (assessment->needs_evidence)
            assess_end(assessment, &inquiry->evidence, inquiry->cached);
        else
            assess_end(assessment, NULL, false);
    }
    return true;
}

/* ---- report ---- */

static size_t count_verdicts(const struct batch *batch, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++)
        count += batch->assessment[i].judgement.verdict == verdict;
    return count;
}

/* The first address with the same mailbox, or its own index. */
static size_t first_of(const struct batch *batch, size_t which)
{
    const char *canonical = batch->assessment[which].judgement.canonical;
    for (size_t i = 0; i < which && *canonical; i++)
        if (strcmp(batch->assessment[i].judgement.canonical, canonical) == 0)
            return i;
    return which;
}

static void add_item(const struct batch *batch, size_t which, cJSON *list)
{
    const struct assessment *assessment = &batch->assessment[which];
    const struct judgement *judgement = &assessment->judgement;
    scoped(json_free) cJSON *signals = json_object();
    size_t signal_count = assessment_report_signals(assessment, signals);
    size_t first = first_of(batch, which);
    cJSON *item = json_item(list);
    assessment_report(assessment, item);
    json_int(item, "signal_count", (int64_t)signal_count);
    json_add(item, "signals", json_take(signals, "signals"));
    json_str(item, "suggestion", judgement->has_suggestion ? judgement->suggestion : NULL);
    json_bool(item, "syntax_valid", assessment->mailbox.is_valid);
    json_bool(item, "cached", assessment->cached);
    json_int_if(item, "duplicate_of", first != which, (int64_t)first);
}

static bool is_partial(const struct batch *batch)
{
    for (size_t i = 0; i < batch->inquiry_count; i++)
        if (batch->inquiry[i].evidence.is_unavailable)
            return true;
    return false;
}

static void write_result(const struct batch *batch, cJSON *result)
{
    json_int(result, "total", (int64_t)batch->count);
    json_int(result, "disposable", (int64_t)count_verdicts(batch, VERDICT_DISPOSABLE));
    json_int(result, "suspicious", (int64_t)count_verdicts(batch, VERDICT_SUSPICIOUS));
    json_int(result, "legitimate", (int64_t)count_verdicts(batch, VERDICT_LEGITIMATE));
    cJSON *list = json_list(result, "results");
    for (size_t i = 0; i < batch->count; i++)
        add_item(batch, i, list);
    json_int(result, "unique_domains", (int64_t)batch->inquiry_count);
    json_bool(result, "partial", is_partial(batch));
}

bool email_validator_bulk(const struct job *job, cJSON *result, struct err *err)
{
    scoped(free_batch) struct batch *batch = mem_new(sizeof(*batch));
    if (!assess_all(job, batch, err))
        return false;
    write_result(batch, result);
    return true;
}
