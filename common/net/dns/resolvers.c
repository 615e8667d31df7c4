/* common/net/dns/resolvers.c - DNS-over-HTTPS servers (RFC 8484) by libcurl. */
#include "net/dns/resolvers.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dns/json.h"
#include "net/dns/message.h"
#include "net/http/transfer.h"

#define DNS_MEDIA_TYPE "application/dns-message"

/* What some resolvers answer whatever is asked for. */
static const char *const json_media_types[] = { "application/dns-json", "application/json" };

enum {
    IDLE_MAX = 16,   /* sets of connections that wait for their next use */
    SHUN_MS = 10000, /* how long a resolver that failed is asked last */
    CONNECT_MS = 3000,
};

struct server {
    const char *url; /* borrowed from the list below */
    atomic_int_fast64_t shunned_until_ms;
};

struct resolvers {
    const char *agent;
    struct egress_filter *filter;
    X509_STORE *trust;
    struct curl_slist *headers;
    size_t count;
    struct server server[RESOLVERS_MAX];
    pthread_mutex_t mutex; /* guards what follows */
    size_t idle_count;
    CURLM *idle[IDLE_MAX]; /* each with its open connections; used by one thread at a time */
};

bool resolvers_new(const struct conf *conf, const char *agent, struct egress_filter *filter,
                   X509_STORE *trust, struct resolvers **result, struct err *err)
{
    scoped(resolvers_free) struct resolvers *resolvers = mem_new(sizeof(*resolvers));
    const char *url;
    pthread_mutex_init(&resolvers->mutex, NULL);
    resolvers->agent = agent;
    resolvers->filter = filter;
    X509_STORE_up_ref(trust);
    resolvers->trust = trust;
    transfer_add_line(&resolvers->headers, "Content-Type: " DNS_MEDIA_TYPE);
    transfer_add_line(&resolvers->headers, "Accept: " DNS_MEDIA_TYPE);
    while ((url = conf_item(conf, "egress.doh_urls", resolvers->count))) {
        if (resolvers->count == RESOLVERS_MAX || strncmp(url, "https://", 8) != 0)
            return err_set(err, ERR_INVALID_VALUE,
                           "egress.doh_urls must be at most %d URLs that begin with https://",
                           RESOLVERS_MAX);
        resolvers->server[resolvers->count++].url = str_dup(url);
    }
    if (resolvers->count == 0)
        return err_set(err, ERR_INVALID_VALUE, "egress.doh_urls must name a resolver");
    *result = take(resolvers);
    return true;
}

void resolvers_free(struct resolvers **address)
{
    struct resolvers *resolvers = *address;
    if (!resolvers)
        return;
    for (size_t i = 0; i < resolvers->idle_count; i++)
        transfer_free_multi(&resolvers->idle[i]);
    for (size_t i = 0; i < resolvers->count; i++)
        mem_free(&resolvers->server[i].url);
    transfer_free_list(&resolvers->headers);
    X509_STORE_free(resolvers->trust);
    pthread_mutex_destroy(&resolvers->mutex);
    mem_free(address);
}

size_t resolvers_count(const struct resolvers *resolvers)
{
    return resolvers->count;
}

const char *resolvers_url(const struct resolvers *resolvers, size_t which)
{
    return resolvers->server[which].url;
}

void resolvers_order(struct resolvers *resolvers, size_t order[static RESOLVERS_MAX])
{
    int64_t now_ms = clock_ms();
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < resolvers->count; i++) {
            bool is_shunned = resolvers->server[i].shunned_until_ms > now_ms;
            if (is_shunned == (pass == 1))
                order[count++] = i;
        }
}

/* ---- sets of connections ---- */

static CURLM *new_multi(void)
{
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 4L);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 4L);
    return multi;
}

static CURLM *borrow_multi(struct resolvers *resolvers)
{
    CURLM *multi = NULL;
    pthread_mutex_lock(&resolvers->mutex);
    if (resolvers->idle_count > 0)
        multi = resolvers->idle[--resolvers->idle_count];
    pthread_mutex_unlock(&resolvers->mutex);
    return multi ? multi : new_multi();
}

static void return_multi(struct resolvers *resolvers, CURLM *multi)
{
    pthread_mutex_lock(&resolvers->mutex);
    bool fits = resolvers->idle_count < IDLE_MAX;
    if (fits)
        resolvers->idle[resolvers->idle_count++] = multi;
    pthread_mutex_unlock(&resolvers->mutex);
    if (!fits)
        transfer_free_multi(&multi);
}

/* ---- one request ---- */

struct request {
    struct reply *reply;
    CURL *easy;
};

static size_t take_bytes(char *bytes, size_t one, size_t size, void *argument)
{
    struct reply *reply = argument;
    (void)one;
    return buf_add(&reply->bytes, bytes, size) ? size : 0;
}

static void start(struct resolvers *resolvers, size_t which, CURLM *multi,
                  struct transfer *transfer, struct request *request)
{
    struct reply *reply = request->reply;
    CURL *easy = request->easy = curl_easy_init();
    reply->status = REPLY_TIMEOUT;
    reply->age_s = 0;
    reply->bytes = (struct buf)BUF(DNS_MESSAGE_BYTES);
    transfer_prepare(transfer, easy);
    curl_easy_setopt(easy, CURLOPT_URL, resolvers->server[which].url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, resolvers->headers);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, resolvers->agent);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)reply->query.size);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, reply->query.bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, reply);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, reply);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_multi_add_handle(multi, easy);
}

static bool has_type(CURL *easy, const char *wanted)
{
    const char *type = NULL;
    size_t size = strlen(wanted);
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    return type && strncasecmp(type, wanted, size) == 0 && strchr("; ", type[size]);
}

/* Put the message that JSON stands for in its place. */
static bool read_json(struct reply *reply)
{
    struct buf wire = BUF(DNS_MESSAGE_BYTES);
    bool ok = dns_json_to_wire(buf_text(&reply->bytes), &wire);
    buf_free(&reply->bytes);
    reply->bytes = wire;
    return ok;
}

static bool is_dns_message(CURL *easy, struct reply *reply)
{
    for (size_t i = 0; i < countof(json_media_types); i++)
        if (has_type(easy, json_media_types[i]))
            return read_json(reply);
    return has_type(easy, DNS_MEDIA_TYPE);
}

static void finish(CURL *easy, CURLcode code)
{
    struct curl_header *age;
    struct reply *reply = NULL;
    int64_t seconds;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &reply);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    bool ok = code == CURLE_OK && status == 200 && is_dns_message(easy, reply);
    reply->status = ok ? REPLY_OK : code == CURLE_OPERATION_TIMEDOUT ? REPLY_TIMEOUT : REPLY_BAD;
    if (ok && curl_easy_header(easy, "Age", 0, CURLH_HEADER, -1, &age) == CURLHE_OK &&
        num_parse(text_of(age->value), INT32_MAX, &seconds))
        reply->age_s = (uint32_t)seconds;
}

static void finish_all(CURLM *multi)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE)
            finish(message->easy_handle, message->data.result);
}

static void run(CURLM *multi, int64_t deadline_ms)
{
    int running = 1;
    while (running) {
        int64_t left_ms = deadline_left_ms(deadline_ms);
        if (curl_multi_perform(multi, &running) != CURLM_OK)
            return;
        finish_all(multi);
        if (running && left_ms == 0)
            return;
        if (running)
            curl_multi_poll(multi, NULL, 0, (int)MIN(left_ms, 1000), NULL);
    }
}

void resolvers_ask(struct resolvers *resolvers, size_t which, struct reply *replies, size_t count,
                   int64_t deadline_ms)
{
    scoped(mem_free) struct request *requests = mem_array(count, sizeof(*requests));
    struct transfer transfer = { .filter = resolvers->filter, .trust = resolvers->trust };
    CURLM *multi = borrow_multi(resolvers);
    bool has_failed = count > 0;
    for (size_t i = 0; i < count; i++) {
        requests[i].reply = &replies[i];
        start(resolvers, which, multi, &transfer, &requests[i]);
    }
    run(multi, deadline_ms);
    for (size_t i = 0; i < count; i++) {
        has_failed = has_failed && replies[i].status != REPLY_OK;
        curl_multi_remove_handle(multi, requests[i].easy);
        transfer_free_easy(&requests[i].easy);
    }
    if (has_failed) {
        resolvers->server[which].shunned_until_ms = clock_ms() + SHUN_MS;
        transfer_free_multi(&multi); /* its connections may be what is wrong */
    } else {
        return_multi(resolvers, multi);
    }
}
