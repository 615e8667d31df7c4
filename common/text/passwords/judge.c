/* common/text/passwords/judge.c - counts, estimates and scores a password. */
#include "text/passwords/judge.h"

#include <openssl/crypto.h>
#include <time.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "text/passwords/feedback.h"

static void count_point(struct judgement *judgement, uint32_t point)
{
    judgement->length++;
    if (point >= 0x80)
        judgement->unicode++;
    else if (ascii_is_lower(point))
        judgement->lower++;
    else if (ascii_is_upper(point))
        judgement->upper++;
    else if (ascii_is_digit(point))
        judgement->digits++;
    else
        judgement->symbols++;
}

/* Read the code points that are rated, and count all. */
static size_t read_points(struct text password, struct judgement *judgement)
{
    size_t taken = 0;
    size_t bytes;
    for (; password.size > 0; password = text_skip(password, bytes)) {
        uint32_t point = utf8_next(password, &bytes);
        if (taken < ESTIMATE_POINTS_MAX)
            judgement->points[taken++] = point;
        count_point(judgement, point);
    }
    return taken;
}

static bool is_one_class(const struct judgement *judgement)
{
    size_t length = judgement->length;
    return length > 0 && (judgement->lower == length || judgement->upper == length ||
                          judgement->digits == length || judgement->symbols == length ||
                          judgement->unicode == length);
}

static int year_of(int64_t now_ms)
{
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    return tm.tm_year + 1900;
}

static int score_of(double guesses)
{
    static const double limits[] = { 1e3, 1e6, 1e8, 1e10 };
    int score = 0;
    while (score < (int)countof(limits) && guesses >= limits[score] + 5)
        score++;
    return score;
}

void password_judge(struct text password, const cJSON *user_inputs, int64_t now_ms,
                    struct judgement *judgement)
{
    user_inputs_read(user_inputs, &judgement->inputs);
    judgement->phrase = (struct phrase){ .points = judgement->points,
                                         .length = read_points(password, judgement),
                                         .user_inputs = &judgement->inputs.lexicon,
                                         .this_year = year_of(now_ms) };
    estimate_guesses(&judgement->phrase, &judgement->estimate);
    judgement->score = score_of(judgement->estimate.guesses);
}

void judgement_free(struct judgement *judgement)
{
    estimate_free(&judgement->estimate);
    user_inputs_free(&judgement->inputs);
    OPENSSL_cleanse(judgement, sizeof(*judgement));
}

void judgement_explain(const struct judgement *judgement, cJSON *result)
{
    feedback_add(result, &judgement->phrase, &judgement->estimate,
                 &(struct feedback){ .score = judgement->score,
                                     .length = judgement->length,
                                     .is_one_class = is_one_class(judgement) });
}
