/*
 * gateway/mcp/message.h - one message of the Model Context Protocol (JSON-RPC 2.0), read strictly.
 *
 * A few members at known places decide about a message. One pass reads them and stores nothing
 * else. A call's arguments stay in the body, byte for byte.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "gateway/mcp/rpc.h"
#include "text/json.h"

enum {
    MESSAGE_DEPTH = 66,    /* the arguments, two levels down, may be JSON_DEPTH deep */
    MESSAGE_ID_BYTES = 128 /* between the quotes of an id that is a text */
};

/* Members, by the member that contains them. */
enum mcp_member {
    MESSAGE_JSONRPC,
    MESSAGE_ID,
    MESSAGE_METHOD,
    MESSAGE_PARAMS,
    PARAMS_NAME,
    PARAMS_ARGUMENTS,
    PARAMS_CURSOR,
    PARAMS_VERSION, /* protocolVersion of initialize */
    PARAMS_CLIENT,  /* clientInfo of initialize */
    CLIENT_NAME,
    PARAMS_META, /* _meta */
    META_VERSION,
    META_CAPABILITIES,
    META_CLIENT,
    META_CLIENT_NAME,
    META_KEY,      /* tollgate/idempotency-key */
    META_TRACE,    /* traceparent */
    META_PROGRESS, /* progressToken */
    MESSAGE_MEMBERS,
};

struct mcp_value {
    enum json_kind kind; /* JSON_END: absent; of a container: its OPEN */
    struct text raw;     /* as in the body, borrowed from it */
    struct text text;    /* of a JSON_STRING: decoded, with a final NUL; may contain NUL */
};

struct mcp_message {
    struct text id;             /* the validated lexeme, for the response; empty: unusable */
    struct text progress_token; /* as the id; empty: absent */
    bool is_notification;
    struct mcp_value value[MESSAGE_MEMBERS];
    struct arena arena; /* of the decoded texts */
};

/* Read a body, which must outlive the message. Free the message in either case. False: see fault;
 * the id is set if it can be used. */
bool mcp_message_read(struct text body, struct mcp_message *message,
                      struct rpc_fault *fault) must_check;
void mcp_message_free(struct mcp_message *message);

/* True: the member is this text. */
bool mcp_message_is(const struct mcp_message *message, enum mcp_member member, const char *text);

/* The member's decoded text; NULL: it is not a text. */
const char *mcp_message_text(const struct mcp_message *message, enum mcp_member member);
