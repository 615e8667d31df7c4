/* svc-email/probes/smtp.c - talk to a mail server until TLS begins. */
#include "probes/smtp.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "net/dial.h"
#include "net/egress.h"
#include "net/guard.h"

enum {
    SMTP_PORT = 25,
    CONNECT_MS = 3000,
    TALK_MS = 6000, /* greeting, EHLO and STARTTLS */
    TLS_MS = 3000,
    CODE_DIGITS = 3,
    READY = 220,
    OK = 250,
};

/* The name in EHLO is reserved (RFC 2606). */
#define EHLO "EHLO mail-check.invalid\r\n"

/* ---- replies ---- */

/* The next line off *rest, without its end; false if it is not whole. */
static bool take_line(struct text *rest, struct text *line)
{
    const char *end = rest->size > 0 ? memchr(rest->bytes, '\n', rest->size) : NULL;
    if (!end)
        return false;
    *line = (struct text){ rest->bytes, (size_t)(end - rest->bytes) };
    *rest = text_skip(*rest, line->size + 1);
    if (line->size > 0 && line->bytes[line->size - 1] == '\r')
        line->size--;
    return true;
}

static int code_of(struct text line)
{
    int64_t code;
    bool ok = line.size >= CODE_DIGITS &&
              num_parse((struct text){ line.bytes, CODE_DIGITS }, 599, &code) && code >= 200 &&
              (line.size == CODE_DIGITS || line.bytes[CODE_DIGITS] == ' ' ||
               line.bytes[CODE_DIGITS] == '-');
    return ok ? (int)code : -1;
}

static bool goes_on(struct text line)
{
    return line.size > CODE_DIGITS && line.bytes[CODE_DIGITS] == '-';
}

int smtp_reply_read(struct text bytes)
{
    struct text line;
    while (take_line(&bytes, &line)) {
        int code = code_of(line);
        if (code < 0 || !goes_on(line))
            return code;
    }
    return 0;
}

bool smtp_reply_has(struct text bytes, const char *keyword)
{
    struct text line;
    while (take_line(&bytes, &line)) {
        struct text rest = text_skip(line, MIN(line.size, CODE_DIGITS + 1));
        if (text_is_any_case(text_cut(&rest, ' '), keyword))
            return true;
        if (!goes_on(line))
            return false;
    }
    return false;
}

/* ---- the session ---- */

/* One reply, at most until the deadline. Returns its code; -1: none. */
static int receive_reply(int fd, int64_t deadline_ms, struct buf *reply)
{
    char bytes[1024];
    int code;
    buf_clear(reply);
    while ((code = smtp_reply_read(buf_text(reply))) == 0 && !reply->full) {
        long size = dial_receive(fd, bytes, sizeof(bytes), deadline_ms);
        if (size <= 0)
            return -1;
        buf_add(reply, bytes, (size_t)size);
    }
    return reply->full ? -1 : code;
}

static int ask(int fd, const char *command, int64_t deadline_ms, struct buf *reply)
{
    return dial_send(fd, text_of(command), deadline_ms) ? receive_reply(fd, deadline_ms, reply)
                                                        : -1;
}

/* Keep the first line of a reply for display. */
static void keep_greeting(struct smtp_host *host, struct text reply)
{
    struct text line = { 0 };
    if (!take_line(&reply, &line))
        return;
    line.size = utf8_valid_bytes(line);
    line = utf8_cut(line, sizeof(host->greeting) - 1);
    for (size_t i = 0; i < line.size; i++)
        host->greeting[i] =
            (unsigned char)line.bytes[i] < ' ' || line.bytes[i] == '\x7f' ? ' ' : line.bytes[i];
    host->greeting[line.size] = '\0';
}

/* Returns the end of the session, or SMTP_TLS when the handshake may begin. */
static enum smtp_end talk(struct smtp_host *host, int fd, int64_t deadline_ms)
{
    scoped(buf_free) struct buf reply = BUF(SMTP_REPLY_BYTES);
    int code = receive_reply(fd, deadline_ms, &reply);
    if (code < 0)
        return SMTP_SILENT;
    keep_greeting(host, buf_text(&reply));
    if (code != READY)
        return SMTP_REJECTS;
    code = ask(fd, EHLO, deadline_ms, &reply);
    if (code != OK) {
        if (code > 0)
            keep_greeting(host, buf_text(&reply));
        return code < 0 ? SMTP_SILENT : SMTP_REJECTS;
    }
    host->offers_starttls = smtp_reply_has(buf_text(&reply), "STARTTLS");
    if (!host->offers_starttls)
        return SMTP_PLAIN;
    return ask(fd, "STARTTLS\r\n", deadline_ms, &reply) == READY ? SMTP_TLS : SMTP_NO_TLS;
}

static void say_goodbye(int fd, int64_t deadline_ms)
{
    bool ok = dial_send(fd, TEXT("QUIT\r\n"), deadline_ms);
    (void)ok;
}

static void start_tls(struct smtp_host *host, const struct host *name, int fd,
                      struct egress_session *session, int64_t now_s)
{
    const struct egress *egress = egress_session_egress(session);
    struct handshake *handshake_ = &host->handshake;
    handshake(fd, name, HANDSHAKE_ANY, HANDSHAKE_NO_ALPN, egress_session_until_ms(session, TLS_MS),
              handshake_);
    if (!handshake_->is_complete || !handshake_->chain) {
        host->end = SMTP_NO_TLS;
        return;
    }
    host->trust = chain_trust(handshake_->chain, egress_trust(egress), now_s);
    host->is_for_host = chain_is_for(handshake_->chain, name, egress_suffixes(egress));
}

static enum smtp_end end_of_error(enum err_kind kind)
{
    switch ((int)kind) {
    case ERR_TARGET_NOT_ALLOWED:
    case ERR_PORT_NOT_ALLOWED:
        return SMTP_NOT_ALLOWED;
    case ERR_TARGET_DNS_FAILURE:
        return SMTP_NO_ADDRESS;
    case ERR_TARGET_REFUSED:
        return SMTP_CLOSED;
    default:
        return SMTP_NO_ANSWER;
    }
}

void smtp_probe(struct smtp_host *host, struct egress_session *session, int64_t now_s)
{
    scoped(dial_close) int fd = -1;
    struct host name;
    struct err err = { 0 };
    host->end = SMTP_NOT_ALLOWED;
    if (!host_parse(text_of(host->host), &name, NULL) || name.is_address)
        return;
    if (!guard_check_port(egress_guard(egress_session_egress(session)), GUARD_TLS, SMTP_PORT,
                          &err) ||
        !dial(session, &name, SMTP_PORT, CONNECT_MS, &fd, &host->address, &err)) {
        host->end = end_of_error(err.kind);
        return;
    }
    host->has_address = true;
    int64_t deadline_ms = egress_session_until_ms(session, TALK_MS);
    host->end = talk(host, fd, deadline_ms);
    if (host->end == SMTP_TLS)
        start_tls(host, &name, fd, session, now_s);
    else if (host->end != SMTP_SILENT)
        say_goodbye(fd, deadline_ms);
}

void smtp_host_free(struct smtp_host *host)
{
    handshake_free(&host->handshake);
}
