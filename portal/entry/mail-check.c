/* portal/entry/mail-check.c - see mail-check.h. */
#include "portal/entry/mail-check.h"

#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "portal/base/background.h"
#include "portal/entry/mail-hosts.h"
#include "text/json.h"

enum {
    THREADS = 4, /* a hostile DNS keeps one of them busy until its deadline */
    LOOK_UP_MS = 3000,
};

struct watcher {
    struct mail_check *check;
    struct background *background;
};

struct mail_check {
    struct portal *portal;
    struct egress *egress; /* NULL: the DNS is not used */
    atomic_int busy;       /* threads that have an email */
    struct watcher watcher[THREADS];
};

/* The lease of an email is one minute. Then it is due again, in any portal. */
static const char claim_sql[] =
    "update mail m set attempts = m.attempts + 1,"
    "                  next_at = n + interval '1 minute' * least(m.attempts + 1, 15)"
    "  from ledger_now() n, (select o.mail_id, l.link_id, l.email_key, l.used_at, l.expires_at"
    "                          from mail o join link l using (link_id)"
    "                         where o.state = 0 and o.next_at <= (select ledger_now())"
    "                         order by o.next_at limit 1 for update of o skip locked) due"
    " where m.mail_id = due.mail_id"
    " returning m.mail_id, due.link_id, substr(due.email_key, strpos(due.email_key, '@') + 1) as"
    " domain, due.used_at is null and due.expires_at > n as is_alive";

static bool claim_mail(struct mail_check *check, cJSON *mail)
{
    struct err err = { 0 };
    bool ok = pool_row(check->portal->pool, claim_sql, NO_PARAMS, mail, &err);
    if (!ok)
        log_line(LOG_WARN, "sign-up emails cannot be read", log_str("error", err.message));
    return ok && json_size(mail) > 0;
}

static void run_statement(struct mail_check *check, const char *statement, struct sql_params params)
{
    struct err err = { 0 };
    bool ok = pool_run(check->portal->pool, statement, params, &err);
    if (!ok) /* it is due again in a minute */
        log_line(LOG_WARN, "mail hosts of a sign-up not recorded", log_str("error", err.message));
}

static void fail_mail(struct mail_check *check, const cJSON *mail, const char *why)
{
    run_statement(check, "update mail set state = 3, error = $2 where mail_id = $1 and state = 0",
                  SQL_PARAMS(json_text(mail, "/mail_id"), why));
}

static void delay_mail(struct mail_check *check, const cJSON *mail, const char *why)
{
    log_line(LOG_WARN, "email delayed", log_str("mail_id", json_text(mail, "/mail_id")),
             log_str("error", why));
    run_statement(check, "update mail set error = $2 where mail_id = $1 and state = 0",
                  SQL_PARAMS(json_text(mail, "/mail_id"), why));
}

static void release_mail(struct mail_check *check, const cJSON *mail, const struct buf *keys)
{
    run_statement(check, "select link_budgets($1, $2::text[])",
                  SQL_PARAMS(json_text(mail, "/link_id"), buf_str(keys)));
}

static void look_up(struct mail_check *check, const cJSON *mail)
{
    scoped(buf_free) struct buf keys = BUF(MAIL_KEYS_MAX_BYTES);
    struct err why = { 0 };
    switch (mail_hosts_find(check->portal->mail_hosts, check->egress, json_text(mail, "/domain"),
                            clock_ms() + LOOK_UP_MS, &keys, &why)) {
    case MAIL_REACHES:
        release_mail(check, mail, &keys);
        break;
    case MAIL_REACHES_NOT:
        fail_mail(check, mail, why.message);
        break;
    case MAIL_REACH_UNKNOWN:
        delay_mail(check, mail, why.message);
        break;
    }
}

/* Is one thread enough? Most of the time no email is due, and the first sees the next one. */
static bool is_spare(const struct watcher *watcher)
{
    return watcher != &watcher->check->watcher[0] && watcher->check->busy == 0;
}

/* Check one email. False: none is due. */
static bool check_next_mail(void *argument)
{
    const struct watcher *watcher = argument;
    struct mail_check *check = watcher->check;
    scoped(json_free) cJSON *mail = json_object();
    if (is_spare(watcher) || !claim_mail(check, mail))
        return false;
    check->busy++;
    if (sql_is(mail, "is_alive"))
        look_up(check, mail);
    else
        fail_mail(check, mail, "its link has expired");
    check->busy--;
    return true;
}

/* ---- start and end ---- */

bool mail_check_start(struct portal *portal, struct mail_check **check, struct err *err)
{
    scoped(mail_check_stop) struct mail_check *made = mem_new(sizeof(*made));
    made->portal = portal;
    if (strcmp(conf_str(portal->conf, "portal.signup_mx_check"), "on") == 0)
        made->egress = portal->egress;
    for (size_t i = 0; i < THREADS; i++) {
        struct watcher *watcher = &made->watcher[i];
        watcher->check = made;
        if (!background_start(check_next_mail, watcher, conf_int(portal->conf, "portal.poll_ms"),
                              &watcher->background, err))
            return false;
    }
    *check = take(made);
    return true;
}

void mail_check_stop(struct mail_check **check)
{
    if (!*check)
        return;
    for (size_t i = 0; i < THREADS; i++)
        background_stop(&(*check)->watcher[i].background);
    mem_free(check);
}
