/* svc-ai/ai-content-summarize/tests/ai-content-summarize.c - summaries for a model's answer. */
#include "svc-ai/said.h"

#define LONG_TEXT                                                                              \
    "The Tollgate gateway counts calls. Every call costs credits, and each answer is charged " \
    "once. Failed calls are free for everybody, and customers see what is left at any time."
#define LONG(more) "{'text':'" LONG_TEXT "'" more "}"
#define SAYS(summary, points, keywords, tone)                                                    \
    "{'summary':'" summary "','key_points':[" points "],'keywords':[" keywords "],'tone':'" tone \
    "'}"
#define WORDS "'calls','credits','answer'"
#define X40   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* clang-format off */
static const struct said rows[] = {
    { "the summary is the model's", LONG(""), SAYS("It counts.", "'p'", WORDS, "neutral"), "/analysis/summary", "'It counts.'" },
    { "words are counted here", LONG(""), SAYS("It counts.", "'p'", WORDS, "neutral"), "/analysis/word_count", "30" },
    { "the model's own count is not believed", LONG(""),
      "{'summary':'s','key_points':['p'],'keywords':[" WORDS "],'tone':'neutral','word_count':999,'reading_time_seconds':999}", "/analysis/word_count", "30" },
    { "reading time is rounded up", LONG(""), SAYS("It counts.", "'p'", WORDS, "neutral"), "/analysis/reading_time_seconds", "9" },
    { "a short text is its own summary", "{'text':'  Bread rises.  '}", SAYS("Something else.", "'p'", "'bread'", "neutral"), "/analysis/summary", "'Bread rises.'" },
    { "but has keywords", "{'text':'Bread rises.'}", SAYS("Something else.", "'p'", "'Bread'", "neutral"), "/analysis/keywords", "['Bread']" },
    { "a proper noun keeps its capital", LONG(""), SAYS("s", "'p'", "'Tollgate','calls','credits'", "neutral"), "/analysis/keywords", "['Tollgate','calls','credits']" },
    { "another word becomes small", LONG(""), SAYS("s", "'p'", "'CALLS','Credits','Answer'", "neutral"), "/analysis/keywords", "['calls','credits','answer']" },
    { "the same keyword twice is one", LONG(""), SAYS("s", "'p'", "'calls','Calls','credits','answer'", "neutral"), "/analysis/keywords", "['calls','credits','answer']" },
    { "what the text has not goes", LONG(""), SAYS("s", "'p'", "'pirates','calls','credits','answer'", "neutral"), "/analysis/keywords", "['calls','credits','answer']" },
    { "unless fewer than three are left", LONG(""), SAYS("s", "'p'", "'pirates','calls','ships','gold'", "neutral"), "/analysis/keywords", "['calls','pirates','ships']" },
    { "no keyword above 40 characters", LONG(""), SAYS("s", "'p'", "'" X40 "x','calls','credits','answer'", "neutral"), "/analysis/keywords", "['calls','credits','answer']" },
    { "ten keywords at most", "{'text':'a b c d e f g h i j k l'}", SAYS("s", "'p'", "'a','b','c','d','e','f','g','h','i','j','k'", "neutral"), "/analysis/keywords/10", NULL },
    { "no more points than asked for", LONG(",'max_key_points':1"), SAYS("s", "'p','q'", WORDS, "neutral"), "/analysis/key_points", "['p']" },
    { "the same point twice is one", LONG(""), SAYS("s", "'p','P','q'", WORDS, "neutral"), "/analysis/key_points", "['p','q']" },
    { "points are lines without tags", LONG(""), SAYS("s", "'a<script>b</script>\\nc'", WORDS, "neutral"), "/analysis/key_points", "['a c']" },
    { "nor has the summary any", LONG(""), SAYS("<b>s</b> <img src=x onerror=alert(1)>", "'p'", WORDS, "neutral"), "/analysis/summary", "'s'" },
    { "nothing that hides or steers", LONG(""), SAYS("s\\u202e\\u200b\\u0007", "'p'", WORDS, "neutral"), "/analysis/summary", "'s'" },
    { "a tone by another name", LONG(""), SAYS("s", "'p'", WORDS, "Casual"), "/analysis/tone", "'informal'" },
    { "input is counted as sent", "{'text':' \\u00e4\\r\\nb'}", SAYS("s", "'p'", "'b'", "neutral"), "/input_length", "5" },
    { "a language by name", LONG(",'language':'german'"), SAYS("s", "'p'", WORDS, "neutral"), "/analysis/tone", "'neutral'" },
    { "an invalid language", LONG(",'language':'Klingonese'"), NULL, NULL, "invalid_language" },
    { "blanks alone", "{'text':' \\n '}", NULL, NULL, "too_short" },
    { "no text", "{}", NULL, NULL, "missing_field" },
    { "eleven points", LONG(",'max_key_points':11"), NULL, NULL, "invalid_value" },
    { "no key points", LONG(""), SAYS("s", "", WORDS, "neutral"), NULL, "provider_error" },
    { "blank key points", LONG(""), SAYS("s", "' ','<b></b>'", WORDS, "neutral"), NULL, "provider_error" },
    { "no keywords", LONG(""), SAYS("s", "'p'", "", "neutral"), NULL, "provider_error" },
    { "blank keywords", LONG(""), SAYS("s", "'p'", "' ','-','" X40 "x'", "neutral"), NULL, "provider_error" },
    { "neither member", LONG(""), "{'summary':'s','tone':'neutral'}", NULL, "provider_error" },
    { "null for both", LONG(""), "{'summary':'s','key_points':null,'keywords':null,'tone':'neutral'}", NULL, "provider_error" },
    { "two keywords are asked for again, and taken", LONG(""), SAYS("s", "'p'", "'calls','credits'", "neutral"), "/meta/attempts", "2" },
    { "a short text may have none", "{'text':'Bread rises.'}", SAYS("s", "", "", "neutral"), "/analysis/key_points", "[]" },
    { "and is not asked for again", "{'text':'Bread rises.'}", SAYS("s", "", "", "neutral"), "/meta/attempts", "1" },
    { "a summary that says nothing", LONG(""), SAYS("<b></b>", "'p'", WORDS, "neutral"), NULL, "provider_error" },
    { "another shape", LONG(""), "{'answer':'HACKED'}", NULL, "provider_error" },
    { "no JSON", LONG(""), "HACKED", NULL, "provider_error" },
};
/* clang-format on */

static void check(void **state)
{
    check_said(*state, ai_content_summarize, "ai-content-summarize");
}

static void lengths(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf says = BUF(1 << 16);
    struct err err = { 0 };
    (void)state;
    buf_add_str(&says, "{'tone':'neutral','keywords':['calls'],'summary':'");
    for (int i = 0; i < 400; i++)
        buf_add_str(&says, "word ");
    buf_add_str(&says, "','key_points':['");
    for (int i = 0; i < 80; i++)
        buf_add_str(&says, "word ");
    buf_add_str(&says, "']}");
    model_calls = 0;
    model_says = buf_str(&says);
    assert_true(
        run_tool(ai_content_summarize, "ai-content-summarize", LONG(""), result, NULL, &err));
    assert_int_equal(strlen(json_text(result, "/analysis/summary")), 1199 + strlen("…"));
    assert_int_equal(strlen(json_text(result, "/analysis/key_points/0")), 239 + strlen("…"));
    assert_int_equal(model_calls, 2); /* too few keywords: one retry */
}

/* Options reach the model as JSON, the text in a fence. */
static void what_is_told(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    model_says = SAYS("s", "'p'", WORDS, "neutral");
    assert_true(run_tool(ai_content_summarize, "ai-content-summarize",
                         LONG(",'language':'de','max_sentences':2"), result, NULL, &err));
    struct text asked = buf_text(&model_was_asked);
    assert_true(text_has(asked, "\"language\":\"German\""));
    assert_true(text_has(asked, "\"at_most_sentences\":2"));
    assert_true(text_has(asked, "<<<DATA "));
    forget_models();
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(lengths),
                                          cmocka_unit_test(what_is_told) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
