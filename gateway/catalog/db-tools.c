/* gateway/catalog/db-tools.c - register the tools and learn their numbers. */
#include "gateway/catalog/db-tools.h"

#include <string.h>

#include "base/buf.h"
#include "db/db.h"

enum { ARRAYS_MAX_BYTES = 1 << 16 };

static const char *column(const struct db_tool *tool, size_t column)
{
    return column == 0 ? tool->name : column == 1 ? tool->group : tool->rate_class;
}

static void finish(PGconn **conn)
{
    PQfinish(*conn);
}

static void clear(PGresult **result)
{
    PQclear(*result);
}

bool db_register_tools(const char *url, const char *password, int64_t timeout_ms,
                       struct db_tool *tools, size_t count, struct err *err)
{
    scoped(buf_free) struct buf arrays = BUF(ARRAYS_MAX_BYTES);
    size_t start[4] = { 0 };
    for (size_t c = 0; c < 3; c++) {
        db_array(&arrays, DB_TEXT, count);
        for (size_t i = 0; i < count; i++)
            db_add_bytes(&arrays, column(&tools[i], c), strlen(column(&tools[i], c)));
        start[c + 1] = arrays.size;
    }
    scoped(finish) PGconn *conn = db_connect(url, password, timeout_ms, err);
    if (!conn)
        return false;
    const char *values[3];
    int lengths[3];
    const int formats[3] = { 1, 1, 1 };
    for (size_t c = 0; c < 3; c++) {
        values[c] = arrays.bytes + start[c];
        lengths[c] = (int)(start[c + 1] - start[c]);
    }
    scoped(clear) PGresult *result =
        PQexecParams(conn, "select tool_register($1::text[], $2::text[], $3::text[])", 3, NULL,
                     values, lengths, formats, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK || (size_t)PQntuples(result) != count)
        return err_set(err, ERR_LEDGER_UNAVAILABLE,
                       "the tools cannot be registered (has `tollctl db migrate` been run?): %s",
                       PQerrorMessage(conn));
    for (size_t i = 0; i < count; i++)
        db_int(result, (int)i, 0, &tools[i].tool_id);
    return true;
}
