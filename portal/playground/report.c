/* portal/playground/report.c - see report.h. */
#include "portal/playground/report.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "portal/base/secret.h"
#include "portal/page/answer.h"
#include "portal/page/obstacle.h"
#include "portal/playground/token.h"
#include "portal/public/catalog-cache.h"
#include "text/json.h"

enum {
    VALID_S = 3600,
    REQUEST_BYTES = 2000, /* in an address */
    MESSAGE_BYTES = REQUEST_BYTES + 400,
    MARK_BYTES = 2 * SECRET_MAC_BYTES + 1,
    RETRY_S = 5,
};

static const char report_type[] = "text/html";

bool report_is(const struct contract *contract, const char *media_type)
{
    for (size_t i = 0; i < contract->raw.count; i++)
        if (text_begins(text_of(contract->raw.item[i]), report_type))
            return strcmp(media_type, report_type) == 0;
    return false;
}

/* ---- links ---- */

/* What the mark of a link vouches for. The first word keeps it apart from other uses of the key. */
static void write_message(const struct visit *visit, const char *tool, const char *run,
                          const char *until, struct text request, struct buf *out)
{
    buf_format(out, "report %s %s %s %s ", visit->session.session_id, tool, run, until);
    buf_add(out, request.bytes, request.size);
}

bool report_add(struct visit *visit, const struct tool_call *call, cJSON *outcome)
{
    scoped(buf_free) struct buf message = BUF(MESSAGE_BYTES);
    uint8_t mac[SECRET_MAC_BYTES];
    char mark[MARK_BYTES];
    char until[24];
    if (call->request.size > REQUEST_BYTES)
        return false;
    snprintf(until, sizeof(until), "%lld", (long long)(clock_wall_ms() / 1000 + VALID_S));
    write_message(visit, call->contract->tool, call->run, until, call->request, &message);
    secret_mac(visit->portal->secrets, SECRET_PLAYGROUND, buf_text(&message), mac);
    hex_encode(mark, mac, sizeof(mac));
    visit->has_frame = true;
    cJSON *report = json_map(outcome, "report");
    json_str(report, "run", call->run);
    json_str(report, "until", until);
    json_str(report, "mark", mark);
    json_text_add(report, "request", call->request);
    return true;
}

static bool has_mark(const struct visit *visit, struct text message)
{
    scoped(buf_free) struct buf mac = BUF(SECRET_MAC_BYTES);
    return hex_decode(&mac, text_of(form_text(&visit->form, "mark"))) &&
           mac.size == SECRET_MAC_BYTES &&
           secret_mac_fits(visit->portal->secrets, SECRET_PLAYGROUND, message,
                           (const uint8_t *)mac.bytes);
}

static bool is_valid(const struct visit *visit, const struct contract *contract)
{
    scoped(buf_free) struct buf message = BUF(MESSAGE_BYTES);
    const char *until = form_text(&visit->form, "until");
    int64_t until_s = 0;
    write_message(visit, contract->tool, visit->place[1], until,
                  text_of(form_text(&visit->form, "request")), &message);
    return num_parse(text_of(until), INT64_MAX, &until_s) && until_s > clock_wall_ms() / 1000 &&
           !message.full && has_mark(visit, buf_text(&message));
}

/* ---- the report ---- */

static bool is_report(const struct contract *contract, struct call_answer *answer)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(answer->fetch, type);
    return fetch_last(answer->fetch)->status == 200 && report_is(contract, type);
}

static void show_report(struct visit *visit, const struct contract *contract,
                        struct call_answer *answer)
{
    const struct buf *body = &answer->fetch->body;
    if (!is_report(contract, answer) || !call_answer_claim(answer, 2 * body->size)) {
        page_error(visit, 503, "The report could not be loaded. Reload the page.", RETRY_S);
        return;
    }
    visit->response->body.max_bytes = OUTCOME_PAGE_BYTES;
    buf_add(&visit->response->body, body->bytes, body->size);
    visit->response->reservation = answer->reservation; /* until it is sent */
    answer->reservation = (struct reservation){ 0 };
    answer_report(visit);
}

static void repeat_call(struct visit *visit, const struct contract *contract, const char *token)
{
    struct call_answer answer = { 0 };
    struct err err = { 0 };
    struct tool_call call = { .contract = contract,
                              .account = visit->session.account_id,
                              .token = token,
                              .run = visit->place[1],
                              .member = visit->address,
                              .request = text_of(form_text(&visit->form, "request")) };
    if (gateways_call(visit->portal->gateways, &call, &answer, &err)) {
        show_report(visit, contract, &answer);
    } else {
        log_line(LOG_WARN, "a report got no response", log_str("error", err.message));
        page_error(visit, 503, "The report could not be loaded. Reload the page.", RETRY_S);
    }
    call_answer_free(&answer);
}

void tool_report(struct visit *visit)
{
    const struct contract *contract = catalog_cache_find(visit->portal->catalog, visit->place[0]);
    char token[TOKEN_BYTES];
    struct err err = { 0 };
    if (!contract || !is_valid(visit, contract))
        page_error(visit, 404, "This report is no longer here. Run the tool again.", 0);
    else if (obstacle_of(visit, "run tools"))
        page_error(visit, 403, obstacle_of(visit, "run tools"), 0);
    else if (playground_token(visit, token, &err))
        repeat_call(visit, contract, token);
    else
        page_failed(visit, &err);
    explicit_bzero(token, sizeof(token));
}
