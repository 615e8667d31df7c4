/*
 * portal/payments/stripe/stripe.c - Stripe's API: hosted Checkout, mode payment.
 *
 * Facts from docs.stripe.com/api/checkout/sessions/create, /expire, /retrieve, /api/refunds/list,
 * /api/disputes/list, /api/events/list, /api/idempotent_requests, /api/errors, read 2026-11-23:
 *
 * - expires_at must be 30 minutes to 24 hours after the session's creation.
 * - The first result of an idempotency key, also a 500, is kept for at least 24 hours and returned
 *   again. The same key with other parameters is rejected. While the first request runs, a second
 *   one gets 409.
 * - A request that got 429 was not executed.
 */
#include <assert.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "payments/stripe-request.h"
#include "portal/base/portal.h"
#include "portal/payments/provider/provider.h"
#include "portal/payments/stripe/event.h"
#include "portal/payments/stripe/keys.h"
#include "portal/payments/stripe/stripe-facts.h"
#include "portal/payments/stripe/stripe-tax.h"

enum {
    READ_MS = 25000,   /* of all requests of one read; must be below the lease of payment_begin() */
    CREATE_MS = 25000, /* of all tries; the buyer waits */
    TRIES = 3,
    PAUSE_MS = 500, /* before the second try, twice that before the third */
    LIST_PAGES_MAX = 20,
    FORM_MAX_BYTES = 16 << 10,
    PATH_MAX_BYTES = 8 << 10,
    PRODUCT_BYTES = 64,
    NUMBER_BYTES = 24,
    KEY_DIGEST_BYTES = 8,
    IDEMPOTENCY_BYTES = UUID_TEXT_BYTES + 1 + 2 * KEY_DIGEST_BYTES,
};

/* ---- requests ---- */

static void add_number(struct buf *form, const char *name, int64_t value)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    stripe_add_field(form, name, text);
}

/* The account of the key that is current now. */
static void open_client(const struct portal *portal, struct stripe_client *client)
{
    *client = (struct stripe_client){ .egress = portal->egress,
                                      .url = conf_str(portal->conf, "payments.stripe_url") };
    stripe_key(portal->stripe_keys, client->key);
}

static void send_request(struct portal *portal, const struct stripe_request *request,
                         struct stripe_response *response)
{
    scoped(stripe_client_wipe) struct stripe_client client;
    open_client(portal, &client);
    stripe_send(&client, request, response);
}

/* GET; the response must be 200 with JSON. */
static bool get_json(struct portal *portal, const char *path, int64_t deadline_ms,
                     struct stripe_response *response, struct err *err)
{
    scoped(stripe_client_wipe) struct stripe_client client;
    open_client(portal, &client);
    return stripe_get(&client, path, deadline_ms, response, err);
}

/* ---- a new checkout ---- */

/* docs.stripe.com/tax/checkout and /tax/checkout/tax-ids, read 2026-11-27. The price is without
 * tax, and Stripe adds what its rules require. */
static void add_tax(struct buf *form)
{
    stripe_add_field(form, "automatic_tax[enabled]", "true");
    stripe_add_field(form, "tax_id_collection[enabled]", "true");
    stripe_add_field(form, "billing_address_collection", "required");
    stripe_add_field(form, "line_items[0][price_data][tax_behavior]", "exclusive");
}

static void write_form(const struct portal *portal, const struct purchase *purchase,
                       struct buf *form)
{
    const char *public_url = portal->public_url;
    char product[PRODUCT_BYTES];
    char currency[CURRENCY_BYTES];
    scoped(mem_free) char *page = str_format("%s/portal/orders/%s", public_url, purchase->order_id);
    scoped(mem_free) char *back = str_format("%s?back=1", page);
    for (size_t i = 0; i < sizeof(currency); i++)
        currency[i] = (char)ascii_lower((unsigned char)purchase->currency[i]);
    snprintf(product, sizeof(product), "%lld Tollgate credits", (long long)purchase->credits);
    stripe_add_field(form, "mode", "payment");
    stripe_add_field(form, "line_items[0][quantity]", "1");
    stripe_add_field(form, "line_items[0][price_data][currency]", currency);
    add_number(form, "line_items[0][price_data][unit_amount]", purchase->amount);
    stripe_add_field(form, "line_items[0][price_data][product_data][name]", product);
    stripe_add_field(form, "client_reference_id", purchase->order_id);
    stripe_add_field(form, "metadata[order_id]", purchase->order_id);
    /* with these, tollctl order refresh --since makes the order again */
    stripe_add_field(form, "metadata[account_id]", purchase->account_id);
    add_number(form, "metadata[credits]", purchase->credits);
    stripe_add_field(form, "payment_intent_data[metadata][order_id]", purchase->order_id);
    stripe_add_field(form, "customer_email", purchase->email);
    stripe_add_field(form, "success_url", page);
    stripe_add_field(form, "cancel_url", back);
    add_number(form, "expires_at", purchase->expires_s);
    stripe_add_field(form, "adaptive_pricing[enabled]", "false");
    if (conf_bool(portal->conf, "payments.stripe_tax"))
        add_tax(form);
}

/* Is it a URL of payments.stripe_checkout_origin, the only place to which buyers are redirected? */
static bool is_checkout_url(const struct portal *portal, struct text url)
{
    const char *origin = conf_str(portal->conf, "payments.stripe_checkout_origin");
    size_t size = strlen(origin);
    if (!text_begins(url, origin) || url.size <= size || url.bytes[size] != '/' ||
        url.size >= CHECKOUT_URL_BYTES)
        return false;
    for (size_t i = 0; i < url.size; i++)
        if (url.bytes[i] <= ' ' || url.bytes[i] > '~' || strchr("\"<>\\", url.bytes[i]))
            return false;
    return true;
}

static bool read_checkout(const struct portal *portal, const struct purchase *purchase,
                          const cJSON *tree, struct checkout *checkout)
{
    struct text id = json_text_of(json_get(tree, "id"));
    struct text url = json_text_of(json_get(tree, "url"));
    const cJSON *expires = json_get(tree, "expires_at");
    bool is_live = json_is(json_get(tree, "livemode"), cJSON_True);
    if (!stripe_is_id(id) || !is_checkout_url(portal, url) || !json_is_integer(expires) ||
        is_live != stripe_keys_are_live(portal->stripe_keys) ||
        !text_is(json_text_of(json_get(tree, "client_reference_id")), purchase->order_id))
        return false;
    memcpy(checkout->session, id.bytes, id.size + 1);
    memcpy(checkout->url, url.bytes, url.size + 1);
    checkout->expires_s = purchase->expires_s;
    return true;
}

static bool is_retryable(const struct stripe_response *response)
{
    return response->status == 0 || response->status == 409 || response->status == 429;
}

static void send_with_retries(struct portal *portal, const struct stripe_request *request,
                              struct stripe_response *response)
{
    int64_t pause_ms = PAUSE_MS;
    send_request(portal, request, response);
    for (int i = 1; i < TRIES && is_retryable(response); i++) {
        poll(NULL, 0, deadline_poll_ms(deadline_within(request->deadline_ms, pause_ms)));
        pause_ms *= 2;
        if (deadline_left_ms(request->deadline_ms) == 0)
            return;
        stripe_response_free(response);
        send_request(portal, request, response);
    }
}

/* The key is the order and a digest of the form: the same request has the same key. If the form
 * changed between two tries (the buyer's email address), the key changes too, so that Stripe does
 * not reject the second one. Nobody has seen the first try's checkout. */
static void write_idempotency_key(const struct purchase *purchase, const struct buf *form,
                                  char key[static IDEMPOTENCY_BYTES])
{
    uint8_t sum[EVP_MAX_MD_SIZE];
    char digest[2 * KEY_DIGEST_BYTES + 1];
    bool ok = EVP_Digest(form->bytes, form->size, sum, NULL, EVP_sha256(), NULL) == 1;
    assert(ok);
    hex_encode(digest, sum, KEY_DIGEST_BYTES);
    snprintf(key, IDEMPOTENCY_BYTES, "%s-%s", purchase->order_id, digest);
}

static enum create_end create_checkout(struct portal *portal, const struct purchase *purchase,
                                       struct checkout *checkout, struct err *err)
{
    scoped(buf_free) struct buf form = BUF(FORM_MAX_BYTES);
    scoped(stripe_response_free) struct stripe_response response = { 0 };
    char key[IDEMPOTENCY_BYTES];
    write_form(portal, purchase, &form);
    write_idempotency_key(purchase, &form, key);
    struct stripe_request request = { .path = "/v1/checkout/sessions",
                                      .form = &form,
                                      .idempotency_key = key,
                                      .deadline_ms = clock_ms() + CREATE_MS };
    send_with_retries(portal, &request, &response);
    if (response.status != 200) {
        stripe_set_error(&response, err);
        return is_retryable(&response) ? CREATE_NO_ANSWER : CREATE_REJECTED;
    }
    if (read_checkout(portal, purchase, response.tree, checkout))
        return CREATE_OPENED;
    err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the processor's new checkout does not match the order");
    return CREATE_REJECTED;
}

/* ---- reading an order ---- */

typedef bool add_page(const cJSON *page, struct facts *facts, struct err *err);

static bool add_list(struct portal *portal, const char *list, add_page *add, int64_t deadline_ms,
                     struct facts *facts, struct err *err)
{
    char after[PROCESSOR_ID_BYTES] = "";
    for (int i = 0; i < LIST_PAGES_MAX; i++) {
        scoped(stripe_response_free) struct stripe_response response = { 0 };
        scoped(mem_free) char *path =
            str_format("/v1/%s?payment_intent=%s&limit=100%s%s", list, facts->payment,
                       after[0] ? "&starting_after=" : "", after);
        if (!get_json(portal, path, deadline_ms, &response, err) ||
            !add(response.tree, facts, err) || !stripe_next_page(response.tree, after, err))
            return false;
        if (!after[0])
            return true;
    }
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE,
                   "the processor's list of %s has more than %d pages", list, LIST_PAGES_MAX);
}

static bool read_order(struct portal *portal, const struct purchase *purchase, struct facts *facts,
                       struct err *err)
{
    scoped(stripe_response_free) struct stripe_response response = { 0 };
    bool has_tax = conf_bool(portal->conf, "payments.stripe_tax");
    scoped(mem_free) char *path =
        str_format("/v1/checkout/sessions/%s?expand%%5B%%5D=payment_intent.latest_charge%s",
                   purchase->session, has_tax ? "&expand%5B%5D=total_details.breakdown" : "");
    int64_t deadline_ms = clock_ms() + READ_MS;
    if (!stripe_is_id(text_of(purchase->session)))
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the checkout does not have a Stripe id");
    return get_json(portal, path, deadline_ms, &response, err) &&
           stripe_read_session(response.tree, purchase->session, facts, err) &&
           (!facts->payment[0] ||
            (add_list(portal, "refunds", stripe_add_refunds, deadline_ms, facts, err) &&
             add_list(portal, "disputes", stripe_add_disputes, deadline_ms, facts, err)));
}

static void expire_checkout(struct portal *portal, const struct purchase *purchase)
{
    scoped(stripe_response_free) struct stripe_response response = { 0 };
    scoped(buf_free) struct buf form = BUF(0);
    scoped(mem_free) char *path = str_format("/v1/checkout/sessions/%s/expire", purchase->session);
    struct stripe_request request = { .path = path,
                                      .form = &form,
                                      .deadline_ms = clock_ms() + STRIPE_REQUEST_MS };
    if (stripe_is_id(text_of(purchase->session)))
        send_request(portal, &request, &response);
}

/* ---- events ---- */

static bool list_events(struct portal *portal, int64_t since_s, const char *after, cJSON **page,
                        struct err *err)
{
    scoped(buf_free) struct buf path = BUF(PATH_MAX_BYTES);
    scoped(stripe_response_free) struct stripe_response response = { 0 };
    const char *type;
    buf_format(&path, "/v1/events?limit=100&created%%5Bgte%%5D=%lld", (long long)since_s);
    for (size_t i = 0; (type = event_type(i)); i++)
        buf_format(&path, "&types%%5B%%5D=%s", type);
    if (after[0])
        buf_format(&path, "&starting_after=%s", after);
    if (!get_json(portal, buf_str(&path), clock_ms() + STRIPE_REQUEST_MS, &response, err))
        return false;
    *page = take(response.tree);
    return true;
}

const struct provider stripe_provider = {
    .name = "stripe",
    .create = create_checkout,
    .read = read_order,
    .expire = expire_checkout,
    .list_events = list_events,
    .check_tax_id = stripe_check_tax_id,
};
