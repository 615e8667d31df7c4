/* svc-security/tech-detect/conclude.c - weigh the evidence. */
#include "conclude.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { REPORTED_FROM = 50 };

/* What is concluded about one technology. */
struct verdict {
    unsigned confidence; /* by its own evidence or by implication, whichever is more */
    bool is_dropped;     /* not there whatever speaks for it */
};

static bool is_there(const struct verdict *verdict)
{
    return !verdict->is_dropped && verdict->confidence >= REPORTED_FROM;
}

/* Raise what one technology implies; true when anything rose. */
static bool imply(const struct technology *technology, unsigned confidence,
                  struct verdict *verdicts)
{
    bool rose = false;
    for (size_t i = 0; i < technology->implies.count; i++) {
        const struct edge *edge = &technology->implies.item[i];
        struct verdict *implied = &verdicts[edge->technology];
        unsigned raised = MIN(confidence, edge->confidence);
        rose |= raised > implied->confidence;
        implied->confidence = MAX(implied->confidence, raised);
    }
    return rose;
}

/* From the evidence anew, with all that follows from it. Each round but the last raises a
 * confidence, of which there are few values, so it ends. */
static void weigh(const struct signatures *signatures, const struct tally *tally,
                  struct verdict *verdicts)
{
    size_t count = signatures->technology_count;
    bool rose = true;
    for (size_t i = 0; i < count; i++)
        verdicts[i].confidence = tally[i].confidence;
    while (rose) {
        rose = false;
        for (size_t i = 0; i < count; i++)
            if (is_there(&verdicts[i]))
                rose |= imply(&signatures->technology[i], verdicts[i].confidence, verdicts);
    }
}

static bool lacks_what_it_needs(const struct technology *technology, const struct verdict *verdicts)
{
    for (size_t i = 0; i < technology->required.count; i++)
        if (is_there(&verdicts[technology->required.item[i].technology]))
            return false;
    return technology->required.count > 0;
}

/* Drop one whose needs are not met, or one that another rules out; false when there is none. */
static bool drop_one(const struct signatures *signatures, struct verdict *verdicts)
{
    for (size_t i = 0; i < signatures->technology_count; i++) {
        const struct technology *technology = &signatures->technology[i];
        if (!is_there(&verdicts[i]))
            continue;
        if (lacks_what_it_needs(technology, verdicts)) {
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

static void take_over(struct tally *tally, const struct technology *technology, unsigned confidence,
                      struct finding *finding)
{
    *finding = (struct finding){
        .technology = technology,
        .confidence = confidence,
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
        weigh(signatures, tally, verdicts);
    while (drop_one(signatures, verdicts));
    findings->item = mem_array(count, sizeof(*findings->item));
    for (size_t i = 0; i < count; i++) {
        if (is_there(&verdicts[i]))
            take_over(&tally[i], &signatures->technology[i], verdicts[i].confidence,
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
