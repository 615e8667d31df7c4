/* portal/usage/export.c - see export.h. */
#include "portal/usage/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/log.h"
#include "portal/base/places.h"
#include "portal/page/answer.h"
#include "portal/usage/calls.h"
#include "portal/usage/csv.h"
#include "portal/usage/page.h"

enum {
    ROWS_A_PAGE = 5000,  /* rows of one query */
    ROWS_A_PIECE = 1000, /* rows of one chunk of the response */
    WRITTEN_BYTES = 40,  /* of numbers, times and ids */
    NUMBER_TEXT_BYTES = 24,
    BUSY_S = 60,
};

/* ---- one export, until its last piece is sent ---- */

struct export
{
    struct portal *portal;
    char account[UUID_TEXT_BYTES];
    struct arena arena; /* for the filter's texts */
    bool has_filter;
    struct usage_filter filter;
    int64_t first;
    int64_t last;
    int64_t next;         /* the lowest number that was not queried */
    struct db_rows *rows; /* the current page, or NULL */
    size_t row;           /* the next row to write */
    struct buf written;   /* the current value, if it is not a text */
    bool has_head;
};

static void export_free(void *source)
{
    struct export *export = source;
    places_leave(export->portal->exports, export->account);
    db_rows_free(&export->rows);
    buf_free(&export->written);
    arena_free(&export->arena);
    mem_free(&export);
}

/* The columns, in order. */
enum column { AT, REFERENCE, KIND, TOOL, TOKEN, AMOUNT, BALANCE, NOTE };

static const char columns[] = "e.at, e.reference, e.kind, t.name, " TOKEN_CALLED ","
                              " e.amount, e.balance_after, e.note";

static const char head[] = "time,request_id,kind,tool,token,credits,balance_after,note\r\n";

static bool query_page(struct export *export, struct sql *sql, int64_t until, struct err *err)
{
    char before[NUMBER_TEXT_BYTES];
    char first[NUMBER_TEXT_BYTES];
    const struct usage_filter *filter = &export->filter;
    scoped(mem_free) char *statement = str_format(
        "select %s from ledger_entry e%s where e.account_id = $1 and e.seq < $2 and e.seq >= $3%s"
        " order by e.seq",
        columns, entry_tables, export->has_filter ? entry_where : "");
    snprintf(before, sizeof(before), "%" PRId64, until);
    snprintf(first, sizeof(first), "%" PRId64, export->next);
    struct sql_params params = { export->has_filter ? 7 : 3,
                                 { export->account, before, first, filter->from, filter->to,
                                   filter->tool, filter->token } };
    return sql_select(sql, statement, params, &export->rows, err);
}

static bool has_row(const struct export *export)
{
    return export->row < db_rows_count(export->rows);
}

/* Query the next page that has rows. Take a connection only for the query: the client may be slow.
 */
static bool fetch_page(struct export *export)
{
    struct err err = { 0 };
    bool ok = true;
    while (ok && !has_row(export) && export->next <= export->last) {
        struct sql *sql = NULL;
        int64_t until = MIN(export->next + ROWS_A_PAGE, export->last + 1);
        db_rows_free(&export->rows);
        ok = pool_take(export->portal->pool, &sql, &err) && query_page(export, sql, until, &err);
        pool_give(&sql);
        export->next = until;
        export->row = 0;
    }
    if (!ok)
        log_line(LOG_WARN, "export cut off", log_str("error", err.message));
    return ok;
}

/* ---- a line ---- */

static struct text written(struct export *export, enum column column)
{
    buf_clear(&export->written);
    sql_write(export->rows, export->row, column, &export->written);
    return buf_text(&export->written);
}

static struct text text_in(const struct export *export, enum column column)
{
    struct text text;
    db_text(export->rows, export->row, column, &text);
    return text;
}

static const char *kind_of(const struct export *export)
{
    int64_t kind;
    db_int(export->rows, export->row, KIND, &kind);
    return entry_kind(kind);
}

static void add_line(struct export *export, struct buf *piece)
{
    csv_text(piece, written(export, AT));
    csv_text(piece, written(export, REFERENCE));
    csv_text(piece, text_of(kind_of(export)));
    csv_text(piece, text_in(export, TOOL));
    csv_text(piece, text_in(export, TOKEN));
    csv_number(piece, written(export, AMOUNT));
    csv_number(piece, written(export, BALANCE));
    csv_text(piece, text_in(export, NOTE));
    csv_end(piece);
    export->row++;
}

static bool next_piece(void *source, struct buf *piece)
{
    struct export *export = source;
    if (!export->has_head)
        buf_add_str(piece, head);
    export->has_head = true;
    if (!has_row(export) && !fetch_page(export))
        return false;
    for (size_t i = 0; i < ROWS_A_PIECE && has_row(export); i++)
        add_line(export, piece);
    return true;
}

static void begin_file(struct export *export)
{
    db_rows_free(&export->rows);
    export->next = export->first;
    export->row = 0;
    export->has_head = false;
}

/* Entries do not change, so the file is made twice: the first pass measures it. */
static bool measure_file(struct export *export, size_t *size)
{
    scoped(buf_free) struct buf piece = BUF(STREAM_PIECE_MAX_BYTES);
    *size = 0;
    begin_file(export);
    while (next_piece(export, &piece) && !piece.full) {
        if (piece.size == 0) {
            begin_file(export);
            return true;
        }
        *size += piece.size;
        buf_clear(&piece);
    }
    return false;
}

/* ---- the response ---- */

static const char *copy_text(struct export *export, const char *text)
{
    return arena_copy(&export->arena, text_of(text));
}

static struct export *export_new(struct visit *visit, const struct usage_filter *filter,
                                 int64_t first, int64_t last)
{
    struct export *export = mem_new(sizeof(*export));
    export->portal = visit->portal;
    export->written = (struct buf)BUF(WRITTEN_BYTES);
    memcpy(export->account, visit->session.account_id, UUID_TEXT_BYTES);
    export->first = first;
    export->last = last;
    export->has_filter = filter != NULL;
    if (filter)
        export->filter =
            (struct usage_filter){ export->account, copy_text(export, filter->from),
                                   copy_text(export, filter->to), copy_text(export, filter->tool),
                                   copy_text(export, filter->token) };
    return export;
}

void export_answer(struct visit *visit, const char *name, const struct usage_filter *filter,
                   int64_t first, int64_t last)
{
    if (!places_enter(visit->portal->exports, visit->session.account_id)) {
        page_error(visit, 503, "Too many exports are running. Try again in a minute.", BUSY_S);
        return;
    }
    struct export *export = export_new(visit, filter, first, last);
    struct http_stream stream = { next_piece, export_free, export, .has_size = true };
    if (!measure_file(export, &stream.size)) {
        export_free(export);
        page_failed(visit, &(struct err){ .kind = ERR_LEDGER_UNAVAILABLE,
                                          .message = "CSV file cannot be made" });
        return;
    }
    answer_plain(visit, 200, "text/csv; charset=utf-8; header=present");
    buf_format(&visit->response->headers,
               "Content-Disposition: attachment; filename=\"tollgate-%s.csv\"\r\n", name);
    visit->response->stream = stream;
}
