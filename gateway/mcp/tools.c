/* gateway/mcp/tools.c - the entries of tools/list. */
#include "gateway/mcp/tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/writing/nearest.h"
#include "gateway/mcp/view.h"
#include "text/json.h"

enum { TEXT_MAX_BYTES = 1 << 20 };

static void print(const cJSON *view, struct mcp_tool *tool, bool is_whole)
{
    struct buf text = BUF(TEXT_MAX_BYTES);
    json_print(view, &text);
    tool->bytes[is_whole] = text.size;
    tool->text[is_whole] = buf_take(&text);
}

/* Print a tool without and with its outputSchema. Takes over both. */
static bool add_tool(struct mcp_tools *tools, const struct offer *offer, cJSON *view, cJSON *output,
                     struct err *err)
{
    struct mcp_tool *tool = &tools->tool[tools->count++];
    tool->offer = offer;
    print(view, tool, false);
    if (output)
        json_add(view, "outputSchema", output);
    print(view, tool, true);
    json_free(&view);
    return tool->bytes[false] <= MCP_TOOL_MAX_BYTES ||
           err_set(err, ERR_INVALID_VALUE,
                   "%s: its entry in tools/list has %zu bytes, more than %d", offer->name,
                   tool->bytes[false], MCP_TOOL_MAX_BYTES);
}

static bool add_offer(struct mcp_tools *tools, const struct offer *offer,
                      const struct limits *limits, int64_t confirm_from, struct err *err)
{
    cJSON *view;
    if (!offer->contract)
        return add_tool(tools, offer, view_credits(), view_credits_output(), err);
    return view_tool(offer->contract, limits_class(limits, offer->rate_class), confirm_from, &view,
                     err) &&
           add_tool(tools, offer, view, view_output(offer->contract), err);
}

static int by_name(const void *a, const void *b)
{
    const struct mcp_tool *left = a;
    const struct mcp_tool *right = b;
    return strcmp(left->offer->name, right->offer->name);
}

/* Precompress the whole list, which most clients request. */
static bool pack_all(struct mcp_tools *tools, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(MCP_LIST_MAX_BYTES);
    struct mcp_choice all = { 0 };
    memset(all.has, true, tools->count);
    mcp_tools_write(tools, &all, &text);
    if (text.full)
        return err_set(err, ERR_INVALID_VALUE, "tools/list has %zu bytes, more than %d",
                       mcp_tools_bytes(tools, &all), MCP_LIST_MAX_BYTES);
    gzip_piece_make(buf_text(&text), &tools->all);
    return true;
}

bool mcp_tools_build(const struct catalog *catalog, const struct limits *limits,
                     int64_t confirm_from, struct mcp_tools **made, struct err *err)
{
    scoped(mcp_tools_free) struct mcp_tools *tools = mem_new(sizeof(*tools));
    if (catalog->count >= MCP_TOOLS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "tools/list has at most %d tools",
                       MCP_TOOLS_MAX - 1);
    if (!add_offer(tools, &catalog->balance, limits, confirm_from, err))
        return false;
    for (size_t i = 0; i < catalog->count; i++)
        if (!add_offer(tools, &catalog->offers[i], limits, confirm_from, err))
            return false;
    qsort(tools->tool, tools->count, sizeof(tools->tool[0]), by_name);
    if (!pack_all(tools, err))
        return false;
    *made = take(tools);
    return true;
}

void mcp_tools_free(struct mcp_tools **tools)
{
    if (!*tools)
        return;
    for (size_t i = 0; i < (*tools)->count; i++) {
        mem_free(&(*tools)->tool[i].text[false]);
        mem_free(&(*tools)->tool[i].text[true]);
    }
    gzip_piece_free(&(*tools)->all);
    mem_free(tools);
}

void mcp_tools_cut(const struct mcp_tools *tools, const struct token_facts *facts,
                   struct mcp_choice *choice)
{
    for (size_t i = 0; i < tools->count; i++) {
        const struct offer *offer = tools->tool[i].offer;
        if (offer->contract && !token_facts_allow(facts, offer->name, offer->group))
            choice->has[i] = false;
    }
}

const struct offer *mcp_tools_find(const struct mcp_tools *tools, const struct mcp_choice *choice,
                                   struct text name)
{
    for (size_t i = 0; i < tools->count; i++)
        if (choice->has[i] && text_is(name, tools->tool[i].offer->name))
            return tools->tool[i].offer;
    return NULL;
}

const char *mcp_tools_nearest(const struct mcp_tools *tools, const struct mcp_choice *choice,
                              const char *name)
{
    struct did_you_mean meant = did_you_mean(name);
    for (size_t i = 0; i < tools->count; i++)
        if (choice->has[i])
            did_you_mean_offer(&meant, tools->tool[i].offer->name, tools->tool[i].offer->name);
    return meant.shown;
}

size_t mcp_tools_bytes(const struct mcp_tools *tools, const struct mcp_choice *choice)
{
    size_t bytes = 2;
    for (size_t i = 0; i < tools->count; i++)
        if (choice->has[i])
            bytes += tools->tool[i].bytes[choice->is_whole] + 1;
    return bytes;
}

bool mcp_tools_are_all(const struct mcp_tools *tools, const struct mcp_choice *choice)
{
    return !choice->is_whole && !memchr(choice->has, false, tools->count);
}

void mcp_tools_write(const struct mcp_tools *tools, const struct mcp_choice *choice,
                     struct buf *out)
{
    const char *separator = "";
    buf_add_byte(out, '[');
    for (size_t i = 0; i < tools->count; i++) {
        if (!choice->has[i])
            continue;
        buf_add_str(out, separator);
        buf_add(out, tools->tool[i].text[choice->is_whole], tools->tool[i].bytes[choice->is_whole]);
        separator = ",";
    }
    buf_add_byte(out, ']');
}
