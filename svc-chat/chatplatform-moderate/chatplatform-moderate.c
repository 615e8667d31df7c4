/*
 * svc-chat/chatplatform-moderate/chatplatform-moderate.c - moderates a chat message by rules,
 * without a model or network. The text is read once in all its disguises, finders record matches,
 * and points become scores.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "base/writing/unseen.h"
#include "finders.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    MATCHES_MAX = 50, /* listed */
    TEXT_BYTES = 1 << 18,
};

const struct data_kind moderation_data = { .name = "moderation rules",
                                           .free = moderation_rules_free,
                                           .load_configured = moderation_rules_load };

static const double flagging_weight =
    0.6; /* a category with less weight never flags a text alone */

/* ---- reading ---- */

static void read_categories(struct moderation *moderation)
{
    const cJSON *given = arg_any(moderation->job, "categories");
    const cJSON *item;

    for (size_t i = 0; i < CATEGORIES; i++)
        moderation->wants[i] = !given;
    cJSON_ArrayForEach(item, given)
        for (size_t i = 0; i < CATEGORIES; i++)
            if (text_is(json_text_of(item), category_name((enum category)i)))
                moderation->wants[i] = true;
    moderation->wants[CATEGORY_CUSTOM] =
        json_get(arg_any(moderation->job, "context"), "blocked_words") != NULL;
}

static void read_strictness(struct moderation *moderation)
{
    const char *strictness = arg_str(moderation->job, "strictness");
    const int64_t *limit = moderation->rules->limit;
    moderation->percent = strcmp(strictness, "low") == 0    ? limit[LIMIT_STRICT_LOW_PERCENT]
                          : strcmp(strictness, "high") == 0 ? limit[LIMIT_STRICT_HIGH_PERCENT]
                                                            : 100;
}

/*
 * NFKC expands ﷺ and ﷻ to 18 and 8 letters, so 4,000 of them would become 72,000. They hide no
 * letter, and words end there: replace them by blanks.
 */
static void blank_phrases(struct runes *runes)
{
    for (size_t i = 0; i < runes->count; i++)
        if (runes->at[i].code == 0xFDFA || runes->at[i].code == 0xFDFB)
            runes->at[i].code = ' ';
}

static void read_text(struct moderation *moderation)
{
    moderation->original = runes_of(arg_text(moderation->job, "text"));
    moderation->plain = runes_of(arg_text(moderation->job, "text"));
    struct unseen unseen = drop_invisible(&moderation->plain, true, true);
    moderation->signals.invisible = (int64_t)(unseen.invisible + unseen.bidi);
    blank_phrases(&moderation->plain);
    runes_normalize(&moderation->plain, FORM_NFKC);
    moderation->tokens = tokens_of(&moderation->plain);
    for (size_t i = 0; i < moderation->tokens.count; i++)
        moderation->signals.everyone |= moderation->tokens.at[i].kind == TOKEN_EVERYONE ||
                                        moderation->tokens.at[i].kind == TOKEN_HERE;
    views_make(&moderation->views, &moderation->plain, &moderation->tokens, &moderation->original);
}

/* ---- scores ---- */

struct score {
    double category[CATEGORIES];
    bool flagged[CATEGORIES];
    int64_t total;
    bool is_flagged;
    const char *action;
};

/* The worst finding counts fully, all others count a quarter. */
static void score_categories(const struct moderation *moderation, struct score *score)
{
    double sum[CATEGORIES] = { 0 };
    double most[CATEGORIES] = { 0 };
    for (size_t i = 0; i < moderation->finding_count; i++) {
        const struct finding *finding = &moderation->finding[i];
        enum category category = moderation->rules->rule[finding->rule].category;
        sum[category] += (double)finding->points;
        most[category] = fmax(most[category], (double)finding->points);
    }
    for (size_t i = 0; i < CATEGORIES; i++)
        score->category[i] = fmin(MODERATION_FULL_SCORE, most[i] + 0.25 * (sum[i] - most[i]));
}

/* Multiply the clean shares of all categories; the rest is the score. */
static int64_t total_of(const struct moderation *moderation, const struct score *score,
                        enum category without)
{
    double fine = 1;
    for (size_t i = 0; i < CATEGORIES; i++)
        if (i != without)
            fine *= 1 - moderation->rules->weight[i] * score->category[i] / MODERATION_FULL_SCORE;
    return lround(MODERATION_FULL_SCORE * (1 - fine));
}

/* A person who speaks of ending their life must not be silenced for it. */
static bool is_blocked(const struct moderation *moderation, const struct score *score)
{
    int64_t block = arg_int(moderation->job, "block_threshold");
    if (score->total == 0)
        return false; /* nothing was found, so the thresholds do not matter */
    for (size_t i = 0; i < moderation->finding_count; i++)
        if (moderation->finding[i].rule == RULE_SELF_HARM_ENCOURAGED)
            return score->total >= block;
    return total_of(moderation, score, CATEGORY_SELF_HARM) >= block ||
           (!moderation->is_ideation && score->total >= block);
}

static void score_text(const struct moderation *moderation, struct score *score)
{
    int64_t threshold = arg_int(moderation->job, "threshold");

    score_categories(moderation, score);
    score->total = total_of(moderation, score, CATEGORIES);
    score->is_flagged = score->total >= threshold && score->total > 0;
    for (size_t i = 0; i < CATEGORIES; i++) {
        score->flagged[i] = score->category[i] > 0 && score->category[i] >= (double)threshold;
        score->is_flagged |= score->flagged[i] && moderation->rules->weight[i] >= flagging_weight;
    }
    score->action = is_blocked(moderation, score) ? "block" : score->is_flagged ? "flag" : "allow";
}

static const char *severity_name(int64_t points)
{
    return points >= 80   ? "critical"
           : points >= 50 ? "high"
           : points >= 25 ? "medium"
           : points >= 1  ? "low"
                          : "none";
}

/* ---- the result ---- */

static int by_start(const void *a, const void *b)
{
    const struct finding *one = a;
    const struct finding *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    if (one->end != other->end)
        return one->end < other->end ? -1 : 1;
    return (int)one->rule - (int)other->rule;
}

static char *text_between(const struct moderation *moderation, uint32_t start, uint32_t end)
{
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    runes_print(moderation->original.at + start, end - start, &text);
    return buf_take(&text);
}

static void write_disguises(unsigned disguise, cJSON *item)
{
    static const char *const names[DISGUISES] = {
        "invisible", "fullwidth",  "styled_letters", "confusable", "diacritics",
        "leet",      "repetition", "separators",     "wildcard",   "mixed_case",
    };
    cJSON *list = json_list(item, "obfuscation");
    for (size_t i = 0; i < DISGUISES; i++)
        if (disguise & 1U << i)
            json_item_str(list, names[i]);
}

static void write_match(const struct moderation *moderation, const struct finding *finding,
                        cJSON *item)
{
    scoped(mem_free) char *match = text_between(moderation, finding->start, finding->end);
    json_str(item, "rule", rule_name(finding->rule));
    json_str(item, "category", category_name(moderation->rules->rule[finding->rule].category));
    json_str(item, "severity", severity_name(finding->points));
    json_int(item, "points", finding->points);
    json_str(item, "match", match);
    json_int(item, "start", finding->start);
    json_int(item, "end", finding->end);
    json_str(item, "normalized", finding->normalized ? finding->normalized : match);
    write_disguises(finding->disguise, item);
}

static void write_categories(const struct moderation *moderation, const struct score *score,
                             cJSON *result)
{
    cJSON *categories = json_map(result, "categories");
    for (size_t i = 0; i < CATEGORIES; i++) {
        if (i == CATEGORY_CUSTOM && !moderation->wants[i])
            continue;
        cJSON *category = json_map(categories, category_name((enum category)i));
        json_bool(category, "flagged", score->flagged[i]);
        json_num(category, "score", score->category[i]);
    }
}

static void write_signals(const struct moderation *moderation, cJSON *result)
{
    const struct signals *signals = &moderation->signals;
    cJSON *object = json_map(result, "signals");
    double ratio = signals->letters > 0 ? (double)signals->uppers / (double)signals->letters : 0;

    json_int(object, "length", (int64_t)moderation->original.count);
    json_int(object, "letters", signals->letters);
    json_num(object, "caps_ratio", round(ratio * 1000) / 1000);
    json_int(object, "mentions", signals->mentions);
    json_int(object, "unique_mentions", signals->unique_mentions);
    json_bool(object, "everyone", signals->everyone);
    json_int(object, "links", signals->links);
    json_int(object, "invites", signals->invites);
    json_int(object, "emojis", signals->emojis);
    json_int(object, "lines", signals->lines);
    json_int(object, "invisible", signals->invisible);
    json_int(object, "bidi_controls", signals->bidi_controls);
    json_int(object, "max_combining", signals->max_marks);
    json_int(object, "longest_run", signals->longest_run);
    json_int(object, "mixed_script_tokens", signals->mixed_words);
}

static void write_normalized(const struct moderation *moderation, cJSON *result)
{
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    const struct view *view = &moderation->views.view[VIEW_LEET];
    for (size_t i = 0; i < view->count; i++)
        if (view->at[i].code != VIEW_PERSON)
            utf8_add(&text, view->at[i].code);
    json_text_add(result, "normalized_text", buf_text(&text));
}

static bool is_redacted(enum category category)
{
    return category == CATEGORY_PROFANITY || category == CATEGORY_SLUR ||
           category == CATEGORY_SEXUAL || category == CATEGORY_HARASSMENT ||
           category == CATEGORY_PERSONAL_DATA || category == CATEGORY_CREDENTIAL_LEAK ||
           category == CATEGORY_CUSTOM;
}

/* Letters become blocks, and a token becomes one word. Findings are sorted by start. */
static void write_redacted(const struct moderation *moderation, cJSON *result)
{
    enum { BLOCK = 0x2588 };
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    uint32_t done = 0;

    for (size_t i = 0; i < moderation->finding_count; i++) {
        const struct finding *finding = &moderation->finding[i];
        if (!is_redacted(moderation->rules->rule[finding->rule].category) || finding->end <= done)
            continue;
        uint32_t start = MAX(finding->start, done);
        runes_print(moderation->original.at + done, start - done, &text);
        if (finding->is_token)
            buf_add_str(&text, "[redacted]");
        for (uint32_t j = start; j < finding->end && !finding->is_token; j++)
            utf8_add(&text, char_is_space(moderation->original.at[j].code)
                                ? moderation->original.at[j].code
                                : BLOCK);
        done = finding->end;
    }
    runes_print(moderation->original.at + done, moderation->original.count - done, &text);
    json_text_add(result, "redacted_text", buf_text(&text));
}

static void write_result(struct moderation *moderation, cJSON *result)
{
    struct score score = { 0 };
    score_text(moderation, &score);
    if (moderation->finding_count > 0)
        qsort(moderation->finding, moderation->finding_count, sizeof(*moderation->finding),
              by_start);

    json_bool(result, "flagged", score.is_flagged);
    json_str(result, "action", score.action);
    json_int(result, "score", score.total);
    json_str(result, "severity", severity_name(score.total));
    write_categories(moderation, &score, result);
    cJSON *matches = json_list(result, "matches");
    for (size_t i = 0; i < MIN(moderation->finding_count, (size_t)MATCHES_MAX); i++)
        write_match(moderation, &moderation->finding[i], json_item(matches));
    write_normalized(moderation, result);
    write_signals(moderation, result);
    if (arg_bool(moderation->job, "redact"))
        write_redacted(moderation, result);
    json_bool(result, "support_recommended", moderation->is_ideation);
    json_str(result, "ruleset", moderation->rules->version);
}

static void moderation_free(struct moderation *moderation)
{
    for (size_t i = 0; i < moderation->finding_count; i++)
        mem_free(&moderation->finding[i].normalized);
    mem_free(&moderation->finding);
    runes_free(&moderation->original);
    runes_free(&moderation->plain);
    tokens_free(&moderation->tokens);
    views_free(&moderation->views);
}

static bool check_request(const struct moderation *moderation, struct err *err)
{
    bool is_empty = true;
    for (size_t i = 0; i < moderation->original.count; i++)
        is_empty &= char_is_space(moderation->original.at[i].code);
    if (is_empty)
        return err_set(err, ERR_MISSING_FIELD, "text must not be blank");
    if (arg_int(moderation->job, "block_threshold") < arg_int(moderation->job, "threshold"))
        return err_set(err, ERR_CONFLICTING_FIELDS, "block_threshold must be at least threshold");
    return true;
}

bool chatplatform_moderate(const struct job *job, cJSON *result, struct err *err)
{
    scoped(moderation_free) struct moderation moderation = { .job = job, .rules = job->data };
    read_text(&moderation);
    if (!check_request(&moderation, err))
        return false;
    read_categories(&moderation);
    read_strictness(&moderation);
    find_links(&moderation);
    find_words(&moderation);
    find_noise(&moderation);
    find_secrets(&moderation);
    write_result(&moderation, result);
    return true;
}
