/*
 * common/net/http/transfer.h - settings of every libcurl handle: no proxy, no .netrc, only HTTP,
 * our trusted certificates, and a check of each address before a socket connects. Only net/
 * includes this.
 */
#pragma once

#include <curl/curl.h>
#include <openssl/x509.h>
#include <stdbool.h>

#include "net/egress-filter.h"

/* Must live as long as the handle is used. */
struct transfer {
    struct egress_filter *filter;
    X509_STORE *trust;
    bool is_guarded; /* only to addresses that customers may reach */
    bool is_refused; /* a connection was not allowed */
};

/* Configure a new (or reset) handle; certificates are verified. */
void transfer_prepare(struct transfer *transfer, CURL *easy);

/* For scoped(). */
void transfer_free_easy(CURL **easy);
void transfer_free_multi(CURLM **multi);
void transfer_free_list(struct curl_slist **list);

/* Append to a list, which may be NULL. */
void transfer_add_line(struct curl_slist **list, const char *line);
