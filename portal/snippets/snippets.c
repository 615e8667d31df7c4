/* portal/snippets/snippets.c - see snippets.h. */
#include "portal/snippets/snippets.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "portal/snippets/json-indent.h"
#include "text/json.h"

enum { SNIPPET_BYTES = 64 << 10, ID_BYTES = 60, LINE_BYTES = 60 };

/* The parts of a call. */
struct call {
    const struct contract *contract;
    const cJSON *request;
    const struct curl_caller *caller;
};

/* ---- values ---- */

/* JSON's text of a string is one in Python, JavaScript and C, too: it escapes only quotes,
 * backslashes and control characters. In C, a control character has no \u: it is escaped twice,
 * because the string is JSON itself. */
static void write_string(struct text text, struct buf *out)
{
    scoped(json_free) cJSON *node = json_new_text(text);
    json_print(node, out);
}

/* Short JSON in one line, and otherwise indented to this depth. */
static void write_json(const cJSON *value, const char *margin, struct buf *out)
{
    scoped(buf_free) struct buf flat = BUF(SNIPPET_BYTES);
    scoped(buf_free) struct buf lines = BUF(SNIPPET_BYTES);
    json_print(value, &flat);
    struct text rest = buf_text(&flat);
    if (flat.size > LINE_BYTES && json_indent(buf_text(&flat), &lines))
        rest = buf_text(&lines);
    for (bool is_first = true; rest.size > 0; is_first = false) {
        struct text line = text_cut(&rest, '\n');
        buf_format(out, "%s", is_first ? "" : "\n");
        buf_format(out, "%s", is_first ? "" : margin);
        buf_add(out, line.bytes, line.size);
    }
}

static void write_python(const cJSON *value, struct buf *out);

static void write_members(const cJSON *value, struct buf *out)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, value) {
        buf_add_str(out, member == value->child ? "" : ", ");
        if (member->string) {
            write_string(text_of(member->string), out);
            buf_add_str(out, ": ");
        }
        write_python(member, out);
    }
}

/* The depth is the contract's example's. */
static void write_python(const cJSON *value, struct buf *out)
{
    if (json_is(value, cJSON_True) || json_is(value, cJSON_False)) {
        buf_add_str(out, json_is(value, cJSON_True) ? "True" : "False");
    } else if (json_is(value, cJSON_NULL)) {
        buf_add_str(out, "None");
    } else if (json_is(value, cJSON_Object) || json_is(value, cJSON_Array)) {
        buf_add_byte(out, json_is(value, cJSON_Object) ? '{' : '[');
        write_members(value, out);
        buf_add_byte(out, json_is(value, cJSON_Object) ? '}' : ']');
    } else {
        json_print(value, out);
    }
}

/* ---- the path after the account ---- */

static void write_path(const struct call *call, struct buf *out)
{
    buf_format(out, "/tools/%s", call->contract->tool);
    if (call->contract->is_get && json_size(call->request) > 0) {
        buf_add_byte(out, '?');
        query_of(call->request, out);
    }
}

/* ---- the languages ---- */

static void write_curl(const struct call *call, struct buf *out)
{
    curl_line(call->contract, call->request, call->caller, out);
}

static void write_python_call(const struct call *call, struct buf *out)
{
    const char *account = call->caller->account;
    buf_add_str(out, "import json\nimport os\nimport urllib.request\n\n");
    buf_format(out, "account = %s%s%s\n", account ? "\"" : "os.environ[\"ACCOUNT\"]",
               account ? account : "", account ? "\"" : "");
    buf_format(out, "request = urllib.request.Request(\n    f\"%s/v1/client/{account}",
               call->caller->public_url);
    write_path(call, out);
    buf_add_str(out, "\",\n");
    if (!call->contract->is_get) {
        buf_add_str(out, "    json.dumps(");
        write_python(call->request, out);
        buf_add_str(out, ").encode(),\n");
    }
    buf_format(out, "    %s{\"Authorization\": f\"Bearer {os.environ['TOKEN']}\"",
               call->contract->is_get ? "headers=" : "");
    if (!call->contract->is_get)
        buf_add_str(out, ", \"Content-Type\": \"application/json\"");
    buf_add_str(out, "})\n\nwith urllib.request.urlopen(request) as response:\n");
    buf_add_str(out, call->contract->result ? "    print(json.load(response)[\"result\"])\n"
                                            : "    print(response.read().decode())\n");
}

static void write_typescript_call(const struct call *call, struct buf *out)
{
    const char *account = call->caller->account;
    buf_format(out, "const response = await fetch(\n  `%s/v1/client/%s", call->caller->public_url,
               account ? account : "${process.env.ACCOUNT}");
    write_path(call, out);
    buf_add_str(out, "`, {\n");
    if (!call->contract->is_get)
        buf_add_str(out, "  method: \"POST\",\n");
    buf_add_str(out, "  headers: { Authorization: `Bearer ${process.env.TOKEN}`");
    if (!call->contract->is_get) {
        buf_add_str(out, ", \"Content-Type\": \"application/json\" },\n  body: JSON.stringify(");
        write_json(call->request, "  ", out);
        buf_add_byte(out, ')');
    } else {
        buf_add_str(out, " }");
    }
    buf_add_str(out, ",\n});\n");
    buf_add_str(out, call->contract->result ? "console.log((await response.json()).result);\n"
                                            : "console.log(await response.text());\n");
}

static void write_c_body(const struct call *call, struct buf *out)
{
    scoped(buf_free) struct buf body = BUF(SNIPPET_BYTES);
    if (call->contract->is_get)
        return;
    json_print(call->request, &body);
    buf_add_str(out, "    curl_easy_setopt(curl, CURLOPT_POSTFIELDS,\n        ");
    write_string(buf_text(&body), out);
    buf_add_str(out, ");\n    headers = curl_slist_append(headers, "
                     "\"Content-Type: application/json\");\n");
}

static void write_c_call(const struct call *call, struct buf *out)
{
    const char *account = call->caller->account;
    buf_add_str(out, "// cc call.c -lcurl\n#include <curl/curl.h>\n#include <stdio.h>\n"
                     "#include <stdlib.h>\n\nint main(void)\n{\n    char url[4096];\n"
                     "    char token[200];\n    struct curl_slist *headers = NULL;\n"
                     "    CURL *curl = curl_easy_init();\n"
                     "    snprintf(url, sizeof(url), \"%s/v1/client/%s%s\",\n");
    buf_format(out, "        \"%s\", %s%s%s,\n        \"", call->caller->public_url,
               account ? "\"" : "getenv(\"ACCOUNT\")", account ? account : "", account ? "\"" : "");
    write_path(call, out);
    buf_add_str(out, "\");\n    snprintf(token, sizeof(token), \"Authorization: Bearer %s\", "
                     "getenv(\"TOKEN\"));\n"
                     "    headers = curl_slist_append(headers, token);\n");
    write_c_body(call, out);
    buf_add_str(out, "    curl_easy_setopt(curl, CURLOPT_URL, url);\n"
                     "    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);\n"
                     "    return curl_easy_perform(curl); // prints the response\n}\n");
}

/* The configuration of a host, as most of them read it. */
static void write_mcp(const struct call *call, struct buf *out)
{
    const char *account = call->caller->account;
    buf_format(out,
               "{\n  \"mcpServers\": {\n    \"tollgate\": {\n      \"type\": \"http\",\n"
               "      \"url\": \"%s/v1/client/%s/mcp?tools=%s\",\n"
               "      \"headers\": { \"Authorization\": \"Bearer ${TOKEN}\" }\n    }\n  }\n}\n",
               call->caller->public_url, account ? account : "${ACCOUNT}", call->contract->tool);
}

/* ---- all of them ---- */

static const struct language {
    const char *name;
    const char *id;
    const char *label;
    void (*write)(const struct call *call, struct buf *out);
} languages[] = {
    { "curl", "", "Call with curl", write_curl },
    { "Python", "-python", "Call with Python", write_python_call },
    { "TypeScript", "-typescript", "Call with TypeScript", write_typescript_call },
    { "C", "-c", "Call with C", write_c_call },
    { "MCP", "-mcp", "Configuration of an agent (MCP)", write_mcp },
};

static void add_snippet(const struct language *language, const struct call *call, const char *id,
                        cJSON *list)
{
    scoped(buf_free) struct buf text = BUF(SNIPPET_BYTES);
    char whole_id[ID_BYTES];
    language->write(call, &text);
    if (text.full)
        return;
    snprintf(whole_id, sizeof(whole_id), "%.40s%s", id, language->id);
    cJSON *item = json_item(list);
    json_str(item, "name", language->name);
    json_bool(item, "is_open", language == languages);
    json_str(item, "id", whole_id);
    json_str(item, "label", language->label);
    json_text_add(item, "text", buf_text(&text));
}

void snippets_add(const struct contract *contract, const cJSON *request,
                  const struct curl_caller *caller, const char *id, cJSON *model)
{
    struct call call = { contract, request, caller };
    cJSON *list = json_list(model, "snippets");
    for (size_t i = 0; i < countof(languages); i++)
        add_snippet(&languages[i], &call, id, list);
}
