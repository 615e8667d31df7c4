/*
 * gateway/mcp/answer.h - one message in hand, and what it is answered. Each function fills the
 * response: status, head lines and body.
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
    ANSWER_AROUND_BYTES = 16 << 10, /* of a result: id, _meta, a tool's header lines */
};

struct mcp {
    struct http_call *http;
    struct mcp_choice choice; /* of tools that are seen */
    struct mcp_message message;
    struct token_facts facts; /* of who asks, once they were asked for */
    bool is_modern;
    struct rpc_fault fault; /* zero: nothing is wrong with the message */
    /* of a tools/call: what REST would answer */
    struct buf result_headers;
    struct buf result;
};

void answer_initialize(struct mcp *mcp, const char *version);
void answer_ping(struct mcp *mcp);
void answer_discover(struct mcp *mcp);
void answer_tools(struct mcp *mcp); /* or call.errs: there is no room for it */

/* A tool's result, which stands in mcp->result. */
void answer_result(struct mcp *mcp);

/* A tool's or the ledger's refusal, which stands in call.errs, for a model to read. */
void answer_refused(struct mcp *mcp);

/* mcp->fault */
void answer_fault(struct mcp *mcp);
