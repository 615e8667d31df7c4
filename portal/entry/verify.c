/* portal/entry/verify.c - the link of a sign-up: name and password create the account. GET only
 * shows the form, because mail scanners open links. */
#include <string.h>

#include "base/codec/utf8.h"
#include "base/os/fault.h"
#include "portal/entry/entry.h"
#include "portal/entry/link-pages.h"
#include "portal/entry/next.h"
#include "portal/entry/sign-in-session.h"
#include "portal/page/answer.h"
#include "portal/password/hash-queue.h"
#include "text/json.h"

enum { NAME_MAX_POINTS = 200 };

static const struct field fields[] = {
    { "name", "Your name or company", "text", "name", NULL, NAME_MAX_POINTS, false },
    { "password", "Password", "password", "new-password",
      "At least 12 characters. A sentence works well.", 0, false },
};

/* ---- the page ---- */

static void show_verify_form(struct visit *visit, const struct entry_link *link, int status)
{
    entry_link_page(visit, status, link, "entry/verify", "Create your account", fields,
                    countof(fields));
}

/* Is the link used, and by the member of this browser? The account has the link's id. */
static bool is_ours(const struct visit *visit, const struct entry_link *link)
{
    return visit->is_signed_in && strcmp(visit->session.account_id, link->link_id) == 0;
}

/* To the consent page of the app that sent the visitor to sign up, or to the dashboard. */
static void go_on(struct visit *visit)
{
    const char *next = next_kept(visit);
    page_redirect(visit, next ? next : "/portal", NULL);
}

/* Is the link open? If not, that is answered. */
static bool open_link(struct visit *visit, struct entry_link *link)
{
    struct err err = { 0 };
    if (!entry_read_link(visit, LINK_SIGNUP, link, &err)) {
        page_failed(visit, &err);
    } else if (link->is_open) {
        return true;
    } else if (is_ours(visit, link)) {
        go_on(visit);
    } else {
        visit_add_error(visit, NULL,
                        "This link was already used or has expired. Request a new one.");
        show_verify_form(visit, link, 400);
    }
    return false;
}

void verify_show(struct visit *visit)
{
    struct entry_link link;
    if (open_link(visit, &link))
        show_verify_form(visit, &link, 200);
}

/* ---- the account ---- */

static bool check_name(struct visit *visit, const char *name)
{
    struct text text = text_trim(text_of(name));
    bool is_printable = true;
    for (size_t i = 0; i < text.size; i++)
        is_printable &= (unsigned char)text.bytes[i] >= ' ' && text.bytes[i] != 0x7f;
    return (text.size > 0 && utf8_length(text) <= NAME_MAX_POINTS && is_printable) ||
           visit_add_error(visit, "name", "Enter a name of 1 to 200 characters.");
}

static bool check_fields(struct visit *visit, const struct entry_link *link)
{
    const char *name = form_text(&visit->form, "name");
    bool has_name = check_name(visit, name);
    return entry_check_password(visit, link->email, name) && has_name;
}

/* done, withheld, used or taken: member_open() of 006-members.sql. The account has the link's id,
 * so that a repeated form cannot create two. */
static bool open_account(struct visit *visit, const struct entry_link *link, const char *member_id,
                         const char *hash, cJSON *row, struct err *err)
{
    struct text name = text_trim(text_of(form_text(&visit->form, "name")));
    char network[NETWORK_TEXT_BYTES];
    visit_network(visit, network);
    return pool_row(
        visit->portal->pool, "select member_open($1, $1, $2, $3, $4, $5) as outcome",
        SQL_PARAMS(link->link_id, member_id, arena_copy(&visit->arena, name), hash, network), row,
        err);
}

/* Sign in to the new account. */
static bool sign_in_member(struct visit *visit, const struct entry_link *link,
                           const char *member_id, const char *hash, struct err *err)
{
    struct sign_in_start start = { member_id, link->link_id, link->email, hash, false };
    bool is_half = false;
    if (!start_sign_in_session(visit, &start, &is_half, err))
        return false;
    go_on(visit);
    return true;
}

static bool make_member(struct visit *visit, struct entry_link *link, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char hash[PASSWORD_HASH_BYTES];
    char member_id[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    uuid_format(member_id, &id);
    if (!hash_queue_hash(visit->portal->hash_queue, text_of(form_text(&visit->form, "password")),
                         hash, err) ||
        !open_account(visit, link, member_id, hash, row, err))
        return false;
    FAULT_POINT("account-made");
    const char *outcome = json_text(row, "/outcome");
    bool is_withheld = strcmp(outcome, "withheld") == 0;
    if (is_withheld || strcmp(outcome, "done") == 0) {
        counter_add(visit->portal->signups[is_withheld], 1);
        return sign_in_member(visit, link, member_id, hash, err);
    }
    bool is_taken = strcmp(outcome, "taken") == 0;
    link->is_open = false;
    visit_add_error(visit, NULL, "%s",
                    is_taken ? "This email address already has an account. Sign in."
                             : "This link was already used or has expired. Request a new one.");
    show_verify_form(visit, link, 400);
    return true;
}

void verify(struct visit *visit)
{
    struct entry_link link;
    struct err err = { 0 };
    if (!open_link(visit, &link))
        return;
    if (!check_fields(visit, &link))
        show_verify_form(visit, &link, 400);
    else if (!make_member(visit, &link, &err))
        page_failed(visit, &err);
}
