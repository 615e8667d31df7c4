/* svc-security/tls-check/scan/starttls.c - start TLS on a mail server. */
#include "starttls.h"

#include <string.h>

#include "base/num.h"
#include "net/dial.h"

/* Expected server reply of a step, and our next command; NULL: TLS begins. */
struct step {
    const char *wanted;
    const char *said;
};

enum { STEPS_MAX = 3 };

/* The name in EHLO is reserved (RFC 2606). */
static const struct protocol {
    const char *name;
    struct step step[STEPS_MAX];
} protocols[] = {
    [STARTTLS_SMTP] = { "smtp",
                        { { "220", "EHLO tls-check.invalid\r\n" },
                          { "250", "STARTTLS\r\n" },
                          { "220", NULL } } },
    [STARTTLS_IMAP] = { "imap", { { "* OK", "a1 STARTTLS\r\n" }, { "a1 OK", NULL } } },
    [STARTTLS_POP3] = { "pop3", { { "+OK", "STLS\r\n" }, { "+OK", NULL } } },
};

/* RFC 6335 service names: smtp, submission, pop3, imap; 2525 is a common alternative to 587. */
static const struct {
    uint16_t port;
    enum starttls kind;
} ports[] = { { 25, STARTTLS_SMTP },
              { 110, STARTTLS_POP3 },
              { 143, STARTTLS_IMAP },
              { 587, STARTTLS_SMTP },
              { 2525, STARTTLS_SMTP } };

enum starttls starttls_of_port(uint16_t port)
{
    for (size_t i = 0; i < countof(ports); i++)
        if (ports[i].port == port)
            return ports[i].kind;
    return STARTTLS_NONE;
}

const char *starttls_name(enum starttls kind)
{
    return protocols[kind].name;
}

enum starttls starttls_of_name(const char *name)
{
    for (size_t i = 0; i < countof(protocols); i++)
        if (protocols[i].name && strcmp(protocols[i].name, name) == 0)
            return (enum starttls)i;
    return STARTTLS_NONE;
}

/* ---- one line ---- */

/* Skip continuation lines ("250-SIZE") and unsolicited IMAP data ("* 1 EXISTS"). */
static bool is_aside(const struct starttls_talk *talk, struct text line)
{
    if (talk->kind == STARTTLS_SMTP)
        return line.size > 3 && line.bytes[3] == '-';
    return talk->kind == STARTTLS_IMAP && talk->step > 0 && text_begins(line, "* ");
}

/* The reply must be the whole word. */
static bool is_wanted(struct text line, const char *wanted)
{
    size_t size = strlen(wanted);
    return text_begins_any_case(line, wanted) && (line.size == size || line.bytes[size] == ' ');
}

static enum starttls_state on_line(struct starttls_talk *talk, struct text line, struct buf *out)
{
    const struct step *step = &protocols[talk->kind].step[talk->step];
    if (++talk->lines > STARTTLS_LINES_MAX)
        return STARTTLS_REFUSED;
    if (is_aside(talk, line))
        return STARTTLS_TALKS;
    if (!is_wanted(line, step->wanted))
        return STARTTLS_REFUSED;
    if (!step->said)
        return STARTTLS_READY;
    buf_add_str(out, step->said);
    talk->step++;
    return STARTTLS_TALKS;
}

enum starttls_state starttls_feed(struct starttls_talk *talk, struct text bytes, struct buf *out)
{
    enum starttls_state state = STARTTLS_TALKS;
    for (size_t i = 0; i < bytes.size && state == STARTTLS_TALKS; i++) {
        if (bytes.bytes[i] != '\n') {
            if (talk->size == STARTTLS_LINE_BYTES)
                return STARTTLS_REFUSED;
            talk->line[talk->size++] = bytes.bytes[i];
            continue;
        }
        struct text line = { talk->line, talk->size };
        if (line.size > 0 && line.bytes[line.size - 1] == '\r')
            line.size--;
        talk->size = 0;
        state = on_line(talk, line, out);
    }
    return state;
}

bool starttls_run(int fd, enum starttls kind, int64_t deadline_ms)
{
    struct starttls_talk talk = { .kind = kind };
    enum starttls_state state = STARTTLS_TALKS;
    while (state == STARTTLS_TALKS) {
        scoped(buf_free) struct buf said = BUF(STARTTLS_SAID_BYTES);
        char bytes[1024];
        long size = dial_receive(fd, bytes, sizeof(bytes), deadline_ms);
        if (size <= 0)
            return false;
        state = starttls_feed(&talk, (struct text){ bytes, (size_t)size }, &said);
        if (said.size > 0 && !dial_send(fd, buf_text(&said), deadline_ms))
            return false;
    }
    return state == STARTTLS_READY;
}
