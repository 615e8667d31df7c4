/* tests/unit/portal/oauth/clients/client-name.c - what is shown of the names of clients. */
#include "portal/oauth/clients/client-name.h"

#include "rows.h"

#define X10 "xxxxxxxxxx"
#define X60 X10 X10 X10 X10 X10 X10

static const struct row {
    const char *name; /* as sent */
    const char *want;
} rows[] = {
    { "Claude", "Claude" },
    { "  Claude  ", "Claude" },
    { "", "an app" },
    { "   ", "an app" },
    { "a\nb\tc\x7f", "abc" },
    { "a\xe2\x80\x8b"
      "b",
      "ab" }, /* U+200B */
    { "\xe2\x80\xae"
      "abc",
      "abc" }, /* U+202E */
    { "\xe2\x81\xa6"
      "abc\xe2\x81\xa9",
      "abc" }, /* U+2066, U+2069 */
    { "<script>alert(1)</script>", "<script>alert(1)</script>" },
    { "\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9" },
    { X60 "yyy", X60 },

    /* the ways in which clients add the name of a server */
    { "Claude Code (tollgate)", "Claude Code" },
    { "Claude Code (plugin:dev:tollgate)", "Claude Code" },
    { "Claude Code (plugin:tollgate:api)", "Claude Code" },
    { "Claude Code (my Tollgate (test))", "Claude Code" },
    { "Claude Code [TOLLGATE]", "Claude Code" },
    { "Claude Code (toll-gate)", "Claude Code" },
    { "Claude Code (api.example.test)", "Claude Code" },
    { "Claude Code (other)", "Claude Code (other)" },
    { "mcp-cli (tollgate)", "mcp-cli" },
    { "MCP Client - tollgate", "MCP Client" },
    { "mcp-proxy:tollgate", "mcp-proxy" },
    { "a gateway: tollgate", "a gateway" },
    { "MCP Gateway for api.example.test", "MCP Gateway" },
    { X60 X10 " (tollgate)", X60 },
    { "Claude Code (tollgate), official", "Claude Code" },

    /* ours anywhere else */
    { "Tollgate", "an app" },
    { "The TOLLGATE team", "an app" },
    { "Tollgate (Claude)", "an app" },
    { "Tollgate: Claude (tollgate)", "an app" },
    { "(Tollgate)", "an app" },
    { "  (Tollgate)", "an app" },
    { ": Tollgate", "an app" },
    { "api.example.test", "an app" },
    { "Admin of API.example.test", "an app" },

    /* what looks like ours */
    { "Toll\xe2\x80\x8bgate", "an app" }, /* U+200B */
    { "T.o.l.l G-a-t-e", "an app" },
    { "Toll gate (official)", "an app" },
    { "ToIIgate", "an app" },
    { "T0LLGATE", "an app" },
    { "To11gate", "an app" },
    { "To||gate", "an app" },
    { "\xce\xa4\xce\xbfllgate", "an app" },                               /* Greek */
    { "Tollg\xd0\xb0t\xd0\xb5", "an app" },                               /* Cyrillic */
    { "\xef\xbc\xb4\xef\xbd\x8f\xef\xbd\x8c\xef\xbd\x8cgate", "an app" }, /* fullwidth */
    { "ap\xd1\x96.example.test", "an app" },                              /* Cyrillic */
    { "Tollgat", "Tollgat" },
    { "api example test", "api example test" }, /* only a host with dots is ours */
};

static void check(void **state)
{
    const struct row *row = *state;
    char out[CLIENT_NAME_BYTES];
    client_name_clean(text_of(row->name), "https://api.example.test:8443", out);
    assert_string_equal(out, row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
