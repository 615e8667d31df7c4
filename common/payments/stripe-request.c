/* common/payments/stripe-request.c - see stripe-request.h. */
#include "payments/stripe-request.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/percent.h"
#include "base/mem.h"
#include "base/os/deadline.h"
#include "base/table.h"
#include "net/http/fetch.h"

enum {
    RESPONSE_MAX_BYTES = 4 << 20,
    PATH_MAX_BYTES = 8 << 10,
    HEADER_BYTES = 300,
    WORD_BYTES = 64,
};

/* RFC 3986, in addition to letters and digits. Brackets in names are encoded. */
#define UNRESERVED "-._~"

static const char version_line[] = "Stripe-Version: " STRIPE_VERSION;

void stripe_client_wipe(struct stripe_client *client)
{
    explicit_bzero(client->key, sizeof(client->key));
}

void stripe_response_free(struct stripe_response *response)
{
    json_free(&response->tree);
    response->status = 0;
}

/* ---- requests ---- */

void stripe_add_field(struct buf *form, const char *name, const char *value)
{
    if (form->size > 0)
        buf_add_byte(form, '&');
    percent_encode(text_of(name), UNRESERVED, form);
    buf_add_byte(form, '=');
    percent_encode(text_of(value), UNRESERVED, form);
}

static void read_response(const struct fetch *fetch, struct stripe_response *response)
{
    response->status = fetch->end == FETCH_WHOLE ? fetch_last(fetch)->status : 0;
    if (response->status > 0 &&
        !json_parse(buf_text(&fetch->body), JSON_DEPTH, &response->tree, NULL))
        response->tree = NULL;
}

static void fetch_release(struct fetch **fetch)
{
    fetch_free(*fetch);
    mem_free(fetch);
}

void stripe_send(const struct stripe_client *client, const struct stripe_request *request,
                 struct stripe_response *response)
{
    char authorization[HEADER_BYTES];
    char idempotency[HEADER_BYTES] = "";
    if (client->is_stopping && *client->is_stopping)
        return;
    scoped(buf_free) struct buf url = BUF(PATH_MAX_BYTES);
    scoped(fetch_release) struct fetch *fetch = mem_new(sizeof(*fetch));
    snprintf(authorization, sizeof(authorization), "Authorization: Bearer %s", client->key);
    if (request->idempotency_key)
        snprintf(idempotency, sizeof(idempotency), "Idempotency-Key: %s", request->idempotency_key);
    const char *headers[] = { authorization,
                              version_line,
                              "Accept: application/json",
                              "Content-Type: application/x-www-form-urlencoded",
                              idempotency[0] ? idempotency : NULL,
                              NULL };
    struct fetch_options options = { .method = request->form ? "POST" : "GET",
                                     .headers = headers,
                                     .must_verify = true,
                                     .max_wire_bytes = RESPONSE_MAX_BYTES,
                                     .max_body_bytes = RESPONSE_MAX_BYTES };
    if (request->form)
        options.body = buf_text(request->form);
    buf_format(&url, "%s%s", client->url, request->path);
    if (fetch_operator(client->egress, buf_str(&url), &options,
                       deadline_within(request->deadline_ms, STRIPE_REQUEST_MS), fetch, NULL))
        read_response(fetch, response);
    explicit_bzero(authorization, sizeof(authorization));
}

/* ---- errors ---- */

/* Stripe's code of the error, for the operator. */
static const char *word_of(const cJSON *tree, char out[static WORD_BYTES])
{
    static const char *const places[] = { "/error/code", "/error/type" };
    for (size_t i = 0; i < countof(places); i++) {
        struct text word = json_text_of(json_at(tree, places[i]));
        if (stripe_is_id(word) && word.size < WORD_BYTES) {
            memcpy(out, word.bytes, word.size + 1);
            return out;
        }
    }
    return "without a code";
}

bool stripe_set_error(const struct stripe_response *response, struct err *err)
{
    char word[WORD_BYTES];
    if (response->status == 0)
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the processor does not respond");
    if (response->status != 200)
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the processor returned status %d (%s)",
                       response->status, word_of(response->tree, word));
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the processor's response is not JSON");
}

bool stripe_get(const struct stripe_client *client, const char *path, int64_t deadline_ms,
                struct stripe_response *response, struct err *err)
{
    struct stripe_request request = { .path = path, .deadline_ms = deadline_ms };
    stripe_send(client, &request, response);
    return (response->status == 200 && response->tree) || stripe_set_error(response, err);
}
