/*
 * gateway/mcp/tools.h - the entries of tools/list, ready to send. Made at start and when limits
 * change, which are part of the descriptions.
 */
#pragma once

#include "gateway/catalog/catalog.h"
#include "gateway/ledger/admission.h"
#include "web/gzip.h"

enum {
    MCP_TOOLS_MAX = 100,        /* one page, without cursor */
    MCP_LIST_MAX_BYTES = 88000, /* with the head it must fit a buffer of HAProxy (98,304 bytes);
                                   else a slow reader would hold a thread of the gateway */
    MCP_TOOL_MAX_BYTES = 5500,  /* models read all of it */
};

struct mcp_tool {
    const struct offer *offer; /* borrowed from the catalog */
    /* JSON: plain; and with outputSchema, if any */
    char *text[2];
    size_t bytes[2];
};

/* Immutable. */
struct mcp_tools {
    size_t count;
    struct mcp_tool tool[MCP_TOOLS_MAX]; /* sorted by name, with account-credits */
    struct gzip_piece all;               /* mcp_tools_write() of all, without outputSchema */
    size_t result_max_bytes;             /* of a result for agents; set after the build; 0: any */
};

/* The tools that a request sees, by index. */
struct mcp_choice {
    bool has[MCP_TOOLS_MAX];
    bool is_whole;        /* with outputSchema */
    bool ignores_unknown; /* unknown arguments are ignored, not errors */
};

/* The catalog must outlive the tools. Errors: ERR_INVALID_VALUE for a tool or a list above its
 * limit. */
bool mcp_tools_build(const struct catalog *catalog, const struct limits *limits,
                     int64_t confirm_from, struct mcp_tools **tools, struct err *err) must_check;
void mcp_tools_free(struct mcp_tools **tools);

/* Remove tools that the token's scopes do not allow. account-credits stays. */
void mcp_tools_cut(const struct mcp_tools *tools, const struct token_facts *facts,
                   struct mcp_choice *choice);

/* The offer of a visible tool; NULL: unknown or invisible. */
const struct offer *mcp_tools_find(const struct mcp_tools *tools, const struct mcp_choice *choice,
                                   struct text name);

/* The visible tool that was probably meant by an unknown name; NULL: none is near. Borrowed. */
const char *mcp_tools_nearest(const struct mcp_tools *tools, const struct mcp_choice *choice,
                              const char *name);

/* Bytes of the visible tools, with separators. */
size_t mcp_tools_bytes(const struct mcp_tools *tools, const struct mcp_choice *choice);

/* True: all tools without outputSchema, so `all` can be sent. */
bool mcp_tools_are_all(const struct mcp_tools *tools, const struct mcp_choice *choice);

/* Append the visible tools, `[…]`. */
void mcp_tools_write(const struct mcp_tools *tools, const struct mcp_choice *choice,
                     struct buf *out);
