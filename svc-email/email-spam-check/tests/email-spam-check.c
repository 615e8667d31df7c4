/* svc-email/email-spam-check/tests/email-spam-check.c - whole messages: kinds, scores, errors. */
#include <string.h>

#include "email-spam-check/check.h"
#include "expect.h"
#include "tools.h"

#define GTUBE "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"
#define ORDER                                                                                  \
    "Dear Anna Berg, thank you for your order. We have received it and will tell you when it " \
    "leaves our warehouse. 2 notebooks 11.80, one pen 24.50. Total 41.20"

static const struct answer_row rows[] = {
    { "an order is no spam", "{'subject':'Your order 10482','body':'" ORDER "'}", NULL,
      "{'/spam_score':0,'/spam_risk':'low','/grade':'A+','/inbox_likelihood':98,'/findings#':0,"
      "'/input_kind':'text','/stats/links':0,'/stats/html_text_percent':null}" },
    { "the test string", "{'subject':'x','body':'" GTUBE "'}", NULL,
      "{'/spam_score':100,'/spam_risk':'critical','/grade':'F','/inbox_likelihood':2,"
      "'/findings/0/rule':'GTUBE','/findings/0/severity':'critical'}" },
    { "an empty subject with a good body", "{'subject':'','body':'" ORDER "'}", NULL,
      "{'/spam_score':8,'/findings/0/rule':'SUBJECT_MISSING','/findings/0/strength':'weak'}" },
    { "a body alone", "{'body':'" ORDER "'}", NULL, "{'/spam_score':8}" },
    { "a subject alone", "{'subject':'hello'}", NULL, "{'/findings/0/rule':'BODY_EMPTY'}" },
    { "hype alone stays low",
      "{'subject':'Last chance!! 20% off, $5','body':'Amazing, incredible, exclusive bonus! Act "
      "now, hurry, "
      "limited time! Click here, click below! Free gift, free trial, at no cost! 20% off, save "
      "big, "
      "cheap, discount! Call now, toll free!!'}",
      NULL, "{'/spam_score':14,'/spam_risk':'low'}" },
    { "strong evidence lets the weak count",
      "{'subject':'Your account is LIMITED!!','body':'Dear customer, verify your account within 24 "
      "hours at http://paypal.login.example/ or it will be suspended.','from':'PayPal "
      "<a@z.example>'}",
      NULL,
      "{'/spam_score':100,'/category_scores/sender':20,'/findings/0/rule':'FROM_BRAND_SPOOF'}" },
    { "the same topic as HTML",
      "{'subject':'x','body':'<html><body><p>Buy Vi&#97;gra here</p></body></html>'}", NULL,
      "{'/input_kind':'html','/findings/0/rule':'TOPIC_PHARMACY'}" },
    { "the same topic in a raw message",
      "{'body':'From: a@b.c\\nTo: d\\nSubject: x\\nContent-Transfer-Encoding: "
      "quoted-printable\\n\\n"
      "Buy Vi=61gra here'}",
      NULL, "{'/input_kind':'raw','/findings/0/rule':'TOPIC_PHARMACY'}" },
    { "the same topic plainly", "{'subject':'x','body':'Buy Viagra here'}", NULL,
      "{'/input_kind':'text','/findings/0/rule':'TOPIC_PHARMACY','/findings/0/"
      "evidence':'viagra'}" },
    { "a Russian text",
      "{'subject':'Встреча в четверг','body':'Здравствуйте! Обсуждаем роман о дороге на север, "
      "приходите с книгой и с вопросами к нам в библиотеку на улице Садовой в семь часов вечера.'}",
      NULL, "{'/spam_score':0}" },
    { "a Chinese text",
      "{'subject':'十一月的茶讯','body':'"
      "今年的秋茶已经到店，欢迎周末来品尝。本月二十日起，店内展出二十位匠人的作品，"
      "欢迎各位朋友前来参观。'}",
      NULL, "{'/spam_score':0}" },
    { "format raw", "{'body':'Subject: x\\n\\nhello','format':'raw'}", NULL,
      "{'/input_kind':'raw'}" },
    { "both alternatives", "{'subject':'x','body':'" ORDER "','html':'<p>" ORDER "</p>'}", NULL,
      "{'/input_kind':'html','/spam_score':0}" },
    { "a single link is HTML",
      "{'subject':'x','body':'Read <a class=b HREF=https://a.example/>the news</a>'}", NULL,
      "{'/input_kind':'html','/stats/links':1}" },
    { "a single image is HTML", "{'subject':'x','body':'Hello <IMG\\nsrc=a.png> all'}", NULL,
      "{'/input_kind':'html','/stats/images':1}" },
    { "a link without a target is text", "{'subject':'x','body':'<a> b < a href= c'}", NULL,
      "{'/input_kind':'text'}" },
    { "a named anchor is text", "{'subject':'x','body':'<a name=x>y</a> <abbr href=x>'}", NULL,
      "{'/input_kind':'text'}" },
    { "an open tag is text", "{'subject':'x','body':'<a href=x'}", NULL, "{'/input_kind':'text'}" },
    { "a raw plain text that quotes a link stays text",
      "{'body':'From: a@b.c\\nTo: d\\nSubject: x\\n\\nWrite <a href=x>y</a> there.'}", NULL,
      "{'/input_kind':'raw','/stats/html_text_percent':null}" },
    { "blanks", "{'subject':' ','body':'\\n'}", "missing_field", NULL },
    { "nothing", "{}", "missing_field", NULL },
    { "an invalid format", "{'body':'x','format':'pdf'}", "invalid_value", NULL },
};

static struct spam_knowledge *knowledge;

static void check(void **state)
{
    assert_answers_with(knowledge, email_spam_check, "email-spam-check", *state);
}

/* body and html share a limit, which one request can reach. */
static void check_sum(void **state)
{
    static const struct {
        size_t body, html;
        const char *error;
    } sums[] = { { 30000, 30000, NULL }, { 30000, 30001, "too_long" } };
    (void)state;
    for (size_t i = 0; i < countof(sums); i++) {
        scoped(buf_free) struct buf request = BUF(70000);
        struct answer_row row = { "a sum", NULL, sums[i].error, sums[i].error ? NULL : "{}" };
        buf_add_str(&request, "{'body':'");
        for (size_t j = 0; j < sums[i].body; j++)
            buf_add_byte(&request, 'a');
        buf_add_str(&request, "','html':'");
        for (size_t j = 0; j < sums[i].html; j++)
            buf_add_byte(&request, 'b');
        buf_add_str(&request, "'}");
        row.body = buf_str(&request);
        assert_answers_with(knowledge, email_spam_check, "email-spam-check", &row);
    }
}

/* A message with many weak findings, and this many words. Returns its score. */
static int score_of_words(size_t words, const char *more)
{
    scoped(buf_free) struct buf request = BUF(70000);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    buf_format(&request,
               "{'subject':'Special offer: save $500 today?!','body':'Act now! Click here! "
               "100%% guaranteed!!! %s",
               more);
    for (size_t i = 0; i < words; i++)
        buf_add_str(&request, "stone ");
    buf_add_str(&request, "'}");
    assert_true(run_tool_with(knowledge, email_spam_check, "email-spam-check", buf_str(&request),
                              result, NULL, &err));
    return json_get(result, "spam_score")->valueint;
}

/* Weak findings are limited, in a text of more than 400 words to less. */
static void check_weak_limits(void **state)
{
    enum { CREDENTIALS = 18 /* points of LINK_CREDENTIALS */, WEAK = 16 };
    (void)state;
    assert_int_equal(score_of_words(300, ""), 14);
    assert_int_equal(score_of_words(500, ""), 8);
    int with_strong = score_of_words(500, "http://a@b.example/ ");
    assert_in_range(with_strong, CREDENTIALS + 9, CREDENTIALS + WEAK);
}

int main(void)
{
    static const struct {
        const char *name;
    } sums[] = { { "body and html together" } };
    static const struct {
        const char *name;
    } limits[] = { { "limits of weak findings" } };
    if (!spam_knowledge_load(SOURCE_ROOT "/svc-email", "", &knowledge, NULL))
        return 1;
    int failed =
        RUN_ROWS(rows, check) + RUN_ROWS(sums, check_sum) + RUN_ROWS(limits, check_weak_limits);
    spam_knowledge_free(&knowledge);
    return failed;
}
