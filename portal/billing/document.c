/* portal/billing/document.c - see document.h. */
#include "portal/billing/document.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "db/sql.h"
#include "portal/base/numbers.h"
#include "portal/base/times.h"
#include "portal/billing/countries.h"
#include "portal/billing/tax-ids.h"
#include "text/json.h"

enum { WORDS_BYTES = 200, LINE_MAX_BYTES = 2048 };

static bool is_note(const cJSON *row)
{
    return text_is(json_text_of(json_get(row, "kind")), "credit_note");
}

/* ---- why it exists ---- */

static const struct about {
    const char *name; /* reason, with a - for a credit note */
    const char *words;
    const char *object; /* what the words end with: a column */
} abouts[] = {
    { "paid", "Order", "order_number" },
    { "-refunded", "Refund of invoice", "refers_to" },
    { "restored", "Failed refund of invoice", "refers_to" },
    { "-corrected", "Cancellation of invoice", "refers_to" },
    { "corrected", "Correction of invoice", "refers_to" },
};

static void write_about(const cJSON *row, char words[static WORDS_BYTES])
{
    snprintf(words, WORDS_BYTES, "%s%s", is_note(row) ? "-" : "", json_text(row, "/reason"));
    const struct about *about = TABLE_FIND(abouts, words);
    const char *name = json_text(row, "/refers_to");
    if (!about)
        words[0] = '\0';
    else if (strcmp(about->object, "order_number") == 0)
        snprintf(words, WORDS_BYTES, "%s %lld", about->words,
                 (long long)json_integer(row, about->object));
    else
        snprintf(words, WORDS_BYTES, "%s %s", about->words, name ? name : "of this order");
}

/* ---- money ---- */

static void add_money(const cJSON *row, const char *column, int sign, cJSON *model)
{
    char text[NUMBER_BYTES];
    money_write(sign * json_integer(row, column), json_text(row, "/currency"), text);
    json_str(model, column, text);
}

static void add_day(const cJSON *row, const char *pointer, const char *name, cJSON *model)
{
    char day[DAY_BYTES];
    const char *time = json_text(row, pointer);
    snprintf(day, sizeof(day), "%s", time ? time : "");
    if (time)
        json_str(model, name, day);
}

void document_head_add(const cJSON *row, cJSON *model)
{
    char words[WORDS_BYTES];
    json_str(model, "invoice_id", json_text(row, "/invoice_id"));
    json_str(model, "order_id", json_text(row, "/order_id"));
    snprintf(words, WORDS_BYTES, "%lld", (long long)json_integer(row, "order_number"));
    json_str(model, "order_number", words);
    json_str(model, "name", json_text(row, "/name"));
    json_str(model, "what", is_note(row) ? "Credit note" : "Invoice");
    json_bool(model, "is_note", is_note(row));
    json_bool(model, "is_test", sql_is(row, "is_test"));
    time_add(model, "issued", json_text(row, "/issued_at"));
    add_day(row, "/issued_at", "day", model);
    write_about(row, words);
    json_str(model, "about", words);
    add_money(row, "total", is_note(row) ? -1 : 1, model);
}

/* ---- seller and buyer ---- */

static void add_line(cJSON *lines, const char *line)
{
    if (line)
        json_str(json_item(lines), "line", line);
}

/* Two parts of a line with a separator, if there are two. */
static void add_pair(cJSON *lines, const char *first, const char *separator, const char *second)
{
    scoped(mem_free) char *both =
        first && second ? str_format("%s%s%s", first, separator, second) : NULL;
    add_line(lines, both ? both : first ? first : second);
}

static void add_seller(const cJSON *seller, cJSON *model)
{
    const cJSON *line;
    cJSON *lines = json_list(model, "seller");
    cJSON_ArrayForEach(line, json_get(seller, "lines"))
        add_line(lines, json_text_of(line).bytes);
    const char *number = json_text(seller, "/tax_id");
    if (number)
        add_pair(lines, "Tax number", ": ", number);
    json_str(model, "note", json_text(seller, "/note"));
}

/* Without details, the account's name is shown. */
static void add_buyer(const cJSON *buyer, cJSON *model)
{
    cJSON *lines = json_list(model, "buyer");
    const char *company = json_text(buyer, "/company");
    const char *country = json_text(buyer, "/country");
    const char *type = json_text(buyer, "/tax_type");
    const char *label = type ? tax_id_label(type) : NULL;
    add_line(lines, company ? company : json_text(buyer, "/name"));
    add_line(lines, json_text(buyer, "/line1"));
    add_line(lines, json_text(buyer, "/line2"));
    add_pair(lines, json_text(buyer, "/postal_code"), " ", json_text(buyer, "/city"));
    add_line(lines, json_text(buyer, "/region"));
    if (country)
        add_line(lines, country_name(country) ? country_name(country) : country);
    if (type)
        add_pair(lines, label && strcmp(type, "other") != 0 ? label : "Tax number", ": ",
                 json_text(buyer, "/tax_id"));
    add_line(lines, json_text(buyer, "/email"));
    json_str(model, "reference", json_text(buyer, "/reference"));
}

static void add_payment(const cJSON *payment, cJSON *model)
{
    const char *provider = json_text(payment, "/provider");
    add_day(payment, "/paid_at", "paid_on", model);
    json_str(model, "payment_ref", json_text(payment, "/ref"));
    json_str(model, "card", json_text(payment, "/card"));
    json_str(model, "provider", provider && strcmp(provider, "stripe") == 0 ? "Stripe" : NULL);
}

/* ---- the item and its tax ---- */

static void add_item(const cJSON *row, cJSON *model)
{
    char credits[NUMBER_BYTES];
    number_write(json_integer(row, "credits"), credits);
    scoped(mem_free) char *sold = str_format("%s Tollgate credits", credits);
    json_str(model, "item", sold);
    json_bool(model, "is_part", sql_is(row, "is_part"));
}

/* Stripe's reasons for a tax of 0 that an invoice must name. */
static const struct exemption {
    const char *reason;
    const char *words;
} exemptions[] = {
    { "reverse_charge", "Reverse charge: the buyer owes the tax." },
    { "customer_exempt", "Exempt from tax: the buyer is exempt." },
    { "product_exempt", "Exempt from tax." },
};

/* With one rate its name; the amounts of several are not split on a credit note. */
static void add_taxes(const cJSON *row, cJSON *model)
{
    const cJSON *taxes = json_get(row, "taxes");
    const cJSON *tax;
    scoped(buf_free) struct buf names = BUF(LINE_MAX_BYTES);
    cJSON *notes = json_list(model, "exemptions");
    cJSON_ArrayForEach(tax, taxes) {
        const char *reason = json_text(tax, "/reason");
        const char *percent = json_text(tax, "/percent");
        const struct exemption *exemption = reason ? TABLE_FIND(exemptions, reason) : NULL;
        add_line(notes, exemption ? exemption->words : NULL);
        if (json_integer(tax, "amount") > 0)
            buf_format(&names, "%s%s%s%s%s", names.size > 0 ? ", " : "",
                       json_text(tax, "/name") ? json_text(tax, "/name") : "Tax",
                       percent ? " " : "", percent ? percent : "", percent ? " %" : "");
    }
    json_str(model, "tax_words", names.size > 0 ? buf_str(&names) : "Tax");
    json_bool(model, "has_tax", json_integer(row, "tax") > 0 || json_size(taxes) > 0);
}

void document_add(const cJSON *row, cJSON *model)
{
    document_head_add(row, model);
    json_free(&(cJSON *){ json_take(model, "total") });
    add_seller(json_get(row, "seller"), model);
    add_buyer(json_get(row, "buyer"), model);
    add_payment(json_get(row, "payment"), model);
    add_item(row, model);
    add_taxes(row, model);
    add_money(row, "net", 1, model);
    add_money(row, "tax", 1, model);
    add_money(row, "total", 1, model);
}
