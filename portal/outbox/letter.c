/* portal/outbox/letter.c - see letter.h. */
#include "portal/outbox/letter.h"

#include <string.h>

#include "base/mem.h"
#include "portal/base/links.h"
#include "portal/base/numbers.h"
#include "portal/template/template.h"

struct letters {
    struct templates *text;
    struct templates *html;
    struct letters_options options;
};

/* ---- the templates ---- */

static bool load(struct letters *letters, struct err *err)
{
    scoped(mem_free) char *text = str_format("%s/mails/text", letters->options.files);
    scoped(mem_free) char *html = str_format("%s/mails/html", letters->options.files);
    return templates_load(text, TEMPLATE_TEXT, &letters->text, err) &&
           templates_load(html, TEMPLATE_HTML, &letters->html, err);
}

bool letters_load(const struct letters_options *options, struct letters **letters, struct err *err)
{
    scoped(letters_free) struct letters *loaded = mem_new(sizeof(*loaded));
    loaded->options = *options;
    if (!load(loaded, err))
        return false;
    *letters = take(loaded);
    return true;
}

void letters_free(struct letters **letters)
{
    if (!*letters)
        return;
    templates_free(&(*letters)->text);
    templates_free(&(*letters)->html);
    mem_free(letters);
}

/* ---- the values ---- */

static void add_link(const struct letters *letters, const cJSON *mail, cJSON *model)
{
    const char *id = json_text(mail, "/link_id");
    const char *name = json_text(mail, "/link_kind");
    char text[LINK_TEXT_BYTES];
    enum link_kind kind;
    if (!id || !name || !link_kind_find(name, &kind))
        return;
    link_text(letters->options.secrets, kind, id, text);
    scoped(mem_free) char *url =
        str_format("%s%s%s", letters->options.public_url, link_path(kind), text);
    json_str(model, "link_url", url);
    explicit_bzero(url, strlen(url));
    explicit_bzero(text, sizeof(text));
}

/* Replace control characters in values that visitors chose, so that they cannot stop an email. */
static void add_clean(cJSON *model, const char *name, const char *value)
{
    scoped(mem_free) char *clean = str_dup(value);
    for (char *c = clean; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    json_str(model, name, clean);
}

/* Money is {"minor", "currency"}. Anything else is added as it is, and no template accepts it. */
static void add_money(cJSON *model, const char *name, const cJSON *money)
{
    char words[NUMBER_BYTES];
    const cJSON *minor = json_get(money, "minor");
    const char *currency = json_text(money, "/currency");
    if (!json_is_integer(minor) || !currency) {
        json_add(model, name, json_copy(money));
        return;
    }
    money_write((int64_t)minor->valuedouble, currency, words);
    json_str(model, name, words);
}

static void add_data(const cJSON *data, cJSON *model);

static void add_list(const cJSON *list, cJSON *items)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        add_data(item, json_item(items));
}

/* Whole numbers are credits, and lists hold objects. */
static void add_data(const cJSON *data, cJSON *model)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, data) {
        if (json_is(value, cJSON_String))
            add_clean(model, value->string, value->valuestring);
        else if (json_is(value, cJSON_Array))
            add_list(value, json_list(model, value->string));
        else if (json_is(value, cJSON_Object))
            add_money(model, value->string, value);
        else if (json_is_integer(value))
            credits_add(model, value->string, (int64_t)value->valuedouble);
        else
            json_add(model, value->string, json_copy(value));
    }
}

/* If names collide, a template sees the portal's value, which comes first. */
static cJSON *make_model(const struct letters *letters, const cJSON *mail)
{
    const struct letters_options *options = &letters->options;
    const cJSON *data = json_get(mail, "data");
    cJSON *model = json_object();
    json_str(model, "public_url", options->public_url);
    json_str(model, "host", options->public_url + strlen("https://"));
    if (options->contact[0])
        json_str(model, "contact", options->contact);
    json_bool(model, "is_sold", options->sells);
    json_str(model, "at", json_text(mail, "/at"));
    add_link(letters, mail, model);
    if (json_is(data, cJSON_Object))
        add_data(data, model);
    return model;
}

/* ---- the email ---- */

static void cut_subject(struct letter *letter)
{
    struct text rest = buf_text(&letter->text);
    struct text subject = text_cut(&rest, '\n');
    while (rest.size > 0 && *rest.bytes == '\n')
        rest = text_skip(rest, 1);
    letter->text.bytes[subject.size] = '\0';
    letter->mail.subject = letter->text.bytes;
    letter->mail.text = rest;
}

bool letter_write(const struct letters *letters, const cJSON *mail, struct letter *letter,
                  struct err *err)
{
    const char *name = json_text(mail, "/template");
    scoped(json_wipe) cJSON *model = make_model(letters, mail);
    buf_clear(&letter->text);
    buf_clear(&letter->html);
    if (!template_render(letters->text, name, model, &letter->text, err) ||
        !template_render(letters->html, name, model, &letter->html, err))
        return false;
    buf_add_byte(&letter->text, '\n'); /* so that there is a first line */
    letter->mail = (struct mail){ .id = json_text(mail, "/mail_id"),
                                  .recipient = json_text(mail, "/recipient"),
                                  .html = buf_text(&letter->html) };
    cut_subject(letter);
    return true;
}

void letter_free(struct letter *letter)
{
    if (letter->text.bytes)
        explicit_bzero(letter->text.bytes, letter->text.size);
    if (letter->html.bytes)
        explicit_bzero(letter->html.bytes, letter->html.size);
    buf_free(&letter->text);
    buf_free(&letter->html);
}
