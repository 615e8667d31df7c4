/* common/net/dns/resolvers.c - DNS-over-HTTPS servers (RFC 8484), with libcurl. */
#include "net/dns/resolvers.h"

#include <assert.h>
#include <curl/curl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
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

/* Media types that some resolvers return for any request. */
static const char *const json_media_types[] = { "application/dns-json", "application/json" };

enum {
    CONNECTIONS_MAX = 4, /* to one resolver, kept for later questions */
    IDLE_S = 60,         /* a connection that was idle for longer is not reused */
    SHUN_MS = 10000,     /* how long a failed resolver is asked last */
    CONNECT_MS = 3000,
    ACK_MS = 3000, /* a connection with unacknowledged data closes after this time */
    POLL_MS = 1000,
    RETIRED_POLL_MS = 20,
};

struct server {
    const char *url;
    atomic_int_fast64_t shunned_until_ms;
};

struct resolvers {
    const char *agent;
    struct memory_budget budget;
    struct transfer transfer;
    struct curl_slist *headers;
    size_t count;
    struct server server[RESOLVERS_MAX];
    pthread_t thread;
    bool has_thread;
    CURLM *retired; /* owned by the thread: connections that close when no request uses them */
    atomic_bool is_doubtful; /* the connections may be broken: use new ones */
    pthread_mutex_t mutex;   /* guards the members below */
    CURLM *multi; /* the connections; its content belongs to the thread, except for the wakeup */
    bool is_stopping;
    struct request *inbox;
};

static void *carry_requests(void *argument);

static CURLM *new_multi(void)
{
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)CONNECTIONS_MAX);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)(CONNECTIONS_MAX * RESOLVERS_MAX));
    return multi;
}

bool resolvers_new(const struct conf *conf, const char *agent, struct egress_filter *filter,
                   X509_STORE *trust, struct resolvers **result, struct err *err)
{
    scoped(resolvers_free) struct resolvers *resolvers = mem_new(sizeof(*resolvers));
    const char *url;
    pthread_mutex_init(&resolvers->mutex, NULL);
    memory_budget_open(&resolvers->budget, ANSWER_ROOM_BYTES, ANSWER_FREE_BYTES,
                       "too many large answers");
    resolvers->agent = agent;
    X509_STORE_up_ref(trust);
    resolvers->transfer = (struct transfer){ .filter = filter, .trust = trust };
    resolvers->multi = new_multi();
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
    resolvers->has_thread =
        pthread_create(&resolvers->thread, NULL, carry_requests, resolvers) == 0;
    assert(resolvers->has_thread);
    *result = take(resolvers);
    return true;
}

static void stop_thread(struct resolvers *resolvers)
{
    pthread_mutex_lock(&resolvers->mutex);
    resolvers->is_stopping = true;
    curl_multi_wakeup(resolvers->multi);
    pthread_mutex_unlock(&resolvers->mutex);
    pthread_join(resolvers->thread, NULL);
}

void resolvers_free(struct resolvers **address)
{
    struct resolvers *resolvers = *address;
    if (!resolvers)
        return;
    if (resolvers->has_thread)
        stop_thread(resolvers);
    transfer_free_multi(&resolvers->retired);
    transfer_free_multi(&resolvers->multi);
    for (size_t i = 0; i < resolvers->count; i++)
        mem_free(&resolvers->server[i].url);
    transfer_free_list(&resolvers->headers);
    X509_STORE_free(resolvers->transfer.trust);
    pthread_mutex_destroy(&resolvers->mutex);
    memory_budget_close(&resolvers->budget);
    mem_free(address);
}

struct memory_budget *resolvers_memory_budget(struct resolvers *resolvers)
{
    return &resolvers->budget;
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

/* ---- one request ---- */

/* One question in progress. */
struct request {
    struct request *next; /* in the inbox */
    struct reply *reply;
    struct memory_budget *budget;
    CURL *easy;
    CURLcode code;
    sem_t *ended; /* of the waiting thread */
};

static size_t append_bytes(char *bytes, size_t one, size_t size, void *argument)
{
    const struct request *request = argument;
    struct reply *reply = request->reply;
    (void)one;
    return memory_budget_reserve(request->budget, reply->bytes.size + size, 0, &reply->reservation,
                                 NULL) &&
                   buf_add(&reply->bytes, bytes, size)
               ? size
               : 0;
}

void reply_drop(struct reply *reply)
{
    buf_free(&reply->bytes);
    reservation_free(&reply->reservation);
}

/* Let the kernel detect a peer that disappeared (tcp(7)). */
static int set_ack_time(void *argument, curl_socket_t socket, curlsocktype purpose)
{
    unsigned ms = ACK_MS;
    (void)argument, (void)purpose;
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
    return CURL_SOCKOPT_OK;
}

/* The request then ends without further action. */
static void limit_time(CURL *easy, int64_t deadline_ms)
{
    int64_t left_ms = deadline_left_ms(deadline_ms);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)MAX(left_ms, 1)); /* 0 would mean no limit */
}

static void prepare_request(struct resolvers *resolvers, const struct server *server,
                            int64_t deadline_ms, struct request *request)
{
    struct reply *reply = request->reply;
    CURL *easy = request->easy = curl_easy_init();
    reply->age_s = 0;
    reply->bytes = (struct buf)BUF(DNS_MESSAGE_BYTES);
    transfer_prepare(&resolvers->transfer, easy);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L); /* wait for a connection that may be shared */
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)IDLE_S);
    curl_easy_setopt(easy, CURLOPT_URL, server->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, resolvers->headers);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, resolvers->agent);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)reply->query.size);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, reply->query.bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, request);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, request);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, set_ack_time);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    limit_time(easy, deadline_ms);
}

static bool has_type(CURL *easy, const char *wanted)
{
    const char *type = NULL;
    size_t size = strlen(wanted);
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    return type && strncasecmp(type, wanted, size) == 0 && strchr("; ", type[size]);
}

/* Replace JSON by its DNS message. */
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

static void read_reply(struct request *request)
{
    struct reply *reply = request->reply;
    struct curl_header *age;
    CURL *easy = request->easy;
    int64_t seconds;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    bool ok = request->code == CURLE_OK && status == 200 && is_dns_message(easy, reply);
    bool is_late = request->code == CURLE_OPERATION_TIMEDOUT;
    reply->status = ok ? REPLY_OK : is_late ? REPLY_TIMEOUT : REPLY_BAD;
    if (ok && curl_easy_header(easy, "Age", 0, CURLH_HEADER, -1, &age) == CURLHE_OK &&
        num_parse(text_of(age->value), INT32_MAX, &seconds))
        reply->age_s = (uint32_t)seconds;
}

/*
 * Its connection, which had been used before, closed before a reply came. libcurl itself retries
 * only the simplest cases.
 */
static bool was_cut_off(const struct request *request)
{
    long opened = 0;
    long status = 0;
    curl_easy_getinfo(request->easy, CURLINFO_NUM_CONNECTS, &opened);
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    return request->code != CURLE_OK && request->code != CURLE_OPERATION_TIMEDOUT && opened == 0 &&
           status == 0;
}

/* ---- the thread that carries all requests ---- */

static void end_request(struct request *request, CURLcode code)
{
    request->code = code;
    sem_post(request->ended); /* the request is invalid after this */
}

/* Returns whether to continue. */
static bool read_inbox(struct resolvers *resolvers)
{
    pthread_mutex_lock(&resolvers->mutex);
    struct request *request = resolvers->inbox;
    bool goes_on = !resolvers->is_stopping;
    resolvers->inbox = NULL;
    pthread_mutex_unlock(&resolvers->mutex);
    while (request) {
        struct request *next = request->next;
        if (curl_multi_add_handle(resolvers->multi, request->easy) != CURLM_OK)
            end_request(request, CURLE_FAILED_INIT);
        request = next;
    }
    return goes_on;
}

static void end_finished_requests(CURLM *multi)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        struct request *request = NULL;
        CURLcode code = message->data.result; /* removing the handle invalidates the message */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
        curl_multi_remove_handle(multi, message->easy_handle);
        end_request(request, code);
    }
}

/* Running requests continue on their connections; new ones get new connections. */
static void retire_doubtful(struct resolvers *resolvers)
{
    if (resolvers->retired || !resolvers->is_doubtful)
        return;
    resolvers->is_doubtful = false;
    resolvers->retired = resolvers->multi;
    pthread_mutex_lock(&resolvers->mutex);
    resolvers->multi = new_multi();
    pthread_mutex_unlock(&resolvers->mutex);
}

/* Returns the number of running requests. */
static int push_on(CURLM *multi)
{
    int running = 0;
    curl_multi_perform(multi, &running);
    end_finished_requests(multi);
    return running;
}

static void *carry_requests(void *argument)
{
    struct resolvers *resolvers = argument;
    pthread_setname_np(pthread_self(), "resolvers");
    while (read_inbox(resolvers)) {
        push_on(resolvers->multi);
        if (resolvers->retired && push_on(resolvers->retired) == 0)
            transfer_free_multi(&resolvers->retired);
        curl_multi_poll(resolvers->multi, NULL, 0, resolvers->retired ? RETIRED_POLL_MS : POLL_MS,
                        NULL);
        retire_doubtful(
            resolvers); /* it clears the wakeup of earlier requests: the inbox is read next */
    }
    return NULL;
}

/* ---- called by the threads of jobs ---- */

static void submit_request(struct resolvers *resolvers, struct request *request)
{
    pthread_mutex_lock(&resolvers->mutex);
    request->next = resolvers->inbox;
    resolvers->inbox = request;
    pthread_mutex_unlock(&resolvers->mutex);
}

/* Each ends at its own time limit at the latest. */
static void await_replies(struct resolvers *resolvers, sem_t *ended, size_t count)
{
    pthread_mutex_lock(&resolvers->mutex);
    curl_multi_wakeup(resolvers->multi);
    pthread_mutex_unlock(&resolvers->mutex);
    for (size_t i = 0; i < count; i++)
        while (sem_wait(ended) != 0)
            ;
}

/* Retry requests that were cut off over another connection; returns their number. */
static size_t retry_cut_off(struct resolvers *resolvers, struct request *requests, size_t count,
                            int64_t deadline_ms)
{
    size_t again = 0;
    for (size_t i = 0; i < count; i++) {
        if (!was_cut_off(&requests[i]))
            continue;
        buf_clear(&requests[i].reply->bytes);
        limit_time(requests[i].easy, deadline_ms);
        submit_request(resolvers, &requests[i]);
        again++;
    }
    return again;
}

void resolvers_ask(struct resolvers *resolvers, size_t which, struct reply *replies, size_t count,
                   int64_t deadline_ms)
{
    struct server *server = &resolvers->server[which];
    scoped(mem_free) struct request *requests = mem_array(count, sizeof(*requests));
    bool has_failed = count > 0;
    bool is_silent = count > 0;
    sem_t ended;
    sem_init(&ended, 0, 0);
    for (size_t i = 0; i < count; i++) {
        requests[i] =
            (struct request){ .reply = &replies[i], .budget = &resolvers->budget, .ended = &ended };
        prepare_request(resolvers, server, deadline_ms, &requests[i]);
        submit_request(resolvers, &requests[i]);
    }
    await_replies(resolvers, &ended, count);
    /* all open connections may be closed; then the next one is new */
    size_t again = count;
    for (int i = 0; i < CONNECTIONS_MAX && again > 0; i++) {
        again = retry_cut_off(resolvers, requests, count, deadline_ms);
        await_replies(resolvers, &ended, again);
    }
    for (size_t i = 0; i < count; i++) {
        read_reply(&requests[i]);
        has_failed = has_failed && replies[i].status != REPLY_OK;
        is_silent = is_silent && replies[i].status == REPLY_TIMEOUT;
        transfer_free_easy(&requests[i].easy);
    }
    sem_destroy(&ended);
    if (has_failed)
        server->shunned_until_ms = clock_ms() + SHUN_MS;
    if (is_silent)
        resolvers->is_doubtful = true;
}
