/* common/net/http/exchange.c - one HTTP request and its response, with libcurl. */
#include "net/http/exchange.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dial.h"
#include "net/http/head.h"
#include "net/http/transfer.h"

enum {
    CONNECT_MS = 5000,
    TLS_MS = 5000,
    FIRST_BYTE_MS = 9000,
    POLL_MS = 1000,
    RATIO_FREE_BYTES = 64 << 10, /* smaller bodies are harmless */
    READ_BYTES = 16 << 10,       /* what libcurl reads from the wire before it calls on_body() */
};

struct flight {
    struct exchange exchange;
    struct transfer transfer;
    CURL *easy;
    struct curl_slist *headers;
    struct curl_slist *pins;
    struct head head;
    struct fetch_hop *hop;
    struct buf body;
    struct reservation reservation;
    struct err crowded;     /* set if the memory budget had no space for the body */
    size_t uncounted_bytes; /* at most: read from the wire, and not yet in count_wire_bytes() */
    size_t max_wire_bytes;
    size_t decoded_bytes;
    size_t max_decoded_bytes;
    int64_t begin_ms;
    bool is_head_bad;
    bool is_enough;
    bool is_bomb;
    bool is_cut;
    bool is_late;
    bool is_done;
    CURLcode code;
};

/* ---- receiving ---- */

static void record_issuer(const SSL *ssl, struct fetch_hop *hop)
{
    unsigned char *text = NULL;
    X509 *certificate = SSL_get0_peer_certificate(ssl);
    const X509_NAME *issuer = certificate ? X509_get_issuer_name(certificate) : NULL;
    int at = issuer ? X509_NAME_get_index_by_NID(issuer, NID_organizationName, -1) : -1;
    if (issuer && at < 0)
        at = X509_NAME_get_index_by_NID(issuer, NID_commonName, -1);
    if (at < 0)
        return;
    int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(issuer, at)));
    if (size > 0)
        hop->tls_issuer = mem_dup(text, (size_t)MIN(size, 256));
    OPENSSL_free(text);
}

static const char *alpn_of(const SSL *ssl)
{
    static const char *const known[] = { "h2", "http/1.1" };
    const unsigned char *bytes;
    unsigned size;
    SSL_get0_alpn_selected(ssl, &bytes, &size);
    for (size_t i = 0; i < countof(known); i++)
        if (text_is((struct text){ (const char *)bytes, size }, known[i]))
            return known[i];
    return NULL;
}

static void record_tls(struct flight *flight)
{
    struct curl_tlssessioninfo *session = NULL;
    struct fetch_hop *hop = flight->hop;
    if (hop->tls_version ||
        curl_easy_getinfo(flight->easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK ||
        session->backend != CURLSSLBACKEND_OPENSSL || !session->internals)
        return;
    record_issuer(session->internals, hop);
    hop->tls_version = SSL_get_version(session->internals);
    hop->alpn = alpn_of(session->internals);
}

static size_t on_header(char *bytes, size_t one, size_t size, void *argument)
{
    struct flight *flight = argument;
    (void)one;
    record_tls(flight);
    flight->is_head_bad = !head_add(&flight->head, (struct text){ bytes, size });
    flight->is_enough = flight->exchange.skips_redirects && head_is_redirect(&flight->head);
    return flight->is_head_bad || flight->is_enough ? 0 : size;
}

static size_t count_wire_bytes(CURL *easy)
{
    curl_off_t bytes = 0;
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
    return (size_t)bytes;
}

static bool claim_room(struct flight *flight, size_t body_bytes)
{
    return memory_budget_reserve(egress_body_budget(flight->exchange.egress),
                                 body_bytes * FETCH_CLAIM, 0, &flight->reservation,
                                 &flight->crowded);
}

static bool has_header(const char *const *headers, const char *name)
{
    for (; headers && *headers; headers++)
        if (strncasecmp(*headers, name, strlen(name)) == 0)
            return true;
    return false;
}

/* libcurl decodes the body, unless the caller has set Accept-Encoding. */
static bool is_compressed(const struct flight *flight)
{
    return !has_header(flight->exchange.options->headers, "Accept-Encoding:") &&
           head_has(&flight->head, "Content-Encoding");
}

/*
 * libcurl's callback for decoded bytes. Returning less than size ends the transfer. libcurl 7.88
 * has counted the bytes on the wire that it decoded for this call, libcurl 8.14 counts them later.
 */
static size_t on_body(char *bytes, size_t one, size_t size, void *argument)
{
    struct flight *flight = argument;
    (void)one;
    size_t counted = MIN(size, flight->max_decoded_bytes - flight->decoded_bytes);
    size_t decoded = flight->decoded_bytes + size;
    bool is_plain = !is_compressed(flight);
    size_t wire = is_plain ? decoded : count_wire_bytes(flight->easy);
    if (wire == 0)
        flight->uncounted_bytes = READ_BYTES;
    flight->is_bomb =
        decoded > RATIO_FREE_BYTES && decoded / FETCH_RATIO_MAX > wire + flight->uncounted_bytes;
    if (flight->is_bomb)
        return 0;
    if (is_plain) /* the limit is exact */
        counted = MIN(counted,
                      flight->max_wire_bytes - MIN(flight->decoded_bytes, flight->max_wire_bytes));
    size_t kept = MIN(counted, flight->body.max_bytes - flight->body.size);
    if (!claim_room(flight, flight->body.size + kept))
        return 0;
    buf_add(&flight->body, bytes, kept);
    flight->decoded_bytes += counted;
    flight->is_cut = counted < size || wire > flight->max_wire_bytes;
    return flight->is_cut ? 0 : size;
}

/* ---- sending ---- */

/* "host:port:address,address": libcurl then does not resolve this name. */
static void pin_addresses(const struct exchange *exchange, struct curl_slist **list)
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

/* libcurl keeps connections open unless it is configured not to. */
static const char *connection_of(const struct fetch_options *options)
{
    return options->reuses_connections ? "Connection: keep-alive" : "Connection: close";
}

/* The headers of a browser, except those that the caller sets. */
static void add_headers(const struct exchange *exchange, struct curl_slist **list)
{
    const struct {
        const char *name;
        const char *line;
    } usual[] = {
        { "Accept:", "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" },
        { "Accept-Language:", "Accept-Language: en" },
        { "Connection:", connection_of(exchange->options) },
        { "Expect:", "Expect:" }, /* libcurl adds it to POST requests */
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

static void set_request(struct flight *flight)
{
    const struct exchange *exchange = &flight->exchange;
    CURL *easy = flight->easy;
    transfer_prepare(&flight->transfer, easy);
    curl_easy_setopt(easy, CURLOPT_URL, exchange->url);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, egress_browser_agent(exchange->egress));
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, flight->headers);
    /*
     * A stream may declare a window of 16 MiB (br) or 128 MiB (zstd). libcurl's decoders use only
     * what they have unpacked, which is limited.
     */
    if (!has_header(exchange->options->headers, "Accept-Encoding:"))
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate, br, zstd");
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)READ_BYTES);
    if (exchange->cookies) {
        curl_easy_setopt(easy, CURLOPT_SHARE, exchange->cookies);
        curl_easy_setopt(easy, CURLOPT_COOKIEFILE, ""); /* enables cookies */
    }
    curl_easy_setopt(easy, CURLOPT_RESOLVE, flight->pins);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, exchange->options->reuses_connections ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, exchange->options->reuses_connections ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, exchange->verifies ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, exchange->verifies ? 2L : 0L);
    set_method(exchange, easy);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, flight);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, flight);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, flight);
}

/* ---- timing ---- */

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

/* The deadline of the exchange's current step. On a connection that is used again, the times of
 * connecting stay 0. */
static int64_t step_deadline_ms(const struct flight *flight)
{
    const struct fetch_options *options = flight->exchange.options;
    int64_t ready_ms = since_begin_ms(flight->easy, CURLINFO_PRETRANSFER_TIME_T);
    int64_t connected_ms = since_begin_ms(flight->easy, CURLINFO_CONNECT_TIME_T);
    int64_t secured_ms = since_begin_ms(flight->easy, CURLINFO_APPCONNECT_TIME_T);
    int64_t answered_ms = since_begin_ms(flight->easy, CURLINFO_STARTTRANSFER_TIME_T);
    bool is_https = strncasecmp(flight->exchange.url, "https:", 6) == 0;
    int64_t limit_ms;
    if (answered_ms)
        return flight->exchange.deadline_ms;
    if (ready_ms)
        limit_ms = ready_ms + or_usual(options->first_byte_ms, FIRST_BYTE_MS);
    else if (!connected_ms)
        limit_ms = or_usual(options->connect_ms, CONNECT_MS);
    else if (is_https && !secured_ms)
        limit_ms = connected_ms + or_usual(options->tls_ms, TLS_MS);
    else
        limit_ms = MAX(connected_ms, secured_ms) + or_usual(options->first_byte_ms, FIRST_BYTE_MS);
    return MIN(flight->exchange.deadline_ms, flight->begin_ms + limit_ms);
}

static void record_end(struct flight *flight, CURLcode code)
{
    flight->is_done = true;
    flight->code = code;
}

static void record_ends(CURLM *multi)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        struct flight *flight = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &flight);
        if (message->msg == CURLMSG_DONE)
            record_end(flight, message->data.result);
    }
}

bool exchange_is_over(const struct flight *flight)
{
    return flight->is_done || flight->is_late;
}

static bool is_cancelled(const struct flight *flight)
{
    const atomic_bool *cancelled = flight->exchange.options->cancelled;
    return cancelled && *cancelled;
}

void exchange_wait(CURLM *multi, struct flight *const *flights, size_t count, int64_t until_ms)
{
    bool is_any_over = false;
    int running = 0;
    bool works = curl_multi_perform(multi, &running) == CURLM_OK;
    record_ends(multi);
    for (size_t i = 0; i < count; i++) {
        struct flight *flight = flights[i];
        int64_t step_ms = step_deadline_ms(flight);
        if (!works && !flight->is_done)
            record_end(flight, CURLE_FAILED_INIT);
        flight->is_late = !flight->is_done && (step_ms <= clock_ms() || is_cancelled(flight));
        is_any_over = is_any_over || exchange_is_over(flight);
        until_ms = MIN(until_ms, step_ms);
    }
    int64_t left_ms = deadline_left_ms(until_ms);
    if (!is_any_over)
        curl_multi_poll(multi, NULL, 0, (int)MIN(left_ms, POLL_MS), NULL);
}

/* ---- completion ---- */

static bool is_certificate_bad(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR;
}

static bool report_no_connection(const struct flight *flight, struct err *err)
{
    long error = 0;
    curl_easy_getinfo(flight->easy, CURLINFO_OS_ERRNO, &error);
    return flight->transfer.is_refused ? guard_refuse(err) : dial_refuse((int)error, err);
}

/* Causes of a missing response. */
/* clang-format off */
static const struct reason {
    CURLcode code;
    enum err_kind kind;
    const char *sentence;
} reasons[] = {
    { CURLE_COULDNT_RESOLVE_HOST,     ERR_TARGET_DNS_FAILURE,  "the host has no address in the DNS" },
    { CURLE_OPERATION_TIMEDOUT,       ERR_TARGET_TIMEOUT,      "the target did not respond in time" },
    { CURLE_SSL_CONNECT_ERROR,        ERR_TARGET_TLS_FAILURE,  "the TLS handshake with the target failed" },
    { CURLE_SSL_CIPHER,               ERR_TARGET_TLS_FAILURE,  "the TLS handshake with the target failed" },
    { CURLE_SSL_CERTPROBLEM,          ERR_TARGET_TLS_FAILURE,  "the target requires a client certificate" },
    { CURLE_PEER_FAILED_VERIFICATION, ERR_TARGET_TLS_FAILURE,  "the target's certificate is not valid" },
    { CURLE_SSL_ISSUER_ERROR,         ERR_TARGET_TLS_FAILURE,  "the target's certificate is not valid" },
    { CURLE_SEND_ERROR,               ERR_TARGET_UNREACHABLE,  "the target closed the connection" },
    { CURLE_RECV_ERROR,               ERR_TARGET_UNREACHABLE,  "the target closed the connection" },
    { CURLE_GOT_NOTHING,              ERR_TARGET_BAD_RESPONSE, "the target closed the connection without a response" },
};
/* clang-format on */

static bool report_reason(const struct flight *flight, struct err *err)
{
    if (flight->is_head_bad)
        return err_set(
            err, ERR_TARGET_BAD_RESPONSE,
            "the head of the target's response is not HTTP, or exceeds 64 KiB or 200 lines");
    if (flight->is_bomb)
        return err_set(
            err, ERR_TARGET_BAD_RESPONSE,
            "the body of the target's response decompresses to more than %d times its size",
            FETCH_RATIO_MAX);
    if (flight->crowded.kind != ERR_NONE)
        return err_set(err, flight->crowded.kind, "%s", flight->crowded.message);
    if (flight->is_late)
        return err_set(err, ERR_TARGET_TIMEOUT, "the target did not respond in time");
    if (flight->code == CURLE_COULDNT_CONNECT)
        return report_no_connection(flight, err);
    for (size_t i = 0; i < countof(reasons); i++)
        if (reasons[i].code == flight->code)
            return err_set(err, reasons[i].kind, "%s", reasons[i].sentence);
    return err_set(err, ERR_TARGET_BAD_RESPONSE, "the target's response is not valid HTTP");
}

static void record_address(CURL *easy, struct in6_addr *address)
{
    const char *text = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &text);
    if (text && !address_parse(text_of(text), address))
        *address = (struct in6_addr){ 0 };
}

static enum fetch_end how_it_ended(const struct flight *flight)
{
    if (flight->is_late)
        return FETCH_LATE;
    if (flight->is_cut || flight->is_enough)
        return FETCH_CUT;
    return flight->is_done && flight->code == CURLE_OK ? FETCH_WHOLE : FETCH_BROKEN;
}

static int64_t at_us(CURL *easy, CURLINFO which)
{
    curl_off_t us = 0;
    curl_easy_getinfo(easy, which, &us);
    return us;
}

/* From libcurl's times, each since the start; steps that did not happen are 0. */
static void record_times(CURL *easy, struct fetch_times *times)
{
    int64_t begin = at_us(easy, CURLINFO_NAMELOOKUP_TIME_T);
    int64_t connected = at_us(easy, CURLINFO_CONNECT_TIME_T);
    int64_t secured = at_us(easy, CURLINFO_APPCONNECT_TIME_T);
    int64_t sent = at_us(easy, CURLINFO_PRETRANSFER_TIME_T);
    int64_t answered = at_us(easy, CURLINFO_STARTTRANSFER_TIME_T);
    times->tcp_us = MAX(connected - begin, 0);
    times->tls_us = MAX(secured - connected, 0);
    times->wait_us = MAX(answered - sent, 0);
    times->download_us = MAX(at_us(easy, CURLINFO_TOTAL_TIME_T) - answered, 0);
}

static void fill_hop(struct flight *flight, struct fetch_hop *hop, struct fetch *fetch)
{
    size_t plain = is_compressed(flight) ? 0 : flight->decoded_bytes;
    size_t wire = MAX(count_wire_bytes(flight->easy), plain);
    head_take(&flight->head, hop);
    record_address(flight->easy, &hop->address);
    record_times(flight->easy, &hop->times);
    hop->tls_verified = hop->tls_issuer && flight->exchange.verifies;
    hop->first_byte_ms = since_begin_ms(flight->easy, CURLINFO_STARTTRANSFER_TIME_T);
    hop->total_ms = clock_ms() - flight->begin_ms;
    flight->is_cut = flight->is_cut || wire > flight->max_wire_bytes;
    fetch->wire_bytes = MIN(wire, flight->max_wire_bytes);
    fetch->decoded_bytes = flight->decoded_bytes;
    fetch->end = how_it_ended(flight);
    fetch->body = flight->body;
    buf_add(&fetch->body, "", 0); /* terminated by a NUL, also if it is empty */
    flight->body = (struct buf){ 0 };
    fetch->reservation = flight->reservation;
    flight->reservation = (struct reservation){ 0 };
}

static enum exchange_end finish_flight(struct flight *flight, struct fetch_hop *hop,
                                       struct fetch *fetch, struct err *err)
{
    bool has_answer = flight->head.is_complete && !flight->is_head_bad && !flight->is_bomb &&
                      flight->crowded.kind == ERR_NONE;
    if (has_answer) {
        fill_hop(flight, hop, fetch);
        return EXCHANGE_ANSWERED;
    }
    mem_free(&hop->tls_issuer);
    hop->tls_version = NULL;
    hop->alpn = NULL;
    if (flight->exchange.verifies && is_certificate_bad(flight->code)) {
        report_reason(flight, err);
        return EXCHANGE_BAD_CERTIFICATE;
    }
    report_reason(flight, err);
    return EXCHANGE_FAILED;
}

static size_t or_default(size_t limit, size_t usual)
{
    return limit ? limit : usual;
}

static size_t kept_bytes(const struct fetch_options *options)
{
    size_t max_bytes = or_default(options->max_body_bytes, FETCH_BODY_BYTES);
    return MIN(or_default(options->kept_bytes, max_bytes), max_bytes);
}

struct flight *exchange_begin(const struct exchange *exchange, struct fetch_hop *hop)
{
    const struct fetch_options *options = exchange->options;
    struct flight *flight = mem_new(sizeof(*flight));
    *flight = (struct flight){
        .exchange = *exchange,
        .transfer = { .filter = egress_filter(exchange->egress),
                      .trust = egress_trust(exchange->egress),
                      .is_guarded = exchange->addresses != NULL },
        .easy = exchange->easy,
        .hop = hop,
        .body = BUF(kept_bytes(options)),
        .max_decoded_bytes = or_default(options->max_body_bytes, FETCH_BODY_BYTES),
        .max_wire_bytes = or_default(options->max_wire_bytes, FETCH_WIRE_BYTES),
        .begin_ms = clock_ms(),
    };
    add_headers(exchange, &flight->headers);
    if (exchange->addresses && !exchange->host->is_address)
        pin_addresses(exchange, &flight->pins);
    set_request(flight);
    curl_multi_add_handle(exchange->multi, exchange->easy);
    return flight;
}

enum exchange_end exchange_finish(struct flight **address, struct fetch *fetch, struct err *err)
{
    struct flight *flight = *address;
    enum exchange_end end = finish_flight(flight, flight->hop, fetch, err);
    curl_multi_remove_handle(flight->exchange.multi, flight->easy);
    curl_easy_setopt(flight->easy, CURLOPT_COOKIEFILE, NULL); /* a reset alone leaks (7.88) */
    curl_easy_setopt(flight->easy, CURLOPT_SHARE, NULL);
    curl_easy_reset(flight->easy);
    transfer_free_list(&flight->headers);
    transfer_free_list(&flight->pins);
    buf_free(&flight->body);
    reservation_free(&flight->reservation);
    head_free(&flight->head);
    mem_free(address);
    return end;
}

enum exchange_end exchange_run(const struct exchange *exchange, struct fetch_hop *hop,
                               struct fetch *fetch, struct err *err)
{
    struct flight *flight = exchange_begin(exchange, hop);
    while (!exchange_is_over(flight))
        exchange_wait(exchange->multi, &flight, 1, exchange->deadline_ms);
    return exchange_finish(&flight, fetch, err);
}
