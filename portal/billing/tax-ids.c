/* portal/billing/tax-ids.c - see tax-ids.h. */
#include "portal/billing/tax-ids.h"

#include <string.h>

#include "base/ascii.h"
#include "base/table.h"
#include "portal/page/field.h"

/* clang-format off */
#define TAX_ID(type, label, forms, example) { type, label, forms, example },
#define EU_VAT(prefix, country, forms, example)
static const struct tax_id {
    const char *type;
    const char *label;
    const char *forms; /* NULL: any text */
    const char *example;
} tax_ids[] = {
#include "portal/billing/tax-ids.def"
};
#undef TAX_ID
#undef EU_VAT

#define TAX_ID(type, label, forms, example)
#define EU_VAT(prefix, country, forms, example) { prefix, country, forms, example },
static const struct state {
    const char *prefix;
    const char *country;
    const char *forms;
    const char *example;
} states[] = {
#include "portal/billing/tax-ids.def"
};
/* clang-format on */

#define EU "eu_vat"

bool tax_ids_are_checked(const struct conf *conf)
{
    return strcmp(conf_str(conf, "payments.provider"), "stripe") == 0 &&
           conf_bool(conf, "payments.check_tax_ids");
}

const char *tax_id_label(const char *type)
{
    const struct tax_id *row = TABLE_FIND(tax_ids, type);
    return row ? row->label : NULL;
}

void tax_id_options(cJSON *options, const char *chosen)
{
    option_add(options, "", "None", chosen);
    for (size_t i = 0; i < countof(tax_ids); i++)
        option_add(options, tax_ids[i].type, tax_ids[i].label, chosen);
}

/* ---- forms ---- */

static bool fits_sign(char form, char c)
{
    switch (form) {
    case '#':
        return ascii_is_digit((unsigned char)c);
    case '@':
        return ascii_is_letter((unsigned char)c);
    case '?':
        return ascii_is_alnum((unsigned char)c);
    default:
        return form == c;
    }
}

static bool fits_form(struct text form, struct text number)
{
    if (form.size != number.size)
        return false;
    for (size_t i = 0; i < form.size; i++)
        if (!fits_sign(form.bytes[i], number.bytes[i]))
            return false;
    return true;
}

static bool fits(const char *forms, struct text number)
{
    struct text rest = text_of(forms);
    while (rest.size > 0)
        if (fits_form(text_cut(&rest, '|'), number))
            return true;
    return false;
}

/* ---- EU ---- */

static const struct state *state_of_prefix(struct text number)
{
    for (size_t i = 0; i < countof(states); i++)
        if (number.size >= 2 && memcmp(states[i].prefix, number.bytes, 2) == 0)
            return &states[i];
    return NULL;
}

static const struct state *state_of_country(const char *country)
{
    for (size_t i = 0; i < countof(states); i++)
        if (strcmp(states[i].country, country) == 0)
            return &states[i];
    return NULL;
}

/* ---- reading ---- */

static char upper(char c)
{
    return ascii_is_lower((unsigned char)c) ? (char)(c - 'a' + 'A') : c;
}

/* Capitals, without separators. False: too long. */
static bool compact(struct text typed, struct buf *out)
{
    for (size_t i = 0; i < typed.size; i++)
        if (!ascii_is_one_of(typed.bytes[i], " .-/"))
            buf_add_byte(out, upper(typed.bytes[i]));
    return !out->full;
}

bool tax_id_read(const char *type, struct text typed, struct buf *out)
{
    scoped(buf_free) struct buf number = BUF(TAX_ID_MAX_BYTES);
    const struct tax_id *row = TABLE_FIND(tax_ids, type);
    if (!row || typed.size > TAX_ID_MAX_BYTES)
        return false;
    if (!row->forms)
        return typed.size > 0 && buf_add(out, typed.bytes, typed.size);
    if (!compact(typed, &number))
        return false;
    const struct state *state = strcmp(type, EU) == 0 ? state_of_prefix(buf_text(&number)) : NULL;
    return fits(state ? state->forms : row->forms, buf_text(&number)) &&
           buf_add(out, number.bytes, number.size);
}

struct tax_id_hint tax_id_hint(const char *type, struct text typed, const char *country)
{
    scoped(buf_free) struct buf number = BUF(TAX_ID_MAX_BYTES);
    const struct tax_id *row = TABLE_FIND(tax_ids, type);
    const struct state *state = NULL;
    if (strcmp(type, EU) == 0) {
        state = compact(typed, &number) ? state_of_prefix(buf_text(&number)) : NULL;
        state = state ? state : state_of_country(country);
    }
    return state ? (struct tax_id_hint){ state->country, state->example }
                 : (struct tax_id_hint){ NULL, row ? row->example : "" };
}
