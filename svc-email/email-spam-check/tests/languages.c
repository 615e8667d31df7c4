/* svc-email/email-spam-check/tests/languages.c - scams in ten languages, each with a wanted message
 * about the same subject. */
#include <string.h>

#include "email-spam-check/check.h"
#include "rows.h"
#include "text/json.h"

enum { SCAM_FROM = 40, WANTED_TO = 14 };

static const struct row {
    const char *name; /* rule and language */
    int least;        /* score of the scam, at least; 0: the rule fires */
    const char *scam;
    const char *wanted;
} rows[] = {
#define BANK(language, scam, wanted)    { "SCAM_BANK_CHANGE " language, SCAM_FROM, scam, wanted },
#define SEED(language, scam, wanted)    { "SCAM_SEED_PHRASE " language, SCAM_FROM, scam, wanted },
#define GIFT(language, scam, wanted)    { "SCAM_GIFT_CARDS " language, SCAM_FROM, scam, wanted },
#define VERIFY(language, scam, wanted)  { "PHISH_VERIFY " language, 0, scam, wanted },
#define PARCEL(language, scam, wanted)  { "TOPIC_DELIVERY_BAIT " language, 0, scam, wanted },
#define LOTTERY(language, scam, wanted) { "TOPIC_LOTTERY " language, 0, scam, wanted },
#include "language-rows.def"
};

static struct spam_knowledge *knowledge;

/* The score, and whether the rule fired. */
static int score_of(const char *body, const char *rule, bool *fires)
{
    const struct text nothing = { "", 0 };
    struct spam_input input = {
        TEXT("Note"), text_of(body), nothing, nothing, nothing, false, INPUT_TEXT,
    };
    struct spam_check *check = mem_new(sizeof(*check));
    scoped(json_free) cJSON *result = json_object();
    const cJSON *finding;

    *fires = false;
    spam_check_read(&input, knowledge, check);
    spam_check_report(check, result);
    cJSON_ArrayForEach(finding, json_get(result, "findings"))
        *fires |= text_is(json_text_of(json_get(finding, "rule")), rule);
    spam_check_free(check);
    mem_free(&check);
    return json_get(result, "spam_score")->valueint;
}

static void check(void **state)
{
    const struct row *row = *state;
    char rule[40] = "";
    bool fires;

    memcpy(rule, row->name, strcspn(row->name, " "));
    int score = score_of(row->scam, rule, &fires);
    if (!fires || score < row->least)
        fail_msg("%s: %d points, the rule %s", row->name, score, fires ? "fires" : "is silent");
    score = score_of(row->wanted, rule, &fires);
    if (fires || score > WANTED_TO)
        fail_msg("%s, wanted: %d points, the rule %s", row->name, score,
                 fires ? "fires" : "is silent");
}

int main(void)
{
    struct err err = { 0 };
    if (!spam_knowledge_load(SOURCE_ROOT "/svc-email", "", &knowledge, &err)) {
        print_error("%s\n", err.message);
        return 1;
    }
    int failed = RUN_ROWS(rows, check);
    spam_knowledge_free(&knowledge);
    return failed;
}
