/* svc-email/address/assess.c - assess an address, and report it as JSON. */
#include "address/assess.h"

#include <stdlib.h>
#include <string.h>

#include "dns/domain.h"
#include "net/egress.h"
#include "text/json.h"

void assess_begin(struct text text, const void *data, const struct egress *egress,
                  struct assessment *assessment)
{
    *assessment = (struct assessment){ .text = text_trim(text) };
    mailbox_parse(text, &assessment->mailbox);
    assessment->facts = (struct facts){
        .mailbox = &assessment->mailbox,
        .owner = mail_org_domain(egress, buf_str(&assessment->mailbox.domain)),
        .knowledge = data,
        .suffixes = egress_suffixes(egress),
    };
    assessment->needs_evidence = !facts_need_no_evidence(&assessment->facts);
}

void assess_end(struct assessment *assessment, const struct evidence *evidence, bool cached)
{
    assessment->facts.evidence = evidence;
    assessment->cached = cached;
    judge_address(&assessment->facts, &assessment->judgement);
}

void assessment_free(struct assessment *assessment)
{
    mailbox_free(&assessment->mailbox);
}

void assessment_report(const struct assessment *assessment, cJSON *result)
{
    json_text_add(result, "email", assessment->text);
    json_text_add(result, "domain", buf_text(&assessment->mailbox.domain));
    json_str(result, "verdict", verdict_names[assessment->judgement.verdict]);
    json_int(result, "score", assessment->judgement.score);
}

static int by_weight(const void *a, const void *b)
{
    enum signal_code first = *(const enum signal_code *)a;
    enum signal_code second = *(const enum signal_code *)b;
    int order = abs(signal_rows[second].weight) - abs(signal_rows[first].weight);
    return order ? order : strcmp(signal_rows[first].name, signal_rows[second].name);
}

size_t assessment_report_signals(const struct assessment *assessment, cJSON *result)
{
    enum signal_code codes[SIGNALS];
    size_t count = 0;
    cJSON *list = json_list(result, "signals");
    for (enum signal_code i = 0; i < SIGNALS; i++)
        if (assessment->judgement.signal[i])
            codes[count++] = i;
    qsort(codes, count, sizeof(*codes), by_weight);
    for (size_t i = 0; i < count; i++) {
        cJSON *item = json_item(list);
        json_str(item, "code", signal_rows[codes[i]].name);
        json_int(item, "weight", signal_rows[codes[i]].weight);
        json_str(item, "message", signal_rows[codes[i]].message);
    }
    return count;
}
