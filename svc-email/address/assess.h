/*
 * svc-email/address/assess.h - one address all the way from its text to what is said of it, for
 * email-validator and email-validator-bulk.
 */
#pragma once

#include <cjson/cJSON.h>

#include "address/judge.h"

struct egress;

enum { ASSESS_MS = 4000 /* for the DNS of one domain */ };

/* By value; release with assessment_free(). */
struct assessment {
    struct text text; /* as it was sent, without white space around it; borrowed */
    struct mailbox mailbox;
    struct facts facts; /* its evidence is the caller's */
    struct judgement judgement;
    bool needs_evidence;
    bool cached; /* the evidence is not of this call */
};

/* Read the address; what it needs of the DNS is the caller's to find. Data is a struct knowledge.
 * The assessment must stay where it is. */
void assess_begin(struct text text, const void *data, const struct egress *egress,
                  struct assessment *assessment);

/* Judge it; evidence may be NULL. */
void assess_end(struct assessment *assessment, const struct evidence *evidence, bool cached);
void assessment_free(struct assessment *assessment);

/* Add the members that both tools show: email, domain, verdict, score. */
void assessment_report(const struct assessment *assessment, cJSON *result);

/* Add the signals, the heaviest first; returns how many. */
size_t assessment_report_signals(const struct assessment *assessment, cJSON *result);
