/*
 * gateway/mcp/tools.h - all tools as agents see them, ready to be sent: one text a tool, made at
 * start and whenever the limits change, which stand in the descriptions.
 */
#pragma once

#include "gateway/catalog/catalog.h"
#include "gateway/ledger/admission.h"
#include "web/gzip.h"

enum {
    MCP_TOOLS_MAX = 100,        /* one page, so that no cursor is needed */
    MCP_LIST_MAX_BYTES = 88000, /* what is larger than a buffer of the edge (98,304), head
                                 * included, would hold a gateway's place for a slow reader */
    MCP_TOOL_MAX_BYTES = 5500,  /* models read all of it */
};

struct mcp_tool {
    const struct offer *offer; /* borrowed from the catalog */
    /* JSON: plain, and with its outputSchema, where it has one */
    char *text[2];
    size_t bytes[2];
};

/* Never changes once made. */
struct mcp_tools {
    size_t count;
    struct mcp_tool tool[MCP_TOOLS_MAX]; /* sorted by name, account-credits among them */
    struct gzip_piece all;               /* mcp_tools_write() of them all, without outputSchema */
};

/* Which of them a request sees, by their places. */
struct mcp_choice {
    bool has[MCP_TOOLS_MAX];
    bool is_whole; /* with outputSchema */
};

/* The catalog must outlive them. Errors: ERR_INVALID_VALUE for a tool or a list above its limit. */
bool mcp_tools_build(const struct catalog *catalog, const struct limits *limits, int64_t ask_from,
                     struct mcp_tools **tools, struct err *err) must_check;
void mcp_tools_free(struct mcp_tools **tools);

/* Leave out what a token's scopes do not name. account-credits stays. */
void mcp_tools_cut(const struct mcp_tools *tools, const struct token_facts *facts,
                   struct mcp_choice *choice);

/* Its offer when it is chosen; NULL: there is no such tool here. */
const struct offer *mcp_tools_find(const struct mcp_tools *tools, const struct mcp_choice *choice,
                                   struct text name);

/* Bytes of the chosen, with what stands between them. */
size_t mcp_tools_bytes(const struct mcp_tools *tools, const struct mcp_choice *choice);

/* All of them, without outputSchema: what `all` is of. */
bool mcp_tools_are_all(const struct mcp_tools *tools, const struct mcp_choice *choice);

/* Append `[…]` of the chosen. */
void mcp_tools_write(const struct mcp_tools *tools, const struct mcp_choice *choice,
                     struct buf *out);
