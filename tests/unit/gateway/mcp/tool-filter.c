/* tests/unit/gateway/mcp/tool-filter.c - queries, and the tools that they select. */
#include "gateway/mcp/tool-filter.h"

#include <string.h>

#include "rows.h"

static const struct row {
    const char *name;
    const char *query;
    const char *wrong; /* a part of the message; NULL: accepted */
    size_t count;      /* of the visible tools */
    bool is_whole;
} rows[] = {
    { "nothing", "", NULL, 6 },
    { "a group", "groups=x", NULL, 3 },
    { "two groups", "groups=x,y", NULL, 6 },
    { "two tools", "tools=a,d", NULL, 3 },
    { "a group and a tool", "groups=x&tools=d", NULL, 4 },
    { "a tool twice", "tools=a,a", NULL, 2 },
    { "cheap ones", "max_price=2", NULL, 3 },
    { "free ones", "max_price=0", NULL, 1 },
    { "cheap ones of a group", "max_price=2&groups=y", NULL, 2 },
    { "the balance alone", "tools=account-credits", NULL, 1 },
    { "outputs", "output=schema&tools=a", NULL, 2, true },
    { "encoded", "tools=%61%2cd", NULL, 3 },
    { "an unknown group", "groups=z", "groups contains" },
    { "an unknown tool", "tools=a,z", "tools contains" },
    { "the beginning of a tool", "tools=account", "tools contains" },
    { "an empty tool", "tools=a,,d", "tools contains" },
    { "a comma at the end", "tools=a,", "tools contains" },
    { "an empty value", "tools=", "tools must not be empty" },
    { "no value", "tools", "tools must not be empty" },
    { "twice", "tools=a&tools=a", "tools is there twice" },
    { "a price with a sign", "max_price=-1", "max_price must" },
    { "a price with a point", "max_price=1.5", "max_price must" },
    { "another output", "output=all&tools=a", "output must" },
    { "all outputs", "output=schema", "output requires" },
    { "a bad escape", "tools=%6", "percent-encoded" },
    { "a NUL", "tools=a%00", "percent-encoded" },
    { "unknown", "tool=a", "parameter tool is unknown" },
    { "a name that is not a word", "to%6fls=a", "parameter  is unknown" },
    { "a token", "tg_live_abc=a", "parameter  is unknown" },
    { "a token in it", "a_tg_live_abc=a", "parameter  is unknown" },
    { "an ampersand too much", "tools=a&&output=schema", "parameter  is unknown" },
};

static struct mcp_tools *sample(struct contract *contracts, struct offer *offers)
{
    static const struct {
        const char *name;
        const char *group;
        int64_t credits;
    } tools[] = {
        { "a", "x", 1 }, { "account-credits", "account", 0 },
        { "b", "x", 3 }, { "c", "y", 3 },
        { "d", "y", 2 }, { "e", "y", 1 + 3 },
    };
    struct mcp_tools *made = mem_new(sizeof(*made));
    made->count = countof(tools);
    for (size_t i = 0; i < countof(tools); i++) {
        contracts[i].credits = tools[i].credits;
        offers[i] = (struct offer){ .name = tools[i].name, .group = tools[i].group };
        offers[i].contract = tools[i].credits > 0 ? &contracts[i] : NULL;
        made->tool[i].offer = &offers[i];
        made->tool[i].bytes[false] = made->tool[i].bytes[true] = 10;
    }
    return made;
}

static void check(void **state)
{
    const struct row *row = *state;
    struct contract contracts[6] = { 0 };
    struct offer offers[6];
    scoped(mcp_tools_free) struct mcp_tools *tools = sample(contracts, offers);
    struct mcp_choice choice = { 0 };
    struct err err = { 0 };
    size_t count = 0;
    assert_int_equal(tool_filter_read(tools, text_of(row->query), &choice, &err),
                     row->wrong == NULL);
    if (row->wrong) {
        assert_int_equal(err.kind, ERR_INVALID_QUERY);
        if (!strstr(err.message, row->wrong))
            fail_msg("%s", err.message);
        return;
    }
    for (size_t i = 0; i < tools->count; i++)
        count += choice.has[i];
    assert_int_equal(count, row->count);
    assert_true(choice.has[1]);
    assert_int_equal(choice.is_whole, row->is_whole);
}

/* A list without a permit is not made. */
static void a_list_that_is_too_long_is_rejected(void **state)
{
    (void)state;
    struct contract contracts[6] = { 0 };
    struct offer offers[6];
    scoped(mcp_tools_free) struct mcp_tools *tools = sample(contracts, offers);
    struct mcp_choice choice;
    struct err err = { 0 };
    tools->tool[0].bytes[true] = MCP_LIST_MAX_BYTES;
    assert_true(tool_filter_read(tools, text_of("tools=a"), &choice, &err));
    assert_false(tool_filter_read(tools, text_of("tools=a&output=schema"), &choice, &err));
    assert_non_null(strstr(err.message, "too long"));
}

/* By tools and groups; the balance is always visible, and a tool outside the filter does not come
 * back. */
static void scopes_cut(void **state)
{
    (void)state;
    static const struct {
        const char *scopes;
        const char *seen;
    } cuts[] = { { "", "a,account-credits,c,d,e," },
                 { "x,d", "a,account-credits,d," },
                 { "account", "account-credits," },
                 { "b", "account-credits," } };
    struct contract contracts[6] = { 0 };
    struct offer offers[6];
    scoped(mcp_tools_free) struct mcp_tools *tools = sample(contracts, offers);
    for (size_t n = 0; n < countof(cuts); n++) {
        struct token_facts facts = { .scopes = (char *)(uintptr_t)cuts[n].scopes };
        scoped(buf_free) struct buf seen = BUF(100);
        struct mcp_choice choice;
        struct err err = { 0 };
        assert_true(tool_filter_read(tools, text_of("groups=y&tools=a"), &choice, &err));
        mcp_tools_cut(tools, &facts, &choice);
        for (size_t i = 0; i < tools->count; i++)
            buf_format(&seen, "%s%s", choice.has[i] ? tools->tool[i].offer->name : "",
                       choice.has[i] ? "," : "");
        assert_string_equal(buf_str(&seen), cuts[n].seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_list_that_is_too_long_is_rejected),
                                        cmocka_unit_test(scopes_cut) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
