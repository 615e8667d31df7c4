/* common/net/http/transfer.c - settings of every libcurl handle. */
#include "net/http/transfer.h"

#include <assert.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

void transfer_free_easy(CURL **easy)
{
    curl_easy_cleanup(*easy);
    *easy = NULL;
}

void transfer_free_multi(CURLM **multi)
{
    if (*multi)
        curl_multi_cleanup(*multi);
    *multi = NULL;
}

void transfer_free_list(struct curl_slist **list)
{
    curl_slist_free_all(*list);
    *list = NULL;
}

void transfer_add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    assert(longer); /* out of memory */
    *list = longer;
}

/* The last check: this is the address that the kernel is about to connect to. */
static curl_socket_t open_socket(void *argument, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    struct transfer *transfer = argument;
    (void)purpose;
    if (!egress_filter_passes(transfer->filter, transfer->is_guarded, &address->addr)) {
        transfer->is_refused = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/*
 * One store for all: libcurl alone would read all certificates for each connection, which takes 20
 * ms and a megabyte.
 */
static CURLcode set_trust(CURL *easy, void *context, void *argument)
{
    const struct transfer *transfer = argument;
    (void)easy;
    return SSL_CTX_set1_cert_store(context, transfer->trust), CURLE_OK;
}

static void set_secure_defaults(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_UNRESTRICTED_AUTH, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
}

void transfer_prepare(struct transfer *transfer, CURL *easy)
{
    set_secure_defaults(easy);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, set_trust);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, transfer);
}
