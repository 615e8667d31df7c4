/* tests/unit/portal/payments/stripe/stripe-facts.c - the facts in a processor's responses; 'single
 * quotes' are JSON's double ones. */
#include "portal/payments/stripe/stripe-facts.h"

#include <string.h>

#include "base/buf.h"
#include "rows.h"

#define ORDER "01890a5d-ac96-774b-bcce-b302099a8057"
#define HEAD  "'id':'cs_1','object':'checkout.session','livemode':false,"
#define MONEY                                                               \
    "'currency':'usd','amount_total':1500,'total_details':{'amount_tax':0," \
    "'amount_discount':0,'amount_shipping':0},"
#define PAID "'status':'complete','payment_status':'paid',"
#define MINE "'client_reference_id':'" ORDER "',"
#define CHARGE                                                                    \
    "'payment_intent':{'id':'pi_1','status':'succeeded','latest_charge':{"        \
    "'receipt_url':'https://pay.stripe.com/receipts/1','payment_method_details':" \
    "{'card':{'brand':'visa','last4':'4242'}}}},"
#define BUYER \
    "'customer_details':{'name':'Jane','email':'j@example.com','address':{'country':'DE'}}"
#define SESSION(rest) "{" HEAD rest "}"

static cJSON *parse(const char *quoted)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    cJSON *tree = NULL;
    for (; *quoted; quoted++)
        buf_add_byte(&text, *quoted == '\'' ? '"' : *quoted);
    assert_true(json_parse(buf_text(&text), JSON_DEPTH, &tree, NULL));
    return tree;
}

static const struct row {
    const char *name;
    const char *session;
    const char *want; /* facts, as they are printed; NULL: rejected */
} rows[] = {
    { "open",
      SESSION("'status':'open','payment_status':'unpaid'," MONEY MINE "'payment_intent':null"),
      "{'status':'open','paid':'unpaid','live':false,'live_wanted':true,'is_test':false,"
      "'currency':'USD','amount':1500,'tax':0,'discount':0,'order':'" ORDER
      "','session':'cs_1','payment_ref':null,'intent_status':null,'refunded':0,'disputed':0,'lost':"
      "0,"
      "'receipt':{}}" },
    { "paid", SESSION(PAID MONEY MINE CHARGE BUYER),
      "{'status':'complete','paid':'paid','live':false,'live_wanted':true,'is_test':false,"
      "'currency':'USD','amount':1500,'tax':0,'discount':0,'order':'" ORDER
      "','session':'cs_1','payment_ref':'pi_1','intent_status':'succeeded','refunded':0,"
      "'disputed':0,'lost':0,'receipt':{'url':'https://pay.stripe.com/receipts/1','name':'Jane',"
      "'email':'j@example.com','country':'DE','card':'visa 4242'}}" },
    { "with tax and discount",
      SESSION(PAID "'currency':'usd','amount_total':1600,'total_details':{'amount_tax':200,"
                   "'amount_discount':100}," MINE "'payment_intent':null"),
      "{'status':'complete','paid':'paid','live':false,'live_wanted':true,'is_test':false,"
      "'currency':'USD','amount':1600,'tax':200,'discount':100,'order':'" ORDER
      "','session':'cs_1','payment_ref':null,'intent_status':null,'refunded':0,'disputed':0,'lost':"
      "0,"
      "'receipt':{}}" },
    { "a foreign one, free",
      SESSION("'status':'complete','payment_status':'no_payment_required',"
              "'currency':'jpy','amount_total':0,'client_reference_id':null"),
      "{'status':'complete','paid':'no_payment_required','live':false,'live_wanted':true,"
      "'is_test':false,'currency':'JPY','amount':0,'tax':0,'discount':0,'order':null,"
      "'session':'cs_1','payment_ref':null,'intent_status':null,'refunded':0,'disputed':0,'lost':0,"
      "'receipt':{}}" },
    { "a charge that was not expanded, a word we do not know, what is no URL",
      SESSION(PAID MONEY MINE "'payment_intent':{'id':'pi_1','status':'requires_thought',"
                              "'latest_charge':'ch_1'},'customer_details':{'name':'a\\u0000b\\nc',"
                              "'email':null}"),
      "{'status':'complete','paid':'paid','live':false,'live_wanted':true,'is_test':false,"
      "'currency':'USD','amount':1500,'tax':0,'discount':0,'order':'" ORDER
      "','session':'cs_1','payment_ref':'pi_1','intent_status':'requires_thought','refunded':0,"
      "'disputed':0,'lost':0,'receipt':{'name':'abc'}}" },
    { "a receipt that leads elsewhere",
      SESSION(PAID MONEY MINE
              "'payment_intent':{'id':'pi_1','status':'Succeeded!','latest_charge':{"
              "'receipt_url':'javascript:alert(1)','payment_method_details':{'card':{"
              "'brand':'visa','last4':'42424242'}}}}"),
      "{'status':'complete','paid':'paid','live':false,'live_wanted':true,'is_test':false,"
      "'currency':'USD','amount':1500,'tax':0,'discount':0,'order':'" ORDER
      "','session':'cs_1','payment_ref':'pi_1','intent_status':null,'refunded':0,'disputed':0,'"
      "lost':0,"
      "'receipt':{}}" },
    { "with taxes and what they were computed from",
      SESSION(PAID "'currency':'usd','amount_total':1785,'total_details':{'amount_tax':285,"
                   "'breakdown':{'taxes':[{'amount':285,'taxability_reason':'standard_rated',"
                   "'rate':{'display_name':'V\\nAT','percentage':8.875}},{'amount':0,"
                   "'taxability_reason':'reverse_charge','rate':null},{'amount':-1}]}}," MINE
                   "'automatic_tax':{'enabled':true},'customer_details':{'name':'Acme',"
                   "'address':{'line1':'Rue 1','line2':null,'city':'Lyon','state':'',"
                   "'postal_code':'123456789012345678901','country':'FRA'},"
                   "'tax_ids':[{'type':'eu_vat','value':'FR1'},{'type':'x','value':'y'}]}"),
      "{'status':'complete','paid':'paid','live':false,'live_wanted':true,'is_test':false,"
      "'currency':'USD','amount':1785,'tax':285,'discount':0,'order':'" ORDER
      "','session':'cs_1','payment_ref':null,'intent_status':null,'refunded':0,'disputed':0,"
      "'lost':0,'taxes':[{'amount':285,'name':'VAT','percent':'8.875','reason':"
      "'standard_rated'},{'amount':0,'reason':'reverse_charge'}],'receipt':{'name':'Acme',"
      "'country':'FRA','billing':{'company':'Acme','line1':'Rue 1',"
      "'postal_code':'12345678901234567890','city':'Lyon','country':'FR','tax_type':'eu_vat',"
      "'tax_id':'FR1'}}}" },
    { "another session",
      "{'id':'cs_2','object':'checkout.session','livemode':false," PAID MONEY MINE "'x':0}", NULL },
    { "another object", "{'id':'cs_1','object':'charge','livemode':false," PAID MONEY MINE "'x':0}",
      NULL },
    { "no object", "{}", NULL },
    { "a list", "[]", NULL },
    { "an unknown status", SESSION("'status':'done','payment_status':'paid'," MONEY "'x':0"),
      NULL },
    { "a status of null", SESSION("'status':null,'payment_status':'paid'," MONEY "'x':0"), NULL },
    { "no payment status", SESSION("'status':'complete'," MONEY "'x':0"), NULL },
    { "livemode is a word",
      "{'id':'cs_1','object':'checkout.session','livemode':'no'," PAID MONEY "'x':0}", NULL },
    { "no amount", SESSION(PAID "'currency':'usd'"), NULL },
    { "below nothing", SESSION(PAID "'currency':'usd','amount_total':-1"), NULL },
    { "more than there is", SESSION(PAID "'currency':'usd','amount_total':1000000001"), NULL },
    { "beyond all numbers", SESSION(PAID "'currency':'usd','amount_total':1e400"), NULL },
    { "a fraction", SESSION(PAID "'currency':'usd','amount_total':1500.5"), NULL },
    { "in words", SESSION(PAID "'currency':'usd','amount_total':'1500'"), NULL },
    { "a tax in words",
      SESSION(PAID "'currency':'usd','amount_total':1500,"
                   "'total_details':{'amount_tax':'0'}"),
      NULL },
    { "a currency in capitals", SESSION(PAID "'currency':'USD','amount_total':1500"), NULL },
    { "a long currency", SESSION(PAID "'currency':'usdc','amount_total':1500"), NULL },
    { "a payment without id", SESSION(PAID MONEY "'payment_intent':{'status':'succeeded'}"), NULL },
    { "a payment not expanded", SESSION(PAID MONEY "'payment_intent':'pi_1'"), NULL },
    { "a payment's id as a path", SESSION(PAID MONEY "'payment_intent':{'id':'../pi'}"), NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *session = parse(row->session);
    scoped(facts_free) struct facts facts = { .amount = 7 };
    scoped(buf_free) struct buf printed = BUF(1 << 16);
    struct err err = { 0 };
    bool ok = stripe_read_session(session, "cs_1", &facts, &err);
    assert_int_equal(ok, row->want != NULL);
    if (!ok) {
        assert_int_equal(err.kind, ERR_UPSTREAM_UNAVAILABLE);
        assert_int_equal(facts.amount, 7);
        return;
    }
    scoped(json_free) cJSON *want = parse(row->want);
    scoped(json_free) cJSON *got = NULL;
    facts_print(&facts, true, false, &printed);
    assert_true(json_parse(buf_text(&printed), JSON_DEPTH, &got, NULL));
    if (!json_equal(want, got))
        assert_string_equal(buf_str(&printed), row->want);
}

/* ---- lists ---- */

#define PAGE(items) "{'object':'list','has_more':false,'data':[" items "]}"
#define REFUND(amount, status) \
    "{'id':'re_1','payment_intent':'pi_1','amount':" amount ",'status':'" status "'}"
#define DISPUTE(amount, currency, status)                                                \
    "{'id':'du_1','payment_intent':'pi_1','amount':" amount ",'currency':'" currency "'" \
    ",'status':'" status "'}"

static const struct list_row {
    const char *name;
    const char *page;
    bool is_disputes;
    int64_t want; /* -1: rejected */
    int64_t lost;
} list_rows[] = {
    { "none", PAGE(""), false, 0 },
    { "one that came through", PAGE(REFUND("500", "succeeded")), false, 500 },
    { "one that is on its way", PAGE(REFUND("500", "pending")), false, 500 },
    { "one that waits for the buyer", PAGE(REFUND("500", "requires_action")), false, 500 },
    { "failed and cancelled", PAGE(REFUND("500", "failed") "," REFUND("1", "canceled")), false, 0 },
    { "several",
      PAGE(REFUND("500", "succeeded") "," REFUND("25", "failed") "," REFUND("7", "pending")), false,
      507 },
    { "of another payment",
      PAGE("{'id':'re_1','payment_intent':'pi_2','amount':1,'status':'pending'}"), false, -1 },
    { "of none", PAGE("{'id':'re_1','amount':1,'status':'pending'}"), false, -1 },
    { "below nothing", PAGE(REFUND("-500", "succeeded")), false, -1 },
    { "no list", "{'object':'list','has_more':false}", false, -1 },
    { "a list of words", PAGE("'re_1'"), false, -1 },
    { "a dispute", PAGE(DISPUTE("1500", "usd", "needs_response")), true, 1500 },
    { "under review", PAGE(DISPUTE("1500", "usd", "under_review")), true, 1500 },
    { "lost", PAGE(DISPUTE("1500", "usd", "lost")), true, 1500, 1500 },
    { "lost, and not accepted", PAGE(DISPUTE("1500", "usd", "appeal_under_review")), true, 1500,
      1500 },
    { "lost and open", PAGE(DISPUTE("700", "usd", "lost") "," DISPUTE("9", "usd", "under_review")),
      true, 709, 700 },
    { "a word that we do not know", PAGE(DISPUTE("1500", "usd", "odd")), true, 1500 },
    { "won", PAGE(DISPUTE("1500", "usd", "won")), true, 0 },
    { "prevented", PAGE(DISPUTE("1500", "usd", "prevented")), true, 0 },
    { "an inquiry", PAGE(DISPUTE("1500", "usd", "warning_needs_response")), true, 0 },
    { "an inquiry under review", PAGE(DISPUTE("1500", "usd", "warning_under_review")), true, 0 },
    { "an inquiry that was closed", PAGE(DISPUTE("1500", "usd", "warning_closed")), true, 0 },
    { "in another currency: all of it", PAGE(DISPUTE("20", "eur", "lost")), true, 1600, 1600 },
    { "in no currency", PAGE("{'id':'du_1','payment_intent':'pi_1','amount':5,'status':'lost'}"),
      true, -1 },
};

static void check_list(void **state)
{
    const struct list_row *row = *state;
    scoped(json_free) cJSON *page = parse(row->page);
    struct facts facts = { .amount = 1600, .currency = "USD", .payment = "pi_1" };
    struct err err = { 0 };
    bool ok = row->is_disputes ? stripe_add_disputes(page, &facts, &err)
                               : stripe_add_refunds(page, &facts, &err);
    assert_int_equal(ok, row->want >= 0);
    assert_int_equal(row->is_disputes ? facts.disputed : facts.refunded, ok ? row->want : 0);
    assert_int_equal(facts.lost, row->lost);
}

/* ---- pages ---- */

static void check_next(const char *page, const char *want)
{
    scoped(json_free) cJSON *tree = parse(page);
    char after[PROCESSOR_ID_BYTES] = "x";
    struct err err = { 0 };
    bool ok = stripe_next_page(tree, after, &err);
    assert_int_equal(ok, want != NULL);
    if (ok)
        assert_string_equal(after, want);
}

static void pages(void **state)
{
    (void)state;
    check_next("{'has_more':false,'data':[]}", "");
    check_next("{'has_more':false,'data':[{'id':'a'}]}", "");
    check_next("{'has_more':true,'data':[{'id':'a'},{'id':'b'}]}", "b");
    check_next("{'has_more':true,'data':[]}", NULL); /* it would be requested forever */
    check_next("{'has_more':true,'data':[{'id':'a b'}]}", NULL);
    check_next("{'has_more':'yes','data':[]}", NULL);
    check_next("{'data':[]}", NULL);
    check_next("{'has_more':false}", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pages) };
    return RUN_ROWS(rows, check) + RUN_ROWS(list_rows, check_list) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
