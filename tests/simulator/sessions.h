/*
 * tests/simulator/sessions.h - connections: the functions of libpq that common/db/db.c calls, and
 * what a server does to a connection. Statements and responses are decoded here.
 */
#pragma once

#include "model/model.h"

/* In the order of the statements of gateway/ledger/ledger.c. */
enum statement_number { STATEMENT_BATCH, STATEMENT_CHECK, STATEMENT_SWEEP, STATEMENT_PRUNE };

enum { REQUEST_VALUES = 4 };

struct request {
    enum statement_number statement;
    int count; /* of parameters, in PostgreSQL's binary format */
    char *value[REQUEST_VALUES];
    int size[REQUEST_VALUES];
    struct m_batch batch;
    int64_t since_ms, limit; /* of a sweep or prune */
    size_t check_count;
    struct uuid *check_account;
    uint8_t (*check_token)[DIGEST_BYTES];
    struct m_address *check_address;
};

struct response {
    bool is_error;
    char sqlstate[SQLSTATE_BYTES];
    enum statement_number statement;
    size_t count;
    struct m_outcome *outcome; /* of a batch */
    struct m_check *check;
    struct m_step step;
};

struct session;

int session_owner(const struct session *session);

/* After a trip: the response arrives, or the client sees that the connection broke. */
void session_respond_in(struct session *session, const struct response *response, int64_t way_us);
void session_break_in(struct session *session, int64_t way_us);

/* No response and no break will ever reach the client. */
void session_silence(struct session *session);

void sessions_reset(void);
void sessions_break_all(void);

/* ---- of server.c ---- */

/* Does a server accept connections that write? */
bool server_accepts(size_t server);

/* The response of a database that executes a statement with these accounts locked for it, while
 * other sessions have locked others. If it is an error, the model must not be used again. */
struct response server_apply(struct model *model, const struct request *request, unsigned locked,
                             unsigned locked_by_others, int64_t now_ms);

/* A statement leaves its client. */
void server_execute(struct session *session, struct request *request);

/* A SQLSTATE that says nothing about the items: PostgreSQL 15 manual, Appendix A. */
const char *refused_sqlstate(void);
