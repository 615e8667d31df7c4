/*
 * gateway/catalog/account-schemas.h - what the account's own questions take and answer, as JSON for
 * openapi.c: they have no contracts.
 */
#ifndef GATEWAY_CATALOG_ACCOUNT_SCHEMAS_H
#define GATEWAY_CATALOG_ACCOUNT_SCHEMAS_H

/* clang-format off */
#define DATE      "{\"type\":\"string\",\"format\":\"date\"}"
#define TIME      "{\"type\":\"string\",\"format\":\"date-time\"}"
#define PERHAPS   "{\"type\":[\"integer\",\"null\"],\"minimum\":0}"
#define AMOUNT    "{\"type\":\"integer\",\"minimum\":0}"
#define GROUP_BY  "{\"type\":\"string\",\"enum\":[\"day\",\"tool\",\"token\"]}"
#define PARAMETER "{\"in\":\"query\",\"required\":false,\"name\":"

static const char credits_schema[] =
    "{\"type\":\"object\",\"required\":[\"credits\",\"held\",\"granted\",\"purchased\",\"used\",\"as_of\",\"token\"],"
    "\"properties\":{\"credits\":" AMOUNT ",\"held\":" AMOUNT ",\"granted\":" AMOUNT ",\"purchased\":" AMOUNT
    ",\"used\":" AMOUNT ",\"as_of\":" TIME ",\"token\":{\"type\":\"object\",\"required\":[\"name\",\"scopes\","
    "\"expires_at\",\"cap_daily\",\"spent_today\",\"cap_total\",\"spent_total\"],\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"scopes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"expires_at\":{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"},\"cap_daily\":" PERHAPS ",\"spent_today\":" PERHAPS
    ",\"cap_total\":" PERHAPS ",\"spent_total\":" PERHAPS "}}}}";
static const char usage_schema[] =
    "{\"type\":\"object\",\"required\":[\"from\",\"to\",\"group_by\",\"groups\"],\"properties\":{\"from\":" DATE
    ",\"to\":" DATE ",\"group_by\":" GROUP_BY ",\"groups\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"key\",\"calls\",\"credits\"],\"properties\":{\"key\":{\"type\":[\"string\",\"null\"]},"
    "\"calls\":{\"type\":\"integer\"},\"credits\":{\"type\":\"integer\"}}}}}}";
static const char usage_from[] =
    PARAMETER "\"from\",\"description\":\"First day; else 30 days before to\",\"schema\":" DATE "}";
static const char usage_to[] =
    PARAMETER "\"to\",\"description\":\"Day behind the last one; else tomorrow\",\"schema\":" DATE "}";
static const char usage_group_by[] =
    PARAMETER "\"group_by\",\"description\":\"What a group is; else day\",\"schema\":" GROUP_BY "}";
/* clang-format on */

#endif
