/* portal/member/two-factor.c - /portal/two-factor: turn on (after one correct code), turn off, and
 * new recovery codes. Until it is on, the secret exists only in the form, encrypted. */
#include <sodium.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/os/clock.h"
#include "portal/base/throttle.h"
#include "portal/member/member.h"
#include "portal/member/qr.h"
#include "portal/member/work.h"
#include "portal/outbox/write.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "portal/second-factor/second-factor.h"
#include "portal/template/template.h"
#include "text/json.h"

enum {
    URL_MAX_BYTES = 1024,
    /* in the form: secret and session, encrypted, as hex */
    OFFER_BYTES = TOTP_SECRET_BYTES + UUID_TEXT_BYTES - 1,
    SEALED_BYTES = OFFER_BYTES + SECRET_SEAL_BYTES,
    SEALED_HEX_BYTES = 2 * SEALED_BYTES + 1,
};

static const struct field code_field = {
    "code", "Code from the app", "text", "one-time-code", "6 digits", 16, false
};

/* ---- the offer ---- */

/* The offer includes the member, so that it is useless to another one. */
static void seal_offer(struct visit *visit, const uint8_t secret[static TOTP_SECRET_BYTES],
                       char hex[static SEALED_HEX_BYTES])
{
    scoped(buf_free) struct buf sealed = BUF(SEALED_BYTES);
    char offer[OFFER_BYTES];
    memcpy(offer, secret, TOTP_SECRET_BYTES);
    memcpy(offer + TOTP_SECRET_BYTES, visit->session.member_id, UUID_TEXT_BYTES - 1);
    secret_seal(visit->portal->secrets, SECRET_TOTP, (struct text){ offer, sizeof(offer) },
                &sealed);
    hex_encode(hex, sealed.bytes, sealed.size);
    sodium_memzero(offer, sizeof(offer));
}

static bool open_offer(struct visit *visit, uint8_t secret[static TOTP_SECRET_BYTES])
{
    scoped(buf_free) struct buf sealed = BUF(SEALED_BYTES);
    scoped(buf_free) struct buf offer = BUF(OFFER_BYTES);
    bool is_ours =
        hex_decode(&sealed, text_of(form_text(&visit->form, "offer"))) &&
        secret_open(visit->portal->secrets, SECRET_TOTP, buf_text(&sealed), &offer) &&
        offer.size == OFFER_BYTES &&
        memcmp(offer.bytes + TOTP_SECRET_BYTES, visit->session.member_id, UUID_TEXT_BYTES - 1) == 0;
    if (is_ours)
        memcpy(secret, offer.bytes, TOTP_SECRET_BYTES);
    if (offer.bytes)
        sodium_memzero(offer.bytes, offer.capacity);
    return is_ours;
}

/* In groups of four letters. */
static void add_secret(cJSON *model, const uint8_t secret[static TOTP_SECRET_BYTES])
{
    char base32[TOTP_BASE32_BYTES], words[2 * TOTP_BASE32_BYTES];
    size_t size = 0;
    totp_base32(secret, base32);
    for (size_t i = 0; base32[i]; i++) {
        if (i > 0 && i % 4 == 0)
            words[size++] = ' ';
        words[size++] = base32[i];
    }
    words[size] = '\0';
    json_str(model, "secret", words);
}

static void add_picture(const struct visit *visit, cJSON *model,
                        const uint8_t secret[static TOTP_SECRET_BYTES])
{
    scoped(buf_free) struct buf url = BUF(URL_MAX_BYTES);
    scoped(buf_free) struct buf svg = BUF(QR_SVG_MAX_BYTES);
    totp_url(secret, visit->session.email, &url);
    if (qr_svg(buf_str(&url), "QR code of the secret below", &svg))
        template_picture(model, "qr", buf_text(&svg));
}

static void show_offer(struct visit *visit, int status,
                       const uint8_t secret[static TOTP_SECRET_BYTES])
{
    cJSON *model = page_model("Two-factor sign-in");
    char hex[SEALED_HEX_BYTES];
    seal_offer(visit, secret, hex);
    json_str(model, "offer", hex);
    add_secret(model, secret);
    add_picture(visit, model, secret);
    fields_add(visit, &code_field, 1, model);
    page_show(visit, status, "member/two-factor", model);
}

static void offer_new(struct visit *visit, int status)
{
    uint8_t secret[TOTP_SECRET_BYTES];
    randombytes_buf(secret, sizeof(secret));
    show_offer(visit, status, secret);
    sodium_memzero(secret, sizeof(secret));
}

void two_factor_show(struct visit *visit)
{
    if (visit->session.has_two_factor)
        page_redirect(visit, "/portal/security#two-factor", NULL);
    else
        offer_new(visit, 200);
}

/* ---- turning it on ---- */

/* Recovery codes, to be shown once. */
struct codes {
    uint8_t secret[TOTP_SECRET_BYTES];
    int64_t step;
    bool is_done;
    char code[RECOVERY_CODES][RECOVERY_TEXT_BYTES];
};

/* Someone else may have turned it on, so the email to the member has a link that undoes it. */
static bool mail_two_factor(struct sql *sql, const struct visit *visit, const char *what,
                            const char *undo_id, struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    json_bool(data, what, true);
    return work_mail(sql, visit, "two-factor", data, undo_id, err);
}

static bool make_codes(struct sql *sql, struct visit *visit, struct codes *codes, struct err *err)
{
    return second_factor_codes(sql, visit->portal->secrets, &visit->session, codes->code,
                               &codes->is_done, err);
}

/* Of two requests at the same time, one finds it already on. */
static bool turn_on(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct codes *codes = context;
    char undo_id[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    uuid_format(undo_id, &id);
    if (!second_factor_on(sql, visit->portal->secrets, visit->session.session_id, codes->secret,
                          codes->step, undo_id, &codes->is_done, err))
        return false;
    return !codes->is_done || (make_codes(sql, visit, codes, err) &&
                               mail_two_factor(sql, visit, "is_on", undo_id, err) &&
                               work_audit(sql, visit, "two-factor on", NULL, err));
}

static void show_codes(struct visit *visit, const struct codes *codes, const char *title)
{
    cJSON *model = json_object();
    json_str(model, "title", title);
    cJSON *list = json_list(model, "codes");
    for (size_t i = 0; i < RECOVERY_CODES; i++)
        json_item_str(list, codes->code[i]);
    page_show(visit, 200, "member/codes", model);
}

static void show_turned_on(struct visit *visit, struct codes *codes)
{
    if (!work_do(visit, turn_on, codes))
        return;
    if (!codes->is_done)
        page_redirect(visit, "/portal/security#two-factor", NULL);
    else
        show_codes(visit, codes, "Two-factor sign-in is on");
}

void two_factor_turn_on(struct visit *visit)
{
    struct codes codes = { .is_done = false };
    bool is_answered = false;

    if (!open_offer(visit, codes.secret)) {
        visit_add_error(visit, NULL,
                        "This form is no longer valid. Reload the page and try again.");
        offer_new(visit, 400);
    } else if (!work_throttle(visit, THROTTLE_CODE, visit->session.member_id, &is_answered)) {
        if (!is_answered)
            show_offer(visit, 429, codes.secret);
    } else if (!totp_fits(codes.secret, form_text(&visit->form, "code"), clock_wall_ms(), 0,
                          &codes.step)) {
        visit_add_error(
            visit, "code",
            "The code is wrong. Check the clock of your device, then enter a new code.");
        show_offer(visit, 400, codes.secret);
    } else {
        show_turned_on(visit, &codes);
    }
    sodium_memzero(&codes, sizeof(codes));
}

/* ---- turning it off, and new codes ---- */

static bool turn_off(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    char outcome[OUTCOME_BYTES];
    (void)context;
    return work_outcome(sql, "select two_factor_off($1) as outcome",
                        SQL_PARAMS(visit->session.session_id), outcome, err) &&
           (strcmp(outcome, "done") != 0 || (mail_two_factor(sql, visit, "is_off", NULL, err) &&
                                             work_audit(sql, visit, "two-factor off", NULL, err)));
}

void two_factor_turn_off(struct visit *visit)
{
    if (work_do(visit, turn_off, NULL))
        page_redirect(visit, "/portal/security", "two-factor-off");
}

static bool renew_codes(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct codes *codes = context;
    return make_codes(sql, visit, codes, err) &&
           (!codes->is_done || (mail_two_factor(sql, visit, "is_codes", NULL, err) &&
                                work_audit(sql, visit, "recovery codes created", NULL, err)));
}

void two_factor_new_codes(struct visit *visit)
{
    struct codes codes = { .is_done = false };
    bool ok = work_do(visit, renew_codes, &codes);
    if (ok && codes.is_done)
        show_codes(visit, &codes, "New recovery codes");
    else if (ok)
        page_not_found(visit);
    sodium_memzero(&codes, sizeof(codes));
}
