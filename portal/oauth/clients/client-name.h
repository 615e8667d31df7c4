/*
 * portal/oauth/clients/client-name.h - what a client calls itself, for people.
 *
 * Members trust a client that calls itself like this service, so what is shown never contains our
 * product's or host's name. But clients add the name of the server to their own, and that is often
 * ours. Read in public repositories on 2026-11-27:
 *
 * - Claude, ChatGPT, Cursor, Codex, Visual Studio Code, MCP Inspector, MCP CLI Proxy: their
 * product;
 * - Claude Code (SERVER), Claude Desktop (SERVER), mcp-cli (SERVER), also (plugin:PLUGIN:SERVER);
 * - MCP Client - SERVER, mcp-proxy:SERVER, gateway: SERVER, MCP Gateway for HOST.
 *
 * Such an addition is left out. A name that has ours anywhere else becomes "an app".
 */
#pragma once

#include "base/text.h"

enum {
    CLIENT_NAME_POINTS = 60,
    CLIENT_NAME_BYTES = 4 * CLIENT_NAME_POINTS + 1,
};

/*
 * Write the name without control, invisible and direction characters, and without an addition that
 * has our name; at most 60 code points. If nothing is left, "an app". Look-alikes of our name, such
 * as "T0LL gate", count as our name. The name must be UTF-8; public_url names our host.
 */
void client_name_clean(struct text name, const char *public_url,
                       char out[static CLIENT_NAME_BYTES]);
