/*
 * gateway/mcp/answer.h - one message in progress, and its response. Each function writes status,
 * headers and body.
 */
#pragma once

#include "gateway/call/envelope.h"
#include "gateway/http/http-call.h"
#include "gateway/mcp/message.h"
#include "gateway/mcp/result.h"
#include "gateway/mcp/rpc.h"
#include "gateway/mcp/tools.h"

enum {
    RESULT_HEADERS_MAX_BYTES = 16 << 10,
    ANSWER_AROUND_BYTES = 24 << 10, /* around a result: id, _meta, the tool's headers */
};

struct mcp {
    struct http_call *http;
    struct mcp_choice choice; /* of visible tools */
    struct mcp_message message;
    struct token_facts facts; /* of the caller's token, when it was checked */
    bool is_modern;
    struct rpc_fault fault; /* zero: the message is valid */
    /* of a tools/call: REST's response */
    struct buf result_headers;
    struct buf result;
    struct buf arguments; /* as they were read, if not as they were sent */
    struct buf told;      /* for the model: how */
    /* gateway/mcp/progress.h */
    int64_t progress_ms; /* when to show progress next, since the call's arrival */
    bool is_gone;        /* the client, or the edge, has disconnected */
};

void answer_initialize(struct mcp *mcp, const char *version);
void answer_ping(struct mcp *mcp);
void answer_discover(struct mcp *mcp);
void answer_tools(struct mcp *mcp); /* or call.errs: no memory */

/* A tool's result, from mcp->result. */
void answer_result(struct mcp *mcp);

/* An error of the tool or the ledger, from call.errs, for a model to read. */
void answer_error(struct mcp *mcp);

/* mcp->fault */
void answer_fault(struct mcp *mcp);
