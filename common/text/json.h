/*
 * common/text/json.h - JSON (RFC 8259), strictly: the only place that reads or writes it.
 *
 * cJSON gives the tree type; its own parser and printer are not used, because the parser crashes
 * on deep nesting and accepts what is not JSON, and both cut text at U+0000. A string node made
 * here keeps its length in `valueint`, so it may hold NUL: read it with json_text_of().
 *
 * Why not Debian's jansson (2.14), which is strict: it recurses too, and 2000 levels overflow a
 * thread's stack of 100 KB; it forgets how a number was written (1.10 becomes
 * 1.1000000000000001, 1e400 is refused); and it reads nothing without building a tree of it.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { JSON_DEPTH = 64 /* arrays and objects within each other: ERR_TOO_DEEP beyond */ };

#define JSON_INTEGER_MAX ((int64_t)1 << 53) /* up to here doubles hold every integer */

/* ---- reading, event by event ---- */

enum json_kind {
    JSON_END, /* the one value is complete and nothing but blanks followed */
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
    unsigned depth;     /* containers around it; an OPEN and its CLOSE have the same */
    struct text lexeme; /* NUMBER: its digits as they stand, borrowed from the input */
    struct text text;   /* STRING, KEY: decoded, borrowed until the next event; may hold NUL */
    bool is_repeated;   /* KEY: the object has this name already; see below */
};

struct json_reader; /* one pass over one input; belongs to one thread */

/* Read input, which must outlive the reader, with containers nested at most max_depth deep. */
struct json_reader *json_reader_new(struct text input, unsigned max_depth);
void json_reader_free(struct json_reader **reader);

/* From now on a name that occurs twice in its object is no error but is_repeated. */
void json_reader_allow_repeats(struct json_reader *reader);

/*
 * The next event. Time and memory are linear in the input; nothing recurses.
 * Errors: ERR_TOO_DEEP; ERR_INVALID_JSON with the byte offset for everything else, which is:
 * any departure from the grammar, invalid UTF-8, a lone surrogate escape, a byte-order mark,
 * bytes after the value, a name that occurs twice in its object. After an error every further
 * call fails, after JSON_END every further call says JSON_END.
 */
bool json_next(struct json_reader *reader, struct json_event *event, struct err *err) must_check;

/* The offset of the byte that ERR_INVALID_JSON of json_next() is about; *why is what is wrong with
 * it, in a few words that live for ever. */
size_t json_refused_at(const struct json_reader *reader, const char **why);

/* ---- a whole document ---- */

/* The tree of input; the caller releases it. Errors as json_next(), and ERR_INVALID_JSON for a name
 * that holds U+0000. A number becomes the nearest double; where that loses digits (of integers
 * beyond 2^53, say, or of what is beyond the range of doubles and becomes infinite) it keeps its
 * own, which json_print() writes again: what is too large, the caller says, who knows what it is
 * for. */
bool json_parse(struct text input, unsigned max_depth, cJSON **tree, struct err *err) must_check;

/*
 * The tree of somebody else's document that is to be shown as it is: a number keeps its digits,
 * which json_print() writes again; of members of one name the last stays, and *has_repeats says
 * whether there were any (each costs a search of its object). Else as json_parse().
 */
bool json_parse_as_is(struct text input, unsigned max_depth, cJSON **tree, bool *has_repeats,
                      struct err *err) must_check;

/* Is it one valid document? Checks all that json_parse() checks, but builds nothing. */
bool json_check(struct text input, unsigned max_depth, struct err *err) must_check;

void json_free(cJSON **tree);

/* The same for a tree that holds a secret: its texts are overwritten first. */
void json_wipe(cJSON **tree);

/* ---- looking at a tree; names are compared with case ---- */

/* The member of an object; NULL when absent or when object is not an object. */
const cJSON *json_get(const cJSON *object, const char *name);

/* By JSON pointer (RFC 6901, without ~ escapes): "/models/0/name". NULL when there is nothing. */
const cJSON *json_at(const cJSON *tree, const char *pointer);

/* The text of a string node; an empty text for any other. Its bytes are followed by a NUL. */
struct text json_text_of(const cJSON *node);

/* The text at a pointer as a C string; NULL when there is no string. */
const char *json_text(const cJSON *tree, const char *pointer);

/* Is it a node of this type: cJSON_Object, cJSON_Array, cJSON_String, …? NULL is none. */
bool json_is(const cJSON *node, int type);

/* Members of an object or items of a list; 0 for anything else. */
size_t json_size(const cJSON *node);

/* Is it a number without a fraction, within +-2^53? 256.0 and 2.56e2 are integers. */
bool json_is_integer(const cJSON *node);

/* The integer that a member is; 0 when there is none, or what is there is none: NULL in a row. */
int64_t json_integer(const cJSON *object, const char *name);

/* Same JSON value? Objects regardless of order. */
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
void json_time(cJSON *object, const char *name, int64_t wall_ms); /* 2026-11-21T10:44:00.000Z;
                                                                   * null beyond 0000 to 9999 */
void json_int_if(cJSON *object, const char *name, bool is_known, int64_t value); /* else null */
void json_bool_if(cJSON *object, const char *name, bool is_known, bool value);
void json_add(cJSON *object, const char *name, cJSON *value); /* takes value over */

/* Text of a kind of its own, cJSON_Raw, which no reader makes: what has it came from our own code.
 * Its bytes are node->valuestring; json_print() writes null. For portal/template/template.h. */
void json_raw(cJSON *object, const char *name, struct text markup);

cJSON *json_map(cJSON *object, const char *name);  /* a new member object, returned (borrowed) */
cJSON *json_list(cJSON *object, const char *name); /* a new member list, returned (borrowed) */

/* The same for a list. */
cJSON *json_item(cJSON *list); /* a new object at the end, returned (borrowed) */
void json_item_str(cJSON *list, const char *value);
void json_item_int(cJSON *list, int64_t value); /* exact within +-2^53 */
void json_item_add(cJSON *list, cJSON *value);  /* takes value over */

/* Take a member out of an object: it is the caller's; NULL when absent. */
cJSON *json_take(cJSON *object, const char *name);

/* Take the first or last item out of a list: it is the caller's; NULL when there is none. */
cJSON *json_take_first(cJSON *list);
cJSON *json_take_last(cJSON *list);

/* Leave the first max items of a list. Returns whether there were more. */
bool json_cut(cJSON *list, size_t max);

/* A deep copy, the caller's. */
cJSON *json_copy(const cJSON *node);

/* A node of the same value, the caller's, that borrows all the value consists of: the other must
 * outlive it and stay as it is. For what a tool shows again of its arguments, which may be 32,000
 * nodes. */
cJSON *json_alias(const cJSON *node);

/* A string node that stands alone, the caller's; may hold NUL. */
cJSON *json_new_text(struct text value);

/* Likewise; a number that is not finite becomes null. */
cJSON *json_new_number(double value);
cJSON *json_new_bool(bool value);

/* ---- writing ---- */

/* Append the tree as compact JSON: members in their order, doubles in the shortest form that
 * reads back the same (or the digits they came with), U+0000-001F, quote and backslash escaped,
 * everything else as it is. */
bool json_print(const cJSON *tree, struct buf *out);

/* Append one string with its quotes. */
bool json_print_text(struct text value, struct buf *out);
