/* portal/member/export.c - the member downloads all data about them and their account. */
#include <string.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "db/account-export.h"
#include "portal/base/places.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"

enum { BUSY_S = 60 };

/* ---- one export, until its last piece is sent ---- */

struct document {
    struct portal *portal;
    struct account_export export;
};

static void document_free(void *source)
{
    struct document *document = source;
    places_leave(document->portal->exports, document->export.account);
    mem_free(&document);
}

/* Take a connection only for the query: the client may be slow. */
static bool read_rows(void *source, const char *statement, struct sql_params params, cJSON *rows,
                      struct err *err)
{
    struct portal *portal = source;
    return pool_rows(portal->pool, statement, params, rows, err);
}

static bool next_piece(void *source, struct buf *piece)
{
    struct document *document = source;
    struct err err = { 0 };
    if (account_export_is_done(&document->export) ||
        account_export_next(&document->export, piece, &err))
        return true;
    log_line(LOG_WARN, "export cut off", log_str("error", err.message));
    return false;
}

/* ---- the response ---- */

static bool audit_export(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    (void)context;
    return work_audit(sql, visit, "export", NULL, err);
}

static void send_document(struct visit *visit)
{
    struct document *document = mem_new(sizeof(*document));
    document->portal = visit->portal;
    account_export_open(&document->export, visit->session.account_id, read_rows, visit->portal);
    answer_plain(visit, 200, "application/json");
    buf_add_str(&visit->response->headers,
                "Content-Disposition: attachment; filename=\"tollgate-account.json\"\r\n");
    visit->response->stream = (struct http_stream){ next_piece, document_free, document };
}

void account_export(struct visit *visit)
{
    struct places *exports = visit->portal->exports;
    bool is_answered = false;

    if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            account_page(visit, 429);
    } else if (!places_enter(exports, visit->session.account_id)) {
        page_error(visit, 503, "Too many exports are running. Try again in a minute.", BUSY_S);
    } else if (work_do(visit, audit_export, NULL)) {
        send_document(visit);
    } else {
        places_leave(exports, visit->session.account_id);
    }
}
