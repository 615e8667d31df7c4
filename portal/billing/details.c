/* portal/billing/details.c - /portal/billing: the company, address and tax number that later
 * invoices have, and the addresses that get them by email. */
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/writing/chars.h"
#include "net/email.h"
#include "portal/billing/billing.h"
#include "portal/billing/countries.h"
#include "portal/billing/tax-ids.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "text/json.h"

enum { JSON_MAX_BYTES = 16 << 10 };

/* The columns of billing_version, in the order of the form. */
static const struct detail {
    struct field field;
    void (*add_options)(cJSON *options, const char *chosen); /* NULL: a text */
    const char *missing; /* the error if it is empty and others are not; NULL: optional */
} details[] = {
    { { "company", "Company or full name", "text", "organization", NULL, 200, true },
      NULL,
      "Enter the company or name." },
    { { "line1", "Address", "text", "address-line1", NULL, 200, true },
      NULL,
      "Enter the address." },
    { { "line2", "Address, second line", "text", "address-line2", "Optional.", 200, true },
      NULL,
      NULL },
    { { "postal_code", "Postal code", "text", "postal-code", "If the country has them.", 20, true },
      NULL,
      NULL },
    { { "city", "City", "text", "address-level2", NULL, 100, true }, NULL, "Enter the city." },
    { { "region", "State or region", "text", "address-level1", "Optional.", 100, true },
      NULL,
      NULL },
    { { "country", "Country", NULL, "country", NULL, 0, true },
      country_options,
      "Choose the country." },
    { { "tax_type", "Kind of tax number", NULL, NULL, NULL, 0, true }, tax_id_options, NULL },
    { { "tax_id", "Tax number", "text", "off", "Only its format is checked.", 40, true },
      NULL,
      NULL },
    { { "reference", "Purchase order number", "text", "off", "Optional: yours, for your books.", 60,
        true },
      NULL,
      NULL },
};

/* ---- the page ---- */

static cJSON *detail_model(const struct visit *visit, const struct detail *detail,
                           const cJSON *stored)
{
    const char *name = detail->field.name;
    const char *known = json_text_of(json_get(stored, name)).bytes;
    bool is_typed = visit->is_post && form_has(&visit->form, name);
    const char *value = is_typed ? form_text(&visit->form, name) : known ? known : "";
    struct field field = detail->field;
    if (strcmp(name, "tax_id") == 0 && tax_ids_are_checked(visit->portal->conf))
        field.hint =
            "Its format is checked, and the register of the EU, the UK or Australia is asked.";
    field.type = detail->add_options ? "select" : field.type;
    cJSON *model = field_model(visit, &field, value);
    if (detail->add_options) {
        json_free(&(cJSON *){ json_take(model, "type") });
        json_bool(model, "is_select", true);
        detail->add_options(json_list(model, "options"), value);
    }
    return model;
}

static const char newest_sql[] =
    "select company, line1, line2, postal_code, city, region, country, tax_type, tax_id, reference"
    "  from billing_version where account_id = $1 order by version desc limit 1";

static const struct field email_field = {
    "email",
    "Email address",
    "email",
    "off",
    "Such as your accounting department. It gets a link to confirm this first.",
    EMAIL_MAX_BYTES,
    false
};

/* The addresses that get invoices by email (emails.c), and the form for another one. */
static bool fill_emails(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    cJSON *list = json_list(model, "emails");
    bool is_typed = visit->is_post && form_has(&visit->form, email_field.name);
    json_item_add(json_list(model, "email_fields"),
                  field_model(visit, &email_field, is_typed ? NULL : ""));
    if (!sql_rows(sql,
                  "select link_id, email, confirmed_at, confirmed_at is not null as is_confirmed,"
                  "       confirmed_at is null and asked_at <= ledger_now() - interval '7 days'"
                  "       as is_expired"
                  "  from billing_email where account_id = $1 order by asked_at, email_key",
                  SQL_PARAMS(visit->session.account_id), rows, err))
        return false;
    cJSON_ArrayForEach(row, rows) {
        cJSON *item = json_item(list);
        json_str(item, "id", json_text(row, "/link_id"));
        json_str(item, "email", json_text(row, "/email"));
        json_bool(item, "is_confirmed", sql_is(row, "is_confirmed"));
        json_bool(item, "is_expired", sql_is(row, "is_expired"));
    }
    json_bool(model, "has_emails", json_size(list) > 0);
    return true;
}

/* What the register says about the stored number. */
static const struct tax_word {
    const char *state;
    const char *words;
} tax_words[] = {
    { "pending", "The register has not answered yet. It is asked each hour, for three days." },
    { "verified", "The tax number is in the register." },
    { "unverified", "The tax number is not in the register. Correct it, or ask your tax office." },
    { "unavailable", "The register did not answer for three days, or has no answer." },
};

static bool fill_register(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    const char *state;
    if (!tax_ids_are_checked(visit->portal->conf))
        return true;
    if (!sql_row(sql,
                 "select c.state from tax_check c where c.account_id = $1 and c.version ="
                 " (select max(v.version) from billing_version v where v.account_id = $1)",
                 SQL_PARAMS(visit->session.account_id), row, err))
        return false;
    if ((state = json_text(row, "/state")))
        json_str(model, "tax_register", TABLE_FIND(tax_words, state)->words);
    return true;
}

static bool fill_details(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *stored = json_object();
    cJSON *fields = json_list(model, "fields");
    if (!sql_row(sql, newest_sql, SQL_PARAMS(visit->session.account_id), stored, err) ||
        !fill_register(visit, sql, model, err))
        return false;
    for (size_t i = 0; i < countof(details); i++)
        json_item_add(fields, detail_model(visit, &details[i], stored));
    return fill_emails(visit, sql, model, err);
}

void billing_page(struct visit *visit, int status)
{
    page_filled(visit, status, "billing/details", "Billing details", fill_details);
}

void billing_show(struct visit *visit)
{
    billing_page(visit, 200);
}

/* ---- reading ---- */

/* Invisible characters and direction controls can make an invoice show other words than it has. A
 * joiner may belong to the spelling. */
static bool is_printable(struct text text)
{
    uint32_t before = 0;
    while (text.size > 0) {
        size_t bytes;
        uint32_t code = utf8_next(text, &bytes);
        text = text_skip(text, bytes);
        bool is_joiner = (code == CHAR_ZWNJ || code == CHAR_ZWJ) && text.size > 0 &&
                         char_is_joined(before, utf8_next(text, &bytes));
        if (char_is_control(code) || (char_is_invisible(code) && !is_joiner))
            return false;
        before = code;
    }
    return true;
}

static bool read_detail(struct visit *visit, const struct detail *detail, cJSON *out)
{
    const struct field *field = &detail->field;
    struct text typed = text_trim(text_of(form_text(&visit->form, field->name)));
    if (field->max > 0 && utf8_length(typed) > (size_t)field->max)
        return visit_add_error(visit, field->name, "%s: enter at most %d characters.", field->label,
                               field->max);
    if (!is_printable(typed))
        return visit_add_error(visit, field->name,
                               "%s: remove line breaks and invisible characters.", field->label);
    if (typed.size > 0)
        json_text_add(out, field->name, typed);
    return true;
}

static void check_missing(struct visit *visit, const cJSON *out)
{
    for (size_t i = 0; i < countof(details) && json_size(out) > 0; i++)
        if (details[i].missing && !json_get(out, details[i].field.name))
            visit_add_error(visit, details[i].field.name, "%s", details[i].missing);
}

static void check_choices(struct visit *visit, const cJSON *out)
{
    const char *country = json_text(out, "/country");
    const char *type = json_text(out, "/tax_type");
    if (country && !country_name(country))
        visit_add_error(visit, "country", "Choose the country.");
    if (type && !tax_id_label(type))
        visit_add_error(visit, "tax_type", "Choose a kind of tax number.");
    if (!type && json_get(out, "tax_id"))
        visit_add_error(visit, "tax_type", "Choose a kind of tax number.");
    if (type && !json_get(out, "tax_id"))
        visit_add_error(visit, "tax_id", "Enter the tax number, or choose None.");
}

static void add_form_error(struct visit *visit, const char *type, struct text typed,
                           const char *country)
{
    struct tax_id_hint hint = tax_id_hint(type, typed, country);
    const char *state = hint.state ? country_name(hint.state) : NULL;
    if (state)
        visit_add_error(visit, "tax_id", "This is not a VAT number of %s. Example: %s", state,
                        hint.example);
    else
        visit_add_error(visit, "tax_id", "This is not a valid %s. Example: %s", tax_id_label(type),
                        hint.example);
}

/* Replace the number by the form in which it is stored. */
static void check_tax_id(struct visit *visit, cJSON *out)
{
    scoped(buf_free) struct buf number = BUF(TAX_ID_MAX_BYTES);
    const char *type = json_text(out, "/tax_type");
    const char *country = json_text(out, "/country");
    struct text typed = json_text_of(json_get(out, "tax_id"));
    if (!type || !tax_id_label(type) || typed.size == 0)
        return;
    if (!tax_id_read(type, typed, &number)) {
        add_form_error(visit, type, typed, country ? country : "");
        return;
    }
    json_free(&(cJSON *){ json_take(out, "tax_id") });
    json_text_add(out, "tax_id", buf_text(&number));
}

static bool read_details(struct visit *visit, cJSON *out)
{
    bool ok = true;
    for (size_t i = 0; i < countof(details); i++)
        ok &= read_detail(visit, &details[i], out);
    if (ok) {
        check_missing(visit, out);
        check_choices(visit, out);
        check_tax_id(visit, out);
    }
    return !visit->errors;
}

/* ---- saving ---- */

static bool save_details(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    scoped(buf_free) struct buf json = BUF(JSON_MAX_BYTES);
    json_print(context, &json);
    return work_act(sql, "select billing_save($1, $2) as is_done",
                    SQL_PARAMS(visit->session.session_id, buf_str(&json)), err) &&
           work_audit(sql, visit, "billing details changed", NULL, err);
}

void billing_save(struct visit *visit)
{
    scoped(json_free) cJSON *out = json_object();
    bool is_answered = false;
    if (!read_details(visit, out))
        billing_page(visit, 400);
    else if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            billing_page(visit, 429);
    } else if (work_do(visit, save_details, out))
        page_redirect(visit, "/portal/billing", "billing-set");
}
