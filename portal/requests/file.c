/* portal/requests/file.c - see file.h. */
#include "portal/requests/file.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "portal/base/places.h"
#include "portal/page/answer.h"
#include "portal/usage/csv.h"

enum { BUSY_S = 60, WRITTEN_BYTES = 80 };
#define ROWS_A_PIECE "500"

/* One file, until its last piece is sent. */
struct file {
    struct portal *portal;
    struct arena arena; /* for the filter's texts */
    char account[UUID_TEXT_BYTES];
    struct request_filter filter;
    char cursor[CURSOR_BYTES];
    struct buf written; /* the current value */
    bool has_head;
    bool is_over;
};

static void file_free(void *source)
{
    struct file *file = source;
    places_leave(file->portal->exports, file->account);
    buf_free(&file->written);
    arena_free(&file->arena);
    mem_free(&file);
}

static const char head[] =
    "time,request_id,client_request_id,token,tool,route,surface,status,code,credits,entry,replayed,"
    "total_ms,queue_ms,tool_ms,bytes_in,bytes_out,ignored_fields,network\r\n";

/* Take a connection only for the query: the client may be slow. */
static bool query_rows(struct file *file, struct db_rows **rows)
{
    struct sql *sql = NULL;
    struct err err = { 0 };
    bool ok = pool_take(file->portal->pool, &sql, &err) &&
              sql_select(sql, request_rows_sql,
                         request_params(&file->filter, file->cursor, ROWS_A_PIECE), rows, &err);
    pool_give(&sql);
    if (!ok)
        log_line(LOG_WARN, "export cut off", log_str("error", err.message));
    return ok;
}

static bool is_number(enum request_column column)
{
    return column == REQUEST_STATUS || column == REQUEST_CREDITS || column == REQUEST_SEQ ||
           (column >= REQUEST_TOTAL_MS && column <= REQUEST_IGNORED);
}

static void add_line(struct file *file, const struct db_rows *rows, size_t row, struct buf *piece)
{
    for (enum request_column column = REQUEST_AT; column <= REQUEST_NETWORK; column++) {
        buf_clear(&file->written);
        sql_write(rows, row, column, &file->written);
        if (is_number(column))
            csv_number(piece, buf_text(&file->written));
        else
            csv_text(piece, buf_text(&file->written));
    }
    csv_end(piece);
}

/* Where the next query begins; without a cursor, the file is over. */
static void go_on(struct file *file, const struct db_rows *rows)
{
    struct text next = { 0 };
    file->is_over = !db_text(rows, 0, REQUEST_NEXT, &next);
    snprintf(file->cursor, sizeof(file->cursor), "%.*s", (int)next.size,
             file->is_over ? "" : next.bytes);
}

/* An empty piece ends the file, so pieces without a match are skipped. */
static bool next_piece(void *source, struct buf *piece)
{
    struct file *file = source;
    if (!file->has_head)
        buf_add_str(piece, head);
    file->has_head = true;
    for (bool has_rows = false; !file->is_over && !has_rows;) {
        scoped(db_rows_free) struct db_rows *rows = NULL;
        struct text id;
        if (!query_rows(file, &rows))
            return false;
        has_rows = db_text(rows, 0, REQUEST_ID, &id);
        for (size_t row = 0; has_rows && row < db_rows_count(rows); row++)
            add_line(file, rows, row, piece);
        go_on(file, rows);
    }
    return true;
}

static const char *copy(struct file *file, const char *text)
{
    return arena_copy(&file->arena, text_of(text));
}

static struct file *file_new(struct visit *visit, const struct request_filter *filter)
{
    struct file *file = mem_new(sizeof(*file));
    const struct usage_filter *usage = &filter->usage;
    file->portal = visit->portal;
    file->written = (struct buf)BUF(WRITTEN_BYTES);
    memcpy(file->account, visit->session.account_id, UUID_TEXT_BYTES);
    file->filter =
        (struct request_filter){ { file->account, copy(file, usage->from), copy(file, usage->to),
                                   copy(file, usage->tool), copy(file, usage->token) },
                                 copy(file, filter->status),
                                 copy(file, filter->code),
                                 copy(file, filter->slower_ms),
                                 copy(file, filter->id) };
    return file;
}

void request_file_answer(struct visit *visit, const struct request_filter *filter)
{
    if (!places_enter(visit->portal->exports, visit->session.account_id)) {
        page_error(visit, 503, "Too many exports are running. Try again in a minute.", BUSY_S);
        return;
    }
    answer_plain(visit, 200, "text/csv; charset=utf-8; header=present");
    buf_format(
        &visit->response->headers,
        "Content-Disposition: attachment; filename=\"tollgate-requests-%.10s-%.10s.csv\"\r\n",
        filter->usage.from, filter->usage.to);
    visit->response->stream =
        (struct http_stream){ next_piece, file_free, file_new(visit, filter) };
}
