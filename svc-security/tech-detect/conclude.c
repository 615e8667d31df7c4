/* svc-security/tech-detect/conclude.c - weigh the evidence. */
#include "conclude.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { REPORTED_FROM = 50 };

/* Verdict on one technology. */
struct verdict {
    unsigned confidence; /* the larger of evidence and implication */
    bool is_dropped;     /* ruled out */
    bool is_own;
};

static bool is_there(const struct verdict *verdict)
{
    return !verdict->is_dropped && verdict->confidence >= REPORTED_FROM;
}

/* Raise the confidence of implied technologies. Returns whether any rose. */
static bool raise_implied(const struct technology *technology, const struct verdict *verdict,
                          struct verdict *verdicts)
{
    unsigned confidence = verdict->confidence;
    bool rose = false;
    for (size_t i = 0; i < technology->implies.count; i++) {
        const struct edge *edge = &technology->implies.item[i];
        struct verdict *implied = &verdicts[edge->technology];
        unsigned raised = MIN(confidence, edge->confidence);
        rose |= raised > implied->confidence || (verdict->is_own && !implied->is_own);
        implied->is_own |= verdict->is_own;
        implied->confidence = MAX(implied->confidence, raised);
    }
    return rose;
}

/* Recompute confidences from the evidence, including implications. Terminates: each round but the
 * last raises a confidence, and a confidence has few values. */
static void weigh_evidence(const struct signatures *signatures, const struct tally *tally,
                           struct verdict *verdicts)
{
    size_t count = signatures->technology_count;
    bool rose = true;
    for (size_t i = 0; i < count; i++) {
        verdicts[i].confidence = tally[i].confidence;
        verdicts[i].is_own = tally[i].is_own;
    }
    while (rose) {
        rose = false;
        for (size_t i = 0; i < count; i++)
            if (is_there(&verdicts[i]))
                rose |= raise_implied(&signatures->technology[i], &verdicts[i], verdicts);
    }
}

static bool lacks_requirement(const struct technology *technology, const struct verdict *verdicts)
{
    for (size_t i = 0; i < technology->required.count; i++)
        if (is_there(&verdicts[technology->required.item[i].technology]))
            return false;
    return technology->required.count > 0;
}

/* Drop one technology whose requirements are not met or that another one excludes. Returns false
 * without one. */
static bool drop_technology(const struct signatures *signatures, struct verdict *verdicts)
{
    for (size_t i = 0; i < signatures->technology_count; i++) {
        const struct technology *technology = &signatures->technology[i];
        if (!is_there(&verdicts[i]))
            continue;
        if (lacks_requirement(technology, verdicts)) {
            verdicts[i].is_dropped = true;
            return true;
        }
        for (size_t j = 0; j < technology->excludes.count; j++) {
            struct verdict *other = &verdicts[technology->excludes.item[j].technology];
            if (is_there(other) && other != &verdicts[i]) {
                other->is_dropped = true;
                return true;
            }
        }
    }
    return false;
}

static void move_finding(struct tally *tally, const struct technology *technology,
                         const struct verdict *verdict, struct finding *finding)
{
    *finding = (struct finding){
        .technology = technology,
        .confidence = verdict->confidence,
        .is_own = verdict->is_own,
        .is_implied = tally->confidence < REPORTED_FROM,
        .evidence_count = tally->shown_count,
    };
    memcpy(finding->version, tally->version, sizeof(finding->version));
    memcpy(finding->evidence, tally->shown, sizeof(finding->evidence));
    tally->shown_count = 0;
}

static void drop_texts(struct tally *tally)
{
    for (size_t i = 0; i < tally->shown_count; i++)
        mem_free(&tally->shown[i]);
}

void conclude(const struct signatures *signatures, struct tally *tally, struct detected *findings)
{
    size_t count = signatures->technology_count;
    scoped(mem_free) struct verdict *verdicts = mem_array(count, sizeof(*verdicts));

    do
        weigh_evidence(signatures, tally, verdicts);
    while (drop_technology(signatures, verdicts));
    findings->item = mem_array(count, sizeof(*findings->item));
    for (size_t i = 0; i < count; i++) {
        if (is_there(&verdicts[i]))
            move_finding(&tally[i], &signatures->technology[i], &verdicts[i],
                         &findings->item[findings->count++]);
        drop_texts(&tally[i]);
    }
}

void detected_free(struct detected *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        for (size_t j = 0; j < findings->item[i].evidence_count; j++)
            mem_free(&findings->item[i].evidence[j]);
    mem_free(&findings->item);
    findings->count = 0;
}
