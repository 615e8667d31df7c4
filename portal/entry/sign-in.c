/* portal/entry/sign-in.c - email address and password. An unknown address costs the same work and
 * gets the same response as a wrong password. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/os/log.h"
#include "portal/entry/device.h"
#include "portal/entry/entry.h"
#include "portal/entry/link-pages.h"
#include "portal/entry/next.h"
#include "portal/entry/rejected.h"
#include "portal/entry/sign-in-session.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "portal/page/field.h"
#include "portal/password/hash-queue.h"
#include "text/json.h"

static const struct field fields[] = {
    { "email", "Email address", "email", "username", NULL, 254, false },
    { "password", "Password", "password", "current-password", NULL, 0, false },
    { "keep", "Keep me signed in on this device", "checkbox", NULL, NULL, 0, true },
};

/* ---- the page ---- */

void sign_in_page(struct visit *visit, int status)
{
    cJSON *model = page_model("Sign in");
    json_str(model, "next", next_of(visit));
    json_str(model, "app_next", next_app(visit));
    fields_add(visit, fields, countof(fields), model);
    page_show(visit, status, "entry/sign-in", model);
}

void sign_in_show(struct visit *visit)
{
    const char *next = next_of(visit);
    if (visit->is_signed_in)
        page_redirect(visit, next ? next : "/portal", NULL);
    else
        sign_in_page(visit, 200);
}

/* ---- the member ---- */

/* The database's data for an address; empty for an unknown one. */
struct candidate {
    struct email email;
    cJSON *row;
    bool is_device_known; /* it is a device of this member */
};

static void free_candidate(struct candidate *candidate)
{
    json_wipe(&candidate->row);
}

static const char *text_at(const struct candidate *candidate, const char *pointer)
{
    return json_text(candidate->row, pointer);
}

static bool flag_at(const struct candidate *candidate, const char *name)
{
    return json_is(json_get(candidate->row, name), cJSON_True);
}

/* An invalid address is looked up too, and is unknown. */
static void read_email(const struct visit *visit, struct email *email)
{
    struct text typed = text_trim(text_of(form_text(&visit->form, "email")));
    if (email_parse(typed, email, NULL))
        return;
    *email = (struct email){ 0 };
    for (size_t i = 0; i < typed.size && i < EMAIL_MAX_BYTES; i++)
        email->key[i] = ascii_lower(typed.bytes[i]);
}

static bool find_candidate(struct visit *visit, struct candidate *candidate, struct err *err)
{
    char device[DIGEST_TEXT_BYTES];
    bool has_device = device_digest(visit, device);
    read_email(visit, &candidate->email);
    candidate->row = json_object();
    bool ok =
        pool_row(visit->portal->pool,
                 "select m.member_id, m.account_id, m.email, m.password,"
                 "       m.locked_at is not null as is_locked, a.state = 'closed' as is_closed,"
                 "       device_is_known($2, m.member_id) as is_device_known"
                 "  from member m join account a using (account_id) where m.email_key = $1",
                 SQL_PARAMS(candidate->email.key, has_device ? device : NULL), candidate->row, err);
    candidate->is_device_known = flag_at(candidate, "is_device_known");
    return ok;
}

/* ---- limits ---- */

struct tries {
    struct throttle_key key[2];
    size_t count;
    char address[THROTTLE_ADDRESS_BYTES];
    char device[DIGEST_TEXT_BYTES];
};

/* A known device has its own bucket. All others share the account's and the address's. */
static void set_buckets(const struct visit *visit, const struct candidate *candidate,
                        struct tries *tries)
{
    throttle_address(&visit->address, tries->address);
    if (candidate->is_device_known && device_digest(visit, tries->device)) {
        tries->key[0] = (struct throttle_key){ THROTTLE_SIGN_IN_DEVICE, tries->device };
        tries->count = 1;
        return;
    }
    tries->key[0] = (struct throttle_key){ THROTTLE_SIGN_IN_EMAIL, candidate->email.key };
    tries->key[1] = (struct throttle_key){ THROTTLE_SIGN_IN_ADDRESS, tries->address };
    tries->count = 2;
}

/* ---- the password ---- */

enum outcome { OUTCOME_RIGHT, OUTCOME_WRONG, OUTCOME_THROTTLED, OUTCOME_BUSY, OUTCOME_FAILED };

/* A visitor without a device cookie takes a place before the lookup; one with another member's
 * cookie takes it after the lookup. */
static bool has_place(struct visit *visit, struct password_place *place)
{
    char network[NETWORK_TEXT_BYTES];
    visit_network(visit, network);
    return place->queue || password_place_take(visit->portal->hash_queue, network, place);
}

static enum outcome try_password(struct visit *visit, const struct candidate *candidate,
                                 const struct tries *tries, struct password_place *place,
                                 int64_t *retry_ms, struct err *err)
{
    struct portal *portal = visit->portal;
    struct text password = text_of(form_text(&visit->form, "password"));
    bool fits;
    if (!candidate->is_device_known && !has_place(visit, place))
        return OUTCOME_BUSY;
    if (!throttle_take(portal, tries->key, tries->count, retry_ms, err))
        return OUTCOME_FAILED;
    if (*retry_ms > 0)
        return OUTCOME_THROTTLED;
    if (!hash_queue_check(portal->hash_queue, candidate->is_device_known ? NULL : place, password,
                          text_at(candidate, "/password"), &fits, err)) {
        throttle_give(portal, tries->key, tries->count); /* the password was not checked */
        return err->kind == ERR_OVERLOADED ? OUTCOME_BUSY : OUTCOME_FAILED;
    }
    return fits ? OUTCOME_RIGHT : OUTCOME_WRONG;
}

/* ---- after a correct password ---- */

/* The hash has old parameters: hash the password again. A failure does not stop the sign-in. */
static void refresh_hash(struct visit *visit, const struct candidate *candidate)
{
    struct portal *portal = visit->portal;
    struct text password = text_of(form_text(&visit->form, "password"));
    char hash[PASSWORD_HASH_BYTES];
    struct err err = { 0 };
    if (!password_hash_is_old(text_at(candidate, "/password")) ||
        !hash_queue_hash(portal->hash_queue, password, hash, &err))
        return;
    bool ok = pool_run(
        portal->pool, "select password_rehash($1, $2, $3)",
        SQL_PARAMS(text_at(candidate, "/member_id"), text_at(candidate, "/password"), hash), &err);
    if (!ok)
        log_line(LOG_WARN, "password not hashed again", log_str("error", err.message));
}

/* Shown only after a correct password. */
static bool check_allowed(struct visit *visit, const struct candidate *candidate)
{
    if (flag_at(candidate, "is_closed"))
        return visit_add_error(visit, NULL, "This account is closed.");
    return !flag_at(candidate, "is_locked") ||
           visit_add_error(visit, NULL, "This sign-in is locked. Write to %s.",
                           portal_contact(visit->portal));
}

static void show_wrong_password(struct visit *visit)
{
    visit_add_error(visit, NULL, "The email address or the password is wrong.");
    sign_in_page(visit, 403);
}

/* Refill the buckets of the account and the device, but not the address's: otherwise an attacker
 * with one account could try other accounts without limit. */
static void finish_sign_in(struct visit *visit, const struct candidate *candidate,
                           const struct tries *tries)
{
    struct err err = { 0 };
    struct sign_in_start start = { .member_id = text_at(candidate, "/member_id"),
                                   .account_id = text_at(candidate, "/account_id"),
                                   .email = text_at(candidate, "/email"),
                                   .password = text_at(candidate, "/password"),
                                   .is_kept = form_text(&visit->form, "keep")[0] != '\0' };
    const char *next = next_of(visit);
    bool is_half = false;
    throttle_give(visit->portal, tries->key, 1);
    if (!check_allowed(visit, candidate)) {
        sign_in_page(visit, 403);
        return;
    }
    if (!start_sign_in_session(visit, &start, &is_half, &err)) {
        if (err.kind == ERR_NOT_FOUND)
            show_wrong_password(visit);
        else
            page_failed(visit, &err);
        return;
    }
    refresh_hash(visit, candidate);
    if (is_half)
        page_redirect(visit, next_passed_on(visit, "/portal/sign-in/code"), NULL);
    else
        page_redirect(visit, next ? next : "/portal", NULL);
}

/* ---- the request ---- */

static void reject_password(struct visit *visit, const struct candidate *candidate)
{
    struct err err = { 0 };
    struct rejected_sign_in rejected = { .member_id = text_at(candidate, "/member_id"),
                                         .account_id = text_at(candidate, "/account_id"),
                                         .email = text_at(candidate, "/email"),
                                         .key = candidate->email.key };
    if (!record_wrong_password(visit, &rejected, &err)) {
        page_failed(visit, &err);
        return;
    }
    show_wrong_password(visit);
}

static void show_busy(struct visit *visit)
{
    buf_format(&visit->response->headers, "Retry-After: %d\r\n", PASSWORD_RETRY_S);
    visit_add_error(visit, NULL, "Too many people are signing in. Try again in %d seconds.",
                    PASSWORD_RETRY_S);
    sign_in_page(visit, 503);
}

static void show_throttled(struct visit *visit, int64_t retry_ms)
{
    visit_add_wait(visit, retry_ms, "", WAIT_OR_RESET);
    sign_in_page(visit, 429);
}

void sign_in(struct visit *visit)
{
    scoped(free_candidate) struct candidate candidate = { 0 };
    scoped(password_place_free) struct password_place place = { 0 };
    struct tries tries = { 0 };
    struct err err = { 0 };
    int64_t retry_ms = 0;

    if (!device_digest(visit, tries.device) && !has_place(visit, &place)) {
        show_busy(visit);
        return;
    }
    if (!find_candidate(visit, &candidate, &err)) {
        page_failed(visit, &err);
        return;
    }
    set_buckets(visit, &candidate, &tries);
    switch (try_password(visit, &candidate, &tries, &place, &retry_ms, &err)) {
    case OUTCOME_RIGHT:
        finish_sign_in(visit, &candidate, &tries);
        break;
    case OUTCOME_WRONG:
        reject_password(visit, &candidate);
        break;
    case OUTCOME_THROTTLED:
        show_throttled(visit, retry_ms);
        break;
    case OUTCOME_BUSY:
        show_busy(visit);
        break;
    case OUTCOME_FAILED:
        page_failed(visit, &err);
        break;
    }
}

void sign_out(struct visit *visit)
{
    const struct member_session *session = &visit->session;
    struct err err = { 0 };
    scoped(pool_give) struct sql *sql = NULL;
    bool ok =
        pool_take(visit->portal->pool, &sql, &err) && sql_begin(sql, SQL_WRITE, &err) &&
        session_end(sql, session->member_id, session->session_id, NULL, &err) &&
        audit_add(sql, visit, session->member_id, session->account_id, "sign-out", NULL, &err) &&
        sql_commit(sql, &err);
    pool_give(&sql);
    if (!ok) {
        page_failed(visit, &err);
        return;
    }
    cookie_end(&visit->response->headers, COOKIE_SESSION);
    page_redirect(visit, next_passed_on(visit, "/portal/sign-in"), "signed-out");
}
