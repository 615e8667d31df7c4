/*
 * gateway/mcp/rpc.h - JSON-RPC 2.0 responses.
 *
 * There are three kinds of errors:
 * - of the HTTP request or the account: an error without id, whose code is the HTTP status;
 * - of the message: a fault, an error with the message's id;
 * - of the tool: a result with isError (gateway/mcp/result.h).
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

/* The words of the JSON-RPC specification for a code: "invalid_params". */
const char *rpc_code_name(int code);

/* A fault of a message; zero: the message is valid. */
struct rpc_fault {
    int code;
    int status; /* HTTP status */
    char message[ERR_MESSAGE_BYTES];
    char data[ERR_MESSAGE_BYTES]; /* JSON; empty: absent */
};

/* Set the fault. Returns false. */
bool rpc_fault_set(struct rpc_fault *fault, enum rpc_code code, int status, const char *message);

/* Append the header lines of all responses, each with CR LF. */
void rpc_headers(struct buf *headers);

/* Append `{"jsonrpc":"2.0","id":…,`; without the id if it is empty. */
void rpc_open(struct buf *out, struct text id);

void rpc_write_fault(struct buf *out, struct text id, const struct rpc_fault *fault);

/* Append `[{"code","message"}, …]`, as in REST's envelope. */
void rpc_write_errs(struct buf *out, const struct errs *errs);

/* Write the error without id; its code is the status of the first error. */
void rpc_write_request_error(struct buf *out, const struct errs *errs);

/* The same with code 401. */
void rpc_write_challenge(struct buf *out, const struct errs *errs);
