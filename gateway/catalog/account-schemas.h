/*
 * gateway/catalog/account-schemas.h - JSON schemas of endpoints without a contract, for openapi.c:
 * the account's endpoints, prices, and MCP.
 */
#pragma once

/* clang-format off */
#define DATE      "{\"type\":\"string\",\"format\":\"date\"}"
#define TIME      "{\"type\":\"string\",\"format\":\"date-time\"}"
#define PERHAPS   "{\"type\":[\"integer\",\"null\"],\"minimum\":0}"
#define AMOUNT    "{\"type\":\"integer\",\"minimum\":0}"
#define GROUP_BY  "{\"type\":\"string\",\"enum\":[\"day\",\"tool\",\"token\"]}"
#define WORD      "{\"type\":\"string\"}"
#define NAME_OR_NULL "{\"type\":[\"string\",\"null\"]}"
#define KIND      "{\"type\":\"string\",\"enum\":[\"signup_grant\",\"purchase\",\"usage\",\"refund\",\"adjustment\"," \
                  "\"payment_reversed\",\"reversal_undone\"]}"
#define WINDOW_NAMES "\"limit\",\"used\",\"reset_seconds\""
#define WINDOW    "\"limit\":" AMOUNT ",\"used\":" AMOUNT ",\"reset_seconds\":" AMOUNT
#define WINDOWS_OF(what)                                                                                      \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"" what "\"," WINDOW_NAMES "],\"properties\":{" \
    "\"" what "\":" WORD "," WINDOW "}}}"
#define PLAN      "\"plan\":{\"type\":\"object\",\"required\":[\"name\",\"since\"],\"properties\":{\"name\":" WORD ",\"since\":" TIME "}}"
#define PARAMETER "{\"in\":\"query\",\"required\":false,\"name\":"

static const char credits_schema[] =
    "{\"type\":\"object\",\"required\":[\"credits\",\"held\",\"granted\",\"purchased\",\"used\",\"as_of\",\"token\"],"
    "\"properties\":{\"credits\":" AMOUNT ",\"held\":" AMOUNT ",\"granted\":" AMOUNT ",\"purchased\":" AMOUNT
    ",\"used\":" AMOUNT ",\"as_of\":" TIME "," PLAN ",\"token\":{\"type\":\"object\",\"required\":[\"name\",\"scopes\","
    "\"expires_at\",\"cap_daily\",\"spent_today\",\"cap_total\",\"spent_total\"],\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"scopes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"expires_at\":{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"},\"cap_daily\":" PERHAPS ",\"spent_today\":" PERHAPS
    ",\"cap_total\":" PERHAPS ",\"spent_total\":" PERHAPS "}}}}";
#define REFUSAL   "refusal"
static const char dry_run_schema[] =
    "{\"type\":\"object\",\"required\":[\"tool\",\"credits\",\"would_run\",\"" REFUSAL "\",\"credits_available\",\"request\","
    "\"ignored_fields\",\"checked\"],\"properties\":{\"tool\":" WORD ",\"credits\":" AMOUNT ",\"would_run\":{\"type\":\"boolean\"},"
    "\"" REFUSAL "\":{\"type\":[\"object\",\"null\"],\"required\":[\"status\",\"code\",\"message\",\"retry_after_s\"],\"properties\":{"
    "\"status\":" AMOUNT ",\"code\":" WORD ",\"message\":" WORD ",\"retry_after_s\":" PERHAPS "}},\"credits_available\":" AMOUNT
    ",\"request\":{\"type\":\"object\"},\"ignored_fields\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"path\",\"did_you_mean\"],\"properties\":{\"path\":" WORD ",\"did_you_mean\":" NAME_OR_NULL "}}},"
    "\"checked\":{\"type\":\"string\",\"enum\":[\"contract\"]}}}";
static const char usage_schema[] =
    "{\"anyOf\":[{\"type\":\"object\",\"required\":[\"entries\",\"next_cursor\"],\"properties\":{"
    "\"next_cursor\":{\"type\":[\"string\",\"null\"]},\"entries\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"seq\",\"at\",\"kind\",\"tool\",\"credits\",\"balance_after\",\"reference\",\"token_id\"],\"properties\":{"
    "\"seq\":" AMOUNT ",\"at\":" TIME ",\"kind\":" KIND ",\"tool\":" NAME_OR_NULL ",\"credits\":{\"type\":\"integer\"},"
    "\"balance_after\":" AMOUNT ",\"reference\":{\"type\":\"string\",\"format\":\"uuid\"},\"token_id\":" NAME_OR_NULL "}}}}},"
    "{\"type\":\"object\",\"required\":[\"from\",\"to\",\"group_by\",\"groups\"],\"properties\":{\"from\":" DATE
    ",\"to\":" DATE ",\"group_by\":" GROUP_BY ",\"groups\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"key\",\"calls\",\"credits\"],\"properties\":{\"key\":" NAME_OR_NULL ","
    "\"calls\":{\"type\":\"integer\"},\"credits\":{\"type\":\"integer\"}}}}}}]}";

static const char *const usage_parameters[] = {
    PARAMETER "\"from\",\"description\":\"Date or time (RFC 3339); default: 30 days before to\",\"schema\":" WORD "}",
    PARAMETER "\"to\",\"description\":\"Date or time, exclusive; default: tomorrow\",\"schema\":" WORD "}",
    PARAMETER "\"tool\",\"description\":\"Calls of this tool\",\"schema\":" WORD "}",
    PARAMETER "\"token\",\"description\":\"Calls by this token\",\"schema\":{\"type\":\"string\",\"format\":\"uuid\"}}",
    PARAMETER "\"kind\",\"description\":\"Entries of this kind; not with group_by\",\"schema\":" KIND "}",
    PARAMETER "\"limit\",\"description\":\"Entries per page; not with group_by\",\"schema\":"
              "{\"type\":\"integer\",\"minimum\":1,\"maximum\":200,\"default\":50}}",
    PARAMETER "\"cursor\",\"description\":\"next_cursor of the previous page; not with group_by\",\"schema\":" WORD "}",
    PARAMETER "\"group_by\",\"description\":\"Sums of whole days instead of entries\",\"schema\":" GROUP_BY "}",
    NULL,
};

#define MS        "{\"type\":[\"number\",\"null\"],\"minimum\":0}"
static const char requests_schema[] =
    "{\"type\":\"object\",\"required\":[\"requests\",\"next_cursor\",\"is_complete\"],\"properties\":{"
    "\"next_cursor\":" NAME_OR_NULL ",\"is_complete\":{\"type\":\"boolean\"},\"requests\":{\"type\":\"array\",\"items\":{"
    "\"type\":\"object\",\"required\":[\"id\",\"at\",\"client_id\",\"tool\",\"route\",\"token_id\",\"token\",\"surface\","
    "\"status\",\"code\",\"credits\",\"seq\",\"is_replayed\",\"total_ms\",\"queue_ms\",\"tool_ms\",\"bytes_in\",\"bytes_out\","
    "\"ignored_fields\",\"network\"],\"properties\":{\"id\":{\"type\":\"string\",\"format\":\"uuid\"},\"at\":" TIME
    ",\"client_id\":" NAME_OR_NULL ",\"tool\":" NAME_OR_NULL ",\"route\":" NAME_OR_NULL ",\"token_id\":" NAME_OR_NULL
    ",\"token\":" NAME_OR_NULL ",\"surface\":{\"type\":\"string\",\"enum\":[\"rest\",\"mcp\"]},\"status\":" AMOUNT
    ",\"code\":" NAME_OR_NULL ",\"credits\":" AMOUNT ",\"seq\":" PERHAPS ",\"is_replayed\":{\"type\":\"boolean\"},"
    "\"total_ms\":{\"type\":\"number\",\"minimum\":0},\"queue_ms\":" MS ",\"tool_ms\":" MS ",\"bytes_in\":" AMOUNT
    ",\"bytes_out\":" AMOUNT ",\"ignored_fields\":" AMOUNT ",\"network\":" NAME_OR_NULL "}}}}}";

static const char *const requests_parameters[] = {
    PARAMETER "\"from\",\"description\":\"Date or time (RFC 3339); default: 30 days before to\",\"schema\":" WORD "}",
    PARAMETER "\"to\",\"description\":\"Date or time, exclusive; default: tomorrow\",\"schema\":" WORD "}",
    PARAMETER "\"tool\",\"description\":\"Requests about this tool\",\"schema\":" WORD "}",
    PARAMETER "\"token\",\"description\":\"Requests by this token\",\"schema\":{\"type\":\"string\",\"format\":\"uuid\"}}",
    PARAMETER "\"status\",\"description\":\"Class of the status, or failed: with an error\",\"schema\":"
              "{\"type\":\"string\",\"enum\":[\"2xx\",\"4xx\",\"5xx\",\"failed\"]}}",
    PARAMETER "\"code\",\"description\":\"Requests with this error code\",\"schema\":" WORD "}",
    PARAMETER "\"slower_ms\",\"description\":\"Requests that took at least this long\",\"schema\":"
              "{\"type\":\"integer\",\"minimum\":1,\"maximum\":600000}}",
    PARAMETER "\"id\",\"description\":\"The request with this id, or the client's X-Request-Id\",\"schema\":" WORD "}",
    PARAMETER "\"limit\",\"description\":\"Requests per page\",\"schema\":"
              "{\"type\":\"integer\",\"minimum\":1,\"maximum\":200,\"default\":50}}",
    PARAMETER "\"cursor\",\"description\":\"next_cursor of the previous page\",\"schema\":" WORD "}",
    NULL,
};

#define MONEY     "{\"type\":\"string\",\"pattern\":\"^-?[0-9]+(\\\\.[0-9]+)?$\"}"
#define FLAG      "{\"type\":\"boolean\"}"
#define UUID      "{\"type\":\"string\",\"format\":\"uuid\"}"
static const char invoices_schema[] =
    "{\"type\":\"object\",\"required\":[\"invoices\",\"next_cursor\"],\"properties\":{\"next_cursor\":" NAME_OR_NULL
    ",\"invoices\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"id\",\"number\",\"kind\",\"reason\","
    "\"issued_at\",\"refers_to\",\"refers_to_id\",\"order_id\",\"order\",\"credits\",\"is_part\",\"currency\",\"net\",\"tax\","
    "\"total\",\"taxes\",\"buyer\",\"seller\",\"payment\",\"is_test\",\"url\"],\"properties\":{\"id\":" UUID ",\"number\":"
    NAME_OR_NULL ",\"kind\":{\"type\":\"string\",\"enum\":[\"invoice\",\"credit_note\"]},\"reason\":{\"type\":\"string\","
    "\"enum\":[\"paid\",\"refunded\",\"restored\",\"corrected\"]},\"issued_at\":{\"type\":[\"string\",\"null\"],"
    "\"format\":\"date-time\"},\"refers_to\":" NAME_OR_NULL ",\"refers_to_id\":" NAME_OR_NULL ",\"order_id\":" UUID
    ",\"order\":" AMOUNT ",\"credits\":" AMOUNT ",\"is_part\":" FLAG ",\"currency\":" WORD ",\"net\":" MONEY ",\"tax\":" MONEY
    ",\"total\":" MONEY ",\"taxes\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":" WORD
    ",\"percent\":" WORD ",\"reason\":" WORD "}}},\"buyer\":{\"type\":\"object\"},\"seller\":{\"type\":[\"object\",\"null\"]},"
    "\"payment\":{\"type\":\"object\",\"properties\":{\"paid_at\":" TIME ",\"provider\":" WORD ",\"ref\":" WORD ",\"card\":"
    WORD "}},\"is_test\":" FLAG ",\"url\":{\"type\":\"string\",\"format\":\"uri\"}}}}}}";

static const char *const invoices_parameters[] = {
    PARAMETER "\"from\",\"description\":\"Date or time (RFC 3339) of issue; default: any\",\"schema\":" WORD "}",
    PARAMETER "\"to\",\"description\":\"Date or time of issue, exclusive; default: any\",\"schema\":" WORD "}",
    PARAMETER "\"limit\",\"description\":\"Documents per page\",\"schema\":"
              "{\"type\":\"integer\",\"minimum\":1,\"maximum\":200,\"default\":50}}",
    PARAMETER "\"cursor\",\"description\":\"next_cursor of the previous page\",\"schema\":" WORD "}",
    NULL,
};

static const char limits_schema[] =
    "{\"type\":\"object\",\"required\":[\"as_of\",\"global\",\"endpoints\",\"classes\",\"daily\"],\"properties\":{"
    "\"as_of\":" TIME "," PLAN ",\"global\":{\"type\":\"object\",\"required\":[" WINDOW_NAMES "],\"properties\":{" WINDOW "}},"
    "\"endpoints\":" WINDOWS_OF("tool") ",\"classes\":" WINDOWS_OF("class") ",\"daily\":" WINDOWS_OF("tool") "}}";

static const char tools_schema[] =
    "{\"type\":\"object\",\"required\":[\"api_version\",\"buy_url\",\"signup_credits\",\"packs\",\"tools\"],\"properties\":{"
    "\"api_version\":" WORD ",\"buy_url\":" NAME_OR_NULL ",\"signup_credits\":" AMOUNT ",\"packs\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"required\":[\"credits\"],\"properties\":{\"credits\":" AMOUNT ",\"usd\":" WORD "}}},"
    "\"tools\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"name\",\"title\",\"summary\",\"group\","
    "\"method\",\"credits\",\"limits\",\"budget_ms\",\"retryable\",\"open_world\"],\"properties\":{\"name\":" WORD ","
    "\"title\":" WORD ",\"summary\":" WORD ",\"group\":" WORD ",\"method\":{\"type\":\"string\",\"enum\":[\"GET\",\"POST\"]},"
    "\"credits\":" AMOUNT ",\"limits\":{\"type\":\"object\",\"properties\":{\"endpoint_per_minute\":" AMOUNT ","
    "\"class_per_minute\":" AMOUNT ",\"daily\":" AMOUNT "}},\"budget_ms\":" AMOUNT ",\"retryable\":{\"type\":\"boolean\"},"
    "\"open_world\":{\"type\":\"boolean\"}}}}}}";

/* A message of the Model Context Protocol and its response; the protocol's own documents have the
 * rest. */
static const char mcp_request[] =
    "{\"type\":\"object\",\"required\":[\"jsonrpc\",\"method\"],\"properties\":{\"jsonrpc\":{\"const\":\"2.0\"},"
    "\"id\":{\"type\":[\"string\",\"integer\"]},\"method\":" WORD ",\"params\":{\"type\":\"object\"}}}";
static const char mcp_answer[] =
    "{\"type\":\"object\",\"required\":[\"jsonrpc\"],\"properties\":{\"jsonrpc\":{\"const\":\"2.0\"},"
    "\"id\":{\"type\":[\"string\",\"integer\"]},\"result\":{\"type\":\"object\"},\"error\":{\"type\":\"object\","
    "\"required\":[\"code\",\"message\"],\"properties\":{\"code\":{\"type\":\"integer\"},\"message\":" WORD ","
    "\"data\":{\"type\":\"object\"}}}}}";
static const char *const mcp_parameters[] = {
    PARAMETER "\"groups\",\"description\":\"Tools of these groups, separated by commas\",\"schema\":" WORD "}",
    PARAMETER "\"tools\",\"description\":\"These tools, in addition to the groups\",\"schema\":" WORD "}",
    PARAMETER "\"max_price\",\"description\":\"Only tools up to this price, in credits\",\"schema\":" AMOUNT "}",
    PARAMETER "\"output\",\"description\":\"With outputSchema; needs groups or tools\",\"schema\":"
              "{\"type\":\"string\",\"enum\":[\"schema\"]}}",
    NULL,
};
/* clang-format on */
