/*
 * gateway/catalog/account-schemas.h - what the account's own questions take and answer, as JSON for
 * openapi.c: they have no contracts.
 */
#ifndef GATEWAY_CATALOG_ACCOUNT_SCHEMAS_H
#define GATEWAY_CATALOG_ACCOUNT_SCHEMAS_H

/* clang-format off */
#define DATE      "{\"type\":\"string\",\"format\":\"date\"}"
#define AMOUNT    "{\"type\":\"integer\",\"minimum\":0}"
#define GROUP_BY  "{\"type\":\"string\",\"enum\":[\"day\",\"tool\",\"token\"]}"
#define PARAMETER "{\"in\":\"query\",\"required\":false,\"name\":"

static const char credits_schema[] =
    "{\"type\":\"object\",\"required\":[\"credits\",\"held\",\"granted\",\"purchased\",\"used\",\"as_of\"],"
    "\"properties\":{\"credits\":" AMOUNT ",\"held\":" AMOUNT ",\"granted\":" AMOUNT ",\"purchased\":" AMOUNT
    ",\"used\":" AMOUNT ",\"as_of\":{\"type\":\"string\",\"format\":\"date-time\"}}}";
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
