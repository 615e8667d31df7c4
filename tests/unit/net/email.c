/* tests/unit/net/email.c - valid addresses, and which of them are one mailbox. */
#include "net/email.h"

#include <string.h>

#include "base/text.h"
#include "rows.h"

#define L64 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl"
#define D63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define D61 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct row {
    const char *name;
    const char *text;
    const char *address; /* NULL: rejected */
    const char *key;
} rows[] = {
    { "plain", "jane@example.com", "jane@example.com", "jane@example.com" },
    { "white space around", " \tjane@example.com\r\n", "jane@example.com", "jane@example.com" },
    { "case", "Jane.Doe@EXAMPLE.com", "Jane.Doe@example.com", "jane.doe@example.com" },
    { "a tag", "jane+shop+2@example.com", "jane+shop+2@example.com", "jane@example.com" },
    { "a tag alone", "+shop@example.com", "+shop@example.com", "+shop@example.com" },
    { "two tags alone", "+a+b@example.com", "+a+b@example.com", "+a@example.com" },
    { "dots matter", "j.a.ne@example.com", "j.a.ne@example.com", "j.a.ne@example.com" },
    { "but not at Google", "J.a.ne+x@gmail.com", "J.a.ne+x@gmail.com", "jane@gmail.com" },
    { "which has two names", "ja.ne@GoogleMail.com", "ja.ne@googlemail.com", "jane@gmail.com" },
    { "no host of Google", "j.a@mail.gmail.com", "j.a@mail.gmail.com", "j.a@mail.gmail.com" },
    { "iCloud has three domains: icloud.com", "Jane@iCloud.com", "Jane@icloud.com", "jane@me.com" },
    { "me.com", "jane@me.com", "jane@me.com", "jane@me.com" },
    { "mac.com", "jane+x@mac.com", "jane+x@mac.com", "jane@me.com" },
    { "dots matter at iCloud", "j.ane@icloud.com", "j.ane@icloud.com", "j.ane@me.com" },
    { "hyphens matter at iCloud", "j-ane@icloud.com", "j-ane@icloud.com", "j-ane@me.com" },
    { "Proton ignores three characters", "J.a-n_e+x@proton.me", "J.a-n_e+x@proton.me",
      "jane@pm.me" },
    { "protonmail.com", "jane@protonmail.com", "jane@protonmail.com", "jane@pm.me" },
    { "protonmail.ch", "ja.ne@protonmail.ch", "ja.ne@protonmail.ch", "jane@pm.me" },
    { "pm.me", "jane@pm.me", "jane@pm.me", "jane@pm.me" },
    { "nothing but ignored characters at Proton", "-_-@proton.me", "-_-@proton.me", "-_-@pm.me" },
    { "the same with a tag", "_+x@proton.me", "_+x@proton.me", "_@pm.me" },
    { "a tag alone at Proton", "+a-b@proton.me", "+a-b@proton.me", "+ab@pm.me" },
    { "a user domain of Proton's customers", "j.a@mail.proton.me", "j.a@mail.proton.me",
      "j.a@mail.proton.me" },
    { "Yandex: a dot is a hyphen", "Jane.Doe@yandex.ru", "Jane.Doe@yandex.ru", "jane-doe@ya.ru" },
    { "Yandex: a hyphen", "jane-doe+x@ya.ru", "jane-doe+x@ya.ru", "jane-doe@ya.ru" },
    { "Yandex: neither", "janedoe@yandex.ru", "janedoe@yandex.ru", "janedoe@ya.ru" },
    { "Yandex: an underscore matters", "jane_doe@yandex.ru", "jane_doe@yandex.ru",
      "jane_doe@ya.ru" },
    { "yandex.com", "jane@yandex.com", "jane@yandex.com", "jane@ya.ru" },
    { "yandex.by", "jane@yandex.by", "jane@yandex.by", "jane@ya.ru" },
    { "yandex.kz", "jane@yandex.kz", "jane@yandex.kz", "jane@ya.ru" },
    { "yandex.ua", "jane@yandex.ua", "jane@yandex.ua", "jane@ya.ru" },
    { "yandex.com.tr", "jane@yandex.com.tr", "jane@yandex.com.tr", "jane@ya.ru" },
    { "yandex.net is for hosts", "jane.doe@yandex.net", "jane.doe@yandex.net",
      "jane.doe@yandex.net" },
    { "Yahoo: a tag behind a hyphen", "Jane-shop-2@yahoo.com", "Jane-shop-2@yahoo.com",
      "jane@yahoo.com" },
    { "Yahoo: a tag behind a plus", "jane+shop-2@yahoo.com", "jane+shop-2@yahoo.com",
      "jane@yahoo.com" },
    { "Yahoo: a plus in the tag", "jane-a+b@yahoo.com", "jane-a+b@yahoo.com", "jane@yahoo.com" },
    { "Yahoo: a tag alone", "-shop@yahoo.com", "-shop@yahoo.com", "-shop@yahoo.com" },
    { "Yahoo: two hyphens first", "--shop@yahoo.com", "--shop@yahoo.com", "-@yahoo.com" },
    { "Yahoo: dots matter", "ja.ne-x@yahoo.com", "ja.ne-x@yahoo.com", "ja.ne@yahoo.com" },
    { "Yahoo in France has its own mailboxes", "jane-x@yahoo.fr", "jane-x@yahoo.fr",
      "jane@yahoo.fr" },
    { "Yahoo in the United Kingdom", "jane-x@yahoo.co.uk", "jane-x@yahoo.co.uk",
      "jane@yahoo.co.uk" },
    { "Yahoo in Brazil", "jane-x@yahoo.com.br", "jane-x@yahoo.com.br", "jane@yahoo.com.br" },
    { "ymail.com", "jane-x@ymail.com", "jane-x@ymail.com", "jane@ymail.com" },
    { "rocketmail.com", "jane-x@rocketmail.com", "jane-x@rocketmail.com", "jane@rocketmail.com" },
    { "below a domain of Yahoo", "jane-x@mail.yahoo.com", "jane-x@mail.yahoo.com",
      "jane-x@mail.yahoo.com" },
    { "yahoo as a label", "jane-x@yahoo.example.com", "jane-x@yahoo.example.com",
      "jane-x@yahoo.example.com" },
    { "yahoo as a label, with co", "jane-x@yahoo.co.example.com", "jane-x@yahoo.co.example.com",
      "jane-x@yahoo.co.example.com" },
    { "a name that ends in yahoo", "jane-x@notyahoo.com", "jane-x@notyahoo.com",
      "jane-x@notyahoo.com" },
    { "Fastmail: anything at the user's domain", "Shop.1+x@jane.Fastmail.com",
      "Shop.1+x@jane.fastmail.com", "jane@fastmail.com" },
    { "Fastmail: the user", "jane@fastmail.com", "jane@fastmail.com", "jane@fastmail.com" },
    { "Fastmail: a tag", "jane+shop@fastmail.com", "jane+shop@fastmail.com", "jane@fastmail.com" },
    { "Fastmail: another domain is another mailbox", "shop@jane.fastmail.fm",
      "shop@jane.fastmail.fm", "jane@fastmail.fm" },
    { "Fastmail: a domain of two suffixes", "shop@jane.fastmail.com.au",
      "shop@jane.fastmail.com.au", "jane@fastmail.com.au" },
    { "Fastmail: the last domain of the list", "shop@jane.your-mail.com", "shop@jane.your-mail.com",
      "jane@your-mail.com" },
    { "Fastmail: dots matter", "ja.ne@fastmail.com", "ja.ne@fastmail.com", "ja.ne@fastmail.com" },
    { "Fastmail: two labels are not a user", "shop@a.jane.fastmail.com", "shop@a.jane.fastmail.com",
      "shop@a.jane.fastmail.com" },
    { "a user domain elsewhere", "shop@jane.gmail.com", "shop@jane.gmail.com",
      "shop@jane.gmail.com" },
    { "mailbox.org", "jane.d@mailbox.org", "jane.d@mailbox.org", "jane.d@mailbox.org" },
    { "secure.mailbox.org", "jane.d@secure.mailbox.org", "jane.d@secure.mailbox.org",
      "jane.d@mailbox.org" },
    { "Runbox", "jane@runbox.com", "jane@runbox.com", "jane@rbx.run" },
    { "another domain of Runbox", "ja.ne+x@runbox.no", "ja.ne+x@runbox.no", "ja.ne@rbx.run" },
    { "Gmail: hyphens matter", "ja-ne@gmail.com", "ja-ne@gmail.com", "ja-ne@gmail.com" },
    { "Gmail: underscores matter", "ja_ne@gmail.com", "ja_ne@gmail.com", "ja_ne@gmail.com" },
    { "Outlook: dots matter", "Ja.ne+x@outlook.com", "Ja.ne+x@outlook.com", "ja.ne@outlook.com" },
    { "Outlook and Hotmail are two mailboxes", "jane@hotmail.com", "jane@hotmail.com",
      "jane@hotmail.com" },
    { "GMX: hyphens matter", "ja-ne@gmx.net", "ja-ne@gmx.net", "ja-ne@gmx.net" },
    { "Mail.ru: dots matter", "ja.ne@mail.ru", "ja.ne@mail.ru", "ja.ne@mail.ru" },
    { "IDN",
      "jane@b\xc3\xbc"
      "cher.example",
      "jane@xn--bcher-kva.example", "jane@xn--bcher-kva.example" },
    { "every mark", "!#$%&'*/=?^_`{|}~-@example.com", "!#$%&'*/=?^_`{|}~-@example.com",
      "!#$%&'*/=?^_`{|}~-@example.com" },
    { "a final dot", "jane@example.com.", "jane@example.com", "jane@example.com" },
    { "64 before the at", L64 "@example.com", L64 "@example.com", L64 "@example.com" },
    { "65 before the at", L64 "x@example.com", NULL, NULL },
    { "254 in all", L64 "@" D63 "." D63 "." D61, L64 "@" D63 "." D63 "." D61,
      L64 "@" D63 "." D63 "." D61 },
    { "255 in all", L64 "@" D63 "." D63 "." D61 "a", NULL, NULL },
    { "nothing", "", NULL, NULL },
    { "no at", "jane.example.com", NULL, NULL },
    { "nobody", "@example.com", NULL, NULL },
    { "nowhere", "jane@", NULL, NULL },
    { "two ats", "jane@doe@example.com", NULL, NULL },
    { "quoted", "\"jane\"@example.com", NULL, NULL },
    { "a dot first", ".jane@example.com", NULL, NULL },
    { "a dot last", "jane.@example.com", NULL, NULL },
    { "two dots", "ja..ne@example.com", NULL, NULL },
    { "beyond ASCII", "j\xc3\xa4ne@example.com", NULL, NULL },
    { "one label", "jane@localhost", NULL, NULL },
    { "an address", "jane@192.0.2.1", NULL, NULL },
    { "a literal", "jane@[192.0.2.1]", NULL, NULL },
    { "an underscore", "jane@_x.example.com", NULL, NULL },
    { "a header", "jane@example.com\r\nBcc: x@example.com", NULL, NULL },
    { "a blank", "ja ne@example.com", NULL, NULL },
    { "two of them", "jane@example.com,joe@example.com", NULL, NULL },
    { "with a name", "Jane <jane@example.com>", NULL, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct email email = { "before", "before" };
    struct err err = { 0 };

    if (email_parse(text_of(row->text), &email, &err)) {
        assert_non_null(row->address);
        assert_string_equal(email.address, row->address);
        assert_string_equal(email.key, row->key);
        return;
    }
    assert_null(row->address);
    assert_int_equal(err.kind, ERR_INVALID_EMAIL);
    assert_string_equal(email.address, "before");
}

static void a_nul_is_no_end(void **state)
{
    (void)state;
    struct email email;
    struct err err = { 0 };
    static const char local[] = "ja\0ne@example.com", domain[] = "jane@exam\0ple.com";
    assert_false(email_parse((struct text){ local, sizeof(local) - 1 }, &email, &err));
    assert_false(email_parse((struct text){ domain, sizeof(domain) - 1 }, &email, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_nul_is_no_end) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
