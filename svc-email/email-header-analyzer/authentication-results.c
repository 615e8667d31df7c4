/* svc-email/email-header-analyzer/authentication-results.c - read the fields with a receiver's
 * results: words, then results. */
#include "email-header-analyzer/authentication-reading.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"

enum { WORD_MAX_BYTES = 100 };

/* ---- words (RFC 8601, section 2.2) ---- */

const char *auth_keep(struct arena *arena, struct text text)
{
    return arena_copy(arena, utf8_cut(text, AUTH_VALUE_MAX_BYTES));
}

const char *auth_keep_lower(struct arena *arena, struct text text)
{
    return arena_lower(arena, utf8_cut(text, WORD_MAX_BYTES));
}

/* Bytes of the comment at the beginning; unclosed, it takes the rest of the text. */
static size_t comment_bytes(struct text text)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\\')
            i++;
        else if (text.bytes[i] == '(')
            depth++;
        else if (text.bytes[i] == ')' && --depth == 0)
            return i + 1;
    }
    return text.size;
}

struct scanner {
    struct text rest;
    struct text comment; /* the last comment that was skipped */
    bool passed_semicolon;
};

static void skip_gaps(struct scanner *scanner)
{
    while (scanner->rest.size > 0 && strchr(" \t,;()", scanner->rest.bytes[0])) {
        size_t bytes = 1;
        if (scanner->rest.bytes[0] == '(') {
            bytes = comment_bytes(scanner->rest);
            scanner->comment = (struct text){ scanner->rest.bytes + 1, bytes - 1 };
            if (scanner->comment.size > 0 && scanner->comment.bytes[bytes - 2] == ')')
                scanner->comment.size--;
        }
        scanner->passed_semicolon |= scanner->rest.bytes[0] == ';';
        scanner->rest = text_skip(scanner->rest, bytes);
    }
}

/* Skip blanks and comments around an =. */
static void skip_blanks(struct scanner *scanner)
{
    while (scanner->rest.size > 0 && strchr(" \t(", scanner->rest.bytes[0])) {
        size_t bytes = scanner->rest.bytes[0] == '(' ? comment_bytes(scanner->rest) : 1;
        scanner->rest = text_skip(scanner->rest, bytes);
    }
}

static struct text take_until(struct scanner *scanner, const char *ends)
{
    struct text word = text_before(scanner->rest, ends);
    scanner->rest = text_skip(scanner->rest, word.size);
    return word;
}

static struct text take_value(struct scanner *scanner)
{
    if (scanner->rest.size > 0 && scanner->rest.bytes[0] == '"') {
        scanner->rest = text_skip(scanner->rest, 1);
        struct text value = take_until(scanner, "\"");
        if (scanner->rest.size > 0)
            scanner->rest = text_skip(scanner->rest, 1);
        return value;
    }
    return text_strip(take_until(scanner, " \t;("), "", ",");
}

/* The next word, with or without a value. Returns false at the end. */
struct pair {
    struct text key;
    struct text value;
    bool has_value;
    bool begins; /* a semicolon precedes it */
};

static bool take_pair(struct scanner *scanner, struct pair *pair)
{
    scanner->passed_semicolon = false;
    skip_gaps(scanner);
    if (scanner->rest.size == 0)
        return false;
    *pair = (struct pair){ .begins = scanner->passed_semicolon };
    pair->key =
        scanner->rest.bytes[0] == '"' ? take_value(scanner) : take_until(scanner, "= \t;,(");
    struct text at_gap = scanner->rest;
    skip_blanks(scanner);
    pair->has_value = scanner->rest.size > 0 && scanner->rest.bytes[0] == '=';
    if (!pair->has_value) {
        scanner->rest = at_gap;
        return pair->key.size > 0 || at_gap.size > 0;
    }
    scanner->rest = text_skip(scanner->rest, 1);
    skip_blanks(scanner);
    pair->value = take_value(scanner);
    return true;
}

/* ---- results ---- */

static const char *const known_methods[] = { "spf",        "dkim",      "dmarc",     "arc",
                                             "bimi",       "compauth",  "iprev",     "auth",
                                             "domainkeys", "sender-id", "dkim-adsp", "dkim-atps",
                                             "x-dmarc",    "vbr",       "dnswl" };

/* The result word of RFC 8601. */
static const char *normal_result(struct text word)
{
    static const char *const names[] = { "pass",   "fail",      "softfail",  "neutral",      "none",
                                         "policy", "temperror", "permerror", "bestguesspass" };
    static const struct {
        const char *alias;
        const char *name;
    } aliases[] = { { "hardfail", "fail" },     { "error", "temperror" },
                    { "invalid", "permerror" }, { "nxdomain", "permerror" },
                    { "discard", "fail" },      { "skipped", "neutral" } };
    for (size_t i = 0; i < countof(names); i++)
        if (text_is_any_case(word, names[i]))
            return names[i];
    for (size_t i = 0; i < countof(aliases); i++)
        if (text_is_any_case(word, aliases[i].alias))
            return aliases[i].name;
    return "unknown";
}

const char *auth_property(const struct auth_result *result, const char *name)
{
    for (size_t i = 0; i < result->property_count; i++)
        if (strcmp(result->property[i].name, name) == 0)
            return result->property[i].value;
    return NULL;
}

static struct auth_result *add_result(struct authentication *out, const struct pair *pair,
                                      struct arena *arena)
{
    if (out->result_count == AUTH_RESULTS_MAX)
        return NULL;
    struct text key = pair->key;
    struct text method = text_cut(&key, '/');
    struct auth_result *result = &out->result[out->result_count++];
    *result = (struct auth_result){
        .method = auth_keep_lower(arena, method),
        .result = normal_result(pair->value),
    };
    return result;
}

static void add_property(struct auth_result *result, const struct pair *pair, struct arena *arena)
{
    if (text_is_any_case(pair->key, "reason"))
        result->reason = auth_keep(arena, pair->value);
    else if (result->property_count < AUTH_PROPERTIES_MAX)
        result->property[result->property_count++] = (struct auth_property){
            auth_keep_lower(arena, pair->key),
            auth_keep(arena, pair->value),
        };
}

/* A method follows a semicolon, or has a known name. Anything else with a value is a property, such
 * as action=none of Exchange. */
static bool is_method(const struct pair *pair, bool is_first)
{
    if (memchr(pair->key.bytes, '.', pair->key.size))
        return false;
    struct text key = pair->key;
    struct text name = text_cut(&key, '/');
    return text_is_among(name, known_methods, countof(known_methods)) ||
           ((pair->begins || is_first) && !text_is_any_case(name, "reason") &&
            !text_is_any_case(name, "action"));
}

void auth_read_results(struct text value, size_t field, int arc_instance, struct arena *arena,
                       struct authentication *out)
{
    struct scanner scanner = { .rest = value };
    struct auth_result *result = NULL;
    const char *authserv_id = NULL;
    struct pair pair;
    bool is_first = true;

    while (take_pair(&scanner, &pair)) {
        if (scanner.comment.size > 0 && result && !result->comment)
            result->comment = auth_keep(arena, scanner.comment);
        scanner.comment = (struct text){ NULL, 0 };
        if (pair.key.size == 0 && !pair.has_value) /* "" */
            continue;
        if (is_first && !pair.has_value)
            authserv_id = auth_keep_lower(arena, pair.key);
        else if (pair.has_value && is_method(&pair, result == NULL)) {
            if (arc_instance > 0 && text_is_any_case(pair.key, "i")) /* "i=1; mx.example.com" */
                continue;
            result = add_result(out, &pair, arena);
            if (!result)
                return;
            result->field = field;
            result->arc_instance = arc_instance;
            result->authserv_id = authserv_id;
        } else if (pair.has_value && result)
            add_property(result, &pair, arena);
        is_first = false;
    }
    if (scanner.comment.size > 0 && result && !result->comment)
        result->comment = auth_keep(arena, scanner.comment);
}

bool auth_is_results_field(struct text name)
{
    static const char *const names[] = {
        "Authentication-Results",
        "X-Authentication-Results",
        "Authentication-Results-Original",
        "X-Original-Authentication-Results",
        "X-Authentication-Results-Original",
    };
    return text_is_among(name, names, countof(names));
}

bool auth_read_received_spf(struct text value, struct arena *arena, struct auth_result *result)
{
    struct scanner scanner = { .rest = value };
    struct pair pair;
    *result = (struct auth_result){ .method = "spf" };
    while (take_pair(&scanner, &pair)) {
        if (!result->result)
            result->result = normal_result(pair.key);
        else if (pair.has_value)
            add_property(result, &pair, arena);
        else if (pair.key.size == 0)
            break;
    }
    return result->result != NULL;
}
