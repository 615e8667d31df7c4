/*
 * portal/snippets/curl-line.h - a call as a curl command that can be pasted into a shell.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "svc/contract.h"

enum { CURL_LINE_BYTES = 64 << 10 };

/* The URL and the credentials; borrowed. */
struct curl_caller {
    const char *public_url; /* https://api.example.com */
    const char *options;    /* portal.curl_options, as curl options; or "" */
    const char *account;    /* NULL: $ACCOUNT, which the reader sets */
    const char *token;      /* NULL: $TOKEN, which the reader sets */
};

/* Append the call of a tool with this request (an object that fits the contract). */
void curl_line(const struct contract *contract, const cJSON *request,
               const struct curl_caller *caller, struct buf *out);

/* The same with the first example of the contract. */
void curl_line_example(const struct contract *contract, const struct curl_caller *caller,
                       struct buf *out);

/* Append text in single quotes, so that a shell passes it unchanged (POSIX, 2.2.2). */
void shell_quote(struct text text, struct buf *out);

/* Append an object as a query without the ?: "width=300&text=a%20b" (RFC 3986, 2.3). */
void query_of(const cJSON *request, struct buf *out);
