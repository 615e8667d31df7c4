/*
 * gateway/account/requests.h - GET …/account/requests: an account's requests, from the request log
 * (gateway/sql/012-requests.sql). A page searches at most 20,000 of them. It shares usage.h's
 * connection.
 */
#pragma once

#include "db/pool.h"
#include "gateway/account/asker.h"
#include "gateway/account/requests-query.h"

enum { REQUESTS_BYTES = 1 << 20 /* of a response */ };

/*
 * Append {requests: [{id, at, client_id, tool, route, token_id, token, surface, status, code,
 * credits, seq, is_replayed, total_ms, queue_ms, tool_ms, bytes_in, bytes_out, ignored_fields,
 * network}], next_cursor, is_complete}. A page may be short or empty and still have a next_cursor.
 * is_complete: false if records of that time were dropped, or the log is off. Errors:
 * ERR_LEDGER_UNAVAILABLE.
 */
bool requests_write(struct pool *pool, const struct asker *asker,
                    const struct requests_question *question, bool is_on, struct buf *out,
                    struct err *err) must_check;
