/* portal/snippets/curl-line.c - quoting for shells and queries. */
#include "portal/snippets/curl-line.h"

#include "base/codec/percent.h"
#include "portal/snippets/json-indent.h"
#include "text/json.h"

enum { ONE_LINE_BYTES = 100 /* a longer body is indented */ };

void shell_quote(struct text text, struct buf *out)
{
    buf_add_byte(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\'')
            buf_add_str(out, "'\\''");
        else
            buf_add_byte(out, text.bytes[i]);
    }
    buf_add_byte(out, '\'');
}

void query_of(const cJSON *request, struct buf *out)
{
    const cJSON *member;
    bool is_first = true;
    cJSON_ArrayForEach(member, request) {
        scoped(buf_free) struct buf number = BUF(CURL_LINE_BYTES);
        if (!is_first)
            buf_add_byte(out, '&');
        is_first = false;
        percent_encode(text_of(member->string), "-._~", out);
        buf_add_byte(out, '=');
        if (!json_is(member, cJSON_String))
            json_print(member, &number);
        percent_encode(json_is(member, cJSON_String) ? json_text_of(member) : buf_text(&number),
                       "-._~", out);
    }
}

static void add_address(const struct contract *contract, const struct curl_caller *caller,
                        struct buf *out)
{
    buf_format(out, "curl %s%s\"%s/v1/client/%s/tools/%s", caller->options,
               caller->options[0] ? " " : "", caller->public_url,
               caller->account ? caller->account : "$ACCOUNT", contract->tool);
}

static void add_token(const struct curl_caller *caller, struct buf *out)
{
    buf_format(out, "-H \"Authorization: Bearer %s\"", caller->token ? caller->token : "$TOKEN");
}

static void add_body(const cJSON *request, struct buf *out)
{
    scoped(buf_free) struct buf body = BUF(CURL_LINE_BYTES);
    scoped(buf_free) struct buf lines = BUF(CURL_LINE_BYTES);
    json_print(request, &body);
    if (body.size > ONE_LINE_BYTES && json_indent(buf_text(&body), &lines))
        shell_quote(buf_text(&lines), out);
    else
        shell_quote(buf_text(&body), out);
}

void curl_line(const struct contract *contract, const cJSON *request,
               const struct curl_caller *caller, struct buf *out)
{
    add_address(contract, caller, out);
    if (contract->is_get) {
        if (json_size(request) > 0)
            buf_add_byte(out, '?');
        query_of(request, out);
        buf_add_str(out, "\" \\\n  ");
        add_token(caller, out);
        return;
    }
    buf_add_str(out, "\" \\\n  ");
    add_token(caller, out);
    buf_add_str(out, " -H \"Content-Type: application/json\" \\\n  -d ");
    add_body(request, out);
}

void curl_line_example(const struct contract *contract, const struct curl_caller *caller,
                       struct buf *out)
{
    curl_line(contract, json_at(contract->document, "/examples/0/request"), caller, out);
}
