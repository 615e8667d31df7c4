/* gateway/dispatch/subjobs.c - jobs that a daemon requests of another group. */
#include "gateway/dispatch/state.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "gateway/traces/traces.h"

enum { REQUEST_MAX_BYTES = 65536 /* like a customer's request: web/http.h */ };

static void tell_reply(struct dispatch *dispatch, struct worker *worker,
                       const struct wire_reply *reply, struct text body)
{
    wire_put_reply(&dispatch->workers.header, reply);
    workers_send(&dispatch->workers, worker, MSG_REPLY, body);
}

static void subjob_free(struct subjob **subjob)
{
    mem_free(&(*subjob)->body);
    dispatch_reply_free(&(*subjob)->reply);
    mem_free(subjob);
}

/* Its parent is the call's span. A sub-job that outlived its call has no traceparent any more.
 * reply.errs has the error, of the tool or of the gateway. */
static void add_span(const struct subjob *subjob)
{
    struct traces *traces = subjob->run.dispatch->options.traces;
    struct span span = { .kind = SPAN_INTERNAL,
                         .name = "sub-job",
                         .end_us = clock_wall_ms() * 1000,
                         .call = subjob->job.id,
                         .account = subjob->job.account,
                         .tool = subjob->job.contract->tool };
    if (!traces || subjob->job.traceparent[0] == '\0')
        return;
    span_set_parent(&span, subjob->job.traceparent);
    if (!traces_sample(traces, span.trace))
        return;
    const struct errs *errs = &subjob->reply.header.errs;
    enum err_kind kind = errs->count > 0 ? errs->item[0].kind : ERR_NONE;
    span.error = kind != ERR_NONE ? err_code(kind) : NULL;
    span.is_failure = kind != ERR_NONE && err_is_failure(kind);
    span.start_us = span.end_us - (clock_us() - subjob->run.started_us);
    span_set_id(&span);
    traces_add(traces, &span, 1);
}

/* Send the reply, or the error, to the parent's worker. */
static void subjob_ended(void *context)
{
    struct subjob *subjob = context;
    struct run *parent = subjob->run.parent;
    struct wire_reply *reply = &subjob->reply.header;
    if (subjob->run.err.kind != ERR_NONE)
        errs_add_err(&reply->errs, &subjob->run.err);
    add_span(subjob);
    if (parent) {
        parent->subjobs_open--;
        reply->id = subjob->asked_as;
        tell_reply(subjob->run.dispatch, parent->worker, reply, buf_text(&subjob->reply.body));
    }
    subjob_free(&subjob);
}

static const struct contract *find_contract(const struct dispatch *dispatch, const char *tool)
{
    for (size_t i = 0; i < dispatch->options.contract_count; i++)
        if (strcmp(dispatch->options.contracts[i]->tool, tool) == 0)
            return dispatch->options.contracts[i];
    return NULL;
}

/* Why the request is rejected: an error of the daemon or its configuration. NULL: it is allowed. */
static const char *find_subjob_error(const struct run *parent, const char *tool, size_t body_bytes)
{
    if (parent->parent)
        return "a sub-job cannot request sub-jobs";
    if (!contract_list_has(&parent->job->contract->calls, tool))
        return "the contract's `calls` does not list this tool";
    if (parent->subjobs == SUBJOBS_MAX || parent->subjobs_open == SUBJOBS_AT_ONCE)
        return "the job has the most sub-jobs allowed";
    if (body_bytes > REQUEST_MAX_BYTES)
        return "the request is too large";
    const struct contract *contract = find_contract(parent->dispatch, tool);
    if (!contract)
        return "the gateway has no contract for this tool";
    return strcmp(contract->group, parent->group->name) == 0 ? "the tool is in the same group"
                                                             : NULL;
}

static void start(struct run *parent, const struct wire_job *asked, struct text body)
{
    struct dispatch *dispatch = parent->dispatch;
    const struct contract *contract = find_contract(dispatch, asked->tool);
    struct subjob *subjob = mem_new(sizeof(*subjob));
    int64_t until_ms = clock_ms() + MIN((int64_t)asked->budget_ms, contract->budget_ms);

    subjob->asked_as = asked->id;
    subjob->body = mem_dup(body.bytes, body.size);
    subjob->job = (struct dispatch_job){ .contract = contract,
                                         .group = dispatch_group(dispatch, contract->group),
                                         .id = uuid_new(),
                                         .account = parent->job->account,
                                         .body = { subjob->body, body.size },
                                         .request_id = parent->job->request_id,
                                         .traceparent = parent->job->traceparent,
                                         .deadline_ms = MIN(until_ms, parent->job->deadline_ms) };
    subjob->run = (struct run){ .item.account = parent->job->account,
                                .dispatch = dispatch,
                                .job = &subjob->job,
                                .reply = &subjob->reply,
                                .group = subjob->job.group,
                                .parent = parent,
                                .attempt = 1,
                                .started_us = clock_us(),
                                .queue_deadline_ms = run_queue_until(&subjob->job),
                                .ended = subjob_ended,
                                .context = subjob };
    parent->subjobs++;
    parent->subjobs_open++;
    counter_add(dispatch->subjobs, 1);
    run_accept(dispatch, &subjob->run);
}

static void reject_subjob(struct dispatch *dispatch, struct worker *worker,
                          const struct wire_job *asked, const char *why)
{
    struct wire_reply reply = { .id = asked->id };
    counter_add(dispatch->subjobs_refused, 1);
    if (log_pace_allows(&dispatch->subjob_lines))
        log_line(LOG_ERROR, "sub-job rejected", log_str("group", worker->group->name),
                 log_str("tool", asked->tool), log_str("error", why));
    errs_add(&reply.errs, ERR_INTERNAL, "%s", why);
    tell_reply(dispatch, worker, &reply, (struct text){ "", 0 });
}

bool subjob_on_message(struct dispatch *dispatch, struct worker *worker,
                       const struct message *message)
{
    struct wire_job asked;
    if (!wire_get_job(message->header, &asked) || !asked.is_subjob)
        return false;
    struct run *parent = runs_find(&dispatch->runs, &asked.parent);
    if (!parent || parent->worker != worker)
        return true;
    const char *why = find_subjob_error(parent, asked.tool, message->body.size);
    if (why)
        reject_subjob(dispatch, worker, &asked, why);
    else
        start(parent, &asked, message->body);
    return true;
}
