/* gateway/mcp/rpc.c - writes JSON-RPC responses. */
#include "gateway/mcp/rpc.h"

#include <stdio.h>

#include "base/table.h"
#include "text/json.h"

bool rpc_fault_set(struct rpc_fault *fault, enum rpc_code code, int status, const char *message)
{
    fault->code = code;
    fault->status = status;
    snprintf(fault->message, sizeof(fault->message), "%s", message);
    return false;
}

const char *rpc_code_name(int code)
{
    static const struct {
        enum rpc_code code;
        const char *name;
    } rows[] = {
        { RPC_PARSE, "parse_error" },
        { RPC_INVALID_REQUEST, "invalid_request" },
        { RPC_UNKNOWN_METHOD, "method_not_found" },
        { RPC_INVALID_PARAMS, "invalid_params" },
        { RPC_HEADER_MISMATCH, "header_mismatch" },
        { RPC_UNSUPPORTED_VERSION, "unsupported_version" },
    };
    for (size_t i = 0; i < countof(rows); i++)
        if ((int)rows[i].code == code)
            return rows[i].name;
    return "invalid_request";
}

void rpc_headers(struct buf *headers)
{
    buf_add_str(headers, "Content-Type: application/json\r\n"
                         "X-Content-Type-Options: nosniff\r\n"
                         "Cache-Control: no-store\r\n");
}

void rpc_open(struct buf *out, struct text id)
{
    buf_add_str(out, "{\"jsonrpc\":\"2.0\",");
    if (id.size == 0)
        return;
    buf_add_str(out, "\"id\":");
    buf_add(out, id.bytes, id.size);
    buf_add_byte(out, ',');
}

static void open_error(struct buf *out, struct text id, int code, const char *message)
{
    rpc_open(out, id);
    buf_format(out, "\"error\":{\"code\":%d,\"message\":", code);
    json_print_text(text_of(message), out);
}

void rpc_write_fault(struct buf *out, struct text id, const struct rpc_fault *fault)
{
    open_error(out, id, fault->code, fault->message);
    if (fault->data[0])
        buf_format(out, ",\"data\":%s", fault->data);
    buf_add_str(out, "}}");
}

void rpc_write_errs(struct buf *out, const struct errs *errs)
{
    buf_add_byte(out, '[');
    for (size_t i = 0; i < errs->count; i++) {
        buf_format(out, "%s{\"code\":\"%s\",\"message\":", i > 0 ? "," : "",
                   err_code(errs->item[i].kind));
        json_print_text(text_of(errs->item[i].message), out);
        buf_add_byte(out, '}');
    }
    buf_add_byte(out, ']');
}

static void write_request_error(struct buf *out, const struct errs *errs, int status)
{
    open_error(out, (struct text){ 0 }, status, errs->item[0].message);
    buf_add_str(out, ",\"data\":{\"errors\":");
    rpc_write_errs(out, errs);
    buf_add_str(out, "}}}");
}

void rpc_write_request_error(struct buf *out, const struct errs *errs)
{
    write_request_error(out, errs, err_status(errs->item[0].kind));
}

void rpc_write_challenge(struct buf *out, const struct errs *errs)
{
    write_request_error(out, errs, 401);
}
