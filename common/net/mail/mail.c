/* common/net/mail/mail.c - sends a message with libcurl's MIME API, and reads the relay's reply. */
#include "net/mail/mail.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "net/http/transfer.h"

enum {
    NEEDS_LOGIN = 530
}; /* RFC 4954 section 6: the operator must fix it; it says nothing about the message */

struct mailer {
    struct egress *egress;
    char *url; /* its path is the name for EHLO */
    char *user;
    char *password;
    char *from;   /* as displayed */
    char *sender; /* the address alone */
    char *domain; /* part of sender */
    char *reply_to;
    bool is_local;
};

/* ---- allowed characters in headers ---- */

static bool is_printable(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < ' ' || text.bytes[i] > '~')
            return false;
    return true;
}

/* Printable ASCII without blanks, brackets and quotes, with one @ that has text on both sides. */
static bool is_address(struct text address)
{
    const char *at = address.size > 0 ? memchr(address.bytes, '@', address.size) : NULL;
    if (!at || address.size > MAIL_ADDRESS_MAX || !is_printable(address))
        return false;
    for (size_t i = 0; i < address.size; i++)
        if (strchr(" <>\"(),:;\\[]", address.bytes[i]))
            return false;
    struct text domain = text_skip(address, (size_t)(at - address.bytes) + 1);
    return at > address.bytes && domain.size > 0 && !memchr(domain.bytes, '@', domain.size);
}

static bool is_id(const char *id)
{
    size_t size = strlen(id);
    for (size_t i = 0; i < size; i++)
        if (!ascii_is_alnum((unsigned char)id[i]) && id[i] != '-' && id[i] != '.')
            return false;
    return size > 0 && size <= MAIL_SUBJECT_MAX;
}

static bool is_sound(const struct mail *mail)
{
    struct text subject = text_of(mail->subject);
    return is_id(mail->id) && is_address(text_of(mail->recipient)) && subject.size > 0 &&
           subject.size <= MAIL_SUBJECT_MAX && is_printable(subject) &&
           mail->text.size <= MAIL_BODY_MAX && mail->html.size <= MAIL_BODY_MAX &&
           !memchr(mail->text.bytes, '\0', mail->text.size) &&
           !memchr(mail->html.bytes, '\0', mail->html.size);
}

/* ---- the relay ---- */

static bool is_loopback(const char *host)
{
    struct text name = text_of(host);
    return text_is_any_case(name, "localhost") || text_is(name, "[::1]") ||
           (text_begins(name, "127.") && text_is_made_of(name, "0123456789."));
}

static char *url_part(CURLU *url, CURLUPart which)
{
    char *part = NULL;
    if (curl_url_get(url, which, &part, 0) != CURLUE_OK)
        return NULL;
    char *copy = str_dup(part);
    curl_free(part);
    return copy;
}

/* A relay's URL has only host and port. */
static bool read_url(struct mailer *mailer, const char *text, struct err *err)
{
    CURLU *url = curl_url();
    assert(url);
    bool ok = curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
    scoped(mem_free) char *scheme = url_part(url, CURLUPART_SCHEME);
    scoped(mem_free) char *host = url_part(url, CURLUPART_HOST);
    scoped(mem_free) char *port = url_part(url, CURLUPART_PORT);
    scoped(mem_free) char *path = url_part(url, CURLUPART_PATH);
    scoped(mem_free) char *user = url_part(url, CURLUPART_USER);
    curl_url_cleanup(url);
    if (!ok || !scheme || !host || user || (path && strcmp(path, "/") != 0) ||
        (strcmp(scheme, "smtp") != 0 && strcmp(scheme, "smtps") != 0))
        return err_set(err, ERR_INVALID_VALUE,
                       "mail.url must be smtp://host:port or smtps://host:port");
    mailer->is_local = is_loopback(host);
    mailer->url = str_format("%s://%s%s%s/%s", scheme, host, port ? ":" : "", port ? port : "",
                             mailer->domain);
    return true;
}

static bool read_sender(struct mailer *mailer, const char *from, struct err *err)
{
    struct text rest = text_of(from);
    const char *open = strchr(from, '<');
    if (open && text_begins(text_skip(rest, rest.size - 1), ">")) {
        rest.size -= (size_t)(open - from) + 2;
        rest.bytes = open + 1;
    }
    if (!is_address(rest) || !is_printable(text_of(from)))
        return err_set(err, ERR_INVALID_VALUE, "mail.from must be an address, or Name <address>");
    mailer->from = str_dup(from);
    mailer->sender = mem_dup(rest.bytes, rest.size);
    mailer->domain = strchr(mailer->sender, '@') + 1;
    return true;
}

bool mailer_new(const struct mailer_options *options, struct mailer **mailer, struct err *err)
{
    scoped(mailer_free) struct mailer *made = mem_new(sizeof(*made));
    made->egress = options->egress;
    made->user = str_dup(options->user);
    made->password = str_dup(options->password);
    made->reply_to = str_dup(options->reply_to);
    if (!read_sender(made, options->from, err) || !read_url(made, options->url, err))
        return false;
    if (made->reply_to[0] && !is_address(text_of(made->reply_to)))
        return err_set(err, ERR_INVALID_VALUE, "mail.reply_to must be an address");
    *mailer = take(made);
    return true;
}

void mailer_free(struct mailer **mailer)
{
    struct mailer *old = *mailer;
    if (!old)
        return;
    if (old->password)
        explicit_bzero(old->password, strlen(old->password));
    mem_free(&old->url);
    mem_free(&old->user);
    mem_free(&old->password);
    mem_free(&old->from);
    mem_free(&old->sender);
    mem_free(&old->reply_to);
    mem_free(mailer);
}

/* ---- the message ---- */

/* RFC 5322 section 3.3; the process has the C locale, so days and months are English. */
static char *make_date(void)
{
    char date[64];
    struct tm tm;
    time_t now = (time_t)(clock_wall_ms() / 1000);
    gmtime_r(&now, &tm);
    strftime(date, sizeof(date), "Date: %a, %d %b %Y %H:%M:%S +0000", &tm);
    return str_dup(date);
}

static void add_header(struct curl_slist **headers, const char *name, const char *value)
{
    scoped(mem_free) char *line = str_format("%s: %s", name, value);
    transfer_add_line(headers, line);
}

static struct curl_slist *make_headers(const struct mailer *mailer, const struct mail *mail)
{
    struct curl_slist *headers = NULL;
    scoped(mem_free) char *date = make_date();
    scoped(mem_free) char *id = str_format("<%s@%s>", mail->id, mailer->domain);
    add_header(&headers, "From", mailer->from);
    add_header(&headers, "To", mail->recipient);
    if (mailer->reply_to[0])
        add_header(&headers, "Reply-To", mailer->reply_to);
    add_header(&headers, "Subject", mail->subject);
    transfer_add_line(&headers, date);
    add_header(&headers, "Message-ID", id);
    add_header(&headers, "Auto-Submitted", "auto-generated"); /* RFC 3834: no automatic replies */
    add_header(&headers, "Content-Type", "multipart/alternative");
    return headers;
}

/* libcurl's quoted-printable keeps CRLF as a line end, and encodes a bare LF. */
static void add_part(curl_mime *mime, const char *type, struct text content)
{
    scoped(buf_free) struct buf lines = BUF(2 * content.size + 1);
    curl_mimepart *part = curl_mime_addpart(mime);
    for (size_t i = 0; i < content.size; i++) {
        if (content.bytes[i] == '\n')
            buf_add_byte(&lines, '\r');
        buf_add_byte(&lines, content.bytes[i]);
    }
    bool ok = curl_mime_data(part, buf_str(&lines), lines.size) == CURLE_OK &&
              curl_mime_type(part, type) == CURLE_OK &&
              curl_mime_encoder(part, "quoted-printable") == CURLE_OK;
    assert(ok); /* out of memory */
}

/* ---- sending ---- */

static void set_relay(CURL *easy, const struct mailer *mailer, struct transfer *transfer)
{
    *transfer = (struct transfer){ .filter = egress_filter(mailer->egress),
                                   .trust = egress_trust(mailer->egress) };
    transfer_prepare(transfer, easy);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(easy, CURLOPT_URL, mailer->url);
    curl_easy_setopt(easy, CURLOPT_USE_SSL,
                     (long)(mailer->is_local ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    if (mailer->user[0]) {
        curl_easy_setopt(easy, CURLOPT_USERNAME, mailer->user);
        curl_easy_setopt(easy, CURLOPT_PASSWORD, mailer->password ? mailer->password : "");
    }
}

/*
 * The relay's reply about this message (RFC 5321 section 4.2.1). Errors about the connection
 * (greeting, EHLO, STARTTLS, login) are for the operator to fix, and the message can wait.
 */
static enum mail_end end_of(CURL *easy, CURLcode code)
{
    curl_off_t sent = 0;
    long reply = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &reply);
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    bool is_about_mail = code == CURLE_SEND_ERROR || (code == CURLE_WEIRD_SERVER_REPLY && sent > 0);
    if (is_about_mail && reply >= 500 && reply <= 599 && reply != NEEDS_LOGIN)
        return MAIL_REFUSED;
    return is_about_mail && reply >= 450 && reply <= 452 ? MAIL_DEFERRED : MAIL_LATER;
}

static enum mail_end classify_end(CURL *easy, CURLcode code, const struct transfer *transfer,
                                  char answer[static MAIL_ANSWER_BYTES])
{
    long reply = 0;
    answer[0] = '\0';
    if (code == CURLE_OK)
        return MAIL_ACCEPTED;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &reply);
    if (transfer->is_refused)
        snprintf(answer, MAIL_ANSWER_BYTES, "egress.only does not allow a connection to the relay");
    else if (code == CURLE_OPERATION_TIMEDOUT || code == CURLE_ABORTED_BY_CALLBACK)
        snprintf(answer, MAIL_ANSWER_BYTES, "the relay did not respond in time");
    else if (reply >= 400)
        snprintf(answer, MAIL_ANSWER_BYTES, "the relay replied %ld", reply);
    else
        snprintf(answer, MAIL_ANSWER_BYTES, "%s", curl_easy_strerror(code));
    return end_of(easy, code);
}

/* libcurl waits for the reply to QUIT without its own timeout; this ends that wait, too. */
static int stop_at_deadline(void *argument, curl_off_t dl_total, curl_off_t dl, curl_off_t ul_total,
                            curl_off_t ul)
{
    const int64_t *deadline_ms = argument;
    (void)dl_total, (void)dl, (void)ul_total, (void)ul;
    return clock_ms() > *deadline_ms;
}

static CURLcode perform_transfer(CURL *easy, int64_t timeout_ms)
{
    int64_t deadline_ms = clock_ms() + timeout_ms;
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, stop_at_deadline);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &deadline_ms);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L); /* so QUIT happens within this call */
    CURLcode code = curl_easy_perform(easy);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, NULL);
    return code;
}

enum mail_end mail_send(const struct mailer *mailer, const struct mail *mail, int64_t timeout_ms,
                        char answer[static MAIL_ANSWER_BYTES])
{
    scoped(transfer_free_easy) CURL *easy = NULL;
    scoped(transfer_free_list) struct curl_slist *headers = NULL;
    scoped(transfer_free_list) struct curl_slist *recipients = NULL;
    struct transfer transfer;
    if (!is_sound(mail)) {
        snprintf(answer, MAIL_ANSWER_BYTES, "the message is not valid");
        return MAIL_REFUSED;
    }
    easy = curl_easy_init();
    set_relay(easy, mailer, &transfer);
    curl_mime *mime = curl_mime_init(easy);
    add_part(mime, "text/plain; charset=utf-8", mail->text);
    add_part(mime, "text/html; charset=utf-8", mail->html);
    headers = make_headers(mailer, mail);
    transfer_add_line(&recipients, mail->recipient);
    curl_easy_setopt(easy, CURLOPT_MAIL_FROM, mailer->sender);
    curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, recipients);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_MIMEPOST, mime);
    enum mail_end end = classify_end(easy, perform_transfer(easy, timeout_ms), &transfer, answer);
    curl_mime_free(mime);
    return end;
}
