/* portal/member/connect.c - /portal/connect: links and command lines that connect an agent's host.
 * docs/api/agents.md has the sources. */
#include "base/codec/base64.h"
#include "portal/member/member.h"
#include "portal/page/answer.h"
#include "text/json.h"
#include "text/oauth/oauth.h"

enum { LINE_MAX_BYTES = 2048 };

/* Text to copy: `before` and the URL of the MCP server, and a second line. */
static const struct line {
    const char *name;
    const char *label;
    const char *before;
    const char *second; /* NULL: there is none */
} lines[] = {
    { "server", "URL of the MCP server", "", NULL },
    { "claude_code", "Claude Code", "claude mcp add --transport http tollgate ", NULL },
    { "codex_cli", "Codex CLI", "codex mcp add tollgate --url ", "codex mcp login tollgate" },
    { "mcp_remote", "A program for hosts without OAuth", "npx -y mcp-remote ", NULL },
};

static void add_line(const struct line *line, const struct buf *url, cJSON *model)
{
    scoped(buf_free) struct buf text = BUF(LINE_MAX_BYTES);
    cJSON *shell = json_map(model, line->name);
    buf_format(&text, "%s%s", line->before, buf_str(url));
    if (line->second)
        buf_format(&text, "\n%s", line->second);
    json_str(shell, "id", line->name);
    json_str(shell, "label", line->label);
    json_text_add(shell, "text", buf_text(&text));
}

/* Base64 of the server, as in Cursor's mcp.json. */
static void add_cursor(const struct buf *url, cJSON *model)
{
    scoped(json_free) cJSON *server = json_object();
    scoped(buf_free) struct buf text = BUF(LINE_MAX_BYTES);
    scoped(buf_free) struct buf encoded = BUF(LINE_MAX_BYTES);
    json_str(server, "url", buf_str(url));
    json_print(server, &text);
    base64_encode(&encoded, buf_text(&text));
    json_text_add(model, "cursor", buf_text(&encoded));
}

/* The server with its name, as in an entry of VS Code's mcp.json. */
static void add_vscode(const struct buf *url, cJSON *model)
{
    scoped(json_free) cJSON *server = json_object();
    scoped(buf_free) struct buf text = BUF(LINE_MAX_BYTES);
    json_str(server, "name", "tollgate");
    json_str(server, "type", "http");
    json_str(server, "url", buf_str(url));
    json_print(server, &text);
    json_text_add(model, "vscode", buf_text(&text));
}

void connect_show(struct visit *visit)
{
    scoped(buf_free) struct buf url = BUF(LINE_MAX_BYTES);
    cJSON *model = page_model("Connect an agent");
    buf_format(&url, "%s%s", visit->portal->public_url, OAUTH_RESOURCE_PATH);
    for (size_t i = 0; i < countof(lines); i++)
        add_line(&lines[i], &url, model);
    add_cursor(&url, model);
    add_vscode(&url, model);
    page_show(visit, 200, "member/connect", model);
}
