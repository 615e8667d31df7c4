/* gateway/tollctl/requests/request.c - one request of a customer, from the request log and the
 * ledger. */
#include <inttypes.h>
#include <stdio.h>
#include <sysexits.h>

#include "base/codec/uuid.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

enum {
    UUID_V7 = 7,
    TIME_BYTES = 24,
    MINUTE_MS = 60000,
    NEAR_MS = 10 * MINUTE_MS, /* clocks of gateway and database rarely differ more */
    FAR_MS = 25 * 60 * MINUTE_MS,
};

#define COLUMNS                                                                                    \
    "select r.id, r.client_id, r.at, r.account_id as account,"                                     \
    "       case when k.kind = 2 then 'playground' else k.name end as token,"                      \
    "       r.token_id, t.name as tool, r.route, (array['rest', 'mcp'])[r.surface] as surface,"    \
    "       r.status, r.code, r.credits, r.is_replayed,"                                           \
    "       round(r.total_us / 1000.0, 1)::text as total_ms, round(r.queue_us / 1000.0, 1)::text " \
    "as queue_ms,"                                                                                 \
    "       round(r.tool_us / 1000.0, 1)::text as tool_ms, r.bytes_in, r.bytes_out, r.ignored as " \
    "ignored_fields,"                                                                              \
    "       r.network"                                                                             \
    "  from request_log r left join tool t using (tool_id)"                                        \
    "  left join token k on k.account_id = r.account_id and k.token_id = r.token_id"

/* Without an account, the time in the id bounds the search. */
static const char by_time_sql[] =
    COLUMNS " where r.id = $1 and r.at > timestamptz 'epoch' + $2 * interval '1 millisecond'"
            "   and r.at < timestamptz 'epoch' + $3 * interval '1 millisecond' limit 1";

static const char by_account_sql[] =
    COLUMNS " where r.account_id = $2 and (r.id::text = lower($1) or r.client_id = $1)"
            " order by r.at desc, r.id desc limit 1";

static const char entries_sql[] =
    "select e.account_id as account, e.seq, e.at, case e.kind when 3 then 'usage' else 'refund' end"
    "       as kind, e.amount as credits, t.name as tool"
    "  from ledger_entry e left join tool t using (tool_id)"
    " where e.reference = $1 and e.kind = 3 "
    "union all "
    "select r.account_id, r.seq, r.at, 'refund', r.amount, t.name"
    "  from ledger_entry e"
    "  join ledger_entry r on r.account_id = e.account_id and r.kind = 4"
    "                     and r.reference = e.reference"
    "  left join tool t on t.tool_id = r.tool_id"
    " where e.reference = $1 and e.kind = 3 order by seq";

/* Milliseconds since 1970 of an id with a time (RFC 9562 section 5.7); false: it has none. */
static bool read_id_time(const char *text, struct uuid *id, int64_t *ms)
{
    if (!uuid_parse(text_of(text), id) || id->bytes[6] >> 4 != UUID_V7)
        return false;
    *ms = 0;
    for (size_t i = 0; i < 6; i++)
        *ms = *ms << 8 | id->bytes[i];
    return true;
}

static bool find_near(struct sql *sql, const char *id, int64_t at_ms, int64_t around_ms,
                      cJSON *record, struct err *err)
{
    char from[TIME_BYTES];
    char to[TIME_BYTES];
    snprintf(from, sizeof(from), "%" PRId64, at_ms - around_ms);
    snprintf(to, sizeof(to), "%" PRId64, at_ms + around_ms);
    return sql_row(sql, by_time_sql, SQL_PARAMS(id, from, to), record, err);
}

static bool find_record(struct tollctl *ctl, const char *id, int64_t at_ms, cJSON *record,
                        struct err *err)
{
    const char *account = args_text(&ctl->args, "--account");
    if (account)
        return tollctl_find_account(ctl->sql, account, err) &&
               sql_row(ctl->sql, by_account_sql, SQL_PARAMS(id, account), record, err);
    return find_near(ctl->sql, id, at_ms, NEAR_MS, record, err) &&
           (json_size(record) > 0 || find_near(ctl->sql, id, at_ms, FAR_MS, record, err));
}

static bool request_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *asked = args_text(&ctl->args, "ID");
    struct uuid uuid;
    char id[UUID_TEXT_BYTES] = "";
    int64_t at_ms = 0;
    bool has_time = read_id_time(asked, &uuid, &at_ms);
    if (!has_time && !args_has(&ctl->args, "--account")) {
        ctl->status = EX_USAGE;
        return err_set(err, ERR_INVALID_VALUE,
                       "ID is not of a gateway; an X-Request-Id of a client needs --account");
    }
    if (has_time)
        uuid_format(id, &uuid);
    if (!find_record(ctl, has_time ? id : asked, at_ms, answer, err))
        return false;
    const char *reference = json_text(answer, "/id") ? json_text(answer, "/id") : id;
    bool is_logged = json_size(answer) > 0;
    cJSON *entries = json_list(answer, "entries");
    if (*reference && !sql_rows(ctl->sql, entries_sql, SQL_PARAMS(reference), entries, err))
        return false;
    if (!is_logged && json_size(entries) == 0)
        return err_set(err, ERR_NOT_FOUND,
                       "neither the request log nor the ledger has the request %s; records are "
                       "kept for requests.retention_days",
                       asked);
    if (!is_logged)
        ctl->remark = "The request log does not have this request, or no longer.";
    return true;
}

/* clang-format off */
const struct command request_commands[] = {
    { "request show", "Show a request: status, code, times, token, and its ledger entries.", request_show, .args = {
        { "ID", "the X-Request-Id of the response", .min = 1, .max = 64 },
        { "--account", "its account; needed if the client sent its own X-Request-Id", "ACCOUNT", ARG_UUID } } },
    { 0 },
};
/* clang-format on */
