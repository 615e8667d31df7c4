/*
 * common/net/http/transfer.h - what every libcurl handle of ours has in common, whoever uses it: no
 * proxy, no .netrc, no protocol but HTTP, our trusted certificates, and a look at each address
 * before a socket is opened to it. Only net/ includes this.
 */
#pragma once

#include <curl/curl.h>
#include <openssl/x509.h>
#include <stdbool.h>

#include "net/egress-filter.h"

/* Lives as long as the handle is used. */
struct transfer {
    struct egress_filter *filter;
    X509_STORE *trust;
    bool is_guarded; /* only to addresses that customers may reach */
    bool is_refused; /* a connection was not allowed */
};

/* Set all that up on a fresh (or reset) handle; certificates are verified. */
void transfer_prepare(struct transfer *transfer, CURL *easy);

/* For scoped(). */
void transfer_free_easy(CURL **easy);
void transfer_free_multi(CURLM **multi);
void transfer_free_list(struct curl_slist **list);

/* Append to a list, which may be NULL. */
void transfer_add_line(struct curl_slist **list, const char *line);
