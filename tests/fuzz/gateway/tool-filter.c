/* tests/fuzz/gateway/tool-filter.c - any bytes as the query of an agent's URL: rejected without
 * repeating a token, or a choice that has the balance and does not depend on the order. */
#include "gateway/mcp/tool-filter.h"

#include <assert.h>
#include <string.h>

#include "../same-pairs.h"
#include "../target.h"
#include "base/mem.h"

enum { OFFERS = 6, BALANCE = 1, QUERY_MAX_BYTES = 1 << 20 };

static struct mcp_tools *make_tools(void)
{
    static const struct contract prices[] = { { .credits = 1 }, { .credits = 3 } };
    static const struct offer offers[OFFERS] = {
        { .name = "a", .group = "x", .contract = &prices[0] },
        { .name = "account-credits", .group = "account" },
        { .name = "b", .group = "x", .contract = &prices[1] },
        { .name = "c", .group = "y", .contract = &prices[1] },
        { .name = "d", .group = "y", .contract = &prices[0] },
        { .name = "e", .group = "z", .contract = &prices[1] },
    };
    struct mcp_tools *tools = mem_new(sizeof(*tools));
    tools->count = OFFERS;
    for (size_t i = 0; i < OFFERS; i++) {
        tools->tool[i].offer = &offers[i];
        tools->tool[i].bytes[false] = MCP_TOOL_MAX_BYTES;
        tools->tool[i].bytes[true] = MCP_LIST_MAX_BYTES / 4;
    }
    return tools;
}

static void check_choice(const struct mcp_tools *tools, const struct mcp_choice *choice)
{
    assert(choice->has[BALANCE]);
    assert(mcp_tools_bytes(tools, choice) <= MCP_LIST_MAX_BYTES);
    for (size_t i = OFFERS; i < MCP_TOOLS_MAX; i++)
        assert(!choice->has[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct mcp_tools *tools;
    struct text query = { (const char *)bytes, size };
    scoped(buf_free) struct buf turned = BUF(QUERY_MAX_BYTES);
    struct mcp_choice choice = { 0 };
    struct mcp_choice other = { 0 };
    struct err err = { 0 };
    if (!tools)
        tools = make_tools();
    bool ok = tool_filter_read(tools, query, &choice, &err);
    if (ok)
        check_choice(tools, &choice);
    else
        assert(err.kind == ERR_INVALID_QUERY && !strstr(err.message, "tg_live_"));
    if (size == 0 || bytes[0] == '&' || bytes[size - 1] == '&')
        return 0; /* an empty pair is an error only before another one */
    pairs_reverse(query, &turned);
    assert(ok == tool_filter_read(tools, buf_text(&turned), &other, &err));
    for (size_t i = 0; ok && i < OFFERS; i++)
        assert(choice.has[i] == other.has[i] && choice.is_whole == other.is_whole);
    return 0;
}
