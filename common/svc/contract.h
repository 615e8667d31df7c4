/*
 * common/svc/contract.h - a tool's contract: what it accepts, returns, costs and promises.
 *
 * One YAML file per tool, svc-<group>/<tool>/<tool>.yaml, is the only source for routing, price,
 * limits, validation, defaults and documentation. The gateway checks a request against it before it
 * holds credits. The worker checks the request again, with its own copy, and fills in the defaults
 * before the tool runs.
 *
 *   tool, title, summary       texts; tool is the path suffix, and the name of file and folder
 *   method                     POST (default) or GET; a GET tool reads its fields from the query
 *   credits                    price of one call, 0..1000
 *   rate_class                 a row of gateway/limits.yaml
 *   budget_ms                  time from admission to reply, 100..300000
 *   open_world                 it connects to sites, services or model providers (default false)
 *   intrusive                  it may connect where that is not welcome: agents' hosts ask for
 *                              confirmation (default false)
 *   retryable                  it may run again on another worker if one dies (default false)
 *   max_reply_bytes            default 4 MiB, at most 24 MiB
 *   secret_input               requests and responses are never stored (default false):
 *                              docs/decisions/005-idempotent-replays.md
 *   raw                        content types that it may return instead of the envelope
 *                              (default none)
 *   raw_headers                headers of such a response, at most 8 (default none); none that the
 *                              gateway or HTTP itself sets
 *   request, result            schemas, see below; a tool with only raw responses has no result
 *   errors                     codes of base/err.def that the tool itself may return
 *   calls                      tools of other groups that it may request as subjobs (default none):
 *                              svc/subjobs.h
 *   data                       C name of the struct data_kind that its worker reads from files
 *                              (default none); scripts/groups puts it into the table
 *   cut                        what agents' results over mcp.result_max_bytes lose, what agents
 *                              miss least first (default none, at most 16): {at, argument}. at is
 *                              the place of a list, a map or a text, such as records.*[].data: []
 *                              is a list's items, * is any member, ** at the end is all inside.
 *                              argument is the property of the request that gets the rest (default
 *                              none): gateway/mcp/result-cut.h
 *   examples                   {request, result} that the tests run. Each must be valid for its
 *                              schema. result is omitted if the response is raw or differs each
 *                              time. docs/tools/<tool>.md shows the first with its response
 *
 * A schema describes one value, and is checked when the contract is loaded. A key is an error if it
 * is not listed here, or if it has no effect on a value of this type. The keywords are those of
 * JSON Schema, except those marked with *.
 *
 *   any value
 *     type                     null, boolean, integer, number, string, array or object, or a list
 *                              of these; default: object if it has properties, else any value
 *     enum, const              allowed values; any other value is ERR_INVALID_VALUE
 *     default                  the worker fills it in if the property is absent
 *     description              what the value means
 *     hint_type *              one type or a list of types that agents see instead of a missing
 *                              type; it does not reject anything
 *     agent *                  for a property of the result itself, what agents get: omit, nothing,
 *                              because it repeats other properties; image, pictures, if it is a
 *                              list of objects with b64_json and mime_type
 *     example, examples        in a result, docs/tools/ shows `examples` instead of a value that
 *                              differs each time: the only one, or the one that differs from the
 *                              value only in numbers. Of an object it shows the example's members
 *     aliases *                other names of the property; its own name wins, then their order
 *     contentMediaType         in a result, the type of the image that the text has in Base64
 *   integer, number
 *     minimum, maximum         inclusive
 *   string
 *     minLength, maxLength     in code points
 *     pattern                  PCRE, not anchored; a mismatch is ERR_INVALID_VALUE, and the
 *                              message has the description
 *     format                   uuid or date-time, instead of a pattern
 *     choices *                the usual values of a text that has other spellings, too, and so no
 *                              enum: forms offer them
 *     multiline *              the text may have several lines: forms have room for them (default
 *                              false)
 *     allow_nul *              accepts U+0000, also inside an array or object; otherwise U+0000 is
 *                              ERR_INVALID_VALUE
 *   array
 *     items                    the schema of each item
 *     minItems, maxItems
 *   object
 *     properties               schemas by name; other members are unknown fields
 *     required                 names of properties without a default
 *     one_of_required *        names; at least one of them must be present
 *     one_of_exclusive *       whether two of them are ERR_CONFLICTING_FIELDS: for readers, because
 *                              the tool checks it (default false)
 *
 * Rules for all schemas:
 *   - null counts as absent, unless the property's type has null or it has no type.
 *   - An integer is within +-(2^53 - 1), where JSON numbers are exact. Outside, it is
 *     ERR_PRECISION_LOSS if the property also accepts a string (64-bit ids), else
 *     ERR_INVALID_VALUE.
 *   - The properties of a GET tool are integers and strings.
 *
 * Rules for requests, because agents' model providers reject other schemas (gateway/mcp/view.h):
 *   - A property's name is 1 to 64 of A-Z a-z 0-9 _ . -
 *   - A property and a list's item has a type or a hint_type.
 *   - A list has items.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/unknown-fields.h"

enum {
    CONTRACT_DIGEST_BYTES = 8,
    CONTRACT_REPLY_BYTES = 4 << 20,
    CONTRACT_REPLY_BYTES_MAX = 24 << 20,
    CONTRACT_HEADERS_MAX = 8,        /* of a raw response */
    CONTRACT_HEADER_NAME_BYTES = 64, /* with its NUL; fits into a bus message */
};

/* Texts of a contract; zero is an empty list. */
struct contract_list {
    size_t count;
    const char **item;
};

struct schema; /* a compiled schema, svc/schema.h; several threads may read it */

struct contract {
    const char *tool;
    const char *group; /* "utils", from the folder svc-utils */
    const char *title;
    const char *summary;
    const char *rate_class;
    bool is_get;
    bool open_world;
    bool intrusive;
    bool retryable;
    bool secret_input;
    int64_t credits;
    int64_t budget_ms;
    size_t max_reply_bytes;
    struct contract_list raw;         /* content types */
    struct contract_list raw_headers; /* names as they are sent */
    struct contract_list calls;       /* tools */
    struct contract_list hidden;      /* properties of the result with `agent` */
    const char *images;               /* the one of these with images; NULL: none */
    struct schema *request;
    struct schema *result;                 /* NULL: every response is raw */
    const cJSON *document;                 /* the whole file, for OpenAPI, examples and errors */
    uint8_t digest[CONTRACT_DIGEST_BYTES]; /* of the content, without comments */
};

/*
 * Load one file. Its group is the name of the tool's parent folder without "svc-". Errors:
 * ERR_INVALID_VALUE with the file and the invalid key.
 */
bool contract_load(const char *path, struct contract **contract, struct err *err) must_check;
void contract_free(struct contract **contract);

bool contract_list_has(const struct contract_list *list, const char *item);

/*
 * Load every svc-<group>/<tool>/<tool>.yaml below directory, sorted by tool; group NULL means all
 * groups. Other YAML in a tool's folder is its data. The caller frees each contract, then the
 * array. Two contracts for one tool are an error, and so is a directory without contracts.
 */
bool contract_load_all(const char *directory, const char *group, struct contract ***contracts,
                       size_t *count, struct err *err) must_check;

/* The longest budget_ms of these contracts: processes that stop wait for calls of that length, and
 * deploy/ gives them that time (tests/lint/clusters.py). */
int64_t contracts_longest_ms(struct contract *const *contracts, size_t count);

/*
 * Check a request body (raw JSON) against the contract. On success *args is the request's object
 * with aliases resolved, nulls removed and defaults filled in; the caller frees it. args may be
 * NULL. *unknown gets the fields that are not in the contract, also of an invalid request; NULL:
 * the caller does not need them.
 *
 * Errors, at most ERRS_MAX:
 * - one of ERR_BODY_REQUIRED, ERR_INVALID_JSON, ERR_TOO_DEEP, ERR_BODY_NOT_OBJECT;
 * - or one per field, in the contract's order: ERR_MISSING_FIELD, ERR_INVALID_TYPE,
 *   ERR_INVALID_VALUE, ERR_PRECISION_LOSS, ERR_TOO_LONG, ERR_TOO_SHORT, ERR_TOO_MANY_ITEMS,
 *   ERR_TOO_FEW_ITEMS.
 */
bool contract_check(const struct contract *contract, struct text body, cJSON **args,
                    struct unknown_fields *unknown, struct errs *errs) must_check;

/*
 * Convert the query of a GET tool ("w=300&text=a+b", percent-encoded, without the ?) to the JSON
 * object that contract_check() expects, with canonical names.
 *
 * - Of a property's names the canonical one wins, then its aliases in order. Of a repeated name the
 *   first occurrence wins.
 * - A property of type integer accepts only plain digits and becomes a number; all others are
 *   texts.
 * - Unknown names are dropped, and added to *unknown, which may be NULL.
 *
 * Errors: ERR_INVALID_QUERY for invalid percent-encoding, UTF-8 or NUL; ERR_INVALID_VALUE for
 * invalid digits.
 */
bool contract_query(const struct contract *contract, struct text query, struct buf *body,
                    struct unknown_fields *unknown, struct err *err) must_check;
