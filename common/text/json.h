/*
 * common/text/json.h - strict JSON (RFC 8259): the only place that reads or writes it.
 *
 * cJSON provides the tree type. Its parser and printer are not used: the parser crashes on deep
 * nesting and accepts invalid JSON, and both cut text at U+0000. A string node made here keeps its
 * length in `valueint`, so it may contain NUL: read it with json_text_of().
 *
 * Why not Debian's jansson (2.14), which is strict: it recurses, and 2000 levels overflow a
 * thread's stack of 100 KB; it does not keep how a number was written (1.10 becomes
 * 1.1000000000000001, 1e400 is rejected); and it reads nothing without building a tree.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { JSON_DEPTH = 64 /* maximum nesting of arrays and objects: else ERR_TOO_DEEP */ };

#define JSON_INTEGER_MAX ((int64_t)1 << 53) /* doubles hold every integer up to this */

/* ---- reading, event by event ---- */

enum json_kind {
    JSON_END, /* the value is complete, and only blanks followed */
    JSON_NULL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_KEY, /* a member's name; its value is the next event */
    JSON_ARRAY_OPEN,
    JSON_ARRAY_CLOSE,
    JSON_OBJECT_OPEN,
    JSON_OBJECT_CLOSE,
};

struct json_event {
    enum json_kind kind;
    size_t offset;      /* of its first byte in the input */
    unsigned depth;     /* containers around it; an OPEN and its CLOSE have the same depth */
    struct text lexeme; /* NUMBER: its digits as written, borrowed from the input */
    struct text text;   /* STRING, KEY: decoded, borrowed until the next event; may contain NUL */
    bool is_repeated;   /* KEY: the object already has this name; see below */
};

struct json_reader; /* one pass over one input; belongs to one thread */

/* Read input, which must outlive the reader, with at most max_depth nested containers. */
struct json_reader *json_reader_new(struct text input, unsigned max_depth);
void json_reader_free(struct json_reader **reader);

/* From now on, a repeated name in an object sets is_repeated instead of an error. */
void json_reader_allow_repeats(struct json_reader *reader);

/*
 * The next event. Time and memory are linear in the input, and nothing recurses. After an error
 * every further call fails; after JSON_END every further call returns JSON_END.
 *
 * Errors: ERR_TOO_DEEP; ERR_INVALID_JSON with the byte offset for any violation of the grammar,
 * invalid UTF-8, a lone surrogate escape, a byte-order mark, bytes after the value, and a repeated
 * name in an object.
 */
bool json_next(struct json_reader *reader, struct json_event *event, struct err *err) must_check;

/* The offset of the byte that caused ERR_INVALID_JSON in json_next(); *why is the reason, a static
 * text. */
size_t json_refused_at(const struct json_reader *reader, const char **why);

/* ---- a whole document ---- */

/*
 * The tree of input; the caller releases it. Errors: as json_next(), and ERR_INVALID_JSON for a
 * name with U+0000.
 *
 * A number becomes the nearest double. If that loses digits (integers above 2^53, or values outside
 * the range of doubles, which become infinite), the node keeps the digits, and json_print() writes
 * them. The caller checks what is too large for its purpose.
 */
bool json_parse(struct text input, unsigned max_depth, cJSON **tree, struct err *err) must_check;

/*
 * The tree of a document that is shown unchanged. As json_parse(), but of repeated members the last
 * one stays, and *has_repeats says whether there were any (each takes a search of its object).
 */
bool json_parse_as_is(struct text input, unsigned max_depth, cJSON **tree, bool *has_repeats,
                      struct err *err) must_check;

/* Is it one valid document? Checks everything that json_parse() checks, without building a tree. */
bool json_check(struct text input, unsigned max_depth, struct err *err) must_check;

void json_free(cJSON **tree);

/* The same for a tree with a secret: its texts are overwritten first. */
void json_wipe(cJSON **tree);

/* ---- reading a tree; names are case-sensitive ---- */

/* The member of an object; NULL if it is absent or object is not an object. */
const cJSON *json_get(const cJSON *object, const char *name);

/* By JSON pointer (RFC 6901, without ~ escapes): "/models/0/name". NULL if there is nothing. */
const cJSON *json_at(const cJSON *tree, const char *pointer);

/* The text of a string node; an empty text for any other node. A NUL follows its bytes. */
struct text json_text_of(const cJSON *node);

/* The text at a pointer as a C string; NULL: not a string. */
const char *json_text(const cJSON *tree, const char *pointer);

/* Is it a node of this type: cJSON_Object, cJSON_Array, cJSON_String, …? False for NULL. */
bool json_is(const cJSON *node, int type);

/* Members of an object or items of a list; 0 for anything else. */
size_t json_size(const cJSON *node);

/* Is it a number without a fraction, within +-2^53? 256.0 and 2.56e2 are integers. */
bool json_is_integer(const cJSON *node);

/* The integer value of a member; 0 if it is absent or not an integer. */
int64_t json_integer(const cJSON *object, const char *name);

/* The same JSON value? The order of members is ignored. */
bool json_equal(const cJSON *a, const cJSON *b);

/* ---- building: each adds a member `name` to an object; NULL text becomes null ---- */

cJSON *json_object(void); /* a new empty object or list, the caller's */
cJSON *json_array(void);

void json_str(cJSON *object, const char *name, const char *value);
void json_text_add(cJSON *object, const char *name, struct text value); /* may hold NUL */
void json_int(cJSON *object, const char *name, int64_t value);          /* exact within +-2^53 */
void json_num(cJSON *object, const char *name, double value); /* NaN and infinity become null */
void json_bool(cJSON *object, const char *name, bool value);
void json_null(cJSON *object, const char *name);
void json_time(cJSON *object, const char *name,
               int64_t wall_ms); /* 2026-11-21T10:44:00.000Z; null outside 0000 to 9999 */
void json_int_if(cJSON *object, const char *name, bool is_known, int64_t value); /* else null */
void json_bool_if(cJSON *object, const char *name, bool is_known, bool value);
void json_add(cJSON *object, const char *name, cJSON *value); /* takes value over */

/*
 * A text of type cJSON_Raw, which no reader makes: it always comes from our own code. Its bytes are
 * node->valuestring; json_print() writes null. For portal/template/template.h.
 */
void json_raw(cJSON *object, const char *name, struct text markup);

cJSON *json_map(cJSON *object, const char *name);  /* a new member object, returned (borrowed) */
cJSON *json_list(cJSON *object, const char *name); /* a new member list, returned (borrowed) */

/* The same for a list. */
cJSON *json_item(cJSON *list); /* a new object at the end, returned (borrowed) */
void json_item_str(cJSON *list, const char *value);
void json_item_int(cJSON *list, int64_t value); /* exact within +-2^53 */
void json_item_add(cJSON *list, cJSON *value);  /* takes value over */

/* Remove a member from an object and return it to the caller; NULL if it is absent. */
cJSON *json_take(cJSON *object, const char *name);

/* Remove the first or last item of a list and return it to the caller; NULL if the list is
 * empty. */
cJSON *json_take_first(cJSON *list);
cJSON *json_take_last(cJSON *list);

/* Keep the first max items of a list. Returns whether there were more. */
bool json_cut(cJSON *list, size_t max);

/* A deep copy, the caller's. */
cJSON *json_copy(const cJSON *node);

/*
 * A node with the same value that borrows its content: the source must outlive it and stay
 * unchanged. The caller owns the node. For arguments that a result repeats, which may have 32,000
 * nodes.
 */
cJSON *json_alias(const cJSON *node);

/* A single string node, owned by the caller; may contain NUL. */
cJSON *json_new_text(struct text value);

/* A single number node, owned by the caller; null if the value is not finite. */
cJSON *json_new_number(double value);
cJSON *json_new_bool(bool value);

/* ---- writing ---- */

/*
 * Append the tree as compact JSON: members in order; doubles in the shortest form that reads back
 * equal (or with their original digits); U+0000-001F, quote and backslash escaped, all other
 * characters unchanged.
 */
bool json_print(const cJSON *tree, struct buf *out);

/* Append one string with its quotes. */
bool json_print_text(struct text value, struct buf *out);
