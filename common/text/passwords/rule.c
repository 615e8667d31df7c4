/* common/text/passwords/rule.c - long enough, and hard to guess even with knowledge of the
 * owner. */
#include "text/passwords/rule.h"

#include "base/codec/utf8.h"
#include "text/json.h"
#include "text/passwords/judge.h"

enum { WORDS_MAX_BYTES = 400 };

static cJSON *words_of(const struct password_owner *owner)
{
    const char *const words[] = { owner->email, owner->name, "tollgate", owner->host };
    cJSON *list = json_array();
    for (size_t i = 0; i < countof(words); i++)
        if (words[i] && words[i][0] != '\0')
            json_item_str(list, words[i]);
    return list;
}

/* "This password is easy to guess." and the estimator's feedback, in whole sentences. */
static bool reject_guessable(const struct judgement *judgement, struct err *err)
{
    scoped(json_free) cJSON *why = json_object();
    scoped(buf_free) struct buf words = BUF(WORDS_MAX_BYTES);
    const cJSON *suggestion;

    judgement_explain(judgement, why);
    buf_format(&words, "This password is easy to guess.");
    if (json_text(why, "/warning")[0] != '\0')
        buf_format(&words, " %s", json_text(why, "/warning"));
    cJSON_ArrayForEach(suggestion, json_get(why, "suggestions"))
        buf_format(&words, " %s", suggestion->valuestring);
    return err_set(err, ERR_INVALID_VALUE, "%s", buf_str(&words));
}

bool password_rule(struct text password, const struct password_owner *owner, int64_t now_ms,
                   struct err *err)
{
    scoped(json_free) cJSON *words = words_of(owner);
    scoped(judgement_free) struct judgement judgement = { 0 };

    if (!utf8_is_valid(password))
        return err_set(err, ERR_INVALID_VALUE, "The password is not valid text.");
    size_t points = utf8_length(password);
    if (points < PASSWORD_LEAST_POINTS)
        return err_set(err, ERR_TOO_SHORT, "Use at least %d characters.", PASSWORD_LEAST_POINTS);
    if (points > PASSWORD_MOST_POINTS)
        return err_set(err, ERR_TOO_LONG, "Use at most %d characters.", PASSWORD_MOST_POINTS);
    password_judge(password, words, now_ms, &judgement);
    return judgement.score >= PASSWORD_GOOD_SCORE || reject_guessable(&judgement, err);
}
