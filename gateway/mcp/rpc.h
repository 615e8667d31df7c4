/*
 * gateway/mcp/rpc.h - the forms of JSON-RPC 2.0 answers.
 *
 * Three kinds of refusal: what concerns the HTTP request or the account is an error without id
 * whose code is the HTTP status; what concerns the message is a fault, an error with its id; what a
 * tool refuses is a result with isError (gateway/mcp/result.h).
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* JSON-RPC 2.0 section 5.1; the last two are of MCP 2026-07-28. */
enum rpc_code {
    RPC_PARSE = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_UNKNOWN_METHOD = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_HEADER_MISMATCH = -32020,
    RPC_UNSUPPORTED_VERSION = -32022,
};

/* What is wrong with a message; zero: nothing. */
struct rpc_fault {
    int code;
    int status; /* of HTTP */
    char message[ERR_MESSAGE_BYTES];
    char data[ERR_MESSAGE_BYTES]; /* JSON; empty: none */
};

/* Fill it; false, always. */
bool rpc_fault_set(struct rpc_fault *fault, enum rpc_code code, int status, const char *message);

/* The head lines of every answer, each ended by CR LF. */
void rpc_headers(struct buf *headers);

/* Append `{"jsonrpc":"2.0","id":…,`, without the id when it is empty. */
void rpc_open(struct buf *out, struct text id);

void rpc_write_fault(struct buf *out, struct text id, const struct rpc_fault *fault);

/* Append `[{"code","message"}, …]`, as in the envelope of REST. */
void rpc_write_errs(struct buf *out, const struct errs *errs);

/* The error without id: its code is the status of the first. */
void rpc_write_refusal(struct buf *out, const struct errs *errs);
