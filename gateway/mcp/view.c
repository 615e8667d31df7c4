/* gateway/mcp/view.c - reduces a contract's schemas to what all model providers accept. */
#include "gateway/mcp/view.h"

#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "text/json.h"

enum { TYPES_MAX = 7 };

/* The types of a schema in the view. */
struct shown {
    size_t count;
    const char *type[TYPES_MAX];
};

/* Keywords that the view keeps, for the types they apply to. */
static const struct kept {
    const char *name;
    const char *type;
} kept[] = {
    { "minLength", "string" }, { "maxLength", "string" }, { "minimum", "integer" },
    { "maximum", "integer" },  { "minimum", "number" },   { "maximum", "number" },
    { "minItems", "array" },   { "maxItems", "array" },
};

/* ---- types ---- */

static bool has_type(const struct shown *shown, const char *type)
{
    for (size_t i = 0; i < shown->count; i++)
        if (strcmp(shown->type[i], type) == 0)
            return true;
    return false;
}

static void remove_type(struct shown *shown, const char *type)
{
    size_t left = 0;
    for (size_t i = 0; i < shown->count; i++)
        if (strcmp(shown->type[i], type) != 0)
            shown->type[left++] = shown->type[i];
    shown->count = left;
}

static struct shown types_of(const cJSON *schema)
{
    struct shown shown = { 0 };
    const cJSON *types = json_get(schema, "type");
    const cJSON *type;
    if (!types)
        types = json_get(schema, "hint_type");
    if (json_is(types, cJSON_String))
        shown.type[shown.count++] = json_text_of(types).bytes;
    cJSON_ArrayForEach(type, types)
        if (shown.count < TYPES_MAX)
            shown.type[shown.count++] = json_text_of(type).bytes;
    if (shown.count == 0 && json_get(schema, "properties"))
        shown.type[shown.count++] = "object";
    return shown;
}

/* Null means absent, and models write large numbers exactly only as text: drop null, and numbers if
 * a string is allowed. */
static struct shown shown_types(const cJSON *schema)
{
    struct shown shown = types_of(schema);
    remove_type(&shown, "null");
    if (has_type(&shown, "string")) {
        remove_type(&shown, "integer");
        remove_type(&shown, "number");
    }
    return shown;
}

/* ---- texts ---- */

static void add_sentence(struct buf *out, const char *sentence)
{
    struct text before = buf_text(out);
    bool ends = before.size > 0 && strchr(".?!", before.bytes[before.size - 1]);
    buf_format(out, "%s%s", before.size == 0 ? "" : ends ? " " : ". ", sentence);
}

static void add_one_of(struct buf *out, const cJSON *schema)
{
    const cJSON *name;
    const char *separator = ": ";
    bool is_exclusive = json_is(json_get(schema, "one_of_exclusive"), cJSON_True);
    if (!json_get(schema, "one_of_required"))
        return;
    add_sentence(out, is_exclusive ? "Give exactly one of" : "Give at least one of");
    cJSON_ArrayForEach(name, json_get(schema, "one_of_required")) {
        buf_format(out, "%s%s", separator, json_text_of(name).bytes);
        separator = ", ";
    }
}

static void add_default(struct buf *out, const cJSON *value)
{
    if (!value)
        return;
    add_sentence(out, "Default: ");
    if (json_is(value, cJSON_String))
        buf_add_str(out, json_text_of(value).size ? json_text_of(value).bytes : "\"\"");
    else
        json_print(value, out);
}

/* Values that are not strings are listed in the description: providers accept only string enums. */
static void add_choices(struct buf *out, const cJSON *choices)
{
    const cJSON *choice;
    const char *separator = "One of ";
    cJSON_ArrayForEach(choice, choices)
        if (json_is(choice, cJSON_String))
            return;
    cJSON_ArrayForEach(choice, choices) {
        if (*separator == 'O')
            add_sentence(out, separator);
        else
            buf_add_str(out, separator);
        json_print(choice, out);
        separator = ", ";
    }
}

static void describe(cJSON *out, const cJSON *schema)
{
    scoped(buf_free) struct buf text = BUF(8192);
    if (json_get(schema, "description"))
        buf_add_str(&text, json_text(schema, "/description"));
    add_one_of(&text, schema);
    add_choices(&text, json_get(schema, "enum"));
    add_default(&text, json_get(schema, "default"));
    if (text.size > 0)
        json_str(out, "description", buf_str(&text));
}

/* ---- schemas ---- */

static cJSON *show(const cJSON *schema);

static void add_object(cJSON *out, const cJSON *schema)
{
    const cJSON *property;
    const cJSON *required = json_get(schema, "required");
    cJSON *properties = json_map(out, "properties");
    cJSON_ArrayForEach(property, json_get(schema, "properties"))
        json_add(properties, property->string, show(property));
    if (json_size(required) > 0)
        json_add(out, "required", json_copy(required));
}

static void add_enum(cJSON *out, const cJSON *schema)
{
    const cJSON *constant = json_get(schema, "const");
    const cJSON *choice;
    cJSON *list = NULL;
    if (json_is(constant, cJSON_String))
        json_item_add(json_list(out, "enum"), json_copy(constant));
    cJSON_ArrayForEach(choice, json_get(schema, "enum")) {
        if (!json_is(choice, cJSON_String))
            continue;
        if (!list)
            list = json_list(out, "enum");
        json_item_add(list, json_copy(choice));
    }
}

/* Add the keywords of one type. */
static void add_type(cJSON *out, const cJSON *schema, const char *type)
{
    json_str(out, "type", type);
    for (size_t i = 0; i < countof(kept); i++) {
        const cJSON *value = json_get(schema, kept[i].name);
        if (value && strcmp(kept[i].type, type) == 0)
            json_add(out, kept[i].name, json_copy(value));
    }
    if (strcmp(type, "string") == 0)
        add_enum(out, schema);
    if (strcmp(type, "array") == 0)
        json_add(out, "items", show(json_get(schema, "items")));
    if (strcmp(type, "object") == 0 && json_get(schema, "properties"))
        add_object(out, schema);
}

/* The view of a value of the request; its depth is bounded by the contract. */
static cJSON *show(const cJSON *schema)
{
    struct shown shown = shown_types(schema);
    cJSON *out = json_object();
    if (shown.count == 1)
        add_type(out, schema, shown.type[0]);
    describe(out, schema);
    if (shown.count > 1) {
        cJSON *list = json_list(out, "anyOf");
        for (size_t i = 0; i < shown.count; i++)
            add_type(json_item(list), schema, shown.type[i]);
    }
    return out;
}

/* ---- a tool ---- */

static bool describe_tool(cJSON *tool, const struct contract *contract,
                          const struct rate_class *limits, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(VIEW_DESCRIPTION_BYTES);
    scoped(mem_free) char *price =
        str_format("%d credit%s per successful call", (int)contract->credits,
                   contract->credits == 1 ? "" : "s");
    add_sentence(&text, contract->summary);
    add_one_of(&text, json_get(contract->document, "request"));
    add_sentence(&text, price);
    if (limits->endpoint_per_minute > 0)
        buf_format(&text, "; at most %u calls a minute", limits->endpoint_per_minute);
    if (limits->class_per_minute > 0)
        buf_format(&text, "; at most %u calls a minute of this and similar tools together",
                   limits->class_per_minute);
    if (limits->daily_per_tool > 0)
        buf_format(&text, "; at most %u calls a day", limits->daily_per_tool);
    buf_add_str(&text, ".");
    if (text.full)
        return err_set(err, ERR_INVALID_VALUE,
                       "%s: its description for agents is longer than %d bytes", contract->tool,
                       VIEW_DESCRIPTION_BYTES);
    json_str(tool, "description", buf_str(&text));
    return true;
}

/* Hints of MCP 2025-11-25, "ToolAnnotations". Those with their default value (idempotentHint false,
 * openWorldHint true) are left out, because models pay for each token. So is destructiveHint of a
 * read-only tool, where it has no meaning. */
static void add_annotations(cJSON *tool, bool is_read_only, bool is_open)
{
    cJSON *annotations = json_map(tool, "annotations");
    json_bool(annotations, "readOnlyHint", is_read_only);
    if (!is_read_only)
        json_bool(annotations, "destructiveHint", false);
    if (!is_open)
        json_bool(annotations, "openWorldHint", false);
}

/* The price as a number. Group and time budget are in GET /v1/tools. */
static void add_meta(cJSON *tool, int64_t credits)
{
    json_int(json_map(tool, "_meta"), "tollgate/credits", credits);
}

bool view_tool(const struct contract *contract, const struct rate_class *limits,
               int64_t confirm_from, cJSON **made, struct err *err)
{
    scoped(json_free) cJSON *tool = json_object();
    json_str(tool, "name", contract->tool);
    json_str(tool, "title", contract->title);
    if (!describe_tool(tool, contract, limits, err))
        return false;
    cJSON *input = json_map(tool, "inputSchema");
    json_str(input, "type", "object");
    add_object(input, json_get(contract->document, "request"));
    add_annotations(tool, contract->credits < confirm_from && !contract->intrusive,
                    contract->open_world);
    add_meta(tool, contract->credits);
    *made = take(tool);
    return true;
}

cJSON *view_credits(void)
{
    cJSON *tool = json_object();
    json_str(tool, "name", "account-credits");
    json_str(tool, "title", "Credit balance");
    json_str(tool, "description",
             "The credits that can be spent now, and this token's caps. Free.");
    cJSON *input = json_map(tool, "inputSchema");
    json_str(input, "type", "object");
    json_map(input, "properties");
    add_annotations(tool, true, false);
    add_meta(tool, 0);
    return tool;
}

/* ---- results ---- */

/* One type with its enum; a schema with several types or no type allows any value. */
static cJSON *show_output(const cJSON *schema)
{
    struct shown shown = types_of(schema);
    const cJSON *choices = json_get(schema, "enum");
    cJSON *out = json_object();
    if (shown.count == 1 && !json_get(schema, "hint_type"))
        json_str(out, "type", shown.type[0]);
    if (shown.count == 1 && choices)
        json_add(out, "enum", json_copy(choices));
    return out;
}

cJSON *view_output(const struct contract *contract)
{
    const cJSON *result = json_get(contract->document, "result");
    const cJSON *member;
    if (!result || contract->raw.count > 0)
        return NULL;
    cJSON *out = json_object();
    json_str(out, "type", "object");
    cJSON *properties = json_map(out, "properties");
    cJSON_ArrayForEach(member, json_get(result, "properties"))
        if (!contract_list_has(&contract->hidden, member->string))
            json_add(properties, member->string, show_output(member));
    cJSON *required = json_list(out, "required");
    cJSON_ArrayForEach(member, json_get(result, "required"))
        if (!contract_list_has(&contract->hidden, json_text_of(member).bytes))
            json_item_add(required, json_copy(member));
    return out;
}

cJSON *view_credits_output(void)
{
    cJSON *out = json_object();
    json_str(out, "type", "object");
    cJSON *properties = json_map(out, "properties");
    json_str(json_map(properties, "credits"), "type", "integer");
    json_str(json_map(properties, "as_of"), "type", "string");
    json_str(json_map(properties, "token"), "type", "object");
    cJSON *required = json_list(out, "required");
    json_item_str(required, "credits");
    json_item_str(required, "as_of");
    json_item_str(required, "token");
    return out;
}
