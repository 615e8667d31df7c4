/* svc-security/openapi-validate/check/values.c - check plain values. */
#include "values.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/text.h"
#include "jsonschema/pattern.h"

/* ---- texts ---- */

bool is_extension(struct text name)
{
    return name.size >= 2 && memcmp(name.bytes, "x-", 2) == 0;
}

static bool has_only(struct text text, const char *signs)
{
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_alnum(text.bytes[i]) &&
            (text.bytes[i] == '\0' || !strchr(signs, text.bytes[i])))
            return false;
    return text.size > 0;
}

bool is_component_name(struct text text)
{
    return has_only(text, ".-_");
}

bool is_token(struct text text)
{
    return has_only(text, "!#$%&'*+-.^_`|~");
}

bool is_template_name_safe(struct text text)
{
    return has_only(text, "-._~");
}

/* ---- URIs ---- */

bool has_uri_characters(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte <= ' ' || byte == 0x7F || strchr("\"<>\\^`{|}", byte))
            return false;
        bool is_escape = i + 2 < text.size && hex_digit(text.bytes[i + 1]) >= 0 &&
                         hex_digit(text.bytes[i + 2]) >= 0;
        if (byte == '%' && !is_escape)
            return false;
    }
    return true;
}

/* The text before the first of the characters, or the whole text. */
static struct text before_any(struct text text, const char *signs)
{
    size_t size = 0;
    while (size < text.size && !(text.bytes[size] != '\0' && strchr(signs, text.bytes[size])))
        size++;
    return (struct text){ text.bytes, size };
}

static bool is_scheme(struct text text)
{
    return has_only(text, "+-.") && ascii_is_letter((unsigned char)text.bytes[0]);
}

/* Host with optional user information and port: RFC 3986 section 3.2. */
static bool is_authority(struct text text)
{
    const char *at = memchr(text.bytes, '@', text.size);
    struct text host = at ? text_skip(text, (size_t)(at - text.bytes) + 1) : text;
    struct text address = before_any(host, "]");
    bool is_literal = host.size > 0 && host.bytes[0] == '[';
    struct text name = is_literal ? address : before_any(host, ":");
    if (is_literal && (name.size == host.size || !has_only(text_skip(name, 1), ":.")))
        return false;
    if (!is_literal && before_any(name, "[]@").size < name.size)
        return false;
    struct text port = text_skip(host, name.size + is_literal);
    return port.size <= 1 ? port.size == 0 || port.bytes[0] == ':'
                          : port.bytes[0] == ':' && text_is_digits(text_skip(port, 1));
}

bool is_uri_reference(struct text text)
{
    struct text first = before_any(text, ":/?#");
    bool has_scheme = first.size < text.size && text.bytes[first.size] == ':';
    struct text rest = has_scheme ? text_skip(text, first.size + 1) : text;
    struct text before = before_any(rest, "#");
    if (!has_uri_characters(text) || (has_scheme && !is_scheme(first)))
        return false;
    if (before.size < rest.size &&
        memchr(before.bytes + before.size + 1, '#', rest.size - before.size - 1))
        return false;
    return !text_begins(rest, "//") || is_authority(before_any(text_skip(rest, 2), "/?#"));
}

bool is_uri(struct text text)
{
    struct text first = before_any(text, ":/?#");
    return first.size < text.size && text.bytes[first.size] == ':' && is_uri_reference(text);
}

/* Allow braces in the fragment: the specification's examples have them, until 3.0.3 and 3.1.0. */
static bool is_operation_ref(struct text text)
{
    struct text before = before_any(text, "#");
    scoped(buf_free) struct buf plain = BUF(text.size);
    buf_add(&plain, before.bytes, before.size);
    for (size_t i = before.size; i < text.size; i++)
        if (text.bytes[i] != '{' && text.bytes[i] != '}')
            buf_add_byte(&plain, text.bytes[i]);
    return is_uri_reference(buf_text(&plain));
}

bool is_email(struct text text)
{
    const char *at = memchr(text.bytes, '@', text.size);
    size_t local = at ? (size_t)(at - text.bytes) : 0;
    if (local == 0 || local + 1 == text.size)
        return false;
    struct text domain = { at + 1, text.size - local - 1 };
    return has_only((struct text){ text.bytes, local }, ".!#$%&'*+/=?^_`{|}~-") &&
           has_only(domain, ".-") && domain.bytes[0] != '.' && domain.bytes[0] != '-';
}

struct text mime_essence(struct text text)
{
    const char *semicolon = memchr(text.bytes, ';', text.size);
    if (semicolon)
        text.size = (size_t)(semicolon - text.bytes);
    while (text.size > 0 && (text.bytes[text.size - 1] == ' ' || text.bytes[text.size - 1] == '\t'))
        text.size--;
    return text;
}

bool is_mime_type(struct text text)
{
    struct text essence = mime_essence(text);
    const char *slash = memchr(essence.bytes, '/', essence.size);
    if (!slash)
        return false;
    size_t type = (size_t)(slash - essence.bytes);
    return is_token((struct text){ essence.bytes, type }) &&
           is_token((struct text){ slash + 1, essence.size - type - 1 });
}

/* ---- values of fields ---- */

static bool is_of_type(struct text type, const struct node *value)
{
    static const char *const names[] = { "null", "boolean", "number", "string", "array", "object" };
    if (text_is(type, "integer"))
        return node_is_integer(value);
    return text_is(type, names[value->kind]) || text_is(type, "file");
}

bool fits_type(const struct check *check, const struct node *schema, const struct node *value)
{
    const struct node *type = node_get(schema, "type");
    if (value->kind == NODE_NULL && check->version == V30 &&
        node_is_true(node_get(schema, "nullable")))
        return true;
    if (value->kind == NODE_NULL && check->version == V20 &&
        node_is_true(node_get(schema, "x-nullable")))
        return true;
    if (node_is(type, NODE_STRING))
        return is_of_type(type->text, value);
    if (!node_is(type, NODE_LIST))
        return true;
    for (size_t i = 0; i < type->count; i++)
        if (is_of_type(node_text(type->child[i]), value))
            return true;
    return false;
}

static void check_markdown(struct check *check, const struct node *node)
{
    if (text_has(node->text, "<script") || text_has(node->text, "eval("))
        flag(check->findings, RULE_SCRIPT_IN_MARKDOWN, node);
}

static void check_mime(struct check *check, const struct node *node)
{
    if (!is_mime_type(node->text))
        flag_text(check->findings, RULE_MIME_TYPE, node, node->text);
}

static void check_regex(struct check *check, const struct node *node)
{
    scoped(regex_free) struct regex *regex = NULL;
    if (!check_step(check, 1))
        return;
    if (pattern_compile(node->text, &regex) == PATTERN_BAD)
        flag(check->findings, RULE_PATTERN_INVALID, node);
    (void)check_step(check, pattern_steps(node->text, regex));
}

static void check_positive(struct check *check, const struct node *node)
{
    if (!(node->number > 0))
        flag(check->findings, RULE_MULTIPLE_OF_NOT_POSITIVE, node);
}

static void check_count(struct check *check, const struct node *node)
{
    if (!node_is_integer(node) || node->number < 0)
        report(check->findings, RULE_FIELD_VALUE, node, "\"%s\" must be a non-negative integer.",
               quote(node_name(node)).bytes);
}

/* clang-format off */
static const struct {
    unsigned kinds; /* bit set, enum node_kinds */
    const char *name;
    void (*check)(struct check *, const struct node *); /* NULL: any value of the kind */
    bool (*is_good)(struct text);                       /* NULL: any text; otherwise: */
    enum rule rule;
    const char *words; /* after the field's name */
} plain[TYPE_COUNT_OF_TYPES] = {
    [TYPE_ANY] =            { IS_ANYTHING, "anything",  NULL },
    [TYPE_STRING] =         { IS_STRING,   "a string",  NULL },
    [TYPE_MARKDOWN] =       { IS_STRING,   "a string",  check_markdown },
    [TYPE_URI] =            { IS_STRING,   "a string",  NULL, is_uri_reference, RULE_URI_FORMAT,
                              "must be a URL or a relative reference" },
    [TYPE_WHOLE_URI] =      { IS_STRING,   "a string",  NULL, is_uri, RULE_URI_FORMAT,
                              "must be a URI with a scheme" },
    [TYPE_OPERATION_REF] =  { IS_STRING,   "a string",  NULL, is_operation_ref, RULE_URI_FORMAT,
                              "must be a URL or a relative reference" },
    [TYPE_EMAIL] =          { IS_STRING,   "a string",  NULL, is_email, RULE_CONTACT_EMAIL_FORMAT,
                              "must be an email address" },
    [TYPE_MIME] =           { IS_STRING,   "a string",  check_mime },
    [TYPE_REGEX] =          { IS_STRING,   "a string",  check_regex },
    [TYPE_WORD] =           { IS_STRING,   "a string",  NULL },
    [TYPE_BOOL] =           { IS_BOOL,     "a boolean", NULL },
    [TYPE_NUMBER] =         { IS_NUMBER,   "a number",  NULL },
    [TYPE_POSITIVE] =       { IS_NUMBER,   "a number",  check_positive },
    [TYPE_COUNT] =          { IS_NUMBER,   "an integer", check_count },
    [TYPE_SCHEMA_OR_BOOL] = { IS_BOOL,     "a boolean or an object", NULL },
};
/* clang-format on */

void check_value(struct check *check, struct node *node, const struct field *field)
{
    node->type = (uint8_t)field->type;
    if (!(plain[field->type].kinds & node_bit(node))) {
        report(check->findings, RULE_FIELD_TYPE, node, "\"%s\" must be %s, not %s.",
               quote(node_name(node)).bytes, plain[field->type].name, node_kind_name(node));
        return;
    }
    if (field->words && !is_word_of(node->text, field->words))
        report(check->findings, RULE_FIELD_VALUE, node, "\"%s\" must be one of: %s.",
               quote(node_name(node)).bytes, field->words);
    if (plain[field->type].check)
        plain[field->type].check(check, node);
    if (plain[field->type].is_good && !plain[field->type].is_good(node->text))
        report(check->findings, plain[field->type].rule, node, "\"%s\" %s.",
               quote(node_name(node)).bytes, plain[field->type].words);
}
