/* svc-email/email-spam-check/report.c - points, score and result. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "email-spam-check/check.h"
#include "text/json.h"

enum { SCORE_MAX = 100 };

static const struct {
    const char *name;
    int cap; /* of weak points */
} categories[] = {
    [CATEGORY_SUBJECT] = { "subject", 12 },
    [CATEGORY_PHRASES] = { "phrases", 16 },
    [CATEGORY_LINKS] = { "links", 8 },
    [CATEGORY_HTML] = { "html", 12 },
    [CATEGORY_OBFUSCATION] = { "obfuscation", 8 },
    [CATEGORY_STYLE] = { "style", 10 },
    [CATEGORY_COMPLIANCE] = { "compliance", 6 },
    [CATEGORY_SENDER] = { "sender", 8 },
};

/* ---- the score ---- */

struct score {
    int by_category[CATEGORIES]; /* after the caps */
    int counted;                 /* before the limit of 100 */
    int score;
};

/* Weak findings count in full only with strong ones: hype and structure alone do not make spam. A
 * long text has more of everything, so they say less about it. */
static int weak_limit(size_t strong_rules, size_t words)
{
    static const int limits[2][3] = { { 14, 24, 45 }, { 8, 16, 30 } };
    return limits[words > LONG_TEXT_WORDS][MIN(strong_rules, 2U)];
}

static struct score score_of(const struct spam_check *check)
{
    struct score score = { 0 };
    int weak[CATEGORIES] = { 0 };
    int strong = 0;
    int weak_sum = 0;
    size_t strong_rules = 0;
    for (size_t i = 0; i < RULES; i++) {
        const struct spam_finding *found = &check->found[i];
        if (!found->is_found)
            continue;
        if (!found->is_strong) {
            weak[spam_rules[i].category] += found->points;
            continue;
        }
        strong += found->points;
        score.by_category[spam_rules[i].category] += found->points;
        strong_rules += found->points >= CORROBORATING_POINTS;
    }
    for (size_t i = 0; i < CATEGORIES; i++) {
        int capped = MIN(weak[i], categories[i].cap);
        score.by_category[i] += capped;
        weak_sum += capped;
    }
    score.counted = strong + MIN(weak_sum, weak_limit(strong_rules, check->body.word_count));
    score.score = check->found[RULE_GTUBE].is_found ? SCORE_MAX : MIN(score.counted, SCORE_MAX);
    return score;
}

static const char *risk_of(int score)
{
    return score >= 60 ? "critical" : score >= 30 ? "high" : score >= 15 ? "medium" : "low";
}

static const char *grade_of(int score)
{
    static const struct {
        int from;
        const char *grade;
    } grades[] = { { 45, "F" }, { 30, "D" }, { 20, "C" }, { 10, "B" }, { 5, "A" }, { 0, "A+" } };
    size_t i = 0;
    while (score < grades[i].from)
        i++;
    return grades[i].grade;
}

/* Linear between these points; an estimate. */
static int inbox_likelihood(int score)
{
    static const struct {
        int score, value;
    } points[] = { { 0, 98 },  { 10, 92 }, { 15, 85 }, { 20, 77 }, { 30, 60 },
                   { 40, 44 }, { 50, 30 }, { 60, 20 }, { 80, 8 },  { 100, 2 } };
    size_t i = 1;
    while (score > points[i].score)
        i++;
    int width = points[i].score - points[i - 1].score;
    int fall = points[i - 1].value - points[i].value;
    int left = (points[i].score - score) * fall; /* above the lower value, times width */
    return points[i].value + (2 * left + width) / (2 * width);
}

/* ---- findings ---- */

static const char *severity_of(int points)
{
    return points >= 18   ? "critical"
           : points >= 10 ? "high"
           : points >= 5  ? "medium"
           : points >= 1  ? "low"
                          : "info";
}

static int by_points(const void *a, const void *b, void *context)
{
    const struct spam_check *check = context;
    size_t one = *(const size_t *)a;
    size_t other = *(const size_t *)b;
    int difference = check->found[other].points - check->found[one].points;
    return difference != 0 ? difference : strcmp(spam_rules[one].name, spam_rules[other].name);
}

static void add_message(cJSON *item, size_t rule, size_t count)
{
    scoped(buf_free) struct buf message = BUF(300);
    buf_add_str(&message, spam_rules[rule].when);
    if (count > 1)
        buf_format(&message, " (%zu)", count);
    json_str(item, "message", buf_str(&message));
}

static void add_finding(const struct spam_check *check, size_t rule, cJSON *list)
{
    const struct spam_finding *found = &check->found[rule];
    cJSON *item = json_item(list);
    json_str(item, "rule", spam_rules[rule].name);
    json_str(item, "severity", severity_of(found->points));
    json_int(item, "points", found->points);
    add_message(item, rule, found->count);
    json_str(item, "fix", spam_rules[rule].fix);
    json_str(item, "category", categories[spam_rules[rule].category].name);
    json_str(item, "evidence", found->evidence);
    json_int(item, "count", (int64_t)found->count);
    json_str(item, "strength", found->is_strong ? "strong" : "weak");
}

static void add_findings(struct spam_check *check, cJSON *result)
{
    cJSON *list = json_list(result, "findings");
    size_t order[RULES];
    size_t count = 0;
    for (size_t i = 0; i < RULES; i++)
        if (check->found[i].is_found)
            order[count++] = i;
    qsort_r(order, count, sizeof(order[0]), by_points, check);
    for (size_t i = 0; i < count; i++)
        add_finding(check, order[i], list);
}

/* ---- other members ---- */

static void add_stats(const struct spam_check *check, cJSON *result)
{
    cJSON *stats = json_map(result, "stats");
    struct text_signs signs;
    text_signs_of(&check->body.runes, &signs);
    json_int(stats, "words", (int64_t)check->body.word_count);
    json_int(stats, "characters", (int64_t)check->body.runes.count);
    json_int(stats, "links", (int64_t)check->link_count);
    json_int(stats, "unique_domains", (int64_t)check->domain_count);
    json_int(stats, "images", (int64_t)check->html.images);
    json_int(stats, "uppercase_percent",
             signs.letters > 0 ? (int64_t)(signs.upper * 100 / signs.letters) : 0);
    json_int(stats, "exclamation_marks", (int64_t)signs.exclamations);
    json_int_if(stats, "html_text_percent", check->has_html && check->html.markup_bytes > 0,
                (int64_t)(check->html.visible_chars * 100 / MAX(check->html.markup_bytes, 1)));
    json_int(stats, "subject_length", (int64_t)check->subject.runes.count);
}

/* Number of rules that apply to this kind of input. */
static int64_t rules_checked(const struct spam_check *check)
{
    int64_t count = 0;
    for (size_t i = 0; i < RULES; i++)
        count += (spam_rules[i].category != CATEGORY_HTML || check->has_html) &&
                 (spam_rules[i].category != CATEGORY_SENDER || check->has_from);
    return count;
}

void spam_check_report(struct spam_check *check, cJSON *result)
{
    static const char *const kinds[] = {
        [INPUT_TEXT] = "text",
        [INPUT_HTML] = "html",
        [INPUT_RAW] = "raw",
    };
    struct score score = score_of(check);
    json_int(result, "spam_score", score.score);
    json_str(result, "spam_risk", risk_of(score.score));
    json_int(result, "inbox_likelihood", inbox_likelihood(score.score));
    json_str(result, "grade", grade_of(score.score));
    add_findings(check, result);
    cJSON *scores = json_map(result, "category_scores");
    for (size_t i = 0; i < CATEGORIES; i++)
        json_int(scores, categories[i].name, score.by_category[i]);
    json_int(result, "counted_points", score.counted);
    json_str(result, "input_kind", kinds[check->kind]);
    add_stats(check, result);
    json_int(result, "rules_checked", rules_checked(check));
}
