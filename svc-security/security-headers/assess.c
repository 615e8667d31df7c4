/* svc-security/security-headers/assess.c - compute score and grade. */
#include "assess.h"

#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"

enum {
    FULL_SCORE = 100,
    BONUS_FROM = 90, /* scores below this get no bonus */
};

/* clang-format off */
/* HSTS comes before cookies, which depend on it. */
static const struct {
    const char *name;
    check_run *run;
} checks[CHECKS] = {
#define CHECK(id, name, run) { name, run },
#include "results.def"
#undef CHECK
};

/* Lowest score of each grade. */
static const struct {
    int score;
    const char *grade;
} grades[] = {
    { 100, "A+" }, { 90, "A" },  { 85, "A-" }, { 80, "B+" }, { 70, "B" },  { 65, "B-" }, { 60, "C+" },
    { 50, "C" },   { 45, "C-" }, { 40, "D+" }, { 30, "D" },  { 25, "D-" }, { 0, "F" },
};
/* clang-format on */

const char *check_name(enum check check)
{
    return checks[check].name;
}

/* ---- score ---- */

static int uncapped_score(const struct assessment *assessment)
{
    int bonus = 0;
    int score = FULL_SCORE;
    for (size_t i = 0; i < CHECKS; i++) {
        int modifier = result_rows[assessment->result[i]].modifier;
        if (modifier > 0)
            bonus += modifier;
        else
            score += modifier;
    }
    return MAX(0, score < BONUS_FROM ? score : score + bonus);
}

int assessment_score(const struct assessment *assessment)
{
    return MIN(FULL_SCORE, assessment->score_uncapped);
}

const char *assessment_grade(const struct assessment *assessment)
{
    size_t i = 0;
    while (assessment_score(assessment) < grades[i].score)
        i++;
    return grades[i].grade;
}

/* ---- reading ---- */

static void read_policies(const struct fetch_hop *hop, const char *name, struct csp *csp)
{
    const char *value = fetch_header(hop, name);
    for (; value; value = fetch_header_next(hop, name, value))
        csp_add(csp, text_of(value), false);
}

/* Compare the nonces of the https and the http response: a repeated nonce is static. */
static void find_static_nonces(struct assessment *assessment)
{
    const struct responses *responses = assessment->responses;
    scoped(csp_free) struct csp other = { 0 };
    if (!responses->https || !responses->http)
        return;
    read_policies(fetch_last(responses->http), "Content-Security-Policy", &other);
    csp_find_static_nonces(&assessment->csp, &other, &assessment->findings);
}

static void read_page(struct assessment *assessment, const struct public_suffixes *suffixes,
                      int64_t now_s)
{
    const struct responses *responses = assessment->responses;
    const char *hsts = fetch_header(assessment->page, "Strict-Transport-Security");
    read_policies(assessment->page, "Content-Security-Policy", &assessment->csp);
    read_policies(assessment->page, "Content-Security-Policy-Report-Only",
                  &assessment->csp_report_only);
    markup_read(assessment->main, suffixes, &assessment->markup, &assessment->csp);
    csp_merge(&assessment->csp);
    csp_merge(&assessment->csp_report_only);
    if (responses->http)
        cookies_add(&assessment->cookies, responses->http, suffixes, now_s);
    if (responses->https)
        cookies_add(&assessment->cookies, responses->https, suffixes, now_s);
    if (hsts)
        hsts_read(text_of(hsts), &assessment->hsts);
}

void assess(const struct responses *responses, const struct knowledge *knowledge,
            const struct public_suffixes *suffixes, struct assessment *assessment)
{
    memset(assessment, 0, sizeof(*assessment));
    assessment->responses = responses;
    assessment->knowledge = knowledge;
    assessment->main = responses->https ? responses->https : responses->http;
    assessment->page = fetch_last(assessment->main);
    read_page(assessment, suffixes, clock_wall_ms() / 1000);
    csp_find_all(&assessment->csp, &knowledge->bypasses, &assessment->findings);
    csp_find_all(&assessment->csp_report_only, &knowledge->bypasses,
                 &assessment->report_only_findings);
    find_static_nonces(assessment);
    for (size_t i = 0; i < CHECKS; i++)
        assessment->result[i] = checks[i].run(assessment);
    assessment->score_uncapped = uncapped_score(assessment);
}

void assessment_free(struct assessment *assessment)
{
    csp_free(&assessment->csp);
    csp_free(&assessment->csp_report_only);
    cookies_free(&assessment->cookies);
    markup_free(&assessment->markup);
}
