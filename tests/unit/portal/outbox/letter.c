/* tests/unit/portal/outbox/letter.c - each email of the portal, from its template. */
#include "portal/outbox/letter.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

#define ID     "0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d"
#define SECRET "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"

/* Values that an attacker, a member or a browser may have chosen. */
#define HOSTILE "Win <b>now</b> \"at\" https://evil.test/\t\r\nBcc: x@evil.test"

/* An invoice, as portal/billing/document.c describes it. */
#define INVOICE                                                                                  \
    "{'what':'Invoice','name':'INV-2026-000123','day':'2026-11-27','order_number':'1001',"       \
    "'invoice_id':'" ID "','about':'Order 1001','item':'1,500 Tollgate credits',"                \
    "'issued':{'iso':'2026-11-27T10:00:00Z','shown':'2026-11-27 10:00:00'},"                     \
    "'seller':[{'line':'Tollgate Ltd'},{'line':'%s'}],'buyer':[{'line':'%s'}],'reference':'%s'," \
    "'net':'15.00','total':'17.85'"

/* Values of emails about an order. */
#define ORDER "'order_id':'" ID "','credits':1500"
#define PRICE "'price':{'minor':1500,'currency':'USD'}"

static const struct row {
    const char *name;      /* of the template */
    const char *link_kind; /* NULL: it holds none */
    const char *data;      /* 'single quotes' are JSON's; %s is hostile text */
    bool is_for_anybody;   /* to an unconfirmed address: has no chosen value */
    const char *want;      /* the text contains it */
} rows[] = {
    { "confirm", "signup", "{'name':'%s'}", true, "/portal/verify/" },
    { "already", NULL, "{'name':'%s'}", true, "/portal/forgot" },
    { "reset", "reset", "{}", false, "/portal/reset/" },
    { "reset", "reset", "{'is_undo':true}", false, "the remaining API tokens" },
    { "email-confirm", "email", "{'email':'%s','name':'%s'}", true, "/portal/email/" },
    { "email-notice", "undo", "{'email':'new@x.test'}", false, "to new@x.test." },
    { "password-changed", NULL, "{'network':'192.0.2.0/24'}", false, "192.0.2.0/24" },
    { "new-device", NULL, "{'network':'192.0.2.0/24','browser':'%s'}", false, "Browser: Win" },
    { "sign-in-tries", NULL, "{'is_password':true}", false, "with a wrong password" },
    { "sign-in-tries", NULL, "{'is_code':true}", false, "someone knows your password" },
    { "two-factor", "undo", "{'is_on':true}", false, "/portal/email/" },
    { "two-factor", NULL, "{'is_on':true}", false, "was turned on" },
    { "two-factor", NULL, "{'is_off':true}", false, "was turned off" },
    { "two-factor", NULL, "{'is_codes':true}", false, "New recovery codes" },
    { "token-made", NULL, "{'name':'%s'}", false, "Expires: never" },
    { "token-made", NULL, "{'name':'ci','expires':'2027-01-01'}", false, "Expires: 2027-01-01" },
    { "token-made", NULL, "{'name':'ci','by':'%s'}", false, "with the management token Win" },
    { "token-made", NULL, "{'name':'ci','is_management':true}", false, "A management token was" },
    { "token-expires", NULL,
      "{'name':'%s','last4':'aaaa','days':'14','expires':'2027-01-01 00:00 UTC'}", false,
      "expires at 2027-01-01 00:00 UTC, within 14 days" },
    { "app-connected", NULL, "{'app':'%s','place':'app.test','network':'192.0.2.0/24'}", false,
      "receives its access at: app.test" },
    { "app-connected", NULL, "{'app':'a','place':'app.test','network':'n','daily':'100'}", false,
      "credits per day: 100" },
    { "app-replayed", NULL, "{'app':'%s','place':'app.test'}", false, "used a second time" },
    { "low-balance", NULL, "{'available':18,'low_at':20}", false, "has 18 credits left" },
    { "low-balance", NULL, "{'available':1,'low_at':20000}", false, "has 1 credit left" },
    { "low-balance", NULL, "{'available':1,'low_at':20000}", false, "/portal/credits" },
    { "low-balance", NULL, "{'available':1,'low_at':20000}", false,
      "below your limit of 20,000 credits. When" },
    { "plan-changed", NULL, "{'plan':'business','calls':'300'}", false,
      "the plan business: up to 300 calls a" },
    { "plan-changed", NULL, "{}", false, "no longer has a plan" },
    { "receipt", NULL,
      "{'order':'1042'," ORDER ",'paid':{'minor':150000,'currency':'USD'},'is_test':false}", false,
      "order 1042 at api.example.test:8443 is paid: 1,500.00\u00a0USD for 1,500 "
      "credits. The" },
    { "receipt", NULL,
      "{'order':'7'," ORDER ",'paid':{'minor':1500,'currency':'JPY'},'is_test':true}", false,
      "TEST: no money moved.  Your order 7 at" },
    { "payment-failed", NULL, "{'order':'7'," ORDER "," PRICE "}", false,
      "15.00\u00a0USD for 1,500 credits, failed. You were not charged" },
    { "order-checked", NULL, "{'order':'7'," ORDER "," PRICE "}", false, "/portal/orders/" ID },
    { "order-rejected", NULL, "{'order':'7'," ORDER "," PRICE "}", false, "was checked and not" },
    { "refunded", NULL, "{'order':'7'," ORDER ",'refunded':{'minor':250,'currency':'USD'}}", false,
      "A total of 2.50\u00a0USD was refunded" },
    { "refunded", NULL,
      "{'order':'7','order_id':'" ID "','refunded':{'minor':250,'currency':'USD'},'owed':12}",
      false, "Already used, so still owed: 12 credits. Your" },
    { "disputed", NULL,
      "{'order':'7'," ORDER ",'disputed':{'minor':250,'currency':'USD'},'owed':12}", false,
      "Deducted from your account until then: 1,500 credits.  Already used, so still owed: 12 "
      "credits." },
    { "restored", NULL, "{'order':'7'," ORDER "}", false,
      "1,500 credits came back to your account" },
    { "invoice-email", "invoices", "{'by':'jane@x.test','name':'%s'}", true,
      "jane@x.test, who has an account" },
    { "invoice-email", "invoices", "{'by':'jane@x.test'}", true, "/portal/invoice-email/" },
    { "invoice", NULL, INVOICE ",'tax':'2.85','has_tax':true,'tax_words':'VAT 19 %'}", false,
      "Net: 15.00 VAT 19 %: 2.85 Total, paid: 17.85" },
    { "invoice", NULL, INVOICE ",'is_note':true,'refers_to':'INV-2026-000122','is_part':true}",
      false, "credits, part of the price: 1 x 15.00 Net: 15.00 Total credited: 17.85" },
    { "invoice", NULL, INVOICE ",'note':'%s','exemptions':[{'line':'Reverse charge'}]}", false,
      "Seller   Tollgate Ltd   Win <b>now</b>" },
    { "deletion", NULL, "{}", false, "/portal/account" },
    { "closed", NULL, "{}", false, "It is the last email" },
};

static struct letters *letters;
static struct secrets *secrets;

static void load(void)
{
    char path[] = "/tmp/letter-XXXXXX";
    scoped(conf_free) struct conf *conf = NULL;
    struct err err = { 0 };
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, SECRET, strlen(SECRET)) == (ssize_t)strlen(SECRET));
    close(fd);
    setenv("TOLLGATE_PORTAL_SECRET_FILE", path, 1);
    if (!conf_load(NULL, &conf, &err) || !secrets_load(conf, &secrets, &err))
        fail_msg("%s", err.message);
    unlink(path);
    struct letters_options options = { .files = SOURCE_ROOT "/portal",
                                       .public_url = "https://api.example.test:8443",
                                       .contact = "help@example.test",
                                       .sells = true,
                                       .secrets = secrets };
    if (!letters_load(&options, &letters, &err))
        fail_msg("%s", err.message);
}

/* A row of outbox_claim(). */
static cJSON *mail_of(const struct row *row)
{
    cJSON *mail = json_object();
    cJSON *data;
    scoped(buf_free) struct buf json = BUF(4096);
    scoped(buf_free) struct buf hostile = BUF(512);
    json_print_text(TEXT(HOSTILE), &hostile);
    for (const char *c = row->data; *c; c++) {
        if (c[0] == '\'' && c[1] == '%') {
            buf_add_str(&json, buf_str(&hostile));
            c += strlen("%s'");
        } else {
            buf_add_byte(&json, (char)(*c == '\'' ? '"' : *c));
        }
    }
    assert_true(json_parse(buf_text(&json), JSON_DEPTH, &data, NULL));
    json_str(mail, "mail_id", ID);
    json_str(mail, "recipient", "jane@x.test");
    json_str(mail, "template", row->name);
    json_str(mail, "at", "2026-11-22 14:02 UTC");
    json_str(mail, "link_id", row->link_kind ? ID : NULL);
    json_str(mail, "link_kind", row->link_kind);
    json_add(mail, "data", data);
    return mail;
}

/* Wherever lines break. */
static void check_has(struct text text, const char *words)
{
    scoped(buf_free) struct buf flat = BUF(MAIL_BODY_MAX);
    for (size_t i = 0; i < text.size; i++)
        buf_add_byte(&flat, (char)(text.bytes[i] == '\n' ? ' ' : text.bytes[i]));
    if (!text_has(buf_text(&flat), words))
        fail_msg("\"%s\" is not in:\n%.*s", words, (int)text.size, text.bytes);
}

/* The subject: plain words that are the same for everybody. */
static void check_subject(const char *subject)
{
    struct text text = text_of(subject);
    assert_true(text.size > 10 && text.size < 70 && text_is_ascii(text));
    assert_false(text_has(text, "evil") || text_has(text, "{{") || text_has(text, "<"));
}

static void check_body(const struct row *row, const struct letter *letter)
{
    static const char *const both[] = { "You get this email because", "api.example.test:8443",
                                        "help@example.test" };
    for (size_t i = 0; i < countof(both); i++) {
        check_has(letter->mail.text, both[i]);
        check_has(letter->mail.html, both[i]);
    }
    check_has(letter->mail.text, "f it was not you");
    check_has(letter->mail.html, "f it was not you");
    check_has(letter->mail.text, row->want);
    assert_false(text_has(letter->mail.text, "{{") || text_has(letter->mail.html, "{{"));
    assert_false(text_has(letter->mail.text, "\n\n\n") || text_has(letter->mail.html, "<b>"));
    assert_false(text_has(letter->mail.text, "\nBcc") || text_has(letter->mail.html, "<img"));
    if (row->is_for_anybody)
        assert_false(text_has(letter->mail.text, "evil") || text_has(letter->mail.html, "evil"));
    if (!row->link_kind)
        assert_false(text_has(letter->mail.text, "/verify/"));
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *mail = mail_of(row);
    scoped(letter_free) struct letter letter = LETTER;
    struct err err = { 0 };
    if (!letter_write(letters, mail, &letter, &err))
        fail_msg("%s", err.message);
    assert_string_equal(letter.mail.id, ID);
    assert_string_equal(letter.mail.recipient, "jane@x.test");
    check_subject(letter.mail.subject);
    check_body(row, &letter);
    /* a letter can be used again */
    scoped(buf_free) struct buf text = BUF(MAIL_BODY_MAX);
    buf_add(&text, letter.mail.text.bytes, letter.mail.text.size);
    assert_true(letter_write(letters, mail, &letter, &err));
    assert_true(text_equals(buf_text(&text), letter.mail.text));
}

/* Each file has a row, so that every email is tested. */
static void check_all_have_rows(void **state)
{
    DIR *folder = opendir(*(const char *const *)*state);
    const struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        scoped(mem_free) char *name = str_dup(entry->d_name);
        char *dot = strrchr(name, '.');
        bool is_known = !dot || dot == name || strcmp(dot, ".") == 0;
        if (dot)
            *dot = '\0';
        for (size_t i = 0; i < countof(rows); i++)
            is_known = is_known || strcmp(rows[i].name, name) == 0;
        if (!is_known)
            fail_msg("no row for %s", entry->d_name);
    }
    closedir(folder);
}

static const struct {
    const char *name;
} folders[] = { { SOURCE_ROOT "/portal/mails/text" }, { SOURCE_ROOT "/portal/mails/html" } };

int main(void)
{
    load();
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(folders, check_all_have_rows);
    letters_free(&letters);
    secrets_free(&secrets);
    return failed;
}
