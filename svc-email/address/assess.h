/*
 * svc-email/address/assess.h - assess one address, for email-validator and email-validator-bulk.
 */
#pragma once

#include <cjson/cJSON.h>

#include "address/judge.h"

struct egress;

enum { ASSESS_MS = 4000 /* for the DNS queries of one domain */ };

/* By value; release with assessment_free(). */
struct assessment {
    struct text text; /* trimmed text of the request; borrowed */
    struct mailbox mailbox;
    struct facts facts; /* its evidence belongs to the caller */
    struct judgement judgement;
    bool needs_evidence;
    bool cached; /* the evidence comes from an earlier call */
};

/* Parse the address. The caller finds the DNS evidence. data is a struct knowledge. The assessment
 * must not move. */
void assess_begin(struct text text, const void *data, const struct egress *egress,
                  struct assessment *assessment);

/* Judge it. evidence may be NULL. */
void assess_end(struct assessment *assessment, const struct evidence *evidence, bool cached);
void assessment_free(struct assessment *assessment);

/* Add the members that both tools report: email, domain, verdict, score. */
void assessment_report(const struct assessment *assessment, cJSON *result);

/* Add the signals, the heaviest first. Returns their number. */
size_t assessment_report_signals(const struct assessment *assessment, cJSON *result);
