/* tests/unit/svc-email/message/mime.c - parts of messages, whole and broken. */
#include "message/mime.h"

#include "rows.h"

#define HEAD "From: a@b.c\nTo: d\nSubject: e\n"

static const struct row {
    const char *name;
    const char *message;
    const char *want; /* text|html|attachments */
} rows[] = {
    { "no MIME", HEAD "\nhello", "hello||" },
    { "quoted-printable",
      HEAD "Content-Transfer-Encoding: quoted-printable\n\nca=\nf=C3=A9 =3D =ZZ", "café = =ZZ||" },
    { "Base64", HEAD "Content-Transfer-Encoding: BASE64\n\naGVs\n bG8=", "hello||" },
    { "broken Base64", HEAD "Content-Transfer-Encoding: base64\n\naGVs!bG8", "hello||" },
    { "a charset", HEAD "Content-Type: text/plain; charset=\"iso-8859-1\"\n\ncaf\xE9", "café||" },
    { "HTML alone", HEAD "Content-Type: text/html\n\n<p>a", "|<p>a|" },
    { "alternatives",
      HEAD
      "Content-Type: multipart/alternative; boundary=\"x y\"\n\nfor nobody\n--x y\n\na\n--x y\n"
      "Content-Type: text/html\n\n<p>b\n--x y--\nafter",
      "a\n|<p>b\n|" },
    { "no last boundary", HEAD "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na", "a||" },
    { "no boundary at all", HEAD "Content-Type: multipart/mixed; boundary=x\n\na", "||" },
    { "a boundary that others begin with",
      HEAD "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--xy\nb\n--x--\n",
      "a\n--xy\nb\n||" },
    { "nested with an attachment",
      HEAD "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: multipart/alternative; "
           "boundary=i\n\n--i\n\na\n--i--\n--o\nContent-Type: text/plain\nContent-Disposition: "
           "attachment; filename=\"b.txt\"\n\nnot this\n--o\nContent-Type: application/zip; "
           "name=c.zip\n\nPK\n--o--\n",
      "a\n||b.txt,c.zip," },
    { "an encoded name", HEAD "Content-Type: application/pdf; name=\"=?utf-8?Q?=C3=A9.pdf?=\"\n\nx",
      "||é.pdf," },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf got = BUF(4096);
    struct mime mime;
    mime_read(text_of(row->message), &mime);
    buf_format(&got, "%s|%s|", buf_str(&mime.text), buf_str(&mime.html));
    for (size_t i = 0; i < mime.attachment_count; i++)
        buf_format(&got, "%s,", mime.attachment[i]);
    mime_free(&mime);
    assert_string_equal(buf_str(&got), row->want);
}

static const struct sign {
    const char *name;
    const char *text;
    bool is_message;
} signs[] = {
    { "three fields", HEAD "\nx", true },
    { "with folding", "Received: a\n\tb\n" HEAD "\nx", true },
    { "two fields", "From: a\nTo: b\n\nSubject: c", false },
    { "a letter that quotes them", "Hello Joe,\nFrom: a\nTo: b\nSubject: c", false },
    { "nothing", "", false },
};

static void check_sign(void **state)
{
    const struct sign *row = *state;
    assert_int_equal(mime_is_message(text_of(row->text)), row->is_message);
}

/* Nested as deep as nobody nests, and cut in more parts than are read. */
static void check_deep(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 20);
    struct mime mime;
    buf_add_str(&text, HEAD "Content-Type: multipart/mixed; boundary=x\n\n");
    for (int i = 0; i < 1000; i++)
        buf_add_str(&text, "--x\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\n");
    mime_read(buf_text(&text), &mime);
    assert_true(mime.part_count >= MIME_PARTS_MAX);
    mime_free(&mime);
}

int main(void)
{
    static const struct {
        const char *name;
    } deep[] = { { "deep" } };
    return RUN_ROWS(rows, check) + RUN_ROWS(signs, check_sign) + RUN_ROWS(deep, check_deep);
}
