/*
 * common/svc/contract.h - a tool's contract: what it takes, gives, costs and promises.
 *
 * One YAML file a tool, svc-<group>/<tool>/<tool>.yaml, is the single source for routing, price,
 * limits, validation, defaults and documentation. The gateway checks a request with it before a
 * credit is held; the daemon checks it again with its own copy and fills the defaults before the
 * tool runs.
 *
 *   tool, title, summary       texts; tool is the path suffix and the name of the file and its
 * folder method                     POST (default) or GET; a GET tool takes its fields from the
 * query credits                    price of one call, 0..1000 rate_class                 a row of
 * gateway/limits.yaml budget_ms                  from admission to reply, 100..300000 open_world it
 * asks others: sites, services, model providers (default false) intrusive                  it
 * knocks where not everybody may: agents' hosts ask first (default false) retryable may run again
 * on another worker when one dies (default false) max_reply_bytes            default 4 MiB, at most
 * 24 MiB secret_input               its request and answer are never stored (default false):
 *                              docs/decisions/005-idempotent-replays.md
 *   raw                        content types it may answer instead of the envelope (default none)
 *   raw_headers                headers that such an answer may have, at most 8 (default none); not
 *                              those that the gateway and HTTP itself write
 *   request, result            schemas, see below; a tool that only answers raw has no result
 *   errors                     codes of base/err.def that the tool itself may answer
 *   calls                      tools of other groups that it may ask by sub-jobs (default none):
 *                              svc/subjobs.h
 *   data                       the struct data_kind that its daemon reads from files for it, by its
 *                              name in C (default none); scripts/groups puts it into the table
 *   examples                   {request, result} that the tests run; each must fit its schema, and
 *                              result is left out where the answer is raw or differs each time;
 *                              the first is shown, with its answer, in docs/tools/<tool>.md
 *
 * A schema describes one value. It is checked when the contract is loaded: a key that is not
 * listed here, or that says nothing about a value of this type, is an error. The words are those of
 * JSON Schema, but for those marked with *.
 *
 *   any value
 *     type                     null, boolean, integer, number, string, array or object, or a list
 *                              of these; absent: object beside properties, else any value
 *     enum, const              what it may be; anything else is ERR_INVALID_VALUE
 *     default                  filled in by the daemon where the property is absent
 *     description              what it means
 *     hint_type *              what agents are told where there is no type: one or a list of types.
 *                              Nothing is refused by it
 *     agent *                  of a result's own property, what agents get of it: omit, nothing,
 *                              since it says again what others say; image, pictures in place of it:
 *                              it is a list of objects with b64_json and mime_type
 *     example, examples        in a result, docs/tools/ shows the first of examples in place of a
 *                              value that differs each time
 *     aliases *                other names of the property; its own name wins, then their order
 *   integer, number
 *     minimum, maximum         both included
 *   string
 *     minLength, maxLength     in code points
 *     pattern                  PCRE, anchor it yourself; what does not match is ERR_INVALID_VALUE,
 *                              and the caller is told the description
 *     format                   uuid or date-time, in place of a pattern
 *     allow_nul *              U+0000 is welcome, also inside an array or object; elsewhere it is
 *                              ERR_INVALID_VALUE
 *   array
 *     items                    the schema of each
 *     minItems, maxItems
 *   object
 *     properties               schemas by name; whatever else is in the object is ignored
 *     required                 names of properties that have no default
 *     one_of_required *        names too: at least one of them must be there
 *
 * Three rules beside them:
 *   - null counts as absent, unless the property's type has null or it has no type.
 *   - An integer lies within +-(2^53 - 1), where JSON numbers are exact. Beyond, it is
 *     ERR_PRECISION_LOSS if the property takes a string too (64-bit ids), else ERR_INVALID_VALUE.
 *   - The properties of a GET tool are integers and strings.
 *
 * And three of requests, since agents' model providers refuse what is otherwise
 * (gateway/mcp/view.h):
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

enum {
    CONTRACT_DIGEST_BYTES = 8,
    CONTRACT_REPLY_BYTES = 4 << 20,
    CONTRACT_REPLY_BYTES_MAX = 24 << 20,
    CONTRACT_HEADERS_MAX = 8,        /* of a raw answer */
    CONTRACT_HEADER_NAME_BYTES = 64, /* with its NUL: it fits into a message of the bus */
};

/* Texts of a contract; zero is an empty list. */
struct contract_list {
    size_t count;
    const char **item;
};

struct schema; /* one compiled schema, svc/schema.h; read by several threads at once */

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
    struct contract_list raw_headers; /* names, spelled as they are sent */
    struct contract_list calls;       /* tools */
    struct contract_list hidden;      /* of the result: what has `agent` */
    const char *images;               /* of those, the one that is images; NULL: none */
    struct schema *request;
    struct schema *result; /* NULL: every answer is raw */
    const cJSON *document; /* the whole file, for what describes it: OpenAPI, examples, errors */
    uint8_t digest[CONTRACT_DIGEST_BYTES]; /* of its content: comments do not count */
};

/* Load one file; its group is the name of its tool's folder's parent without "svc-". Errors:
 * ERR_INVALID_VALUE with the file and the key that is wrong. */
bool contract_load(const char *path, struct contract **contract, struct err *err) must_check;
void contract_free(struct contract **contract);

bool contract_list_has(const struct contract_list *list, const char *item);

/* Load every svc-<group>/<tool>/<tool>.yaml below directory (other YAML in a tool's folder is its
 * data); group NULL means all groups. Sorted by tool. The caller frees each,
 * then the array. Two contracts for one tool are an error, and none at all is one too. */
bool contract_load_all(const char *directory, const char *group, struct contract ***contracts,
                       size_t *count, struct err *err) must_check;

/*
 * Check a request body (raw JSON) against the contract; on success *args is the request's object
 * with aliases resolved, nulls removed and defaults filled, the caller's to free; args may be NULL
 * when only the verdict is wanted. Errors, at most ERRS_MAX: ERR_BODY_REQUIRED, ERR_INVALID_JSON,
 * ERR_TOO_DEEP, ERR_BODY_NOT_OBJECT alone; else one a field, in the contract's order:
 * ERR_MISSING_FIELD, ERR_INVALID_TYPE, ERR_INVALID_VALUE, ERR_PRECISION_LOSS, ERR_TOO_LONG,
 * ERR_TOO_SHORT, ERR_TOO_MANY_ITEMS, ERR_TOO_FEW_ITEMS.
 */
bool contract_check(const struct contract *contract, struct text body, cJSON **args,
                    struct errs *errs) must_check;

/*
 * Turn the query of a GET tool ("w=300&text=a+b", percent-encoded, without the ?) into the JSON
 * object that contract_check() takes, by canonical names. Of a property's names the canonical one
 * wins, then its aliases in their order; of several occurrences of one name the first. A property
 * of type integer takes plain digits only and becomes a number; everything else is text. Unknown
 * names are dropped. Errors: ERR_INVALID_QUERY for bad percent-encoding, UTF-8 or NUL;
 * ERR_INVALID_VALUE for digits that are none.
 */
bool contract_query(const struct contract *contract, struct text query, struct buf *body,
                    struct err *err) must_check;
