/* common/svc/job.c - raw answers and their headers. */
#include "svc/job.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "text/json.h"

/* The headers that reach the customer; a name that ends in - stands for all that begin so. */
static const char *const header_names[] = {
    "Content-Security-Policy", "X-Content-Type-Options",
    "Cache-Control",           "ETag",
    "Content-Disposition",     "X-QR-",
};

static bool is_allowed(const char *name)
{
    for (size_t i = 0; i < countof(header_names); i++) {
        size_t length = strlen(header_names[i]);
        bool is_prefix = header_names[i][length - 1] == '-';
        if (strncmp(name, header_names[i], length) == 0 && (is_prefix || name[length] == '\0'))
            return true;
    }
    return false;
}

static bool is_in_contract(const struct contract *contract, const char *content_type)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(contract->document, "raw"))
        if (strcmp(json_text(item, ""), content_type) == 0)
            return true;
    return false;
}

void job_raw(const struct job *job, const char *content_type, struct buf *body)
{
    assert(is_in_contract(job->contract, content_type) && !body->full);
    buf_free(&job->answer->body);
    job->answer->content_type = content_type;
    job->answer->body = *body;
    *body = (struct buf)BUF(body->max_bytes);
}

void job_header(const struct job *job, const char *name, const char *format, ...)
{
    struct answer *answer = job->answer;
    char *value = NULL;
    va_list args;

    assert(is_allowed(name) && answer->header_count < ANSWER_HEADERS_MAX);
    va_start(args, format);
    int length = vasprintf(&value, format, args);
    va_end(args);
    assert(length >= 0 && !strpbrk(value, "\r\n")); /* a value never splits the answer */
    answer->header[answer->header_count++] = (struct answer_header){ name, value };
}

void answer_free(struct answer *answer)
{
    for (size_t i = 0; i < answer->header_count; i++)
        mem_free(&answer->header[i].value);
    buf_free(&answer->body);
    *answer = (struct answer){ 0 };
}
