/* portal/page/field.c - see field.h. */
#include "portal/page/field.h"

#include <string.h>

#include "text/json.h"

/* May its value be sent back? */
static bool is_secret(const struct field *field)
{
    return strcmp(field->type, "password") == 0 ||
           (field->autocomplete && strcmp(field->autocomplete, "one-time-code") == 0);
}

static void add_text(cJSON *model, const char *name, const char *text)
{
    if (text)
        json_str(model, name, text);
}

cJSON *field_model(const struct visit *visit, const struct field *field, const char *value)
{
    cJSON *model = json_object();
    bool is_checkbox = strcmp(field->type, "checkbox") == 0;
    if (!value && !is_secret(field))
        value = form_text(&visit->form, field->name);
    json_str(model, "name", field->name);
    json_str(model, "label", field->label);
    add_text(model, "type", is_checkbox ? NULL : field->type);
    add_text(model, "value", is_checkbox ? NULL : value);
    add_text(model, "hint", field->hint);
    add_text(model, "error", visit_error(visit, field->name));
    add_text(model, "autocomplete", field->autocomplete);
    if (field->max > 0)
        json_int(model, "max", field->max);
    json_bool(model, "is_required", !field->is_optional && !is_checkbox);
    json_bool(model, "is_checkbox", is_checkbox);
    json_bool(model, "is_checked", is_checkbox && value && *value);
    return model;
}

void fields_add(const struct visit *visit, const struct field *fields, size_t count, cJSON *model)
{
    cJSON *list = json_list(model, "fields");
    for (size_t i = 0; i < count; i++)
        json_item_add(list, field_model(visit, &fields[i], NULL));
}

void option_add(cJSON *options, const char *value, const char *label, const char *chosen)
{
    cJSON *option = json_item(options);
    json_str(option, "value", value);
    json_str(option, "label", label);
    json_bool(option, "is_chosen", strcmp(value, chosen) == 0);
}
