/* common/svc/job.c - raw responses and their headers. */
#include "svc/job.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "text/json.h"

static void take_over_body(struct answer *answer, struct buf *body)
{
    assert(!body->full);
    buf_free(&answer->body);
    answer->body = *body;
    *body = (struct buf)BUF(body->max_bytes);
}

void job_raw(const struct job *job, const char *content_type, struct buf *body)
{
    assert(contract_list_has(&job->contract->raw, content_type));
    job->answer->content_type = content_type;
    take_over_body(job->answer, body);
}

void job_result(const struct job *job, struct buf *object)
{
    assert(job->contract->result);
    job->answer->has_result = true;
    take_over_body(job->answer, object);
}

void job_header(const struct job *job, const char *name, const char *format, ...)
{
    struct answer *answer = job->answer;
    char *value = NULL;
    va_list args;

    assert(contract_list_has(&job->contract->raw_headers, name));
    assert(answer->header_count < CONTRACT_HEADERS_MAX);
    va_start(args, format);
    int length = vasprintf(&value, format, args);
    va_end(args);
    assert(length >= 0 && !strpbrk(value, "\r\n")); /* a value must not split the response */
    answer->header[answer->header_count++] = (struct answer_header){ name, value };
}

void job_add_cost(const struct job *job, int64_t micros, const char *currency)
{
    struct answer *answer = job->answer;
    if (!answer || micros <= 0)
        return;
    assert(currency && (!answer->cost_currency || strcmp(answer->cost_currency, currency) == 0));
    answer->cost_micros += micros;
    answer->cost_currency = currency;
}

bool job_is_cancelled(const struct job *job)
{
    return job->cancelled && *job->cancelled;
}

void answer_free(struct answer *answer)
{
    for (size_t i = 0; i < answer->header_count; i++)
        mem_free(&answer->header[i].value);
    buf_free(&answer->body);
    *answer = (struct answer){ 0 };
}
