/* common/net/exchange.c - one request and its answer by libcurl. */
#include "net/exchange.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/head.h"
#include "net/transfer.h"

enum {
    CONNECT_MS = 5000,
    TLS_MS = 5000,
    FIRST_BYTE_MS = 9000,
    POLL_MS = 1000,
    RATIO_FREE_BYTES = 64 << 10, /* no harm is done by less */
};

/* An exchange as it goes on. */
struct state {
    const struct exchange *exchange;
    struct transfer transfer;
    CURL *easy;
    struct head head;
    struct fetch_hop *hop;
    struct buf body;
    size_t wire_bytes;
    size_t max_wire_bytes;
    int64_t begin_ms;
    bool is_head_bad;
    bool is_enough;
    bool is_bomb;
    bool is_cut;
    bool is_late;
    bool is_done;
    CURLcode code;
};

/* ---- what comes in ---- */

static void note_issuer(struct state *state)
{
    struct curl_tlssessioninfo *session = NULL;
    unsigned char *text = NULL;
    if (state->hop->tls_issuer ||
        curl_easy_getinfo(state->easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK ||
        session->backend != CURLSSLBACKEND_OPENSSL || !session->internals)
        return;
    X509 *certificate = SSL_get0_peer_certificate(session->internals);
    const X509_NAME *issuer = certificate ? X509_get_issuer_name(certificate) : NULL;
    int at = issuer ? X509_NAME_get_index_by_NID(issuer, NID_organizationName, -1) : -1;
    if (issuer && at < 0)
        at = X509_NAME_get_index_by_NID(issuer, NID_commonName, -1);
    if (at < 0)
        return;
    int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(issuer, at)));
    if (size > 0)
        state->hop->tls_issuer = mem_dup(text, (size_t)MIN(size, 256));
    OPENSSL_free(text);
}

static size_t take_header(char *bytes, size_t one, size_t size, void *argument)
{
    struct state *state = argument;
    (void)one;
    note_issuer(state);
    state->is_head_bad = !head_add(&state->head, (struct text){ bytes, size });
    state->is_enough = state->exchange->skips_redirects && head_is_redirect(&state->head);
    return state->is_head_bad || state->is_enough ? 0 : size;
}

static size_t count_wire_bytes(CURL *easy)
{
    curl_off_t bytes = 0;
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
    return (size_t)bytes;
}

/* Decoded bytes. Returning less than size ends the transfer. */
static size_t take_body(char *bytes, size_t one, size_t size, void *argument)
{
    struct state *state = argument;
    (void)one;
    size_t room = state->body.max_bytes - state->body.size;
    size_t kept = MIN(size, room);
    state->wire_bytes = count_wire_bytes(state->easy);
    size_t decoded = state->body.size + size;
    state->is_bomb = decoded > RATIO_FREE_BYTES && decoded / FETCH_RATIO_MAX > state->wire_bytes;
    if (state->is_bomb)
        return 0;
    if (decoded == state->wire_bytes) /* as it is on the wire: the limit is exact */
        kept = MIN(kept, state->max_wire_bytes - MIN(state->body.size, state->max_wire_bytes));
    buf_add(&state->body, bytes, kept);
    state->is_cut = kept < size || state->wire_bytes > state->max_wire_bytes;
    return state->is_cut ? 0 : size;
}

/* ---- what goes out ---- */

/* "host:port:address,address": libcurl asks no resolver for this name. */
static void pin(const struct exchange *exchange, struct curl_slist **list)
{
    enum { LINE_BYTES = HOST_BYTES + 8 + ADDRESSES_MAX * (INET6_ADDRSTRLEN + 3) };
    scoped(buf_free) struct buf line = BUF(LINE_BYTES);
    buf_format(&line, "%s:%u:", exchange->host->name, exchange->port);
    for (size_t i = 0; i < exchange->addresses->count; i++) {
        struct host address;
        char text[AUTHORITY_BYTES];
        host_of_address(&exchange->addresses->item[i], &address);
        host_authority(&address, 0, text);
        buf_format(&line, "%s%s", i ? "," : "", text);
    }
    transfer_add_line(list, buf_str(&line));
}

static bool has_header(const char *const *headers, const char *name)
{
    for (; headers && *headers; headers++)
        if (strncasecmp(*headers, name, strlen(name)) == 0)
            return true;
    return false;
}

/* What a browser would send, but for what the caller sends himself. */
static void add_headers(const struct exchange *exchange, struct curl_slist **list)
{
    static const struct {
        const char *name;
        const char *line;
    } usual[] = {
        { "Accept:", "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" },
        { "Accept-Language:", "Accept-Language: en" },
        { "Connection:", "Connection: close" },
        { "Expect:", "Expect:" }, /* libcurl's own for a POST */
    };
    const char *const *headers = exchange->options->headers;
    for (size_t i = 0; i < countof(usual); i++)
        if (!has_header(headers, usual[i].name))
            transfer_add_line(list, usual[i].line);
    for (; headers && *headers; headers++)
        transfer_add_line(list, *headers);
}

static void set_method(const struct exchange *exchange, CURL *easy)
{
    if (strcmp(exchange->method, "HEAD") == 0) {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    } else if (strcmp(exchange->method, "POST") == 0) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)exchange->options->body.size);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS,
                         exchange->options->body.bytes ? exchange->options->body.bytes : "");
    } else if (strcmp(exchange->method, "GET") != 0) {
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, exchange->method);
    }
}

static void set_request(struct state *state, struct curl_slist *headers, struct curl_slist *pins)
{
    const struct exchange *exchange = state->exchange;
    CURL *easy = state->easy;
    transfer_prepare(&state->transfer, easy);
    curl_easy_setopt(easy, CURLOPT_URL, exchange->url);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, egress_browser_agent(exchange->egress));
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    if (!has_header(exchange->options->headers, "Accept-Encoding:"))
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate, br");
    if (exchange->cookies) {
        curl_easy_setopt(easy, CURLOPT_SHARE, exchange->cookies);
        curl_easy_setopt(easy, CURLOPT_COOKIEFILE, ""); /* switches cookies on */
    }
    curl_easy_setopt(easy, CURLOPT_RESOLVE, pins);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, exchange->verifies ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, exchange->verifies ? 2L : 0L);
    set_method(exchange, easy);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, state);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, state);
}

/* ---- the clock ---- */

static int64_t since_begin_ms(CURL *easy, CURLINFO which)
{
    curl_off_t us = 0;
    curl_easy_getinfo(easy, which, &us);
    return us / 1000 + (us > 0); /* 0: not yet */
}

static int64_t or_usual(int64_t limit_ms, int64_t usual_ms)
{
    return limit_ms > 0 ? limit_ms : usual_ms;
}

/* Until when the step that the exchange is in may last. */
static int64_t step_deadline_ms(const struct state *state)
{
    const struct fetch_options *options = state->exchange->options;
    int64_t connected_ms = since_begin_ms(state->easy, CURLINFO_CONNECT_TIME_T);
    int64_t secured_ms = since_begin_ms(state->easy, CURLINFO_APPCONNECT_TIME_T);
    int64_t answered_ms = since_begin_ms(state->easy, CURLINFO_STARTTRANSFER_TIME_T);
    bool is_https = strncasecmp(state->exchange->url, "https:", 6) == 0;
    int64_t limit_ms;
    if (answered_ms)
        return state->exchange->deadline_ms;
    if (!connected_ms)
        limit_ms = or_usual(options->connect_ms, CONNECT_MS);
    else if (is_https && !secured_ms)
        limit_ms = connected_ms + or_usual(options->tls_ms, TLS_MS);
    else
        limit_ms = MAX(connected_ms, secured_ms) + or_usual(options->first_byte_ms, FIRST_BYTE_MS);
    return MIN(state->exchange->deadline_ms, state->begin_ms + limit_ms);
}

static void note_end(struct state *state, CURLM *multi)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            state->is_done = true;
            state->code = message->data.result;
        }
}

static void run(struct state *state, CURLM *multi)
{
    int running = 1;
    while (!state->is_done) {
        int64_t left_ms = step_deadline_ms(state) - clock_ms();
        state->is_late = left_ms <= 0;
        if (state->is_late || curl_multi_perform(multi, &running) != CURLM_OK)
            return;
        note_end(state, multi);
        if (state->is_done)
            return;
        left_ms = step_deadline_ms(state) - clock_ms();
        curl_multi_poll(multi, NULL, 0, (int)MAX(0, MIN(left_ms, POLL_MS)), NULL);
    }
}

/* ---- the end ---- */

static bool is_certificate_bad(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR;
}

static bool say_no_connection(const struct state *state, struct err *err)
{
    long error = 0;
    curl_easy_getinfo(state->easy, CURLINFO_OS_ERRNO, &error);
    if (state->transfer.is_refused)
        return guard_refuse(err);
    if (error == ECONNREFUSED)
        return err_set(err, ERR_TARGET_REFUSED, "the target refused the connection");
    if (error == ETIMEDOUT)
        return err_set(err, ERR_TARGET_TIMEOUT, "the target did not answer in time");
    return err_set(err, ERR_TARGET_UNREACHABLE, "the target cannot be reached");
}

/* Why there is no answer. */
/* clang-format off */
static const struct reason {
    CURLcode code;
    enum err_kind kind;
    const char *sentence;
} reasons[] = {
    { CURLE_COULDNT_RESOLVE_HOST,     ERR_TARGET_DNS_FAILURE,  "the host has no address in the DNS" },
    { CURLE_OPERATION_TIMEDOUT,       ERR_TARGET_TIMEOUT,      "the target did not answer in time" },
    { CURLE_SSL_CONNECT_ERROR,        ERR_TARGET_TLS_FAILURE,  "no TLS connection with the target comes about" },
    { CURLE_SSL_CIPHER,               ERR_TARGET_TLS_FAILURE,  "no TLS connection with the target comes about" },
    { CURLE_SSL_CERTPROBLEM,          ERR_TARGET_TLS_FAILURE,  "the target asks for a client certificate" },
    { CURLE_PEER_FAILED_VERIFICATION, ERR_TARGET_TLS_FAILURE,  "the target's certificate is not valid" },
    { CURLE_SSL_ISSUER_ERROR,         ERR_TARGET_TLS_FAILURE,  "the target's certificate is not valid" },
    { CURLE_SEND_ERROR,               ERR_TARGET_UNREACHABLE,  "the target closed the connection" },
    { CURLE_RECV_ERROR,               ERR_TARGET_UNREACHABLE,  "the target closed the connection" },
    { CURLE_GOT_NOTHING,              ERR_TARGET_BAD_RESPONSE, "the target closed without an answer" },
};
/* clang-format on */

static bool say_why(const struct state *state, struct err *err)
{
    if (state->is_head_bad)
        return err_set(err, ERR_TARGET_BAD_RESPONSE,
                       "the head of the target's answer is no HTTP or larger than 64 KiB or 200 "
                       "lines");
    if (state->is_bomb)
        return err_set(err, ERR_TARGET_BAD_RESPONSE,
                       "the body of the target's answer unpacks to more than %d times its size",
                       FETCH_RATIO_MAX);
    if (state->is_late)
        return err_set(err, ERR_TARGET_TIMEOUT, "the target did not answer in time");
    if (state->code == CURLE_COULDNT_CONNECT)
        return say_no_connection(state, err);
    for (size_t i = 0; i < countof(reasons); i++)
        if (reasons[i].code == state->code)
            return err_set(err, reasons[i].kind, "%s", reasons[i].sentence);
    return err_set(err, ERR_TARGET_BAD_RESPONSE, "the target's answer is no valid HTTP");
}

static void note_address(CURL *easy, struct in6_addr *address)
{
    const char *text = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &text);
    if (text && !address_parse(text_of(text), address))
        *address = (struct in6_addr){ 0 };
}

static enum fetch_end how_it_ended(const struct state *state)
{
    if (state->is_late)
        return FETCH_LATE;
    if (state->is_cut || state->is_enough)
        return FETCH_CUT;
    return state->is_done && state->code == CURLE_OK ? FETCH_WHOLE : FETCH_BROKEN;
}

static void fill(struct state *state, struct fetch_hop *hop, struct fetch *fetch)
{
    head_take(&state->head, hop);
    note_address(state->easy, &hop->address);
    hop->tls_verified = hop->tls_issuer && state->exchange->verifies;
    hop->first_byte_ms = since_begin_ms(state->easy, CURLINFO_STARTTRANSFER_TIME_T);
    hop->total_ms = clock_ms() - state->begin_ms;
    fetch->wire_bytes = MIN(count_wire_bytes(state->easy), state->max_wire_bytes);
    fetch->end = how_it_ended(state);
    fetch->body = state->body;
    buf_add(&fetch->body, "", 0); /* ends with a NUL, also when empty */
    state->body = (struct buf){ 0 };
}

static enum exchange_end finish(struct state *state, struct fetch_hop *hop, struct fetch *fetch,
                                struct err *err)
{
    bool has_answer = state->head.is_complete && !state->is_head_bad && !state->is_bomb;
    if (has_answer) {
        fill(state, hop, fetch);
        return EXCHANGE_ANSWERED;
    }
    mem_free(&hop->tls_issuer);
    if (state->exchange->verifies && is_certificate_bad(state->code)) {
        say_why(state, err);
        return EXCHANGE_BAD_CERTIFICATE;
    }
    say_why(state, err);
    return EXCHANGE_FAILED;
}

static size_t or_default(size_t limit, size_t usual)
{
    return limit ? limit : usual;
}

enum exchange_end exchange_run(const struct exchange *exchange, struct fetch_hop *hop,
                               struct fetch *fetch, struct err *err)
{
    const struct fetch_options *options = exchange->options;
    scoped(transfer_free_list) struct curl_slist *headers = NULL;
    scoped(transfer_free_list) struct curl_slist *pins = NULL;
    struct state state = {
        .exchange = exchange,
        .transfer = { .egress = exchange->egress,
                      .trust = egress_trust(exchange->egress),
                      .is_guarded = exchange->addresses != NULL },
        .easy = exchange->easy,
        .hop = hop,
        .body = BUF(or_default(options->max_body_bytes, FETCH_BODY_BYTES)),
        .max_wire_bytes = or_default(options->max_wire_bytes, FETCH_WIRE_BYTES),
        .begin_ms = clock_ms(),
    };
    add_headers(exchange, &headers);
    if (exchange->addresses && !exchange->host->is_address)
        pin(exchange, &pins);
    set_request(&state, headers, pins);
    curl_multi_add_handle(exchange->multi, exchange->easy);
    run(&state, exchange->multi);
    enum exchange_end end = finish(&state, hop, fetch, err);
    curl_multi_remove_handle(exchange->multi, exchange->easy);
    curl_easy_setopt(exchange->easy, CURLOPT_COOKIEFILE, NULL); /* a reset alone leaks (7.88) */
    curl_easy_setopt(exchange->easy, CURLOPT_SHARE, NULL);
    curl_easy_reset(exchange->easy);
    buf_free(&state.body);
    head_free(&state.head);
    return end;
}
