/* tests/unit/portal/payments/stripe/event.c - the order of an event; 'single quotes' are JSON's
 * double ones. */
#include "portal/payments/stripe/event.h"

#include <string.h>

#include "base/buf.h"
#include "base/table.h"
#include "rows.h"

#define ORDER "01890a5d-ac96-774b-bcce-b302099a8057"
#define OTHER "01890a5d-ac96-774b-bcce-b302099a8058"
#define EVENT(type, object)                                                                    \
    "{'id':'evt_1','object':'event','created':1700000000,'livemode':false,'type':'" type "','" \
    "data':{'object':" object "}}"
#define DONE "checkout.session.completed"

static const struct row {
    const char *name;
    const char *body;
    const char *want_order; /* NULL: rejected */
    const char *want_ref;
    bool is_not_ours;
} rows[] = {
    { "a checkout",
      EVENT(DONE, "{'id':'cs_1','object':'checkout.session','client_reference_id':'" ORDER
                  "','payment_intent':'pi_1'}"),
      ORDER, "cs_1" },
    { "its reference before its metadata",
      EVENT(DONE, "{'id':'cs_1','object':'checkout.session','client_reference_id':'" ORDER
                  "','metadata':{'order_id':'" OTHER "'}}"),
      ORDER, "cs_1" },
    { "by metadata alone",
      EVENT(DONE, "{'id':'cs_1','object':'checkout.session','client_reference_id':null,"
                  "'metadata':{'order_id':'" ORDER "'}}"),
      ORDER, "cs_1" },
    { "a reference without an order",
      EVENT(DONE, "{'id':'cs_1','object':'checkout.session','client_reference_id':'basket 7'}"), "",
      "cs_1" },
    { "in capitals, as we write it",
      EVENT(DONE, "{'id':'cs_1','object':'checkout.session','client_reference_id':"
                  "'01890A5D-AC96-774B-BCCE-B302099A8057'}"),
      ORDER, "cs_1" },
    { "a charge, by its payment",
      EVENT("charge.refunded",
            "{'id':'ch_1','object':'charge','payment_intent':'pi_1','metadata':{}}"),
      "", "pi_1" },
    { "a charge with metadata",
      EVENT("charge.refunded", "{'id':'ch_1','object':'charge','payment_intent':'pi_1','metadata':"
                               "{'order_id':'" ORDER "'}}"),
      ORDER, "pi_1" },
    { "a dispute, its payment expanded",
      EVENT("charge.dispute.created",
            "{'id':'du_1','object':'dispute','payment_intent':{'id':'pi_2'}}"),
      "", "pi_2" },
    { "a refund without payment",
      EVENT("refund.updated", "{'id':'re_1','object':'refund','payment_intent':null}"), "", "" },
    { "invalid ids",
      EVENT(DONE, "{'id':'cs/../1','object':'checkout.session','client_reference_id':7}"), "", "" },
    { "an object of no kind", EVENT(DONE, "{}"), "", "" },
    { "another type", EVENT("customer.created", "{'id':'cus_1','object':'customer'}"), "", "",
      true },
    { "nearly a known one", EVENT("checkout.session.complete", "{}"), "", "", true },
    { "no JSON", "{'id':", NULL },
    { "nothing", "", NULL },
    { "a list", "[]", NULL },
    { "a name twice", "{'id':'evt_1','id':'evt_2'}", NULL },
    { "no id", "{'created':1,'livemode':false,'type':'a','data':{'object':{}}}", NULL },
    { "an id with a slash",
      "{'id':'evt/1','created':1,'livemode':false,'type':'a','data':{'object':{}}}", NULL },
    { "an empty id", "{'id':'','created':1,'livemode':false,'type':'a','data':{'object':{}}}",
      NULL },
    { "no type", "{'id':'evt_1','created':1,'livemode':false,'data':{'object':{}}}", NULL },
    { "a type with blanks",
      "{'id':'evt_1','created':1,'livemode':false,'type':'a b','data':{'object':{}}}", NULL },
    { "livemode is a word",
      "{'id':'evt_1','created':1,'livemode':'false','type':'a','data':{'object':{}}}", NULL },
    { "no livemode", "{'id':'evt_1','created':1,'type':'a','data':{'object':{}}}", NULL },
    { "no time", "{'id':'evt_1','livemode':false,'type':'a','data':{'object':{}}}", NULL },
    { "before all time",
      "{'id':'evt_1','created':-1,'livemode':false,'type':'a','data':{'object':{}}}", NULL },
    { "after all time",
      "{'id':'evt_1','created':253402300800,'livemode':false,'type':'a','data':{'object':{}}}",
      NULL },
    { "half a second",
      "{'id':'evt_1','created':1.5,'livemode':false,'type':'a','data':{'object':{}}}", NULL },
    { "no object", "{'id':'evt_1','created':1,'livemode':false,'type':'a','data':{}}", NULL },
    { "its object is a list",
      "{'id':'evt_1','created':1,'livemode':false,'type':'a','data':{'object':[]}}", NULL },
    { "of the second version of events, which are thin",
      "{'id':'evt_1','object':'v2.core.event','type':'a','related_object':{'id':'x'}}", NULL },
};

static bool read_quoted(const char *quoted, struct event *event, struct err *err)
{
    scoped(buf_free) struct buf body = BUF(EVENT_MAX_BYTES);
    for (; *quoted; quoted++)
        buf_add_byte(&body, *quoted == '\'' ? '"' : *quoted);
    return event_read(buf_text(&body), event, err);
}

static void check(void **state)
{
    const struct row *row = *state;
    struct event event = { .created_s = 7 };
    struct err err = { 0 };
    bool ok = read_quoted(row->body, &event, &err);
    assert_int_equal(ok, row->want_order != NULL);
    if (!ok) {
        assert_int_equal(err.kind, ERR_PAYLOAD_MISMATCH);
        assert_int_equal(event.created_s, 7);
        return;
    }
    assert_string_equal(event.id, "evt_1");
    assert_string_equal(event.order_id, row->want_order);
    assert_string_equal(event.ref, row->want_ref);
    assert_int_equal(event.is_ours, !row->is_not_ours);
    assert_int_equal(event.created_s, 1700000000);
    assert_false(event.is_live);
}

static void livemode(void **state)
{
    struct event event;
    struct err err = { 0 };
    (void)state;
    assert_true(
        read_quoted("{'id':'evt_1','created':1,'livemode':true,'type':'a','data':{'object':{}}}",
                    &event, &err));
    assert_true(event.is_live);
}

/* amount_refunded of a charge, and of nothing else. */
static void refunded(void **state)
{
    static const struct {
        const char *body;
        int64_t want;
    } amounts[] = {
        { EVENT("charge.refunded", "{'object':'charge','amount_refunded':700}"), 700 },
        { EVENT("charge.refunded", "{'object':'charge','amount_refunded':0}"), 0 },
        { EVENT("charge.refunded", "{'object':'charge'}"), -1 },
        { EVENT("charge.refunded", "{'object':'charge','amount_refunded':null}"), -1 },
        { EVENT("charge.refunded", "{'object':'charge','amount_refunded':'700'}"), -1 },
        { EVENT("charge.refunded", "{'object':'charge','amount_refunded':7.5}"), -1 },
        { EVENT("charge.refunded", "{'object':'charge','amount_refunded':-1}"), -1 },
        { EVENT("charge.refunded", "{'object':'charge','amount_refunded':1000000001}"), -1 },
        { EVENT("refund.created", "{'object':'refund','amount':700}"), -1 },
        { EVENT(DONE, "{'object':'checkout.session','amount_refunded':700}"), -1 },
    };
    (void)state;
    for (size_t i = 0; i < countof(amounts); i++) {
        struct event event;
        struct err err = { 0 };
        assert_true(read_quoted(amounts[i].body, &event, &err));
        assert_int_equal(event.refunded, amounts[i].want);
    }
}

/* An event of the maximum size, and one byte more. */
static void sizes(void **state)
{
    scoped(buf_free) struct buf body = BUF(EVENT_MAX_BYTES + 1);
    struct event event;
    struct err err = { 0 };
    (void)state;
    buf_add_str(&body, "{\"id\":\"evt_1\",\"created\":1,\"livemode\":true,\"type\":\"a\","
                       "\"data\":{\"object\":{}}}");
    while (body.size < EVENT_MAX_BYTES)
        buf_add_byte(&body, ' ');
    assert_true(event_read(buf_text(&body), &event, &err));
    buf_add_byte(&body, ' ');
    assert_false(event_read(buf_text(&body), &event, &err));
}

/* As many as GET /v1/events returns in one request. */
static void types_of_one_request(void **state)
{
    size_t count = 0;
    (void)state;
    while (event_type(count))
        count++;
    assert_in_range(count, 14, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(livemode),
        cmocka_unit_test(refunded),
        cmocka_unit_test(sizes),
        cmocka_unit_test(types_of_one_request),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
