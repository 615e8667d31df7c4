/* svc-ai/ai-moderation/tests/ai-moderation.c - what scores mean. */
#include "svc-ai/said.h"

#define SCORES(hate, threat, instructions, violence, graphic)                                     \
    "'hate':" hate ",'hate_threatening':" threat                                                  \
    ",'harassment':0,'harassment_threatening':0,'self_harm':0,'self_harm_intent':0,"              \
    "'self_harm_instructions':" instructions ",'sexual':0,'sexual_minors':0,'violence':" violence \
    ",'violence_graphic':" graphic ",'illicit':0,'illicit_violent':0"
#define SAYS(hate, threat, instructions, violence, graphic) \
    "{" SCORES(hate, threat, instructions, violence,        \
               graphic) ",'reason':'Because.','language':'en'}"
#define HATE(score) SAYS(score, "0", "0", "0", "0")
#define NOTHING     HATE("0")
#define ASK(more)   "{'text':'Hello'" more "}"

/* clang-format off */
static const struct said rows[] = {
    { "nothing", ASK(""), NOTHING, "/action", "'allow'" },
    { "nothing is not flagged", ASK(""), NOTHING, "/flagged", "false" },
    { "nothing has no top", ASK(""), NOTHING, "/top_category", "null" },
    { "nothing is no severity", ASK(""), NOTHING, "/severity", "'none'" },
    { "below the threshold", ASK(""), HATE("0.4999"), "/flagged", "false" },
    { "at the threshold", ASK(""), HATE("0.5"), "/categories/hate", "true" },
    { "is for review", ASK(""), HATE("0.5"), "/action", "'review'" },
    { "a threshold of one's own", ASK(",'threshold':0.3"), HATE("0.3"), "/flagged", "true" },
    { "0.8499 does not block", ASK(""), HATE("0.8499"), "/action", "'review'" },
    { "0.85 blocks", ASK(""), HATE("0.85"), "/action", "'block'" },
    { "but not below the threshold", ASK(",'threshold':0.9"), HATE("0.87"), "/action", "'allow'" },
    { "a threat of hate blocks", ASK(""), SAYS("0", "0.5", "0", "0", "0"), "/action", "'block'" },
    { "instructions to self-harm block", ASK(""), SAYS("0", "0", "0.5", "0", "0"), "/action", "'block'" },
    { "graphic violence does not", ASK(""), SAYS("0", "0", "0", "0", "0.5"), "/action", "'review'" },
    { "a part raises the whole", ASK(""), SAYS("0.1", "0.6", "0", "0", "0"), "/categories/hate", "true" },
    { "a part of a name with a slash", ASK(""), SAYS("0", "0", "0", "0.1", "0.6"), "/category_scores/violence", "0.6" },
    { "a whole does not raise its part", ASK(""), HATE("0.9"), "/flagged", "true" },
    { "the part is the top", ASK(""), SAYS("0.6", "0.6", "0", "0", "0"), "/top_category", "'hate/threatening'" },
    { "the top is the highest", ASK(""), SAYS("0.2", "0", "0", "0.3", "0"), "/top_category", "'violence'" },
    { "severity low", ASK(""), HATE("0.2"), "/severity", "'low'" },
    { "severity medium", ASK(""), HATE("0.5"), "/severity", "'medium'" },
    { "severity high", ASK(""), HATE("0.7"), "/severity", "'high'" },
    { "severity critical", ASK(""), HATE("0.85"), "/severity", "'critical'" },
    { "four decimals", ASK(""), HATE("0.123456"), "/category_scores/hate", "0.1235" },
    { "a score above 1", ASK(""), HATE("17"), "/category_scores/hate", "1" },
    { "a score below 0", ASK(""), HATE("-3"), "/category_scores/hate", "0" },
    { "what is not asked for does not count", ASK(",'categories':['sexual']"), HATE("0.99"), "/flagged", "false" },
    { "but its score is reported", ASK(",'categories':['sexual']"), HATE("0.99"), "/category_scores/hate", "0.99" },
    { "the alias of text", "{'input':'Hello'}", NOTHING, "/input_length", "5" },
    { "text and context are counted", ASK(",'context':'abc'"), NOTHING, "/input_length", "8" },
    { "the reason is a line", ASK(""), "{" SCORES("0", "0", "0", "0", "0") ",'reason':'a\\n<b>b</b>','language':'en'}", "/reason", "'a b'" },
    { "no reason is one of ours", ASK(""), "{" SCORES("0.5", "0", "0", "0", "0") "}", "/reason", "'The highest score is hate with 0.50.'" },
    { "no language", ASK(""), "{" SCORES("0", "0", "0", "0", "0") ",'reason':'r'}", "/language", "'und'" },
    { "an invalid language", ASK(""), "{" SCORES("0", "0", "0", "0", "0") ",'reason':'r','language':'HACKED'}", "/language", "'und'" },
    { "a language by name", ASK(""), "{" SCORES("0", "0", "0", "0", "0") ",'reason':'r','language':'German'}", "/language", "'de'" },
    { "the source", ASK(""), NOTHING, "/source", "'model'" },
    { "a model that gives the verdict itself", ASK(""), "{'flagged':false,'action':'allow'}", NULL, "provider_error" },
    { "a model that leaves a score out", ASK(""), "{'hate':0,'reason':'r','language':'en'}", NULL, "provider_error" },
    { "blanks alone", "{'text':' '}", NULL, NULL, "too_short" },
    { "an unknown category", ASK(",'categories':['spam']"), NULL, NULL, "invalid_value" },
    { "a threshold above 1", ASK(",'threshold':1.1"), NULL, NULL, "invalid_value" },
};

/* A moderation model's verdict. */
static const struct said verdicts[] = {
    { "its scores count", ASK(""), "{'flagged':false,'category_scores':{'hate':0.9}}", "/action", "'block'" },
    { "its flags do not", ASK(""), "{'flagged':true,'category_scores':{'hate':0.1}}", "/flagged", "false" },
    { "names of another spelling", ASK(""), "{'category_scores':{'self_harm/intent':0.6}}", "/category_scores/self-harm", "0.6" },
    { "what it lacks is 0", ASK(""), "{'category_scores':{}}", "/top_category", "null" },
    { "what is no number is 0", ASK(""), "{'category_scores':{'hate':'1'}}", "/category_scores/hate", "0" },
    { "the source", ASK(""), "{'category_scores':{}}", "/source", "'moderation_api'" },
    { "the reason is ours", ASK(""), "{'category_scores':{'hate':0.9}}", "/reason", "'The highest score is hate with 0.90.'" },
};
/* clang-format on */

static void check(void **state)
{
    moderation_says = NULL;
    check_said(*state, ai_moderation, "ai-moderation");
}

static void check_verdict(void **state)
{
    const struct said *row = *state;
    moderation_says = row->says;
    check_said(row, ai_moderation, "ai-moderation");
    assert_int_equal(model_calls, 0);
    moderation_says = NULL;
}

static void a_refusal_is_for_review(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    model_fails = ERR_MODEL_REFUSED;
    assert_true(run_tool(ai_moderation, "ai-moderation", ASK(""), result, NULL, &err));
    assert_true(json_is(json_get(result, "flagged"), cJSON_True));
    assert_string_equal(json_text(result, "/action"), "review");
    assert_string_equal(json_text(result, "/severity"), "none");
    assert_true(json_is(json_get(result, "top_category"), cJSON_NULL));
    assert_string_equal(json_text(result, "/meta/warnings/0"), "model_refused");
}

static void no_model_at_all(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    model_fails = ERR_PROVIDER_UNCONFIGURED;
    assert_false(run_tool(ai_moderation, "ai-moderation", ASK(""), result, NULL, &err));
    assert_int_equal(err.kind, ERR_PROVIDER_UNCONFIGURED);
    forget_models();
}

/* The error if both kinds of models fail. */
static const struct both {
    const char *name;
    enum err_kind moderation, chat, want;
} both[] = {
    { "no chat model may be called", ERR_PROVIDER_ERROR, ERR_PROVIDER_UNCONFIGURED,
      ERR_PROVIDER_ERROR },
    { "nor a moderation model", ERR_PROVIDER_UNCONFIGURED, ERR_PROVIDER_UNCONFIGURED,
      ERR_PROVIDER_UNCONFIGURED },
    { "the moderation model declined", ERR_MODEL_REFUSED, ERR_PROVIDER_UNCONFIGURED,
      ERR_PROVIDER_UNCONFIGURED },
    { "a chat model failed", ERR_PROVIDER_REJECTED, ERR_PROVIDER_ERROR, ERR_PROVIDER_ERROR },
};

static void check_both(void **state)
{
    const struct both *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    moderation_fails = row->moderation;
    model_fails = row->chat;
    assert_false(run_tool(ai_moderation, "ai-moderation", ASK(""), result, NULL, &err));
    assert_int_equal(err.kind, row->want);
    moderation_fails = ERR_NONE;
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(a_refusal_is_for_review),
                                          cmocka_unit_test(no_model_at_all) };
    return RUN_ROWS(rows, check) + RUN_ROWS(verdicts, check_verdict) + RUN_ROWS(both, check_both) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
