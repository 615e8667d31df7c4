/* gateway/tollctl/member.c - members of the portal: for people who lost their password, phone or
 * mailbox, and for installations without mail. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/file.h"
#include "gateway/tollctl/export.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"
#include "net/email.h"
#include "text/passwords/hash.h"
#include "text/passwords/rule.h"
#include "text/passwords/secret.h"

enum { PASSWORD_FILE_MAX_BYTES = 1024 };

/* ---- which member ---- */

/*
 * Lock the member that MEMBER names, by id or address, after the balance of their account, like
 * every writer. Adds member, account, email, name and state. Errors: ERR_NOT_FOUND.
 */
static bool lock_member(struct tollctl *ctl, cJSON *member, struct err *err)
{
    const char *named = args_text(&ctl->args, "MEMBER");
    struct email email = { .key = "" };
    struct uuid id;
    bool is_id = uuid_parse(text_of(named), &id);

    if (!is_id && !email_parse(text_of(named), &email, NULL))
        return err_set(err, ERR_NOT_FOUND, "MEMBER must be an id or an email address");
    struct sql_params params = { 2, { is_id ? named : NULL, email.key } };
    if (!sql_run(ctl->sql,
                 "select account_lock(account_id) from member"
                 " where member_id = $1::uuid or email_key = $2",
                 params, err) ||
        !sql_row(ctl->sql,
                 "select m.member_id as member, m.account_id as account, m.email, a.name,"
                 "       m.locked_at is not null as is_locked, m.totp_at is not null as two_factor"
                 "  from member m join account a using (account_id)"
                 " where m.member_id = $1::uuid or m.email_key = $2 for no key update of m",
                 params, member, err))
        return false;
    return json_size(member) > 0 ||
           err_set(err, ERR_NOT_FOUND, "unknown member %.100s; see `tollctl member list`", named);
}

static const char *id_of(const cJSON *member)
{
    return json_text(member, "/member");
}

/* Add the member and whether something changed to the answer, and write an audit entry without the
 * address. */
static bool finish_change(struct tollctl *ctl, const cJSON *member, bool is_changed, cJSON *answer,
                          struct err *err)
{
    scoped(mem_free) char *detail = str_format("member %s", id_of(member));
    json_str(answer, "member", id_of(member));
    json_str(answer, "account", json_text(member, "/account"));
    json_bool(answer, "changed", is_changed);
    return (!is_changed || tollctl_audit(ctl->sql, ctl->command->name,
                                         json_text(member, "/account"), detail, err)) &&
           sql_commit(ctl->sql, err);
}

static bool end_sessions(struct tollctl *ctl, const cJSON *member, struct err *err)
{
    return sql_run(ctl->sql, "select session_end($1, null, null)",
                   (struct sql_params){ 1, { id_of(member) } }, err);
}

/* Revoke links that were mailed to the member; kind NULL: all kinds. */
static bool revoke_links(struct tollctl *ctl, const cJSON *member, const char *kind,
                         struct err *err)
{
    return sql_run(ctl->sql,
                   "update link set used_at = ledger_now() where member_id = $1"
                   " and (kind = $2 or $2 is null) and used_at is null",
                   (struct sql_params){ 2, { id_of(member), kind } }, err);
}

/* ---- passwords ---- */

/* The first line of --password-file, as typed. */
static bool read_password(struct tollctl *ctl, struct buf *password, struct err *err)
{
    if (!file_read(args_text(&ctl->args, "--password-file"), password, err))
        return false;
    const char *end = memchr(buf_str(password), '\n', password->size);
    if (end && end + 1 < password->bytes + password->size)
        return err_set(err, ERR_INVALID_VALUE, "--password-file must have one line");
    if (end)
        password->bytes[--password->size] = '\0';
    return !memchr(buf_str(password), '\0', password->size) ||
           err_set(err, ERR_INVALID_VALUE, "--password-file must not contain a NUL byte");
}

static bool hash_password(struct tollctl *ctl, const char *email, const char *name,
                          char hash[static PASSWORD_HASH_BYTES], struct err *err)
{
    scoped(secret_buf_free) struct buf password = secret_buf(PASSWORD_FILE_MAX_BYTES);
    struct password_owner owner = { email, name, conf_str(ctl->conf, "gateway.public_url") };
    if (sodium_init() < 0)
        return err_set(err, ERR_INTERNAL, "the system's random number generator failed");
    return read_password(ctl, &password, err) &&
           password_rule(buf_text(&password), &owner, clock_wall_ms(), err) &&
           password_hash(buf_text(&password), hash, err);
}

/* ---- member create ---- */

static bool check_unused(struct tollctl *ctl, const char *account, const struct email *email,
                         const char *but, struct err *err)
{
    scoped(json_free) cJSON *found = json_object();
    if (!sql_row(ctl->sql,
                 "select exists (select from member where account_id = $1) as has_member,"
                 "       email_is_taken($2, $3) as is_taken",
                 (struct sql_params){ 3, { account, email->key, but } }, found, err))
        return false;
    if (!but && json_is(json_get(found, "has_member"), cJSON_True))
        return err_set(err, ERR_CONFLICTING_FIELDS, "account %s already has a member", account);
    return !json_is(json_get(found, "is_taken"), cJSON_True) ||
           err_set(err, ERR_CONFLICTING_FIELDS,
                   "%s belongs to another member, or a member can still reclaim it",
                   email->address);
}

static bool insert_member(struct tollctl *ctl, const char *member, const char *account,
                          const struct email *email, const char *hash, struct err *err)
{
    return sql_run(ctl->sql,
                   "insert into member (member_id, account_id, email, email_key, password,"
                   "                    password_at, created_at)"
                   " values ($1, $2, $3, $4, $5, ledger_now(), ledger_now())",
                   (struct sql_params){ 5, { member, account, email->address, email->key, hash } },
                   err);
}

static bool member_create(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    scoped(json_free) cJSON *snapshot = json_object();
    scoped(json_free) cJSON *made = json_object();
    char member[UUID_TEXT_BYTES], hash[PASSWORD_HASH_BYTES];
    struct uuid id = uuid_new();
    struct email email;

    uuid_format(member, &id);
    if (!email_parse(text_of(args_text(&ctl->args, "EMAIL")), &email, err) ||
        !sql_begin(ctl->sql, SQL_WRITE, err) ||
        !tollctl_lock_account(ctl->sql, account, snapshot, err))
        return false;
    if (strcmp(json_text(snapshot, "/state"), "closed") == 0)
        return err_set(err, ERR_ACCOUNT_CLOSED, "account %s is closed for good", account);
    json_str(made, "member", member);
    json_str(made, "account", account);
    return check_unused(ctl, account, &email, NULL, err) &&
           hash_password(ctl, email.address, json_text(snapshot, "/name"), hash, err) &&
           insert_member(ctl, member, account, &email, hash, err) &&
           finish_change(ctl, made, true, answer, err);
}

/* ---- member list, show ---- */

#define MEMBER_COLUMNS                                                                      \
    "select m.member_id as member, m.account_id as account, m.email, a.name,"               \
    "       case when m.locked_at is not null then 'locked'"                                \
    "            when a.delete_at is not null then 'leaving' else 'active' end as state,"   \
    "       m.totp_at is not null as two_factor, m.created_at, m.signed_in_at, a.delete_at" \
    "  from member m join account a using (account_id)"

static bool member_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *limit = args_text(&ctl->args, "--limit");
    return sql_rows(
        ctl->sql,
        MEMBER_COLUMNS " where $1::text is null or position(lower($1) in lower(m.email)) > 0"
                       " order by m.created_at desc, m.member_id limit $2",
        (struct sql_params){ 2, { args_text(&ctl->args, "--email"), limit ? limit : "100" } },
        json_list(answer, "members"), err);
}

static bool member_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !lock_member(ctl, member, err))
        return false;
    struct sql_params id = { 1, { id_of(member) } };
    return sql_row(ctl->sql, MEMBER_COLUMNS " where m.member_id = $1", id, answer, err) &&
           sql_rows(ctl->sql,
                    "select session_id as session, is_half, is_kept, network, agent, created_at,"
                    "       seen_at, expires_at from session where member_id = $1"
                    " order by seen_at desc",
                    id, json_list(answer, "sessions"), err) &&
           sql_rows(ctl->sql,
                    "select kind, email, created_at, expires_at, used_at from link"
                    " where member_id = $1 order by created_at desc limit 20",
                    id, json_list(answer, "links"), err) &&
           sql_rows(ctl->sql,
                    "select mail_id as mail, template, recipient, created_at, sent_at, error"
                    "  from mail where member_id = $1 order by created_at desc limit 20",
                    id, json_list(answer, "mails"), err);
}

/* ---- member lock, unlock, sign-out ---- */

static bool set_locked(struct tollctl *ctl, const cJSON *member, bool is_locked, struct err *err)
{
    return sql_run(ctl->sql,
                   "update member set locked_at = case when $2 then ledger_now() end"
                   " where member_id = $1",
                   (struct sql_params){ 2, { id_of(member), is_locked ? "true" : "false" } }, err);
}

static bool change_lock(struct tollctl *ctl, bool is_locked, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !lock_member(ctl, member, err))
        return false;
    bool is_changed = json_is(json_get(member, "is_locked"), cJSON_True) != is_locked;
    return (!is_changed || set_locked(ctl, member, is_locked, err)) &&
           (!is_locked || end_sessions(ctl, member, err)) &&
           finish_change(ctl, member, is_changed, answer, err);
}

static bool member_lock(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    ctl->remark =
        "Their sessions are revoked. API tokens still work: see `tollctl account suspend`.";
    return change_lock(ctl, true, answer, err);
}

static bool member_unlock(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    return change_lock(ctl, false, answer, err);
}

static bool member_sign_out(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    return sql_begin(ctl->sql, SQL_WRITE, err) && lock_member(ctl, member, err) &&
           end_sessions(ctl, member, err) && finish_change(ctl, member, true, answer, err);
}

/* ---- member set-email, set-password, reset-2fa ---- */

static bool member_set_email(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    struct email email;
    ctl->remark = "Links mailed to them are revoked. Sessions stay valid: see member sign-out.";
    return email_parse(text_of(args_text(&ctl->args, "EMAIL")), &email, err) &&
           sql_begin(ctl->sql, SQL_WRITE, err) && lock_member(ctl, member, err) &&
           check_unused(ctl, json_text(member, "/account"), &email, id_of(member), err) &&
           revoke_links(ctl, member, NULL, err) &&
           sql_run(ctl->sql, "update member set email = $2, email_key = $3 where member_id = $1",
                   (struct sql_params){ 3, { id_of(member), email.address, email.key } }, err) &&
           finish_change(ctl, member, true, answer, err);
}

static bool member_set_password(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    char hash[PASSWORD_HASH_BYTES];
    ctl->remark = "Their sessions are revoked. Two-factor stays on: see member reset-2fa.";
    return sql_begin(ctl->sql, SQL_WRITE, err) && lock_member(ctl, member, err) &&
           hash_password(ctl, json_text(member, "/email"), json_text(member, "/name"), hash, err) &&
           sql_run(ctl->sql,
                   "update member set password = $2, password_at = ledger_now()"
                   " where member_id = $1",
                   (struct sql_params){ 2, { id_of(member), hash } }, err) &&
           revoke_links(ctl, member, "reset", err) && end_sessions(ctl, member, err) &&
           finish_change(ctl, member, true, answer, err);
}

static bool remove_factor(struct tollctl *ctl, const cJSON *member, struct err *err)
{
    struct sql_params id = { 1, { id_of(member) } };
    return sql_run(ctl->sql,
                   "update member set totp_secret = null, totp_at = null where member_id = $1", id,
                   err) &&
           sql_run(ctl->sql, "delete from recovery_code where member_id = $1", id, err);
}

static bool member_reset_2fa(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !lock_member(ctl, member, err))
        return false;
    bool is_on = json_is(json_get(member, "two_factor"), cJSON_True);
    return (!is_on || remove_factor(ctl, member, err)) &&
           finish_change(ctl, member, is_on, answer, err);
}

/* ---- member delete ---- */

/* member_delete() deletes only members whose time has come, and writes the portal's audit entry.
 * This one adds who requested it. */
static bool member_remove(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    ctl->remark = "The account is closed and the personal data deleted; the ledger stays.";
    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !lock_member(ctl, member, err))
        return false;
    struct sql_params id = { 1, { id_of(member) } };
    return sql_run(ctl->sql,
                   "update account set delete_at = ledger_now()"
                   " where account_id = (select m.account_id from member m where m.member_id = $1)",
                   id, err) &&
           sql_run(ctl->sql, "select member_delete($1)", id, err) &&
           finish_change(ctl, member, true, answer, err);
}

/* clang-format off */
#define MEMBER { "MEMBER", "id or email address", .type = ARG_TEXT, .min = 3, .max = 254 }
#define EMAIL { "EMAIL", "his address", .type = ARG_TEXT, .min = 3, .max = 254 }
#define PASSWORD_FILE { "--password-file", "file with the password, one line of 12 to 128 characters", "FILE", \
                        ARG_PATH, .is_required = true }

const struct command member_commands[] = {
    { "member create", "Create the member of an account that has no member.", member_create, .args = {
        { "ACCOUNT", "the account to manage", .type = ARG_UUID }, EMAIL, PASSWORD_FILE } },
    { "member list", "List members, newest first.", member_list, .args = {
        { "--email", "only members whose address contains this", "TEXT", .min = 1, .max = 254 },
        { "--limit", "the most rows; default 100", "N", ARG_INT, 1, 100000 } } },
    { "member export", "Print all data about a member and the account as JSON, as the portal's export.", export_member, .args = { MEMBER } },
    { "member show", "Show a member, their sessions, and mails to them.", member_show, .args = { MEMBER } },
    { "member lock", "Block a member from signing in.", member_lock, .args = { MEMBER } },
    { "member unlock", "Allow a locked member to sign in again.", member_unlock, .args = { MEMBER } },
    { "member sign-out", "Revoke all sessions of a member.", member_sign_out, .args = { MEMBER } },
    { "member set-email", "Change a member's address, without mail to the old or new one.",
      member_set_email, .args = { MEMBER, EMAIL } },
    { "member set-password", "Set a member's password.", member_set_password, .args = { MEMBER, PASSWORD_FILE } },
    { "member reset-2fa", "Turn off a member's two-factor; authenticator and recovery codes are removed.",
      member_reset_2fa, .args = { MEMBER } },
    { "member delete", "Close a member's account now, and delete their personal data.", member_remove, .args = { MEMBER } },
    { 0 },
};
/* clang-format on */
