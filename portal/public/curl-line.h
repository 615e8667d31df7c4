/*
 * portal/public/curl-line.h - a call as a line for a shell, which works when it is pasted.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "svc/contract.h"

enum { CURL_LINE_BYTES = 64 << 10 };

/* Where and by whom; borrowed. */
struct curl_caller {
    const char *public_url; /* https://api.example.com */
    const char *options;    /* portal.curl_options, "" none; for curl, in its own words */
    const char *account;    /* NULL: $ACCOUNT, which the reader sets */
    const char *token;      /* NULL: $TOKEN, likewise */
};

/* Append the call of a tool with this request (an object that fits the contract). */
void curl_line(const struct contract *contract, const cJSON *request,
               const struct curl_caller *caller, struct buf *out);

/* The same with the first example of the contract. */
void curl_line_example(const struct contract *contract, const struct curl_caller *caller,
                       struct buf *out);

/* Append text between single quotes, as a shell (POSIX, 2.2.2) gives it to a program unchanged. */
void shell_quote(struct text text, struct buf *out);

/* Append an object as a query without the ?: "width=300&text=a%20b" (RFC 3986, 2.3). */
void query_of(const cJSON *request, struct buf *out);
