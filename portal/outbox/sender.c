/* portal/outbox/sender.c - see sender.h. */
#include "portal/outbox/sender.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "net/mail/mail.h"
#include "portal/base/background.h"
#include "portal/outbox/letter.h"
#include "portal/outbox/queue.h"

enum {
    SEND_MIN_MS = 500,
    SEND_MAX_MS = 60000, /* must be below the lease of a claim */
    WHY_BYTES = MAIL_ANSWER_BYTES + sizeof(OUTBOX_NOT_YET),
    LOOK_MS = 2000,   /* between two updates of the age gauge */
    UNWANTED_S = 120, /* without a relay, an email that is due this long is dropped */
};

enum result { SENT, RETRIED, FAILED, DROPPED, RESULTS };

struct sender {
    struct portal *portal;
    struct mailer *mailer;        /* NULL: no relay is configured */
    struct mailer *_Atomic fresh; /* from a reload; replaces mailer before the next email */
    struct letters *letters;
    struct letter letter;
    int64_t timeout_ms; /* for one email */
    int64_t next_look_ms;
    bool is_cut_off; /* the database failed, and that was logged */
    struct counter *results[RESULTS];
    struct gauge *oldest;
    struct background *background;
};

/* ---- one email ---- */

static enum result result_of(enum mail_end end, const cJSON *mail)
{
    if (end == MAIL_ACCEPTED)
        return SENT;
    bool is_last = end == MAIL_REFUSED || sql_is(mail, "is_old");
    return is_last ? FAILED : RETRIED;
}

/* Render and send it. *why: the reason if it was not sent. */
static enum result send_mail(struct sender *sender, const cJSON *mail, char why[static WHY_BYTES])
{
    char answer[MAIL_ANSWER_BYTES];
    struct err err = { 0 };
    if (!letter_write(sender->letters, mail, &sender->letter, &err)) {
        log_line(LOG_ERROR, "email cannot be rendered", log_str("error", err.message));
        snprintf(why, WHY_BYTES, "it cannot be rendered: %.100s", err.message);
        return FAILED;
    }
    enum mail_end end = mail_send(sender->mailer, &sender->letter.mail, sender->timeout_ms, answer);
    if (end == MAIL_ACCEPTED)
        FAULT_POINT("mail-accepted");
    snprintf(why, WHY_BYTES, "%s%s", end == MAIL_DEFERRED ? OUTBOX_NOT_YET : "", answer);
    return result_of(end, mail);
}

static enum result process_mail(struct sender *sender, const cJSON *mail,
                                char why[static WHY_BYTES])
{
    bool has_link = json_text(mail, "/link_id") != NULL;
    why[0] = '\0';
    if (strcmp(json_text(mail, "/template"), "none") == 0)
        return DROPPED;
    if (!sender->mailer) {
        snprintf(why, WHY_BYTES, "no relay is configured (mail.url)");
        return DROPPED;
    }
    if (has_link && sql_is(mail, "is_link_used")) {
        snprintf(why, WHY_BYTES, "its link was used");
        return DROPPED;
    }
    if (has_link && !sql_is(mail, "is_link_alive")) {
        snprintf(why, WHY_BYTES, "its link has expired");
        return FAILED;
    }
    return send_mail(sender, mail, why);
}

/* A sent email must be marked, otherwise it is sent again: retry until the lease expires. */
static void mark_mail(struct sender *sender, const cJSON *mail, enum outbox_state state,
                      const char *why)
{
    struct err err = { 0 };
    int64_t end_ms = clock_ms() + INT64_C(1000) * OUTBOX_LEASE_S - sender->timeout_ms;
    bool ok = outbox_mark(sender->portal->pool, mail, state, why[0] ? why : NULL, &err);
    while (!ok && clock_ms() < end_ms && background_wait(sender->background))
        ok = outbox_mark(sender->portal->pool, mail, state, why[0] ? why : NULL, &err);
    if (!ok)
        log_line(LOG_ERROR, "outcome of an email not recorded",
                 log_str("mail_id", json_text(mail, "/mail_id")), log_str("error", err.message));
}

static void log_result(const cJSON *mail, enum result result, const char *why)
{
    static const char *const words[RESULTS] = { "email sent", "email delayed", "email failed",
                                                "email dropped" };
    enum log_level level = result == SENT || result == DROPPED ? LOG_DEBUG : LOG_WARN;
    log_line(level, words[result], log_str("mail_id", json_text(mail, "/mail_id")),
             log_str("template", json_text(mail, "/template")),
             log_int("attempt", (int64_t)json_get(mail, "attempts")->valuedouble),
             log_str("error", why));
}

static void update_age(struct sender *sender)
{
    int64_t seconds;
    if (clock_ms() < sender->next_look_ms)
        return;
    sender->next_look_ms = clock_ms() + LOOK_MS;
    if (outbox_oldest(sender->portal->pool, &seconds, NULL))
        gauge_set(sender->oldest, seconds);
}

static void replace_mailer(struct sender *sender)
{
    struct mailer *fresh = atomic_exchange(&sender->fresh, NULL);
    if (!fresh)
        return;
    mailer_free(&sender->mailer);
    sender->mailer = fresh;
}

/* Send one due email. False: none is due. */
static bool send_next_mail(void *argument)
{
    struct sender *sender = argument;
    static const enum outbox_state states[RESULTS] = { OUTBOX_SENT, OUTBOX_WAITS, OUTBOX_FAILED,
                                                       OUTBOX_DROPPED };
    scoped(json_free) cJSON *mail = NULL;
    char why[WHY_BYTES];
    struct err err = { 0 };
    update_age(sender);
    replace_mailer(sender);
    bool ok = outbox_claim(sender->portal->pool, sender->mailer ? 0 : UNWANTED_S, &mail, &err);
    background_log(&sender->is_cut_off, ok, "the outbox can be read again",
                   "the outbox cannot be read", &err);
    if (!mail)
        return false;
    enum result result = process_mail(sender, mail, why);
    mark_mail(sender, mail, states[result], why);
    counter_add(sender->results[result], 1);
    log_result(mail, result, why);
    return true;
}

/* ---- start and end ---- */

/* *mailer stays NULL if no relay is configured. */
static bool open_mailer(const struct portal *portal, struct mailer **mailer, struct err *err)
{
    const struct conf *conf = portal->conf;
    scoped(mem_free) char *password = NULL;
    struct mailer_options options = { .egress = portal->egress,
                                      .url = conf_str(conf, "mail.url"),
                                      .user = conf_str(conf, "mail.user"),
                                      .from = conf_str(conf, "mail.from"),
                                      .reply_to = conf_str(conf, "mail.reply_to") };
    if (!options.url[0])
        return true;
    if (conf_str(conf, "mail.password_file")[0] &&
        !conf_secret(conf, "mail.password_file", &password, err))
        return false;
    options.password = password;
    bool ok = mailer_new(&options, mailer, err);
    if (password)
        explicit_bzero(password, strlen(password));
    return ok;
}

static bool open_letters(struct sender *sender, struct err *err)
{
    const struct portal *portal = sender->portal;
    struct letters_options options = { .files = conf_str(portal->conf, "portal.files_dir"),
                                       .sells = portal_sells(portal),
                                       .public_url = portal->public_url,
                                       .contact = portal->contact,
                                       .secrets = portal->secrets };
    return letters_load(&options, &sender->letters, err);
}

static void make_metrics(struct sender *sender)
{
    static const char *const names[RESULTS] = { "sent", "retried", "failed", "dropped" };
    struct metrics *metrics = sender->portal->metrics;
    for (size_t i = 0; i < RESULTS; i++)
        sender->results[i] = metrics_counter(metrics, "tollgate_mail_attempts_total",
                                             "Attempts to send email, by result",
                                             (struct labels){ "result", names[i] });
    sender->oldest = metrics_gauge(metrics, "tollgate_mail_queue_oldest_age_seconds",
                                   "Age of the oldest email that waits", NO_LABELS);
}

static void free_sender(struct sender **sender)
{
    struct sender *old = *sender;
    if (!old)
        return;
    background_stop(&old->background);
    replace_mailer(old);
    mailer_free(&old->mailer);
    letters_free(&old->letters);
    letter_free(&old->letter);
    mem_free(sender);
}

bool sender_start(struct portal *portal, struct sender **sender, struct err *err)
{
    scoped(free_sender) struct sender *made = mem_new(sizeof(*made));
    made->portal = portal;
    made->letter = (struct letter)LETTER;
    made->timeout_ms = conf_int(portal->conf, "mail.timeout_ms");
    if (!conf_check_range(portal->conf, "mail.timeout_ms", SEND_MIN_MS, SEND_MAX_MS, err) ||
        !open_mailer(portal, &made->mailer, err) || !open_letters(made, err))
        return false;
    make_metrics(made);
    if (!background_start(send_next_mail, made, conf_int(portal->conf, "portal.poll_ms"),
                          &made->background, err))
        return false;
    *sender = take(made);
    return true;
}

bool sender_reload(struct sender *sender, struct err *err)
{
    struct mailer *mailer = NULL;
    if (!open_mailer(sender->portal, &mailer, err))
        return false;
    mailer = atomic_exchange(&sender->fresh, mailer);
    mailer_free(&mailer); /* left from a reload after the last email */
    return true;
}

void sender_stop(struct sender **sender)
{
    free_sender(sender);
}
