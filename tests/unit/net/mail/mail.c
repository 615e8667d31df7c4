/* tests/unit/net/mail/mail.c - what is rejected before a relay is contacted; relays are in
 * mail-relays.py. */
#include "net/mail/mail.h"

#include <stdio.h>

#include "../world.h"

#define ID   "0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d"
#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"

static struct egress *egress; /* of all rows */

static const struct options_row {
    const char *name;
    const char *url;
    const char *from;
    const char *reply_to;
    const char *want; /* "": accepted */
} options_rows[] = {
    { "an address", "smtp://relay.test:587", "mail@x.test", "", "" },
    { "with a name", "smtps://relay.test", "Tollgate <mail@x.test>", "help@x.test", "" },
    { "by address", "smtp://[::1]:25", "mail@x.test", "", "" },
    { "a slash", "smtp://relay.test/", "mail@x.test", "", "" },
    { "a path", "smtp://relay.test/x", "mail@x.test", "", "mail.url must be" },
    { "a user in it", "smtp://a:b@relay.test", "mail@x.test", "", "mail.url must be" },
    { "another scheme", "http://relay.test", "mail@x.test", "", "mail.url must be" },
    { "no scheme", "relay.test", "mail@x.test", "", "mail.url must be" },
    { "a broken one", "smtp://re lay", "mail@x.test", "", "mail.url must be" },
    { "no sender", "smtp://relay.test", "", "", "mail.from must be" },
    { "a sender without domain", "smtp://relay.test", "mail", "", "mail.from must be" },
    { "one with a line", "smtp://relay.test", "A\nB: c <mail@x.test>", "", "mail.from must be" },
    { "an unclosed one", "smtp://relay.test", "A <mail@x.test", "", "mail.from must be" },
    { "a bad answer address", "smtp://relay.test", "mail@x.test", "a\r\nb@x",
      "mail.reply_to must" },
};

static void check_options(void **state)
{
    const struct options_row *row = *state;
    scoped(mailer_free) struct mailer *mailer = NULL;
    struct err err = { 0 };
    struct mailer_options options = {
        .egress = egress, .url = row->url, .user = "", .from = row->from, .reply_to = row->reply_to
    };
    assert_int_equal(mailer_new(&options, &mailer, &err), !row->want[0]);
    assert_int_equal(strncmp(err.message, row->want, strlen(row->want)), 0);
}

static const struct mail_row {
    const char *name;
    const char *id;
    const char *recipient;
    const char *subject;
    struct text text;
    enum mail_end want; /* MAIL_LATER: it would have been sent */
} mails[] = {
    { "a sound one", ID, "a+b@x.test", "Hello", TEXT("x\n"), MAIL_LATER },
    { "CR LF in the recipient", ID, "a@x.test\r\nBcc: b@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "LF in it", ID, "a@x.test\nb", "Hello", TEXT("x"), MAIL_REFUSED },
    { "two recipients", ID, "a@x.test,b@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "a bracket in it", ID, "a@x.test>", "Hello", TEXT("x"), MAIL_REFUSED },
    { "a blank in it", ID, "a b@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "two @", ID, "a@b@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "nothing before the @", ID, "@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "nothing behind it", ID, "a@", "Hello", TEXT("x"), MAIL_REFUSED },
    { "no recipient", ID, "", "Hello", TEXT("x"), MAIL_REFUSED },
    { "one beyond ASCII", ID, "\xc3\xa4@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "too long a one", ID, LONG LONG LONG LONG "@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "CR in the subject", ID, "a@x.test", "Hello\rx", TEXT("x"), MAIL_REFUSED },
    { "LF in the subject", ID, "a@x.test", "Hello\nBcc: b@x.test", TEXT("x"), MAIL_REFUSED },
    { "one beyond ASCII, too", ID, "a@x.test", "Gr\xc3\xbc\xc3\x9f", TEXT("x"), MAIL_REFUSED },
    { "no subject", ID, "a@x.test", "", TEXT("x"), MAIL_REFUSED },
    { "too long a subject", ID, "a@x.test", LONG LONG LONG, TEXT("x"), MAIL_REFUSED },
    { "NUL in the text", ID, "a@x.test", "Hello", TEXT("x\0y"), MAIL_REFUSED },
    { "an id with a line", "1\n2", "a@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "an id with a bracket", "1>2", "a@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
    { "no id", "", "a@x.test", "Hello", TEXT("x"), MAIL_REFUSED },
};

/* There is no relay at this address. */
static void check_mail(void **state)
{
    const struct mail_row *row = *state;
    scoped(mailer_free) struct mailer *mailer = NULL;
    struct err err = { 0 };
    char answer[MAIL_ANSWER_BYTES];
    struct mailer_options options = { .egress = egress,
                                      .url = "smtp://127.0.0.1:1",
                                      .user = "",
                                      .from = "m@x.test",
                                      .reply_to = "" };
    struct mail mail = { .id = row->id,
                         .recipient = row->recipient,
                         .subject = row->subject,
                         .text = row->text,
                         .html = TEXT("<p>x</p>") };
    assert_true(mailer_new(&options, &mailer, &err));
    assert_int_equal(mail_send(mailer, &mail, 5000, answer), row->want);
    assert_int_not_equal(strlen(answer), 0);
}

/* MAIL_ONE: URL, user, password, timeout: send one, print the result and the response. For
 * mail-relays.py. */
static int send_one(char **argv)
{
    egress = egress_of("ONLY=127.0.0.0/8,::1,0.0.0.0");
    scoped(mailer_free) struct mailer *mailer = NULL;
    struct err err = { 0 };
    char answer[MAIL_ANSWER_BYTES];
    struct mailer_options options = { .egress = egress,
                                      .url = argv[1],
                                      .user = argv[2],
                                      .password = argv[3],
                                      .from = "Tollgate <mail@portal.test>",
                                      .reply_to = "help@portal.test" };
    struct mail mail = { .id = ID,
                         .recipient = "jane+x@example.test",
                         .subject = "Confirm your address",
                         .text = TEXT(
                             "Gr\xc3\xbc\xc3\x9f\x65 = \xe2\x82\xac\n.\n.. dots\n" LONG LONG "\n"),
                         .html = TEXT("<p>Gr\xc3\xbc\xc3\x9f\x65</p>\n") };
    if (!mailer_new(&options, &mailer, &err)) {
        printf("%s\n", err.message);
    } else {
        static const char *const ends[] = { "accepted", "later", "deferred", "refused" };
        printf("%s: ", ends[mail_send(mailer, &mail, strtol(argv[4], NULL, 10), answer)]);
        printf("%s; strays %d\n", answer, (int)egress_stray_count(egress));
    }
    egress_close(&egress);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5)
        return send_one(argv);
    egress = egress_of("");
    int failed = RUN_ROWS(options_rows, check_options) + RUN_ROWS(mails, check_mail);
    egress_close(&egress);
    return failed;
}
